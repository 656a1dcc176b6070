
/* Six components of row i at a point that is d further on. */
function _moved(x, i, d, at, to) {
    const o = 6 * i, a = x[o + 3], b = x[o + 4], c = x[o + 5];
    to[0] = x[o] + (b * d[at + 2] - c * d[at + 1]);
    to[1] = x[o + 1] + (c * d[at] - a * d[at + 2]);
    to[2] = x[o + 2] + (a * d[at + 1] - b * d[at]);
    to[3] = a, to[4] = b, to[5] = c;
}

/* A motion times the forces of a row. */
function _times_force(m, t, o) {
    return m[0] * t[o] + m[1] * t[o + 1] + m[2] * t[o + 2] + m[3] * t[o + 3] + m[4] * t[o + 4] + m[5] * t[o + 5];
}

/* Points of the segments that a segment carries, from its own. */
function _points(w, own) {
    const { t, hop, point } = w;
    point.fill(0, 3 * own, 3 * own + 3);
    for (let j = own + 1; j < t.segment_first.length; j++) {
        const parent = t.segment_parent[j];
        for (let k = 0; k < 3; k++) point[3 * j + k] = parent >= own ? point[3 * parent + k] + hop[3 * j + k] : 0;
    }
}

/* The derivatives of inverse dynamics by q, v and a, those that are not null, without those of the joints' own. Each row
 * meets those of its subtree, as far as they have the same point at once. */
function _pairs(w, dq, dv, da) {
    const { t, rows, n, point, t1, t2, t3, t4, one: s, two: p, three: x, four: r } = w;
    for (const to of [dq, dv, da]) to?.fill(0);
    for (let i = 0, here = -1; i < rows; i++) {
        const column = t.coordinate[i], joint = t.joint_end[i], end = t.end[i];
        if (t.segment[i] !== here) {
            here = t.segment[i];
            _points(w, here);
        }
        for (let j = t.first[i], at = -1; j < end; j++) {
            const o = 6 * j, u = 3 * j, row = t.coordinate[j], below = column * n + row, above = row * n + column;
            if (t.segment[j] !== at) {
                at = t.segment[j];
                _moved(w.s, i, point, 3 * at, s);
                if (dv !== null) _moved(w.x, i, point, 3 * at, x);
                if (dq !== null) {
                    _moved(w.p, i, point, 3 * at, p);
                    _moved(w.r, i, point, 3 * at, r);
                }
            }
            const mirrors = j >= joint;
            if (da !== null) {
                const by = _times_force(s, t1, o);
                da[below] += by;
                if (mirrors) da[above] += by;
            }
            if (dv !== null) {
                dv[below] += _times_force(x, t1, o) + s[3] * t4[u] + s[4] * t4[u + 1] + s[5] * t4[u + 2];
                if (mirrors) dv[above] += _times_force(s, t2, o);
            }
            if (dq !== null) {
                dq[below] += _times_force(r, t1, o) + p[3] * t4[u] + p[4] * t4[u + 1] + p[5] * t4[u + 2];
                if (mirrors) dq[above] += _times_force(s, t3, o);
            }
        }
    }
}

/* Adds joint friction, or the first or second derivative by its own velocity, to entries so far apart: times weights, if
 * there are some. A joint that follows another has that of its own velocity. */
function _friction(w, derivative, weights, to, apart) {
    const { t, rows } = w;
    if (t.smoothing === 0) return;
    for (let i = 0; i < rows; i++) {
        const ratio = t.ratio[i], x = ratio * w.v[i], size = Math.sqrt(x * x + t.smoothing * t.smoothing), rest = t.smoothing / size;
        const at = t.coordinate[i], share = x / size, of = ratio * t.rubs[i] * (weights === null ? 1 : weights[at]);
        if (derivative === 0) to[at * apart] += of * share;
        else if (derivative === 1) to[at * apart] += of * ((ratio * rest * rest) / size);
        else to[at * apart] += (of * (-3 * ratio * ratio * share * rest * rest)) / (size * size);
    }
}

/* Rotors, dampers and friction, of the matrices that are there. */
function _joints_own(w, dv, da) {
    const { t, n } = w;
    for (let i = 0; i < n; i++) {
        if (dv !== null) dv[i * (n + 1)] += t.damping[i];
        if (da !== null) da[i * (n + 1)] += t.armature[i];
    }
    if (dv !== null) _friction(w, 1, null, dv, n + 1);
}

/* Torques of coordinates, with rotors, dampers and friction. */
function _torques(w, v, a, tau) {
    const { t, n, rows } = w;
    for (let i = 0; i < n; i++) tau[i] = (v === null ? 0 : t.damping[i] * v[i]) + (a === null ? 0 : t.armature[i] * a[i]);
    for (let i = 0; i < rows; i++) tau[t.coordinate[i]] += w.tau[i];
    _friction(w, 0, null, tau, 1);
}
