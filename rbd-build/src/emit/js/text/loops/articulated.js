
/* Articulated bodies, about their joints' origins in the common axes. A block of 33 numbers has M, H and J by columns, and
 * the force: a body with the acceleration [a; w] takes [M a + H w; H^T a + J w] and this force. */

/* The rigid bodies: their inertias, and the forces that they take without accelerations of joints. */
function _rigid(w) {
    const { t, frame: f, body, velocity: v, acceleration: a } = w;
    body.fill(0);
    for (let j = 0; j < t.joint_first.length; j++) {
        const i = t.joint_last[j], o = 12 * i, u = 6 * i, b = 33 * i, m = t.mass[i];
        const k0 = t.center[3 * i], k1 = t.center[3 * i + 1], k2 = t.center[3 * i + 2];
        const x0 = f[o], x1 = f[o + 1], x2 = f[o + 2], y0 = f[o + 3], y1 = f[o + 4], y2 = f[o + 5], z0 = f[o + 6], z1 = f[o + 7], z2 = f[o + 8];
        const c0 = x0 * k0 + y0 * k1 + z0 * k2, c1 = x1 * k0 + y1 * k1 + z1 * k2, c2 = x2 * k0 + y2 * k1 + z2 * k2;
        const s0 = t.spread[u], s1 = t.spread[u + 1], s2 = t.spread[u + 2], s3 = t.spread[u + 3], s4 = t.spread[u + 4], s5 = t.spread[u + 5];
        const a0 = x0 * s0 + y0 * s1 + z0 * s2, a1 = x1 * s0 + y1 * s1 + z1 * s2, a2 = x2 * s0 + y2 * s1 + z2 * s2;
        const b0 = x0 * s1 + y0 * s3 + z0 * s4, b1 = x1 * s1 + y1 * s3 + z1 * s4, b2 = x2 * s1 + y2 * s3 + z2 * s4;
        const d0 = x0 * s2 + y0 * s4 + z0 * s5, d1 = x1 * s2 + y1 * s4 + z1 * s5, d2 = x2 * s2 + y2 * s4 + z2 * s5;
        const xx = a0 * x0 + b0 * y0 + d0 * z0, xy = a0 * x1 + b0 * y1 + d0 * z1, xz = a0 * x2 + b0 * y2 + d0 * z2;
        const yy = a1 * x1 + b1 * y1 + d1 * z1, yz = a1 * x2 + b1 * y2 + d1 * z2, zz = a2 * x2 + b2 * y2 + d2 * z2;
        const h0 = c0 * m, h1 = c1 * m, h2 = c2 * m, trace = xx + yy + zz + h0 * c0 + h1 * c1 + h2 * c2;
        body[b] = body[b + 4] = body[b + 8] = m;
        body[b + 10] = -h2, body[b + 11] = h1, body[b + 12] = h2, body[b + 14] = -h0, body[b + 15] = -h1, body[b + 16] = h0;
        body[b + 18] = trace - (xx + h0 * c0), body[b + 22] = trace - (yy + h1 * c1), body[b + 26] = trace - (zz + h2 * c2);
        body[b + 19] = body[b + 21] = -(xy + h0 * c1);
        body[b + 20] = body[b + 24] = -(xz + h0 * c2);
        body[b + 23] = body[b + 25] = -(yz + h1 * c2);
        /* Velocity and acceleration at the origin, and of the centre. */
        const o0 = f[o + 9] + c0, o1 = f[o + 10] + c1, o2 = f[o + 11] + c2;
        const w0 = v[u + 3], w1 = v[u + 4], w2 = v[u + 5], e0 = a[u + 3], e1 = a[u + 4], e2 = a[u + 5];
        const v0 = v[u] + w1 * o2 - w2 * o1, v1 = v[u + 1] + w2 * o0 - w0 * o2, v2 = v[u + 2] + w0 * o1 - w1 * o0;
        const f0 = m * (a[u] + e1 * o2 - e2 * o1 + w1 * v2 - w2 * v1);
        const f1 = m * (a[u + 1] + e2 * o0 - e0 * o2 + w2 * v0 - w0 * v2);
        const f2 = m * (a[u + 2] + e0 * o1 - e1 * o0 + w0 * v1 - w1 * v0);
        const n0 = xx * w0 + xy * w1 + xz * w2, n1 = xy * w0 + yy * w1 + yz * w2, n2 = xz * w0 + yz * w1 + zz * w2, about = xx + yy + zz;
        body[b + 27] = f0, body[b + 28] = f1, body[b + 29] = f2;
        body[b + 30] = c1 * f2 - c2 * f1 + about * e0 - (xx * e0 + xy * e1 + xz * e2) - (w1 * n2 - w2 * n1);
        body[b + 31] = c2 * f0 - c0 * f2 + about * e1 - (xy * e0 + yy * e1 + yz * e2) - (w2 * n0 - w0 * n2);
        body[b + 32] = c0 * f1 - c1 * f0 + about * e2 - (xz * e0 + yz * e1 + zz * e2) - (w0 * n1 - w1 * n0);
    }
}

/* Frees row i of the body of row b: what remains is its inertia less u u^T / D. */
function _free(w, i, b, torque) {
    const { t, frame: f, body, column: u, by, drive } = w, z = 12 * i + 6, o = 6 * i, turns = t.turning[i] !== 0;
    for (let k = 0; k < 3; k++) {
        const h = b + 9 + k, own = b + (turns ? 18 : 0) + k, across = turns ? h : b + 9 + 3 * k, stride = turns ? 3 : 1;
        const along = body[own] * f[z] + body[own + 3] * f[z + 1] + body[own + 6] * f[z + 2];
        const other = body[across] * f[z] + body[across + stride] * f[z + 1] + body[across + 2 * stride] * f[z + 2];
        u[o + k] = turns ? other : along;
        u[o + 3 + k] = turns ? along : other;
    }
    const half = turns ? 3 : 0;
    let inertia = t.armature[t.coordinate[i]], rest = torque;
    for (let k = 0; k < 3; k++) {
        inertia += f[z + k] * u[o + half + k];
        rest -= f[z + k] * body[b + 27 + half + k];
    }
    by[i] = 1 / inertia;
    drive[i] = rest;
    for (let k = 0; k < 6; k++) body[b + 27 + k] += u[o + k] * by[i] * rest;
    for (let c = 0; c < 3; c++) {
        const linear = u[o + c] * by[i], angular = u[o + 3 + c] * by[i];
        for (let k = 0; k < 3; k++) {
            body[b + 3 * c + k] -= u[o + k] * linear;
            body[b + 9 + 3 * c + k] -= u[o + k] * angular;
            body[b + 18 + 3 * c + k] -= u[o + 3 + k] * angular;
        }
    }
}

/* Adds the body b to the body p, whose origin is d before: a motion w there has the linear part E w = w x d here. */
function _add_to_parent(w, b, p, d0, d1, d2) {
    const { body: x, at: moved } = w;
    /* Columns of M E / 2. */
    for (let k = 0; k < 3; k++) {
        const m0 = 0.5 * x[b + k], m1 = 0.5 * x[b + 3 + k], m2 = 0.5 * x[b + 6 + k];
        moved[k] = m2 * d1 - m1 * d2, moved[3 + k] = m0 * d2 - m2 * d0, moved[6 + k] = m1 * d0 - m0 * d1;
    }
    for (let k = 0; k < 9; k++) {
        x[p + k] += x[b + k];
        x[p + 9 + k] += x[b + 9 + k] + 2 * moved[k];
        /* H + M E / 2, of which E^T and the transpose move J. */
        moved[k] += x[b + 9 + k];
    }
    for (let c = 0; c < 3; c++) {
        const y0 = moved[3 * c], y1 = moved[3 * c + 1], y2 = moved[3 * c + 2];
        const e0 = d1 * y2 - d2 * y1, e1 = d2 * y0 - d0 * y2, e2 = d0 * y1 - d1 * y0, to = p + 18 + 3 * c, from = b + 18 + 3 * c;
        x[to] += x[from] + e0, x[to + 1] += x[from + 1] + e1, x[to + 2] += x[from + 2] + e2;
        x[p + 18 + c] += e0, x[p + 21 + c] += e1, x[p + 24 + c] += e2;
    }
    const f0 = x[b + 27], f1 = x[b + 28], f2 = x[b + 29];
    x[p + 27] += f0, x[p + 28] += f1, x[p + 29] += f2;
    x[p + 30] += x[b + 30] + d1 * f2 - d2 * f1;
    x[p + 31] += x[b + 31] + d2 * f0 - d0 * f2;
    x[p + 32] += x[b + 32] + d0 * f1 - d1 * f0;
}

/* Forward dynamics of a robot without mimic joints. `fext` may be null. */
function _aba(w, q, v, tau, fext, ddq) {
    const { t, frame: f, step, column: u, by, drive, velocity: motion } = w, joints = t.joint_first.length;
    _gather(w, q, v);
    _placements(w, q);
    _velocities(w);
    _accelerations(w, null);
    _rigid(w);
    if (fext !== null) _external(w, fext, w.body, 33, false);
    for (let i = 0; i < w.n; i++) ddq[i] = 0;
    _friction(w, 0, null, ddq, 1);
    for (let j = joints - 1; j >= 0; j--) {
        const first = t.joint_first[j], last = t.joint_last[j], parent = t.above[first], b = 33 * last;
        for (let i = last; i >= first; i--) {
            const at = t.coordinate[i];
            _free(w, i, b, tau[at] - ddq[at] - t.damping[at] * v[at]);
        }
        if (parent >= 0) _add_to_parent(w, b, 33 * parent, step[3 * last], step[3 * last + 1], step[3 * last + 2]);
    }
    /* Accelerations that joints add, at the joints' origins: they take the place of velocities. */
    for (let j = 0; j < joints; j++) {
        const first = t.joint_first[j], last = t.joint_last[j], parent = 6 * t.above[first], to = 6 * last;
        for (let k = 0; k < 6; k++) motion[to + k] = parent >= 0 ? motion[parent + k] : 0;
        const d = 3 * last, w0 = motion[to + 3], w1 = motion[to + 4], w2 = motion[to + 5];
        if (parent >= 0) {
            motion[to] += w1 * step[d + 2] - w2 * step[d + 1];
            motion[to + 1] += w2 * step[d] - w0 * step[d + 2];
            motion[to + 2] += w0 * step[d + 1] - w1 * step[d];
        }
        for (let i = first; i <= last; i++) {
            let rest = drive[i];
            for (let k = 0; k < 6; k++) rest -= u[6 * i + k] * motion[to + k];
            const acceleration = rest * by[i], half = to + (t.turning[i] !== 0 ? 3 : 0);
            for (let k = 0; k < 3; k++) motion[half + k] += f[12 * i + 6 + k] * acceleration;
            ddq[t.coordinate[i]] = acceleration;
        }
    }
}
