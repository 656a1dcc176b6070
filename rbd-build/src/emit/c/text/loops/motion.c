
/* m x s, of motions. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_motion_cross(const REAL *m, const REAL *s, REAL *to)
{
    int k;
    for (k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        to[k] = m[3 + a] * s[b] - m[3 + b] * s[a] + m[a] * s[3 + b] - m[b] * s[3 + a];
        to[3 + k] = m[3 + a] * s[3 + b] - m[3 + b] * s[3 + a];
    }
}

/* What row `above` does (`start`, where that is the world) at the point of row i. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_before(const ROBOT_table_work *w, REAL (*const x)[ROBOT_table_padded], int i, int above,
                                          const REAL *start, REAL *to)
{
    int k;
    for (k = 0; k < 6; k++) to[k] = above >= 0 ? x[k][above] : start[k];
    if (above >= 0 && ROBOT_table_segment[above] != ROBOT_table_segment[i]) {
        const REAL *const d = w->hop[ROBOT_table_segment[i]];
        to[0] += to[4] * d[2] - to[5] * d[1];
        to[1] += to[5] * d[0] - to[3] * d[2];
        to[2] += to[3] * d[1] - to[4] * d[0];
    }
}

/* Sums from the root along the tree, in place: what the rows of a path add. All rows of a joint have that of its last one. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_along(const ROBOT_table_work *w, REAL (*x)[ROBOT_table_padded], const REAL *start)
{
    int i, j, k;
    REAL sum[6];
    for (i = 0; i < ROBOT_table_rows; i++) {
        ROBOT_table_before(w, x, i, ROBOT_table_above[i], start, sum);
        for (k = 0; k < 6; k++) x[k][i] += sum[k];
    }
    for (j = 0; j < ROBOT_table_joints; j++) {
        const int last = ROBOT_table_joint_last[j];
        for (i = ROBOT_table_joint_first[j]; i < last; i++) {
            for (k = 0; k < 6; k++) x[k][i] = x[k][last];
        }
    }
}

/* s. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_axes(ROBOT_table_work *RBD_RESTRICT w)
{
    int i;
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL ratio = ROBOT_table_ratio[i], turns = ROBOT_table_turning[i], moves = 1 - turns;
        RBD_GET3(u, w->frame, 6);
        RBD_GET3(o, w->frame, 9);
        const REAL z0 = u0 * ratio, z1 = u1 * ratio, z2 = u2 * ratio, zw0 = z0 * turns, zw1 = z1 * turns, zw2 = z2 * turns;
        const REAL zl0 = z0 * moves, zl1 = z1 * moves, zl2 = z2 * moves;
        RBD_CROSS_ADD(sl, o, zw, zl);
        RBD_PUT3(w->s, 0, sl);
        RBD_PUT3(w->s, 3, zw);
    }
}

/* The bodies' velocities. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_velocities(ROBOT_table_work *RBD_RESTRICT w)
{
    static const REAL rest[6] = {0};
    int i, k;
    for (k = 0; k < 6; k++) {
        for (i = 0; i < ROBOT_table_vectors; i++) w->velocity[k][i] = w->s[k][i] * w->v[i];
    }
    ROBOT_table_along(w, w->velocity, rest);
}

/* p and x from velocities, the bodies' accelerations, and r from these. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_rates(ROBOT_table_work *RBD_RESTRICT w, const REAL *a)
{
    static const REAL rest[6] = {0};
    int i, j, k;
    for (i = 0; i < ROBOT_table_rows; i++) w->a[i] = a ? a[ROBOT_table_coordinate[i]] : 0;
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL v = w->v[i], at = w->a[i];
        RBD_GET3(sl, w->s, 0);
        RBD_GET3(sw, w->s, 3);
        RBD_GET3(vl, w->velocity, 0);
        RBD_GET3(vw, w->velocity, 3);
        RBD_CROSS(c, vl, sw);
        RBD_CROSS_ADD(pl, vw, sl, c);
        RBD_CROSS(pw, vw, sw);
        const REAL xl0 = pl0 + pl0, xl1 = pl1 + pl1, xl2 = pl2 + pl2, xw0 = pw0 + pw0, xw1 = pw1 + pw1, xw2 = pw2 + pw2;
        const REAL bl0 = sl0 * at, bl1 = sl1 * at, bl2 = sl2 * at, bw0 = sw0 * at, bw1 = sw1 * at, bw2 = sw2 * at;
        RBD_SCALE_ADD(al, pl, v, bl);
        RBD_SCALE_ADD(aw, pw, v, bw);
        RBD_PUT3(w->p, 0, pl);
        RBD_PUT3(w->p, 3, pw);
        /* Along one degree of freedom, x = 2 p. */
        RBD_PUT3(w->x, 0, xl);
        RBD_PUT3(w->x, 3, xw);
        RBD_PUT3(w->acceleration, 0, al);
        RBD_PUT3(w->acceleration, 3, aw);
    }
    /* Several degrees of freedom move one another: p is by the parent's velocity alone. */
    for (j = 0; j < ROBOT_table_joints; j++) {
        const int first = ROBOT_table_joint_first[j], last = ROBOT_table_joint_last[j];
        REAL parent[6], own[6], s[6], p[6], turned[6];
        if (first == last) continue;
        ROBOT_table_before(w, w->velocity, first, ROBOT_table_above[first], rest, parent);
        for (k = 0; k < 6; k++) own[k] = w->velocity[k][last];
        for (i = first; i <= last; i++) {
            for (k = 0; k < 6; k++) s[k] = w->s[k][i];
            ROBOT_table_motion_cross(parent, s, p);
            ROBOT_table_motion_cross(own, s, turned);
            for (k = 0; k < 6; k++) {
                w->p[k][i] = p[k];
                w->x[k][i] = p[k] + turned[k];
                w->acceleration[k][i] = p[k] * w->v[i] + s[k] * w->a[i];
            }
        }
    }
    ROBOT_table_along(w, w->acceleration, w->start);
    for (i = 0; i < ROBOT_table_vectors; i++) {
        RBD_GET3(sl, w->s, 0);
        RBD_GET3(sw, w->s, 3);
        RBD_GET3(pl, w->p, 0);
        RBD_GET3(pw, w->p, 3);
        RBD_GET3(vl, w->velocity, 0);
        RBD_GET3(vw, w->velocity, 3);
        RBD_GET3(al, w->acceleration, 0);
        RBD_GET3(aw, w->acceleration, 3);
        RBD_CROSS(c, aw, sl);
        RBD_CROSS_ADD(d, al, sw, c);
        RBD_CROSS_ADD(e, vl, pw, d);
        RBD_CROSS_ADD(rl, vw, pl, e);
        RBD_CROSS(f, aw, sw);
        RBD_CROSS_ADD(rw, vw, pw, f);
        RBD_PUT3(w->r, 0, rl);
        RBD_PUT3(w->r, 3, rw);
    }
    for (j = 0; j < ROBOT_table_joints; j++) {
        const int first = ROBOT_table_joint_first[j], last = ROBOT_table_joint_last[j], above = ROBOT_table_above[first];
        REAL velocity[6], acceleration[6], s[6], p[6], by_a[6], by_v[6];
        if (first == last) continue;
        ROBOT_table_before(w, w->velocity, first, above, rest, velocity);
        ROBOT_table_before(w, w->acceleration, first, above, w->start, acceleration);
        for (i = first; i <= last; i++) {
            for (k = 0; k < 6; k++) s[k] = w->s[k][i], p[k] = w->p[k][i];
            ROBOT_table_motion_cross(acceleration, s, by_a);
            ROBOT_table_motion_cross(velocity, p, by_v);
            for (k = 0; k < 6; k++) w->r[k][i] = by_a[k] + by_v[k];
        }
    }
}

/* Inertias of the bodies, and what their motions take: nothing of the motion, where that is not wanted. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_bodies(ROBOT_table_work *RBD_RESTRICT w, int inertia, int motion)
{
    int i;
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL m = ROBOT_table_mass[i];
        RBD_GET3(x, w->frame, 0);
        RBD_GET3(y, w->frame, 3);
        RBD_GET3(z, w->frame, 6);
        RBD_GET3(o, w->frame, 9);
        RBD_GET3(k, ROBOT_table_center, 0);
        RBD_GET3(u, ROBOT_table_spread, 0);
        RBD_GET3(n, ROBOT_table_spread, 3);
        RBD_SCALE_ADD(ox, x, k0, o);
        RBD_SCALE_ADD(oy, y, k1, ox);
        RBD_SCALE_ADD(c, z, k2, oy);
        /* R S, by columns. */
        const REAL a0 = RBD_FMA(z0, u2, RBD_FMA(y0, u1, x0 * u0)), a1 = RBD_FMA(z1, u2, RBD_FMA(y1, u1, x1 * u0));
        const REAL a2 = RBD_FMA(z2, u2, RBD_FMA(y2, u1, x2 * u0)), b0 = RBD_FMA(z0, n1, RBD_FMA(y0, n0, x0 * u1));
        const REAL b1 = RBD_FMA(z1, n1, RBD_FMA(y1, n0, x1 * u1)), b2 = RBD_FMA(z2, n1, RBD_FMA(y2, n0, x2 * u1));
        const REAL d0 = RBD_FMA(z0, n2, RBD_FMA(y0, n1, x0 * u2)), d1 = RBD_FMA(z1, n2, RBD_FMA(y1, n1, x1 * u2));
        const REAL d2 = RBD_FMA(z2, n2, RBD_FMA(y2, n1, x2 * u2));
        /* R S R^T: symmetric, p q r. */
        const REAL p0 = RBD_FMA(d0, z0, RBD_FMA(b0, y0, a0 * x0)), p1 = RBD_FMA(d0, z1, RBD_FMA(b0, y1, a0 * x1));
        const REAL p2 = RBD_FMA(d0, z2, RBD_FMA(b0, y2, a0 * x2)), q1 = RBD_FMA(d1, z1, RBD_FMA(b1, y1, a1 * x1));
        const REAL q2 = RBD_FMA(d1, z2, RBD_FMA(b1, y2, a1 * x2)), r2 = RBD_FMA(d2, z2, RBD_FMA(b2, y2, a2 * x2));
        const REAL q0 = p1, r0 = p2, r1 = q2;
        if (inertia) {
            const REAL h0 = c0 * m, h1 = c1 * m, h2 = c2 * m;
            RBD_PUT3(w->inertia, 0, h);
            w->inertia[3][i] = RBD_FMA(h0, c0, p0), w->inertia[4][i] = RBD_FMA(h0, c1, p1);
            w->inertia[5][i] = RBD_FMA(h0, c2, p2), w->inertia[6][i] = RBD_FMA(h1, c1, q1);
            w->inertia[7][i] = RBD_FMA(h1, c2, q2), w->inertia[8][i] = RBD_FMA(h2, c2, r2);
        }
        if (motion) {
            RBD_GET3(vl, w->velocity, 0);
            RBD_GET3(vw, w->velocity, 3);
            RBD_GET3(al, w->acceleration, 0);
            RBD_GET3(aw, w->acceleration, 3);
            RBD_CROSS_ADD(vc, vw, c, vl);
            /* [w] S, by columns. */
            RBD_CROSS(e, vw, p);
            RBD_CROSS(f, vw, q);
            RBD_CROSS(g, vw, r);
            if (inertia) {
                const REAL l0 = vc0 * (m + m), l1 = vc1 * (m + m), l2 = vc2 * (m + m), along = RBD_DOT(c, l);
                RBD_PUT3(w->drift, 0, l);
                w->drift[3][i] = RBD_FMA(l0, c0, e0 + e0) - along;
                w->drift[4][i] = RBD_FMA(l0, c1, f0 + f0);
                w->drift[5][i] = RBD_FMA(l0, c2, g0 + g0);
                w->drift[6][i] = RBD_FMA(l1, c0, e1 + e1);
                w->drift[7][i] = RBD_FMA(l1, c1, f1 + f1) - along;
                w->drift[8][i] = RBD_FMA(l1, c2, g1 + g1);
                w->drift[9][i] = RBD_FMA(l2, c0, e2 + e2);
                w->drift[10][i] = RBD_FMA(l2, c1, f2 + f2);
                w->drift[11][i] = RBD_FMA(l2, c2, g2 + g2) - along;
            }
            /* m times the acceleration of the centre; J aw + w x J w with J = tr(S) 1 - S. */
            RBD_CROSS_ADD(t, aw, c, al);
            RBD_CROSS_ADD(ac, vw, vc, t);
            const REAL trace = p0 + q1 + r2, f_0 = ac0 * m, f_1 = ac1 * m, f_2 = ac2 * m;
            const REAL ws0 = RBD_FMA(g0, vw2, RBD_FMA(f0, vw1, e0 * vw0)), ws1 = RBD_FMA(g1, vw2, RBD_FMA(f1, vw1, e1 * vw0));
            const REAL ws2 = RBD_FMA(g2, vw2, RBD_FMA(f2, vw1, e2 * vw0));
            const REAL j0 = aw0 * trace - RBD_DOT(p, aw) - ws0, j1 = aw1 * trace - RBD_DOT(q, aw) - ws1;
            const REAL j2 = aw2 * trace - RBD_DOT(r, aw) - ws2;
            RBD_CROSS_ADD(moment, c, f_, j);
            RBD_PUT3(w->force, 0, f_);
            RBD_PUT3(w->force, 3, moment);
        }
    }
}

/* Takes away external forces, given in the bodies' joint frames. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_external(ROBOT_table_work *RBD_RESTRICT w, const REAL *fext)
{
    int j, k, c, e;
    for (j = 0; j < ROBOT_table_joints; j++, fext += 6) {
        const int row = ROBOT_table_joint_last[j];
        REAL force[3] = {0}, moment[3] = {0};
        for (c = 0; c < 3; c++) {
            REAL l = 0, n = 0;
            for (e = 0; e < 3; e++) {
                l += ROBOT_table_joint_frame[3 * e + c][row] * fext[e];
                n += ROBOT_table_joint_frame[3 * e + c][row] * fext[3 + e];
            }
            for (k = 0; k < 3; k++) {
                force[k] += w->frame[3 * c + k][row] * l;
                moment[k] += w->frame[3 * c + k][row] * n;
            }
        }
        for (k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            w->force[k][row] -= force[k];
            w->force[3 + k][row] -= moment[k] + (w->frame[9 + a][row] * force[b] - w->frame[9 + b][row] * force[a]);
        }
    }
}

/* Sums over subtrees, in place: of inertias and Coriolis operators, or of forces. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_moments_of_subtrees(ROBOT_table_work *RBD_RESTRICT w, int drifts)
{
    int i, k, c, e;
    for (i = ROBOT_table_rows - 1; i >= 0; i--) {
        const int above = ROBOT_table_above[i];
        REAL x[9], y[12];
        if (above < 0) continue;
        for (k = 0; k < 9; k++) x[k] = w->inertia[k][i];
        for (k = 0; k < 12; k++) y[k] = drifts ? w->drift[k][i] : 0;
        if (ROBOT_table_segment[above] != ROBOT_table_segment[i]) {
            const REAL *const d = w->hop[ROBOT_table_segment[i]], m = ROBOT_table_subtree_mass[i];
            const REAL h[3] = {x[0], x[1], x[2]}, along = y[0] * d[0] + y[1] * d[1] + y[2] * d[2];
            for (k = 3, c = 0; c < 3; c++) {
                x[c] = RBD_FMA(m, d[c], h[c]);
                for (e = c; e < 3; e++, k++) x[k] = RBD_FMA(d[c], h[e], RBD_FMA(x[c], d[e], x[k]));
            }
            for (c = 0; c < 3; c++) {
                for (e = 0; e < 3; e++) y[3 + 3 * c + e] += c == e ? y[c] * d[e] - along : y[c] * d[e];
            }
        }
        for (k = 0; k < 9; k++) w->inertia[k][above] += x[k];
        if (drifts) {
            for (k = 0; k < 12; k++) w->drift[k][above] += y[k];
        }
    }
}
RBD_PERHAPS_UNUSED
static void ROBOT_table_forces_of_subtrees(ROBOT_table_work *RBD_RESTRICT w)
{
    int i, k;
    for (i = ROBOT_table_rows - 1; i >= 0; i--) {
        const int above = ROBOT_table_above[i];
        REAL f[6];
        if (above < 0) continue;
        for (k = 0; k < 6; k++) f[k] = w->force[k][i];
        if (ROBOT_table_segment[above] != ROBOT_table_segment[i]) {
            const REAL *const d = w->hop[ROBOT_table_segment[i]];
            f[3] += d[1] * f[2] - d[2] * f[1];
            f[4] += d[2] * f[0] - d[0] * f[2];
            f[5] += d[0] * f[1] - d[1] * f[0];
        }
        for (k = 0; k < 6; k++) w->force[k][above] += f[k];
    }
}
