
/* What the row `above` does (`start`, where that is the world) at the point of row i. */
function _before(w, x, i, above, start, to) {
    const { t, hop } = w;
    for (let k = 0; k < 6; k++) to[k] = above < 0 ? start[k] : x[6 * above + k];
    if (above >= 0 && t.segment[above] !== t.segment[i]) {
        const d = 3 * t.segment[i];
        to[0] += to[4] * hop[d + 2] - to[5] * hop[d + 1];
        to[1] += to[5] * hop[d] - to[3] * hop[d + 2];
        to[2] += to[3] * hop[d + 1] - to[4] * hop[d];
    }
}

/* Sums from the root along the tree, in place: what the rows of a path add. All rows of a joint have that of its last. */
function _along(w, x, start) {
    const { t, rows, hop } = w, { above, segment } = t;
    for (let i = 0; i < rows; i++) {
        const o = 6 * i, a = 6 * above[i], root = above[i] < 0, from = root ? start : x, at = root ? 0 : a;
        const w0 = from[at + 3], w1 = from[at + 4], w2 = from[at + 5];
        x[o] += from[at], x[o + 1] += from[at + 1], x[o + 2] += from[at + 2];
        x[o + 3] += w0, x[o + 4] += w1, x[o + 5] += w2;
        if (root || segment[above[i]] === segment[i]) continue;
        const d = 3 * segment[i];
        x[o] += w1 * hop[d + 2] - w2 * hop[d + 1];
        x[o + 1] += w2 * hop[d] - w0 * hop[d + 2];
        x[o + 2] += w0 * hop[d + 1] - w1 * hop[d];
    }
    if (!w.several) return;
    for (let j = 0; j < t.joint_first.length; j++) {
        const last = t.joint_last[j];
        for (let i = t.joint_first[j]; i < last; i++) for (let k = 0; k < 6; k++) x[6 * i + k] = x[6 * last + k];
    }
}

/* m x s, of motions, from places on. */
function _motion_cross(m, a, s, b, to, c) {
    const v0 = m[a], v1 = m[a + 1], v2 = m[a + 2], w0 = m[a + 3], w1 = m[a + 4], w2 = m[a + 5];
    const x0 = s[b], x1 = s[b + 1], x2 = s[b + 2], y0 = s[b + 3], y1 = s[b + 4], y2 = s[b + 5];
    to[c] = w1 * x2 - w2 * x1 + v1 * y2 - v2 * y1;
    to[c + 1] = w2 * x0 - w0 * x2 + v2 * y0 - v0 * y2;
    to[c + 2] = w0 * x1 - w1 * x0 + v0 * y1 - v1 * y0;
    to[c + 3] = w1 * y2 - w2 * y1;
    to[c + 4] = w2 * y0 - w0 * y2;
    to[c + 5] = w0 * y1 - w1 * y0;
}

/* Axes s, and the velocities that they add up to. */
function _velocities(w) {
    const { t, rows, frame: f, s, velocity, v } = w;
    for (let i = 0; i < rows; i++) {
        const o = 12 * i, a = 6 * i, turns = t.ratio[i] * t.turning[i], moves = t.ratio[i] - turns;
        const x = f[o + 6], y = f[o + 7], z = f[o + 8];
        s[a] = (f[o + 10] * z - f[o + 11] * y) * turns + x * moves;
        s[a + 1] = (f[o + 11] * x - f[o + 9] * z) * turns + y * moves;
        s[a + 2] = (f[o + 9] * y - f[o + 10] * x) * turns + z * moves;
        s[a + 3] = x * turns;
        s[a + 4] = y * turns;
        s[a + 5] = z * turns;
        for (let k = a; k < a + 6; k++) velocity[k] = s[k] * v[i];
    }
    _along(w, velocity, w.rest);
}

/* p, and accelerations by those of coordinates, which may be null: zero. */
function _accelerations(w, a) {
    const { t, s, p, velocity, acceleration, v, two: parent } = w;
    for (let j = 0; j < t.joint_first.length; j++) {
        const first = t.joint_first[j], last = t.joint_last[j], several = first < last;
        /* Several degrees of freedom move one another: p is by the parent's velocity alone. */
        if (several) _before(w, velocity, first, t.above[first], w.rest, parent);
        for (let i = first; i <= last; i++) {
            const o = 6 * i, by = a === null ? 0 : a[t.coordinate[i]];
            _motion_cross(several ? parent : velocity, several ? 0 : o, s, o, p, o);
            for (let k = o; k < o + 6; k++) acceleration[k] = p[k] * v[i] + s[k] * by;
        }
    }
    _along(w, acceleration, w.start);
}

/* x and r from velocities and accelerations. */
function _rates(w) {
    const { t, s, p, x, r, velocity, acceleration, two, three, four } = w;
    for (let j = 0; j < t.joint_first.length; j++) {
        const first = t.joint_first[j], last = t.joint_last[j], several = first < last;
        if (several) {
            _before(w, velocity, first, t.above[first], w.rest, two);
            _before(w, acceleration, first, t.above[first], w.start, three);
        }
        for (let i = first; i <= last; i++) {
            const o = 6 * i;
            _motion_cross(velocity, o, s, o, x, o);
            for (let k = o; k < o + 6; k++) x[k] += p[k];
            /* Along one degree of freedom, the parent's motion and the own give the same. */
            _motion_cross(several ? three : acceleration, several ? 0 : o, s, o, r, o);
            _motion_cross(several ? two : velocity, several ? 0 : o, p, o, four, 0);
            for (let k = 0; k < 6; k++) r[o + k] += four[k];
        }
    }
}

/* Inertias of the bodies with their Coriolis operators (`drifts`), and their forces (`forces`). */
function _bodies(w, inertias, drifts, forces) {
    const { t, rows, frame: f, inertia, drift, force, velocity: v, acceleration: a } = w;
    for (let i = 0; i < rows; i++) {
        const o = 12 * i, u = 6 * i, m = t.mass[i], h = 9 * i;
        if (m === 0) {
            if (inertias) inertia.fill(0, h, h + 9);
            if (drifts) drift.fill(0, o, o + 12);
            if (forces) force.fill(0, u, u + 6);
            if (t.spread[u] + t.spread[u + 3] + t.spread[u + 5] === 0) continue;
        }
        const k0 = t.center[3 * i], k1 = t.center[3 * i + 1], k2 = t.center[3 * i + 2];
        const s0 = t.spread[u], s1 = t.spread[u + 1], s2 = t.spread[u + 2], s3 = t.spread[u + 3], s4 = t.spread[u + 4], s5 = t.spread[u + 5];
        const x0 = f[o], x1 = f[o + 1], x2 = f[o + 2], y0 = f[o + 3], y1 = f[o + 4], y2 = f[o + 5], z0 = f[o + 6], z1 = f[o + 7], z2 = f[o + 8];
        const c0 = f[o + 9] + x0 * k0 + y0 * k1 + z0 * k2, c1 = f[o + 10] + x1 * k0 + y1 * k1 + z1 * k2;
        const c2 = f[o + 11] + x2 * k0 + y2 * k1 + z2 * k2;
        /* R S, by columns, and R S R^T. */
        const a0 = x0 * s0 + y0 * s1 + z0 * s2, a1 = x1 * s0 + y1 * s1 + z1 * s2, a2 = x2 * s0 + y2 * s1 + z2 * s2;
        const b0 = x0 * s1 + y0 * s3 + z0 * s4, b1 = x1 * s1 + y1 * s3 + z1 * s4, b2 = x2 * s1 + y2 * s3 + z2 * s4;
        const d0 = x0 * s2 + y0 * s4 + z0 * s5, d1 = x1 * s2 + y1 * s4 + z1 * s5, d2 = x2 * s2 + y2 * s4 + z2 * s5;
        const xx = a0 * x0 + b0 * y0 + d0 * z0, xy = a0 * x1 + b0 * y1 + d0 * z1, xz = a0 * x2 + b0 * y2 + d0 * z2;
        const yy = a1 * x1 + b1 * y1 + d1 * z1, yz = a1 * x2 + b1 * y2 + d1 * z2, zz = a2 * x2 + b2 * y2 + d2 * z2;
        if (inertias) {
            inertia[h] = c0 * m, inertia[h + 1] = c1 * m, inertia[h + 2] = c2 * m;
            inertia[h + 3] = c0 * m * c0 + xx, inertia[h + 4] = c0 * m * c1 + xy, inertia[h + 5] = c0 * m * c2 + xz;
            inertia[h + 6] = c1 * m * c1 + yy, inertia[h + 7] = c1 * m * c2 + yz, inertia[h + 8] = c2 * m * c2 + zz;
        }
        if (!forces) continue;
        const w0 = v[u + 3], w1 = v[u + 4], w2 = v[u + 5], e0 = a[u + 3], e1 = a[u + 4], e2 = a[u + 5];
        const v0 = v[u] + w1 * c2 - w2 * c1, v1 = v[u + 1] + w2 * c0 - w0 * c2, v2 = v[u + 2] + w0 * c1 - w1 * c0;
        if (drifts) {
            /* [w] S by rows, where S is about the centre. */
            const l0 = 2 * m * v0, l1 = 2 * m * v1, l2 = 2 * m * v2, along = c0 * l0 + c1 * l1 + c2 * l2;
            drift[o] = l0, drift[o + 1] = l1, drift[o + 2] = l2;
            drift[o + 3] = l0 * c0 + 2 * (w1 * xz - w2 * xy) - along;
            drift[o + 4] = l0 * c1 + 2 * (w1 * yz - w2 * yy);
            drift[o + 5] = l0 * c2 + 2 * (w1 * zz - w2 * yz);
            drift[o + 6] = l1 * c0 + 2 * (w2 * xx - w0 * xz);
            drift[o + 7] = l1 * c1 + 2 * (w2 * xy - w0 * yz) - along;
            drift[o + 8] = l1 * c2 + 2 * (w2 * xz - w0 * zz);
            drift[o + 9] = l2 * c0 + 2 * (w0 * xy - w1 * xx);
            drift[o + 10] = l2 * c1 + 2 * (w0 * yy - w1 * xy);
            drift[o + 11] = l2 * c2 + 2 * (w0 * yz - w1 * xz) - along;
        }
        /* m times the acceleration of the centre; J aw + w x J w with J = tr(S) 1 - S. */
        const f0 = m * (a[u] + e1 * c2 - e2 * c1 + w1 * v2 - w2 * v1);
        const f1 = m * (a[u + 1] + e2 * c0 - e0 * c2 + w2 * v0 - w0 * v2);
        const f2 = m * (a[u + 2] + e0 * c1 - e1 * c0 + w0 * v1 - w1 * v0);
        const n0 = xx * w0 + xy * w1 + xz * w2, n1 = xy * w0 + yy * w1 + yz * w2, n2 = xz * w0 + yz * w1 + zz * w2, trace = xx + yy + zz;
        force[u] = f0, force[u + 1] = f1, force[u + 2] = f2;
        force[u + 3] = c1 * f2 - c2 * f1 + trace * e0 - (xx * e0 + xy * e1 + xz * e2) - (w1 * n2 - w2 * n1);
        force[u + 4] = c2 * f0 - c0 * f2 + trace * e1 - (xy * e0 + yy * e1 + yz * e2) - (w2 * n0 - w0 * n2);
        force[u + 5] = c0 * f1 - c1 * f0 + trace * e2 - (xz * e0 + yz * e1 + zz * e2) - (w0 * n1 - w1 * n0);
    }
}

/* Takes external forces, given in the bodies' joint frames, from forces: about the segments' points, or the origins. */
function _external(w, fext, force, stride, about) {
    const { t, frame: f, one: own, two: turned } = w;
    for (let j = 0; j < t.joint_first.length; j++) {
        const row = t.joint_last[j], o = 12 * row, to = stride * row + (stride > 6 ? 27 : 0), r = 9 * row;
        for (let half = 0; half < 6; half += 3) {
            for (let c = 0; c < 3; c++) {
                own[c] = 0;
                for (let e = 0; e < 3; e++) own[c] += t.joint_frame[r + 3 * e + c] * fext[6 * j + half + e];
            }
            for (let k = 0; k < 3; k++) turned[half + k] = f[o + k] * own[0] + f[o + 3 + k] * own[1] + f[o + 6 + k] * own[2];
        }
        for (let k = 0; k < 6; k++) force[to + k] -= turned[k];
        if (!about) continue;
        force[to + 3] -= f[o + 10] * turned[2] - f[o + 11] * turned[1];
        force[to + 4] -= f[o + 11] * turned[0] - f[o + 9] * turned[2];
        force[to + 5] -= f[o + 9] * turned[1] - f[o + 10] * turned[0];
    }
}
