
/* What weights of torques add to a state, for second derivatives of the weighted sum: they are taken for velocities. */
typedef struct {
    /* The bodies' motions w, and o = w_parent x s. */
    REAL moved[6][ROBOT_table_padded], o[6][ROBOT_table_padded];
    /* Of bodies, then of subtrees: P = I w; the moment Q of B^T w, which has no force; and, as in `drift`, rows of minus the
     * angular block of R = B(I, w), whose other block is by P. */
    REAL of[18][ROBOT_table_padded];
    /* What is multiplied with another row's r, with its p, with its rates from behind, and with its s twice. Of those of
     * three numbers the force is zero. */
    REAL g1[6][ROBOT_table_padded], g2[3][ROBOT_table_padded], h1[3][ROBOT_table_padded];
    REAL hv[6][ROBOT_table_padded], beyond[3][ROBOT_table_padded];
    REAL dq[ROBOT_table_padded], dv[ROBOT_table_padded], da[ROBOT_table_padded];
} ROBOT_table_weighted;

/* Of bodies; before inertias and Coriolis operators are summed over subtrees. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_weigh(const ROBOT_table_work *RBD_RESTRICT w, const REAL *mu, ROBOT_table_weighted *RBD_RESTRICT x)
{
    static const REAL rest[6] = {0};
    REAL weight[ROBOT_table_padded];
    int i, j, k;
    for (i = 0; i < ROBOT_table_padded; i++) weight[i] = 0;
    for (i = 0; i < ROBOT_table_rows; i++) weight[i] = mu[ROBOT_table_coordinate[i]];
    for (k = 0; k < 6; k++) {
        for (i = 0; i < ROBOT_table_vectors; i++) x->moved[k][i] = w->s[k][i] * weight[i];
    }
    ROBOT_table_along(w, x->moved, rest);
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL m = ROBOT_table_mass[i], zero0 = 0, zero1 = 0, zero2 = 0;
        RBD_GET3(h, w->inertia, 0);
        RBD_GET3(p, w->inertia, 3);
        const REAL q0 = p1, q1 = w->inertia[6][i], q2 = w->inertia[7][i], r0 = p2, r1 = q2, r2 = w->inertia[8][i];
        const REAL trace = p0 + q1 + r2;
        RBD_GET3(wl, x->moved, 0);
        RBD_GET3(ww, x->moved, 3);
        RBD_GET3(sl, w->s, 0);
        RBD_GET3(sw, w->s, 3);
        RBD_GET3(l, w->drift, 0);
        RBD_GET3(a, w->drift, 3);
        RBD_GET3(b, w->drift, 6);
        RBD_GET3(c, w->drift, 9);
        {
            /* Along its own single degree of freedom the body's motion does not matter. */
            RBD_CROSS(d, wl, sw);
            RBD_CROSS_ADD(ol, ww, sl, d);
            RBD_CROSS(ow, ww, sw);
            RBD_PUT3(x->o, 0, ol);
            RBD_PUT3(x->o, 3, ow);
        }
        RBD_INERTIA(x->of, wl, ww, zero, zero);
        {
            RBD_CROSS(u, l, wl);
            x->of[6][i] = u0 - RBD_FMA(a0, ww0, RBD_FMA(b0, ww1, c0 * ww2));
            x->of[7][i] = u1 - RBD_FMA(a1, ww0, RBD_FMA(b1, ww1, c1 * ww2));
            x->of[8][i] = u2 - RBD_FMA(a2, ww0, RBD_FMA(b2, ww1, c2 * ww2));
        }
        {
            /* [w] S, by columns. */
            RBD_CROSS(e, ww, p);
            RBD_CROSS(f, ww, q);
            RBD_CROSS(g, ww, r);
            const REAL d0 = wl0 + wl0, d1 = wl1 + wl1, d2 = wl2 + wl2, along = RBD_DOT(h, d);
            x->of[9][i] = RBD_FMA(d0, h0, e0 + e0) - along;
            x->of[10][i] = RBD_FMA(d0, h1, f0 + f0);
            x->of[11][i] = RBD_FMA(d0, h2, g0 + g0);
            x->of[12][i] = RBD_FMA(d1, h0, e1 + e1);
            x->of[13][i] = RBD_FMA(d1, h1, f1 + f1) - along;
            x->of[14][i] = RBD_FMA(d1, h2, g1 + g1);
            x->of[15][i] = RBD_FMA(d2, h0, e2 + e2);
            x->of[16][i] = RBD_FMA(d2, h1, f2 + f2);
            x->of[17][i] = RBD_FMA(d2, h2, g2 + g2) - along;
        }
    }
    for (j = 0; j < ROBOT_table_joints; j++) {
        const int first = ROBOT_table_joint_first[j], last = ROBOT_table_joint_last[j];
        REAL parent[6], s[6], o[6];
        if (first == last) continue;
        ROBOT_table_before(w, x->moved, first, ROBOT_table_above[first], rest, parent);
        for (i = first; i <= last; i++) {
            for (k = 0; k < 6; k++) s[k] = w->s[k][i];
            ROBOT_table_motion_cross(parent, s, o);
            for (k = 0; k < 6; k++) x->o[k][i] = o[k];
        }
    }
}

/* Of subtrees, at one point, and what pairs of rows are made of; of the gradient what rows add to it. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_weigh_subtrees(const ROBOT_table_work *RBD_RESTRICT w, ROBOT_table_weighted *RBD_RESTRICT x)
{
    int i, k;
    for (i = ROBOT_table_rows - 1; i >= 0; i--) {
        const int above = ROBOT_table_above[i];
        for (k = 0; k < 18 && above >= 0; k++) x->of[k][above] += x->of[k][i];
    }
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL m = ROBOT_table_subtree_mass[i];
        RBD_GET3(h, w->inertia, 0);
        RBD_GET3(p, w->inertia, 3);
        const REAL q0 = p1, q1 = w->inertia[6][i], q2 = w->inertia[7][i], r0 = p2, r1 = q2, r2 = w->inertia[8][i];
        const REAL trace = p0 + q1 + r2;
        RBD_GET3(sl, w->s, 0);
        RBD_GET3(sw, w->s, 3);
        RBD_GET3(ol, x->o, 0);
        RBD_GET3(ow, x->o, 3);
        RBD_GET3(ul, w->p, 0);
        RBD_GET3(uw, w->p, 3);
        RBD_GET3(fl, x->of, 0);
        RBD_GET3(fn, x->of, 3);
        RBD_GET3(n, x->of, 6);
        RBD_GET3(ra, x->of, 9);
        RBD_GET3(rb, x->of, 12);
        RBD_GET3(rc, x->of, 15);
        /* s x* P */
        RBD_CROSS(tl, sw, fl);
        RBD_CROSS(sn, sw, fn);
        RBD_CROSS_ADD(tn, sl, fl, sn);
        RBD_INERTIA(x->g1, ol, ow, tl, tn);
        {
            /* s x* Q + B^T o + 2 p x* P - R p */
            RBD_GET3(l, w->drift, 0);
            RBD_GET3(a, w->drift, 3);
            RBD_GET3(b, w->drift, 6);
            RBD_GET3(c, w->drift, 9);
            RBD_CROSS(d, uw, fn);
            RBD_CROSS_ADD(e, ul, fl, d);
            RBD_CROSS_ADD(f, l, ol, e);
            RBD_CROSS_ADD(g, sw, n, f);
            x->g2[0][i] = g0 + e0 + RBD_DOT(ra, uw) - RBD_FMA(a0, ow0, RBD_FMA(b0, ow1, c0 * ow2));
            x->g2[1][i] = g1 + e1 + RBD_DOT(rb, uw) - RBD_FMA(a1, ow0, RBD_FMA(b1, ow1, c1 * ow2));
            x->g2[2][i] = g2 + e2 + RBD_DOT(rc, uw) - RBD_FMA(a2, ow0, RBD_FMA(b2, ow1, c2 * ow2));
        }
        {
            /* -R^T s, s x* P - R s and twice s x* P - R s */
            RBD_CROSS(d, sl, fl);
            const REAL hn0 = tn0 + RBD_DOT(ra, sw), hn1 = tn1 + RBD_DOT(rb, sw), hn2 = tn2 + RBD_DOT(rc, sw);
            const REAL bn0 = hn0 + tn0, bn1 = hn1 + tn1, bn2 = hn2 + tn2, hl0 = -tl0, hl1 = -tl1, hl2 = -tl2;
            x->h1[0][i] = RBD_FMA(ra0, sw0, RBD_FMA(rb0, sw1, RBD_FMA(rc0, sw2, d0 + d0)));
            x->h1[1][i] = RBD_FMA(ra1, sw0, RBD_FMA(rb1, sw1, RBD_FMA(rc1, sw2, d1 + d1)));
            x->h1[2][i] = RBD_FMA(ra2, sw0, RBD_FMA(rb2, sw1, RBD_FMA(rc2, sw2, d2 + d2)));
            RBD_PUT3(x->hv, 0, hl);
            RBD_PUT3(x->hv, 3, hn);
            RBD_PUT3(x->beyond, 0, bn);
        }
        {
            RBD_GET3(l, w->force, 0);
            RBD_GET3(a, w->force, 3);
            RBD_GET3(rl, w->r, 0);
            RBD_GET3(rw, w->r, 3);
            RBD_GET3(xl, w->x, 0);
            RBD_GET3(xw, w->x, 3);
            x->dq[i] = RBD_DOT(ol, l) + RBD_DOT(ow, a) + RBD_DOT(rl, fl) + RBD_DOT(rw, fn) + RBD_DOT(uw, n);
            x->dv[i] = RBD_DOT(xl, fl) + RBD_DOT(xw, fn) + RBD_DOT(sw, n);
            x->da[i] = RBD_DOT(sl, fl) + RBD_DOT(sw, fn);
        }
    }
    /* What is read beyond the last vector. */
    for (i = ROBOT_table_vectors; i < ROBOT_table_padded; i++) {
        for (k = 0; k < 6; k++) x->g1[k][i] = x->hv[k][i] = 0;
        for (k = 0; k < 3; k++) x->g2[k][i] = x->h1[k][i] = x->beyond[k][i] = 0;
    }
}

/* Entry `at` of a matrix. */
#define RBD_PLACE(to, x) (to)[at] = ROBOT_table_merges ? (to)[at] + (x)[j] : (x)[j]

/* Second derivatives by q and q, q and v, v and v, q and a: each row meets those of its subtree. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_second_pairs(const ROBOT_table_work *RBD_RESTRICT w, const ROBOT_table_weighted *RBD_RESTRICT x,
                                     REAL *RBD_RESTRICT qq, REAL *RBD_RESTRICT qv, REAL *RBD_RESTRICT vv,
                                     REAL *RBD_RESTRICT qa)
{
    REAL by_qq[ROBOT_table_padded], by_vv[ROBOT_table_padded], own[ROBOT_table_padded];
    REAL v_below[ROBOT_table_padded], v_above[ROBOT_table_padded], a_below[ROBOT_table_padded], a_above[ROBOT_table_padded];
    int i, j, k;
    for (k = 0; k < SIZE * SIZE; k++) qq[k] = qv[k] = vv[k] = qa[k] = 0;
    for (i = 0; i < ROBOT_table_rows; i++) {
        const int column = ROBOT_table_coordinate[i], end = ROBOT_table_end[i];
        const int first = ROBOT_table_first[i], joint = ROBOT_table_joint_end[i], several = joint - first > 1;
        const int from = several ? first : i, below = several ? joint : i, whole = from + (end - from + 3) / 4 * 4;
        REAL s[6], p[6], r[6], d[6], o[6];
        for (k = 0; k < 6; k++) s[k] = w->s[k][i], p[k] = w->p[k][i], r[k] = w->r[k][i];
        for (k = 0; k < 6; k++) d[k] = w->x[k][i], o[k] = x->o[k][i];
        if (ROBOT_table_floats && first == 0) {
            /* Of a floating base p and o are zero, and r has no angular components. */
            for (j = from; j < whole; j++) {
                by_qq[j] = RBD_FMA(r[0], x->g1[0][j], RBD_FMA(r[1], x->g1[1][j], r[2] * x->g1[2][j]));
                by_vv[j] = RBD_MOMENT_TIMES(s, x->beyond);
                v_below[j] = RBD_TIMES(d, x->g1) + RBD_MOMENT_TIMES(s, x->g2);
                a_below[j] = RBD_TIMES(s, x->g1);
                v_above[j] = a_above[j] = 0;
            }
        } else {
            for (j = from; j < whole; j++) {
                by_qq[j] = RBD_TIMES(o, w->t3) + RBD_TIMES(r, x->g1) + RBD_MOMENT_TIMES(p, x->g2);
                by_vv[j] = RBD_MOMENT_TIMES(s, x->beyond);
                v_below[j] = RBD_TIMES(d, x->g1) + RBD_MOMENT_TIMES(s, x->g2);
                v_above[j] = RBD_TIMES(o, w->t2) + RBD_MOMENT_TIMES(p, x->h1);
                a_below[j] = RBD_TIMES(s, x->g1);
                a_above[j] = RBD_TIMES(o, w->t1);
            }
        }
        /* Within a joint of several each ordered pair is on its own; what is symmetric is made once. */
        for (j = first; j < joint && several; j++) {
            int at = column * SIZE + (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j);
            own[j] = RBD_TIMES(s, x->hv);
            RBD_PLACE(qq, by_qq);
            if (j >= i) RBD_PLACE(vv, own);
            at = (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j) * SIZE + column;
            RBD_PLACE(qv, v_above);
            RBD_PLACE(qa, a_above);
            if (j > i) RBD_PLACE(vv, own);
        }
        for (j = below; j < end; j++) {
            const int at = column * SIZE + (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j);
            RBD_PLACE(qq, by_qq);
            RBD_PLACE(qv, v_below);
            RBD_PLACE(vv, by_vv);
            RBD_PLACE(qa, a_below);
        }
        for (j = several ? joint : i + 1; j < end; j++) {
            const int at = (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j) * SIZE + column;
            RBD_PLACE(qq, by_qq);
            RBD_PLACE(qv, v_above);
            RBD_PLACE(vv, by_vv);
            RBD_PLACE(qa, a_above);
        }
    }
}

/* Value, gradient and Hessian of the torques' sum with weights mu; `fext` may be null. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_rnea_hessian(const REAL *q, const REAL *sin_q, const REAL *cos_q, const REAL *v, const REAL *a,
                                     const REAL *fext, const REAL *mu, ROBOT_rnea_hessian_t *RBD_RESTRICT out)
{
    ROBOT_table_work w;
    ROBOT_table_weighted x;
    REAL value = 0;
    int i;
    ROBOT_table_about_one_point(&w, q, sin_q, cos_q, v, a, fext);
    ROBOT_table_weigh(&w, mu, &x);
    ROBOT_table_moments_of_subtrees(&w, 1);
    ROBOT_table_forces_of_subtrees(&w);
    ROBOT_table_of_subtrees(&w, 1);
    ROBOT_table_weigh_subtrees(&w, &x);
    ROBOT_table_second_pairs(&w, &x, out->dqdq, out->dqdv, out->dvdv, out->dqda);
    for (i = 0; i < SIZE; i++) {
        const REAL armature = ROBOT_table_armature[i], damping = ROBOT_table_damping[i];
        value = RBD_FMA(mu[i], RBD_FMA(armature, a[i], damping * v[i]), value);
        out->dq[i] = 0;
        out->dv[i] = damping * mu[i];
        out->da[i] = armature * mu[i];
    }
    for (i = 0; i < ROBOT_table_rows; i++) {
        const int at = ROBOT_table_coordinate[i];
        value = RBD_FMA(mu[at], w.tau[i], value);
        out->dq[at] += x.dq[i];
        out->dv[at] += x.dv[i];
        out->da[at] += x.da[i];
    }
    FRICTION ROBOT_table_friction(&w, 0, mu, &value, 0);
    FRICTION ROBOT_table_friction(&w, 1, mu, out->dv, 1);
    FRICTION ROBOT_table_friction(&w, 2, mu, out->dvdv, SIZE + 1);
    out->value[0] = value;
}

