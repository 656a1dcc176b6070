/* The matrix of the cross product by x at row r and column c of an n x n matrix, by columns. */
function _place_skew(to, n, r, c, x) {
    to[n * c + r + 1] = x[2];
    to[n * c + r + 2] = -x[1];
    to[n * (c + 1) + r] = -x[2];
    to[n * (c + 1) + r + 2] = x[0];
    to[n * (c + 2) + r] = x[1];
    to[n * (c + 2) + r + 1] = -x[0];
}

/* The matrix that maps y to [u, y], of a joint's motions. */
function _bracket({ kind, nv }, u) {
    const to = new Float64Array(nv * nv);
    if (kind === "planar") {
        [to[1], to[3], to[6], to[7]] = [u[2], -u[2], u[1], -u[0]];
    } else if (kind === "spherical") {
        _place_skew(to, 3, 0, 0, u);
    } else {
        _place_skew(to, 6, 0, 0, u.slice(3));
        _place_skew(to, 6, 0, 3, u);
        _place_skew(to, 6, 3, 3, u.slice(3));
    }
    return to;
}

/* m x, of a joint's coordinates */
function _times(m, x) {
    const n = x.length, to = new Float64Array(n);
    for (let j = 0; j < n; j++) {
        for (let i = 0; i < n; i++) to[i] += m[n * j + i] * x[j];
    }
    return to;
}

/* to + a b s, of n x n matrices */
function _small_product(a, b, n, s = 1, to = new Float64Array(n * n)) {
    for (let c = 0; c < n; c++) {
        for (let k = 0; k < n; k++) {
            for (let r = 0; r < n; r++) to[n * c + r] += a[n * k + r] * b[n * c + k] * s;
        }
    }
    return to;
}

/* Derivatives of integrate(q, u) of a joint by q and by u: exp(-A) and (1 - exp(-A)) / A, A being the matrix of [u, .].
 * Both are series of A / 2^s, whose entries are below 1/2, and then doubled s times. */
function _joint_jacobians(joint, u) {
    const n = joint.nv, a = _bracket(joint, u), one = new Float64Array(n * n);
    for (let k = 0; k < n; k++) one[(n + 1) * k] = 1;
    const largest = a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
    const doublings = largest > 0.5 ? Math.min(Math.ceil(Math.log2(2 * largest)), 60) : 0;
    const small = a.map((x) => -x / 2 ** doublings);
    let of_u = one.slice(), power = one;
    for (let k = 2; k < 22; k++) {
        power = _small_product(small, power, n, 1 / k);
        of_u = of_u.map((x, i) => x + power[i]);
    }
    let of_q = _small_product(small, of_u, n, 1, one.slice());
    for (let k = 0; k < doublings; k++) {
        of_u = _small_product(of_u, of_q, n, 0.5, of_u.map((x) => x / 2));
        of_q = _small_product(of_q, of_q, n);
    }
    return [of_q, of_u];
}

/* Derivatives of u become those of integrate(q, u). */
function _through(u, by_q, ...others) {
    _add_ones(by_q);
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, [of_q, of_u] = _joint_jacobians(joint, u.slice(at, at + n));
        for (const m of [by_q, ...others]) {
            for (let c = 0; c < NV; c++) m.set(_times(of_u, m.slice(NV * c + at, NV * c + at + n)), NV * c + at);
        }
        for (let j = 0; j < n; j++) {
            for (let i = 0; i < n; i++) by_q[NV * (at + j) + at + i] += of_q[n * j + i];
        }
    }
}

/* Adds one where a joint's position is a coordinate. */
function _add_ones(to) {
    for (const { mimic, nv, idx_v } of JOINTS) if (mimic === null && nv === 1) to[(NV + 1) * idx_v] += 1;
}
