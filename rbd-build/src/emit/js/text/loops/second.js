
/* Second derivatives of weighted torques, about one point. */

/* Moves the points of all segments to that of a floating base, or else to the world's. */
function _at_one_point(w) {
    const { t, rows, hop, point, frame } = w;
    for (let j = 0; j < t.segment_first.length; j++) {
        const parent = t.segment_parent[j];
        for (let k = 0; k < 3; k++) {
            const before = parent >= 0 ? point[3 * parent + k] : t.floats ? -hop[k] : 0;
            point[3 * j + k] = before + hop[3 * j + k];
        }
    }
    for (let i = 0; i < rows; i++) for (let k = 0; k < 3; k++) frame[12 * i + 9 + k] += point[3 * t.segment[i] + k];
    hop.fill(0);
}

/* What weights of torques add to a state: they are taken for velocities. */
function _weighted(w) {
    const of = (k) => new Float64Array(k * w.rows);
    return {
        /* The bodies' motions w, and o = w_parent x s. */
        moved: of(6), o: of(6),
        /* Of bodies, then of subtrees: P = I w; the moment Q of B^T w, which has no force; and, as in `drift`, rows of minus
         * the angular block of R = B(I, w), whose other block is by P. */
        of: of(18),
        /* What is multiplied with another row's r, with its p, with its rates from behind, and with its s twice. Of those of
         * three numbers the force is zero. */
        g1: of(6), g2: of(3), h1: of(3), hv: of(6), beyond: of(3),
        dq: of(1), dv: of(1), da: of(1), spare: of(6),
    };
}

/* Of bodies; before inertias and Coriolis operators are summed over subtrees. */
function _weigh(w, x, mu) {
    const { t, rows, s, inertia, drift, two: parent } = w, { moved, o, of, spare } = x;
    for (let i = 0; i < rows; i++) {
        const weight = mu[t.coordinate[i]];
        for (let k = 6 * i; k < 6 * i + 6; k++) moved[k] = s[k] * weight;
    }
    _along(w, moved, w.rest);
    for (let i = 0; i < rows; i++) {
        const u = 6 * i, h = 9 * i, l = 12 * i, to = 18 * i;
        /* Along its own single degree of freedom the body's motion does not matter. */
        _motion_cross(moved, u, s, u, o, u);
        _inertia_times(w, i, t.mass[i], moved, u, 0, 0, 0, 0, 0, 0, spare);
        for (let k = 0; k < 6; k++) of[to + k] = spare[u + k];
        const v0 = moved[u], v1 = moved[u + 1], v2 = moved[u + 2], w0 = moved[u + 3], w1 = moved[u + 4], w2 = moved[u + 5];
        const l0 = drift[l], l1 = drift[l + 1], l2 = drift[l + 2];
        of[to + 6] = l1 * v2 - l2 * v1 - (drift[l + 3] * w0 + drift[l + 6] * w1 + drift[l + 9] * w2);
        of[to + 7] = l2 * v0 - l0 * v2 - (drift[l + 4] * w0 + drift[l + 7] * w1 + drift[l + 10] * w2);
        of[to + 8] = l0 * v1 - l1 * v0 - (drift[l + 5] * w0 + drift[l + 8] * w1 + drift[l + 11] * w2);
        /* [w] S, by columns. */
        const h0 = inertia[h], h1 = inertia[h + 1], h2 = inertia[h + 2], s00 = inertia[h + 3], s01 = inertia[h + 4];
        const s02 = inertia[h + 5], s11 = inertia[h + 6], s12 = inertia[h + 7], s22 = inertia[h + 8];
        const d0 = 2 * v0, d1 = 2 * v1, d2 = 2 * v2, along = h0 * d0 + h1 * d1 + h2 * d2;
        of[to + 9] = d0 * h0 + 2 * (w1 * s02 - w2 * s01) - along;
        of[to + 10] = d0 * h1 + 2 * (w1 * s12 - w2 * s11);
        of[to + 11] = d0 * h2 + 2 * (w1 * s22 - w2 * s12);
        of[to + 12] = d1 * h0 + 2 * (w2 * s00 - w0 * s02);
        of[to + 13] = d1 * h1 + 2 * (w2 * s01 - w0 * s12) - along;
        of[to + 14] = d1 * h2 + 2 * (w2 * s02 - w0 * s22);
        of[to + 15] = d2 * h0 + 2 * (w0 * s01 - w1 * s00);
        of[to + 16] = d2 * h1 + 2 * (w0 * s11 - w1 * s01);
        of[to + 17] = d2 * h2 + 2 * (w0 * s12 - w1 * s02) - along;
    }
    for (let j = 0; j < t.joint_first.length; j++) {
        const first = t.joint_first[j], last = t.joint_last[j];
        if (first === last) continue;
        _before(w, moved, first, t.above[first], w.rest, parent);
        for (let i = first; i <= last; i++) _motion_cross(parent, 0, s, 6 * i, o, 6 * i);
    }
}

/* Of subtrees, and what pairs of rows are made of; of the gradient what rows add to it. */
function _weigh_subtrees(w, x) {
    const { t, rows, s, p, r, drift, force } = w, { o, of, g1, g2, h1, hv, beyond, dq, dv, da } = x;
    for (let i = rows - 1; i >= 0; i--) {
        const from = 18 * i, to = 18 * t.above[i];
        if (to >= 0) for (let k = 0; k < 18; k++) of[to + k] += of[from + k];
    }
    for (let i = 0; i < rows; i++) {
        const u = 6 * i, at = 18 * i, l = 12 * i, c = 3 * i;
        const s0 = s[u], s1 = s[u + 1], s2 = s[u + 2], w0 = s[u + 3], w1 = s[u + 4], w2 = s[u + 5];
        const o0 = o[u], o1 = o[u + 1], o2 = o[u + 2], y0 = o[u + 3], y1 = o[u + 4], y2 = o[u + 5];
        const p0 = p[u], p1 = p[u + 1], p2 = p[u + 2], u0 = p[u + 3], u1 = p[u + 4], u2 = p[u + 5];
        const f0 = of[at], f1 = of[at + 1], f2 = of[at + 2], m0 = of[at + 3], m1 = of[at + 4], m2 = of[at + 5];
        const n0 = of[at + 6], n1 = of[at + 7], n2 = of[at + 8];
        const a0 = of[at + 9], a1 = of[at + 10], a2 = of[at + 11], b0 = of[at + 12], b1 = of[at + 13], b2 = of[at + 14];
        const c0 = of[at + 15], c1 = of[at + 16], c2 = of[at + 17];
        /* s x* P */
        const d0 = s1 * f2 - s2 * f1, d1 = s2 * f0 - s0 * f2, d2 = s0 * f1 - s1 * f0;
        const k0 = w1 * f2 - w2 * f1, k1 = w2 * f0 - w0 * f2, k2 = w0 * f1 - w1 * f0;
        const t0 = d0 + w1 * m2 - w2 * m1, t1 = d1 + w2 * m0 - w0 * m2, t2 = d2 + w0 * m1 - w1 * m0;
        _inertia_times(w, i, t.subtree_mass[i], o, u, k0, k1, k2, t0, t1, t2, g1);
        /* s x* Q + B^T o + 2 p x* P - R p */
        const e0 = p1 * f2 - p2 * f1 + u1 * m2 - u2 * m1, e1 = p2 * f0 - p0 * f2 + u2 * m0 - u0 * m2;
        const e2 = p0 * f1 - p1 * f0 + u0 * m1 - u1 * m0, l0 = drift[l], l1 = drift[l + 1], l2 = drift[l + 2];
        g2[c] = w1 * n2 - w2 * n1 + (l1 * o2 - l2 * o1) + 2 * e0 + (a0 * u0 + a1 * u1 + a2 * u2)
            - (drift[l + 3] * y0 + drift[l + 6] * y1 + drift[l + 9] * y2);
        g2[c + 1] = w2 * n0 - w0 * n2 + (l2 * o0 - l0 * o2) + 2 * e1 + (b0 * u0 + b1 * u1 + b2 * u2)
            - (drift[l + 4] * y0 + drift[l + 7] * y1 + drift[l + 10] * y2);
        g2[c + 2] = w0 * n1 - w1 * n0 + (l0 * o1 - l1 * o0) + 2 * e2 + (c0 * u0 + c1 * u1 + c2 * u2)
            - (drift[l + 5] * y0 + drift[l + 8] * y1 + drift[l + 11] * y2);
        /* -R^T s, s x* P - R s and twice s x* P - R s */
        h1[c] = a0 * w0 + b0 * w1 + c0 * w2 + 2 * d0;
        h1[c + 1] = a1 * w0 + b1 * w1 + c1 * w2 + 2 * d1;
        h1[c + 2] = a2 * w0 + b2 * w1 + c2 * w2 + 2 * d2;
        hv[u] = -k0, hv[u + 1] = -k1, hv[u + 2] = -k2;
        hv[u + 3] = t0 + (a0 * w0 + a1 * w1 + a2 * w2);
        hv[u + 4] = t1 + (b0 * w0 + b1 * w1 + b2 * w2);
        hv[u + 5] = t2 + (c0 * w0 + c1 * w1 + c2 * w2);
        beyond[c] = hv[u + 3] + t0, beyond[c + 1] = hv[u + 4] + t1, beyond[c + 2] = hv[u + 5] + t2;
        da[i] = s0 * f0 + s1 * f1 + s2 * f2 + w0 * m0 + w1 * m1 + w2 * m2;
        dv[i] = _times_forces(w.x, u, of, at) + w0 * n0 + w1 * n1 + w2 * n2;
        dq[i] = _times_forces(o, u, force, u) + _times_forces(r, u, of, at) + u0 * n0 + u1 * n1 + u2 * n2;
    }
}

/* A motion times a force, from places on. */
function _times_forces(m, a, f, b) {
    return m[a] * f[b] + m[a + 1] * f[b + 1] + m[a + 2] * f[b + 2]
        + m[a + 3] * f[b + 3] + m[a + 4] * f[b + 4] + m[a + 5] * f[b + 5];
}

/* Second derivatives by q and q, q and v, v and v, q and a: each row meets those of its subtree. */
function _second_pairs(w, x, qq, qv, vv, qa) {
    const { t, rows, n, t1, t2, t3, one: s, two: p, three: y, four: r } = w, { g1, g2, h1, hv, beyond } = x;
    const o = x.spare;
    for (const to of [qq, qv, vv, qa]) to.fill(0);
    for (let i = 0; i < rows; i++) {
        const column = t.coordinate[i], first = t.first[i], joint = t.joint_end[i], end = t.end[i], several = joint - first > 1;
        for (let k = 0; k < 6; k++) {
            const from = 6 * i + k;
            s[k] = w.s[from], p[k] = w.p[from], y[k] = w.x[from], r[k] = w.r[from], o[k] = x.o[from];
        }
        for (let j = several ? first : i; j < end; j++) {
            const u = 6 * j, c = 3 * j, row = t.coordinate[j], below = column * n + row, above = row * n + column;
            const by_qq = _times_force(o, t3, u) + _times_force(r, g1, u) + p[3] * g2[c] + p[4] * g2[c + 1] + p[5] * g2[c + 2];
            const v_above = _times_force(o, t2, u) + p[3] * h1[c] + p[4] * h1[c + 1] + p[5] * h1[c + 2];
            const a_above = _times_force(o, t1, u);
            if (several && j < joint) {
                /* Within a joint of several each ordered pair is on its own; what is symmetric is made once. */
                const own = j >= i ? _times_force(s, hv, u) : 0;
                qq[below] += by_qq, vv[below] += own, qv[above] += v_above, qa[above] += a_above;
                if (j > i) vv[above] += own;
                continue;
            }
            const by_vv = s[3] * beyond[c] + s[4] * beyond[c + 1] + s[5] * beyond[c + 2];
            qq[below] += by_qq, vv[below] += by_vv;
            qv[below] += _times_force(y, g1, u) + s[3] * g2[c] + s[4] * g2[c + 1] + s[5] * g2[c + 2];
            qa[below] += _times_force(s, g1, u);
            if (j === i) continue;
            qq[above] += by_qq, qv[above] += v_above, vv[above] += by_vv, qa[above] += a_above;
        }
    }
}

/* Value, gradient and Hessian of the torques' sum with weights mu; `fext` may be null. */
function _rnea_hessian(w, q, v, a, fext, mu, value, dq, dv, da, dqdq, dqdv, dvdv, dqda) {
    const { t, n, rows } = w, x = (w.weighted ??= _weighted(w));
    _gather(w, q, v);
    _placements(w, q);
    _at_one_point(w);
    _velocities(w);
    _accelerations(w, a);
    _rates(w);
    _bodies(w, true, true, true);
    if (fext !== null) _external(w, fext, w.force, 6, true);
    _weigh(w, x, mu);
    _moments_of_subtrees(w, true);
    _forces_of_subtrees(w);
    _of_subtrees(w, true);
    _row_torques(w);
    _weigh_subtrees(w, x);
    _second_pairs(w, x, dqdq, dqdv, dvdv, dqda);
    _torques(w, v, a, w.left);
    value[0] = 0;
    for (let i = 0; i < n; i++) {
        value[0] += mu[i] * w.left[i];
        dq[i] = 0;
        dv[i] = t.damping[i] * mu[i];
        da[i] = t.armature[i] * mu[i];
    }
    for (let i = 0; i < rows; i++) {
        const at = t.coordinate[i];
        dq[at] += x.dq[i], dv[at] += x.dv[i], da[at] += x.da[i];
    }
    _friction(w, 1, mu, dv, 1);
    _friction(w, 2, mu, dvdv, n + 1);
}
