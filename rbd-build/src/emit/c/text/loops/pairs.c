
/* t1 to t4 and torques, from sums over subtrees; t1 alone, where nothing is known of the motion. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_of_subtrees(ROBOT_table_work *RBD_RESTRICT w, int motion)
{
    int i;
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL m = ROBOT_table_subtree_mass[i], zero0 = 0, zero1 = 0, zero2 = 0;
        RBD_GET3(h, w->inertia, 0);
        RBD_GET3(p, w->inertia, 3);
        const REAL q0 = p1, q1 = w->inertia[6][i], q2 = w->inertia[7][i], r0 = p2, r1 = q2, r2 = w->inertia[8][i];
        const REAL trace = p0 + q1 + r2;
        RBD_GET3(sl, w->s, 0);
        RBD_GET3(sw, w->s, 3);
/* I [l; a] + [f; n], with the rotational inertia tr(S) 1 - S. */
#define RBD_INERTIA(to, l, a, f, n)                                      \
    do {                                                                 \
        RBD_SCALE_ADD(push, l, m, f);                                    \
        RBD_CROSS_ADD(out, a, h, push);                                  \
        RBD_SCALE_ADD(spin, a, trace, n);                                \
        RBD_CROSS_ADD(moment, h, l, spin);                               \
        const REAL turn0 = moment0 - RBD_DOT(p, a), turn1 = moment1 - RBD_DOT(q, a), turn2 = moment2 - RBD_DOT(r, a); \
        RBD_PUT3(to, 0, out);                                            \
        RBD_PUT3(to, 3, turn);                                           \
    } while (0)
        RBD_INERTIA(w->t1, sl, sw, zero, zero);
        if (motion) {
            RBD_GET3(l, w->drift, 0);
            RBD_GET3(a, w->drift, 3);
            RBD_GET3(b, w->drift, 6);
            RBD_GET3(c, w->drift, 9);
            RBD_GET3(f, w->force, 0);
            RBD_GET3(n, w->force, 3);
            RBD_GET3(xl, w->x, 0);
            RBD_GET3(xw, w->x, 3);
            RBD_GET3(rl, w->r, 0);
            RBD_GET3(rw, w->r, 3);
            RBD_GET3(pw, w->p, 3);
            w->tau[i] = RBD_DOT(sl, f) + RBD_DOT(sw, n);
            {
                RBD_CROSS(u, l, sl);
                w->t4[0][i] = u0 - RBD_FMA(a0, sw0, RBD_FMA(b0, sw1, c0 * sw2));
                w->t4[1][i] = u1 - RBD_FMA(a1, sw0, RBD_FMA(b1, sw1, c1 * sw2));
                w->t4[2][i] = u2 - RBD_FMA(a2, sw0, RBD_FMA(b2, sw1, c2 * sw2));
            }
            {
                /* B s, and I x. */
                RBD_CROSS(bf, sw, l);
                const REAL bn0 = -RBD_DOT(a, sw), bn1 = -RBD_DOT(b, sw), bn2 = -RBD_DOT(c, sw);
                RBD_INERTIA(w->t2, xl, xw, bf, bn);
            }
            {
                /* B p, s x* F, and I r. */
                RBD_CROSS(bf, pw, l);
                const REAL bn0 = -RBD_DOT(a, pw), bn1 = -RBD_DOT(b, pw), bn2 = -RBD_DOT(c, pw);
                RBD_CROSS_ADD(cf, sw, f, bf);
                RBD_CROSS_ADD(dn, sl, f, bn);
                RBD_CROSS_ADD(cn, sw, n, dn);
                RBD_INERTIA(w->t3, rl, rw, cf, cn);
            }
        }
    }
}

/* Which of the matrices are made. */
#define RBD_BY_Q 1
#define RBD_BY_V 2
#define RBD_BY_A 4

/* Six components of row i at a point that is d further on. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_moved(const REAL (*x)[ROBOT_table_padded], int i, const REAL *d, REAL *to)
{
    const REAL a = x[3][i], b = x[4][i], c = x[5][i];
    to[0] = x[0][i] + (b * d[2] - c * d[1]);
    to[1] = x[1][i] + (c * d[0] - a * d[2]);
    to[2] = x[2][i] + (a * d[1] - b * d[0]);
    to[3] = a, to[4] = b, to[5] = c;
}

/* A motion times the forces of a row. */
#define RBD_TIMES(m, t)                                                                       \
    RBD_FMA((m)[0], (t)[0][j], RBD_FMA((m)[1], (t)[1][j], RBD_FMA((m)[2], (t)[2][j],          \
    RBD_FMA((m)[3], (t)[3][j], RBD_FMA((m)[4], (t)[4][j], (m)[5] * (t)[5][j])))))
#define RBD_MOMENT_TIMES(m, t) RBD_FMA((m)[3], (t)[0][j], RBD_FMA((m)[4], (t)[1][j], (m)[5] * (t)[2][j]))

/* The derivatives of inverse dynamics by q, v and a, those that are wanted, without those of the joints' own. Each row meets
 * those of its subtree, as far as they have the same point at once. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_pairs(const ROBOT_table_work *RBD_RESTRICT w, int what, REAL *RBD_RESTRICT dq,
                                         REAL *RBD_RESTRICT dv, REAL *RBD_RESTRICT da)
{
    REAL a[ROBOT_table_padded], v_above[ROBOT_table_padded], v_below[ROBOT_table_padded], q_above[ROBOT_table_padded],
        q_below[ROBOT_table_padded], point[ROBOT_table_segments][3];
    int i, j, k, run, here = -1;
    for (k = 0; k < SIZE * SIZE; k++) {
        if (what & RBD_BY_Q) dq[k] = 0;
        if (what & RBD_BY_V) dv[k] = 0;
        if (what & RBD_BY_A) da[k] = 0;
    }
    for (i = 0; i < ROBOT_table_rows; i++) {
        const int own = ROBOT_table_segment[i], column = ROBOT_table_coordinate[i];
        const int joint = ROBOT_table_joint_end[i], end = ROBOT_table_end[i];
        if (own != here) {
            /* The points of the segments that it carries, from its own. */
            here = own;
            for (k = 0; k < 3; k++) point[own][k] = 0;
            for (j = 1; j < ROBOT_table_segments; j++) {
                const int parent = ROBOT_table_segment_parent[j];
                for (k = 0; k < 3 && j > own; k++) point[j][k] = parent >= own ? point[parent][k] + w->hop[j][k] : 0;
            }
        }
        for (run = ROBOT_table_run[i]; run < ROBOT_table_runs && ROBOT_table_run_first[run] < end; run++) {
            const int begins = ROBOT_table_run_first[run], ends = ROBOT_table_run_first[run + 1];
            const int from = begins < ROBOT_table_first[i] ? ROBOT_table_first[i] : begins, to = ends < end ? ends : end;
            /* In whole vectors: what is beyond is not read. */
            const int whole = from + (to - from + 3) / 4 * 4;
            const REAL *const d = point[ROBOT_table_run_segment[run]];
            REAL s[6], p[6], x[6], r[6];
            ROBOT_table_moved(w->s, i, d, s);
            if (what & RBD_BY_V) ROBOT_table_moved(w->x, i, d, x);
            if (what & RBD_BY_Q) ROBOT_table_moved(w->p, i, d, p);
            if (what & RBD_BY_Q) ROBOT_table_moved(w->r, i, d, r);
            for (j = from; j < whole; j++) {
                if (what & RBD_BY_A) a[j] = RBD_TIMES(s, w->t1);
                if (what & RBD_BY_V) {
                    v_above[j] = RBD_TIMES(s, w->t2);
                    v_below[j] = RBD_TIMES(x, w->t1) + RBD_MOMENT_TIMES(s, w->t4);
                }
                if (what & RBD_BY_Q) {
                    q_above[j] = RBD_TIMES(s, w->t3);
                    q_below[j] = RBD_TIMES(r, w->t1) + RBD_MOMENT_TIMES(p, w->t4);
                }
            }
            for (j = from; j < to; j++) {
                const int at = column * SIZE + (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j);
                if (what & RBD_BY_A) da[at] = ROBOT_table_merges ? da[at] + a[j] : a[j];
                if (what & RBD_BY_V) dv[at] = ROBOT_table_merges ? dv[at] + v_below[j] : v_below[j];
                if (what & RBD_BY_Q) dq[at] = ROBOT_table_merges ? dq[at] + q_below[j] : q_below[j];
            }
            for (j = from < joint ? joint : from; j < to; j++) {
                const int at = (ROBOT_table_merges ? ROBOT_table_coordinate[j] : j) * SIZE + column;
                if (what & RBD_BY_A) da[at] = ROBOT_table_merges ? da[at] + a[j] : a[j];
                if (what & RBD_BY_V) dv[at] = ROBOT_table_merges ? dv[at] + v_above[j] : v_above[j];
                if (what & RBD_BY_Q) dq[at] = ROBOT_table_merges ? dq[at] + q_above[j] : q_above[j];
            }
        }
    }
}

/* Rotors, dampers and friction, of the matrices that are there. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_joints_own(const ROBOT_table_work *w, REAL *dv, REAL *da)
{
    int i;
    for (i = 0; i < SIZE; i++) {
        if (dv) dv[i * (SIZE + 1)] += ROBOT_table_damping[i];
        if (da) da[i * (SIZE + 1)] += ROBOT_table_armature[i];
    }
    (void)w;
    FRICTION if (dv) ROBOT_table_friction(w, 1, 0, dv, SIZE + 1);
}

/* Torques of coordinates, with rotors, dampers and friction. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_torques(const ROBOT_table_work *w, const REAL *v, const REAL *a, REAL *tau)
{
    int i;
    for (i = 0; i < SIZE; i++) tau[i] = RBD_FMA(ROBOT_table_damping[i], v[i], a ? ROBOT_table_armature[i] * a[i] : 0);
    for (i = 0; i < ROBOT_table_rows; i++) tau[ROBOT_table_coordinate[i]] += w->tau[i];
    FRICTION ROBOT_table_friction(w, 0, 0, tau, 1);
}

/* The mass matrix. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_crba(const REAL *q, const REAL *sin_q, const REAL *cos_q, REAL *m)
{
    ROBOT_table_work w;
    ROBOT_table_gather(&w, q, sin_q, cos_q, 0);
    ROBOT_table_placements(&w, q);
    ROBOT_table_axes(&w);
    ROBOT_table_bodies(&w, 1, 0);
    ROBOT_table_moments_of_subtrees(&w, 0);
    ROBOT_table_of_subtrees(&w, 0);
    ROBOT_table_pairs(&w, RBD_BY_A, 0, 0, m);
    ROBOT_table_joints_own(&w, 0, m);
}

/* Inverse dynamics and its derivatives; `a` and `fext` may be null, which is zero. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_rnea_derivatives(const REAL *q, const REAL *sin_q, const REAL *cos_q, const REAL *v, const REAL *a,
                                         const REAL *fext, REAL *tau, REAL *dq, REAL *dv, REAL *da)
{
    ROBOT_table_work w;
    ROBOT_table_gather(&w, q, sin_q, cos_q, v);
    ROBOT_table_placements(&w, q);
    ROBOT_table_axes(&w);
    ROBOT_table_velocities(&w);
    ROBOT_table_rates(&w, a);
    ROBOT_table_bodies(&w, 1, 1);
    if (fext) ROBOT_table_external(&w, fext);
    ROBOT_table_moments_of_subtrees(&w, 1);
    ROBOT_table_forces_of_subtrees(&w);
    ROBOT_table_of_subtrees(&w, 1);
    ROBOT_table_pairs(&w, RBD_BY_Q | RBD_BY_V | RBD_BY_A, dq, dv, da);
    ROBOT_table_joints_own(&w, dv, da);
    ROBOT_table_torques(&w, v, a, tau);
}
