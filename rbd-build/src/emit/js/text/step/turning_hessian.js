/* m^T x, of a joint's coordinates */
function _turned_times(m, x) {
    const n = x.length, to = new Float64Array(n);
    for (let j = 0; j < n; j++) {
        for (let i = 0; i < n; i++) to[j] += m[n * j + i] * x[i];
    }
    return to;
}

/* m^T, of n x n matrices */
function _transposed(m, n) {
    return m.map((_, k) => m[n * (k % n) + Math.floor(k / n)]);
}

/* J_q^T lambda and J_u^T lambda, J being the Jacobians of integrate(q, u) */
function _find_gradients(u, lambda, by_q, by_u) {
    by_q.set(lambda);
    by_u.set(lambda);
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, own = lambda.slice(at, at + n);
        const [of_q, of_u] = _joint_jacobians(joint, u.slice(at, at + n));
        by_q.set(_turned_times(of_q, own), at);
        by_u.set(_turned_times(of_u, own), at);
    }
}

/* W with x^T W y = lambda . [y, x] */
function _dual_bracket({ kind, nv }, lambda) {
    const to = new Float64Array(nv * nv);
    if (kind === "planar") {
        [to[2], to[5], to[6], to[7]] = [-lambda[1], lambda[0], lambda[1], -lambda[0]];
    } else if (kind === "spherical") {
        _place_skew(to, 3, 0, 0, lambda);
    } else {
        _place_skew(to, 6, 0, 3, lambda);
        _place_skew(to, 6, 3, 0, lambda);
        _place_skew(to, 6, 3, 3, lambda.slice(3));
    }
    return to;
}

/* The derivative of J_u^T lambda by u: a series of the matrix of [u, .], if its entries are below 1/2. Else it is that at
 * u / 2, since J_u(u)^T lambda = J_u(u / 2)^T (lambda + J_q(u / 2)^T lambda) / 2. */
function _joint_curvature(joint, u, lambda) {
    const n = joint.nv, a = _bracket(joint, u);
    if (!a.some((x) => Math.abs(x) > 0.5)) {
        const to = new Float64Array(n * n);
        let x = lambda, moved = to.slice();
        for (let k = 2; k < 22; k++) {
            const w = _dual_bracket(joint, x), before = moved;
            moved = w.map((x) => -x / k);
            for (let c = 0; c < n; c++) {
                _turned_times(a, before.slice(n * c, n * c + n)).forEach((y, i) => (moved[n * c + i] -= y / k));
            }
            x = _turned_times(a, x).map((x) => -x / k);
            moved.forEach((y, i) => (to[i] += y));
        }
        return to;
    }
    const half = u.map((x) => x / 2), [of_q, of_u] = _joint_jacobians(joint, half);
    const weight = _turned_times(of_q, lambda).map((x, i) => (x + lambda[i]) / 2), to = _joint_curvature(joint, half, weight);
    const by_half = _weight_moved(joint, of_q, of_u, lambda);
    for (let c = 0; c < n; c++) {
        _turned_times(of_u, by_half.slice(n * c, n * c + n)).forEach((y, i) => (to[n * c + i] += y / 2));
    }
    return to.map((x) => x / 2);
}

/* The derivative of J_q^T lambda by u: -J_q^T W J_u */
function _weight_moved(joint, of_q, of_u, lambda) {
    const n = joint.nv, to = _small_product(_dual_bracket(joint, lambda), of_u, n, -1);
    for (let c = 0; c < n; c++) to.set(_turned_times(of_q, to.slice(n * c, n * c + n)), n * c);
    return to;
}

/* What a joint's weighted integrate(q, u) has of second order, where its weight is that of a function that is held, or moves
 * with the result: antisymmetric qq, where it is held, and the derivatives of J_q^T lambda and of J_u^T lambda by u. */
function _second_of(joint, u, lambda, is_held) {
    const n = joint.nv, [of_q, of_u] = _joint_jacobians(joint, u);
    const qq = _dual_bracket(joint, _turned_times(of_q, lambda)).map((x) => x / 2);
    const qu = _weight_moved(joint, of_q, of_u, lambda), uu = _joint_curvature(joint, u, lambda);
    if (!is_held) return { qq, qu, uu };
    const other = _transposed(uu, n);
    return { qq, qu: qu.map((x) => x / 2), uu: uu.map((x, k) => (x + other[k]) / 2) };
}

/* to + left^T middle right, by the n rows of a joint */
function _add_sandwich(to, left, middle, right, at, n) {
    for (let c = 0; c < NV; c++) {
        const turned = _times(middle, right.slice(NV * c + at, NV * c + at + n));
        for (let r = 0; r < NV; r++) {
            let sum = 0;
            for (let i = 0; i < n; i++) sum += left[NV * r + at + i] * turned[i];
            to[NV * c + r] += sum;
        }
    }
}

/* to + s block, at a joint */
function _add_block(to, block, s, at, n) {
    for (let c = 0; c < n; c++) {
        for (let i = 0; i < n; i++) to[NV * (at + c) + at + i] += s * block[n * c + i];
    }
}

/* Adds what a weight of integrate(q, u) has of second order, from derivatives of u by q, v and tau. */
function _add_curvature(u, lambda, by, is_held, out) {
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, own = (x) => x.slice(at, at + n);
        const second = _second_of(joint, own(u), own(lambda), is_held);
        for (const [block, x, y] of _BLOCKS) _add_sandwich(out[block], by[x], second.uu, by[y], at, n);
        ["dqdq", "dqdv", "dqdtau"].forEach((block, y) => {
            for (let c = 0; c < NV; c++) {
                const moved = _times(second.qu, by[y].slice(NV * c + at, NV * c + at + n));
                for (let i = 0; i < n; i++) {
                    out[block][NV * c + at + i] += moved[i];
                    if (is_held && y === 0) out.dqdq[NV * (at + i) + c] += moved[i];
                }
            }
        });
        if (is_held) _add_block(out.dqdq, second.qq, 1, at, n);
    }
}
