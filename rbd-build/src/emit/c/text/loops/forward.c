
/* to += factor from, in whole vectors as far as there is room. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_table_add(const REAL *RBD_RESTRICT from, REAL factor, int begin, int end, REAL *RBD_RESTRICT to)
{
    int j = begin;
#if RBD_VECTORS
    const int whole = begin + (end - begin + 3) / 4 * 4;
    if (whole <= SIZE) end = whole;
    for (; j + 4 <= end; j += 4) {
        *(ROBOT_u4 *)(to + j) = RBD_FMA4(*(const ROBOT_u4 *)(from + j), RBD_SPLAT4(factor), *(ROBOT_u4 *)(to + j));
    }
#endif
    for (; j < end; j++) to[j] = RBD_FMA(from[j], factor, to[j]);
}

/* out = m^-1 of a symmetric, positive definite m: m = L^T D L from the last row on, row k of L in column k of `out` until the
 * product is made, and L^-1 in g. What the tree makes zero is left out. The table is that of the product (L^-1) D^-1 (L^-1)^T. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_inverse(const REAL *RBD_RESTRICT m, REAL *RBD_RESTRICT g, REAL *RBD_RESTRICT out,
                                const unsigned short *table, int groups)
{
    REAL d[SIZE];
    int i, k;
    for (k = 0; k < SIZE * SIZE; k++) out[k] = m[k], g[k] = 0;
    for (k = SIZE - 1; k >= 0; k--) {
        REAL *RBD_RESTRICT const row = out + k * SIZE;
        d[k] = 1 / row[k];
        g[k * SIZE + k] = 1;
        for (i = ROBOT_table_up[k]; i >= 0; i = ROBOT_table_up[i]) {
            REAL *RBD_RESTRICT const to = out + i * SIZE;
            const REAL factor = row[i] * d[k];
            /* What comes behind the diagonal is not read. */
            ROBOT_table_add(row, -factor, 0, i + 1, to);
            row[i] = factor;
        }
    }
    /* Column k of L^-1 is complete when all that it carries have added to it. */
    for (k = SIZE - 1; k >= 0; k--) {
        const REAL *RBD_RESTRICT const from = g + k * SIZE;
        for (i = ROBOT_table_up[k]; i >= 0; i = ROBOT_table_up[i]) {
            REAL *RBD_RESTRICT const to = g + i * SIZE;
            const REAL factor = out[k * SIZE + i];
            ROBOT_table_add(from, -factor, k, ROBOT_table_reach[k], to);
        }
    }
    ROBOT_gram_product(g, d, out, table, groups);
}

/* out = a x + base, of a symmetric a. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_times(const REAL *RBD_RESTRICT a, const REAL *RBD_RESTRICT x, const REAL *RBD_RESTRICT base,
                              REAL *RBD_RESTRICT out)
{
    int i, k;
    for (i = 0; i < SIZE; i++) out[i] = base[i];
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i < SIZE; i++) out[i] = RBD_FMA(a[k * SIZE + i], x[k], out[i]);
    }
}

/* Three columns -x cross e, zero below. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_minus_cross(const REAL *x, REAL *to)
{
    int k;
    for (k = 0; k < 3 * SIZE; k++) to[k] = 0;
    to[1] = -x[2], to[2] = x[1];
    to[SIZE] = x[2], to[SIZE + 2] = -x[0];
    to[2 * SIZE] = -x[1], to[2 * SIZE + 1] = x[0];
}

/* Forward dynamics and its derivatives: those of inverse dynamics at the accelerations that there are, times M^-1. What does
 * not depend on accelerations is made once. `fext` may be null. The tables: of the inverse, and of products with the
 * derivatives by q and v; where it `knows` the base, that leaves out columns of a floating base. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_aba_derivatives(const REAL *q, const REAL *sin_q, const REAL *cos_q, const REAL *v, const REAL *tau,
                                        const REAL *fext, REAL *ddq, REAL *dq, REAL *dv, REAL *minv,
                                        const unsigned short *const tables[3], const int groups[3], int knows)
{
    ROBOT_table_work w;
    REAL m[SIZE * SIZE], bias[SIZE], guess[SIZE], left[SIZE];
    int k;
    ROBOT_table_gather(&w, q, sin_q, cos_q, v);
    ROBOT_table_placements(&w, q);
    ROBOT_table_axes(&w);
    ROBOT_table_velocities(&w);
    ROBOT_table_rates(&w, 0);
    ROBOT_table_bodies(&w, 1, 1);
    if (fext) ROBOT_table_external(&w, fext);
    ROBOT_table_moments_of_subtrees(&w, 1);
    ROBOT_table_forces_of_subtrees(&w);
    ROBOT_table_of_subtrees(&w, 1);
    ROBOT_table_pairs(&w, RBD_BY_V | RBD_BY_A, 0, dv, m);
    ROBOT_table_joints_own(&w, dv, m);
    ROBOT_table_torques(&w, v, 0, bias);
    ROBOT_table_inverse(m, dq, minv, tables[0], groups[0]);
    /* Corrected once by what is left: each acceleration is right to its own rounding, and not to that of the largest. */
    for (k = 0; k < SIZE; k++) bias[k] = tau[k] - bias[k], left[k] = 0;
    ROBOT_table_times(minv, bias, left, guess);
    for (k = 0; k < SIZE; k++) ddq[k] = -guess[k];
    ROBOT_table_times(m, ddq, bias, left);
    ROBOT_table_times(minv, left, guess, ddq);

    ROBOT_table_rates(&w, ddq);
    ROBOT_table_bodies(&w, 0, 1);
    if (fext) ROBOT_table_external(&w, fext);
    ROBOT_table_forces_of_subtrees(&w);
    ROBOT_table_of_subtrees(&w, 1);
    ROBOT_table_pairs(&w, RBD_BY_Q, dq, 0, 0);
    ROBOT_negative_product(minv, dq, tables[1], groups[1]);
    ROBOT_negative_product(minv, dv, tables[2], groups[2]);
    if (knows) {
        /* Where a floating base is does not matter, turning it turns gravity, and its linear velocity enters as w x v. */
        for (k = 0; k < 3 * SIZE; k++) dq[k] = 0;
        ROBOT_table_minus_cross(w.start, dq + 3 * SIZE);
        ROBOT_table_minus_cross(v + 3, dv);
    }
}
