
/* Sums of inertias, and of Coriolis operators (`drifts`), over subtrees, in place. */
function _moments_of_subtrees(w, drifts) {
    const { t, rows, hop, inertia: x, drift: y } = w;
    for (let i = rows - 1; i >= 0; i--) {
        const above = t.above[i];
        if (above < 0) continue;
        const o = 9 * i, to = 9 * above, u = 12 * i, into = 12 * above;
        const crosses = t.segment[above] !== t.segment[i], s = 3 * t.segment[i];
        const d0 = crosses ? hop[s] : 0, d1 = crosses ? hop[s + 1] : 0, d2 = crosses ? hop[s + 2] : 0;
        const h0 = x[o], h1 = x[o + 1], h2 = x[o + 2], m = crosses ? t.subtree_mass[i] : 0;
        const g0 = m * d0 + h0, g1 = m * d1 + h1, g2 = m * d2 + h2;
        x[to] += g0, x[to + 1] += g1, x[to + 2] += g2;
        x[to + 3] += x[o + 3] + g0 * d0 + d0 * h0;
        x[to + 4] += x[o + 4] + g0 * d1 + d0 * h1;
        x[to + 5] += x[o + 5] + g0 * d2 + d0 * h2;
        x[to + 6] += x[o + 6] + g1 * d1 + d1 * h1;
        x[to + 7] += x[o + 7] + g1 * d2 + d1 * h2;
        x[to + 8] += x[o + 8] + g2 * d2 + d2 * h2;
        if (!drifts) continue;
        const l0 = y[u], l1 = y[u + 1], l2 = y[u + 2], along = l0 * d0 + l1 * d1 + l2 * d2;
        y[into] += l0, y[into + 1] += l1, y[into + 2] += l2;
        y[into + 3] += y[u + 3] + l0 * d0 - along, y[into + 4] += y[u + 4] + l0 * d1, y[into + 5] += y[u + 5] + l0 * d2;
        y[into + 6] += y[u + 6] + l1 * d0, y[into + 7] += y[u + 7] + l1 * d1 - along, y[into + 8] += y[u + 8] + l1 * d2;
        y[into + 9] += y[u + 9] + l2 * d0, y[into + 10] += y[u + 10] + l2 * d1, y[into + 11] += y[u + 11] + l2 * d2 - along;
    }
}

/* Sums of forces over subtrees, in place. */
function _forces_of_subtrees(w) {
    const { t, rows, hop, force: f } = w;
    for (let i = rows - 1; i >= 0; i--) {
        const above = t.above[i], o = 6 * i, to = 6 * above;
        if (above < 0) continue;
        for (let k = 0; k < 6; k++) f[to + k] += f[o + k];
        if (t.segment[above] === t.segment[i]) continue;
        const d = 3 * t.segment[i];
        f[to + 3] += hop[d + 1] * f[o + 2] - hop[d + 2] * f[o + 1];
        f[to + 4] += hop[d + 2] * f[o] - hop[d] * f[o + 2];
        f[to + 5] += hop[d] * f[o + 1] - hop[d + 1] * f[o];
    }
}

/* I [l; a] + [f; n] of row i's subtree, or of its body, whose mass is m, with the rotational inertia tr(S) 1 - S; l and a from a
 * place on. */
function _inertia_times(w, i, m, x, at, f0, f1, f2, n0, n1, n2, to) {
    const { inertia: s } = w, h = 9 * i, o = 6 * i;
    const l0 = x[at], l1 = x[at + 1], l2 = x[at + 2], a0 = x[at + 3], a1 = x[at + 4], a2 = x[at + 5];
    const h0 = s[h], h1 = s[h + 1], h2 = s[h + 2], trace = s[h + 3] + s[h + 6] + s[h + 8];
    to[o] = a1 * h2 - a2 * h1 + l0 * m + f0;
    to[o + 1] = a2 * h0 - a0 * h2 + l1 * m + f1;
    to[o + 2] = a0 * h1 - a1 * h0 + l2 * m + f2;
    to[o + 3] = h1 * l2 - h2 * l1 + a0 * trace + n0 - (s[h + 3] * a0 + s[h + 4] * a1 + s[h + 5] * a2);
    to[o + 4] = h2 * l0 - h0 * l2 + a1 * trace + n1 - (s[h + 4] * a0 + s[h + 6] * a1 + s[h + 7] * a2);
    to[o + 5] = h0 * l1 - h1 * l0 + a2 * trace + n2 - (s[h + 5] * a0 + s[h + 7] * a1 + s[h + 8] * a2);
}

/* Torques of rows, from sums over subtrees. */
function _row_torques(w) {
    const { rows, s, force: f, tau } = w;
    for (let i = 0; i < rows; i++) {
        let sum = 0;
        for (let k = 6 * i; k < 6 * i + 6; k++) sum += s[k] * f[k];
        tau[i] = sum;
    }
}

/* t1 to t4 from sums over subtrees; t1 alone, where nothing is known of the motion. */
function _of_subtrees(w, motion) {
    const { t, rows, s, p, x, r, drift: y, force: f, t1, t2, t3, t4 } = w;
    for (let i = 0; i < rows; i++) {
        const o = 6 * i, u = 12 * i, m = t.subtree_mass[i];
        _inertia_times(w, i, m, s, o, 0, 0, 0, 0, 0, 0, t1);
        if (!motion) continue;
        const l0 = y[u], l1 = y[u + 1], l2 = y[u + 2];
        const s0 = s[o], s1 = s[o + 1], s2 = s[o + 2], w0 = s[o + 3], w1 = s[o + 4], w2 = s[o + 5];
        const p0 = p[o + 3], p1 = p[o + 4], p2 = p[o + 5], f0 = f[o], f1 = f[o + 1], f2 = f[o + 2], n0 = f[o + 3], n1 = f[o + 4], n2 = f[o + 5];
        t4[3 * i] = l1 * s2 - l2 * s1 - (y[u + 3] * w0 + y[u + 6] * w1 + y[u + 9] * w2);
        t4[3 * i + 1] = l2 * s0 - l0 * s2 - (y[u + 4] * w0 + y[u + 7] * w1 + y[u + 10] * w2);
        t4[3 * i + 2] = l0 * s1 - l1 * s0 - (y[u + 5] * w0 + y[u + 8] * w1 + y[u + 11] * w2);
        /* B s, and I x. */
        _inertia_times(w, i, m, x, o, w1 * l2 - w2 * l1, w2 * l0 - w0 * l2, w0 * l1 - w1 * l0,
            -(y[u + 3] * w0 + y[u + 4] * w1 + y[u + 5] * w2), -(y[u + 6] * w0 + y[u + 7] * w1 + y[u + 8] * w2),
            -(y[u + 9] * w0 + y[u + 10] * w1 + y[u + 11] * w2), t2);
        /* B p, s x* F, and I r. */
        _inertia_times(w, i, m, r, o, p1 * l2 - p2 * l1 + w1 * f2 - w2 * f1, p2 * l0 - p0 * l2 + w2 * f0 - w0 * f2,
            p0 * l1 - p1 * l0 + w0 * f1 - w1 * f0,
            s1 * f2 - s2 * f1 + w1 * n2 - w2 * n1 - (y[u + 3] * p0 + y[u + 4] * p1 + y[u + 5] * p2),
            s2 * f0 - s0 * f2 + w2 * n0 - w0 * n2 - (y[u + 6] * p0 + y[u + 7] * p1 + y[u + 8] * p2),
            s0 * f1 - s1 * f0 + w0 * n1 - w1 * n0 - (y[u + 9] * p0 + y[u + 10] * p1 + y[u + 11] * p2), t3);
    }
}
