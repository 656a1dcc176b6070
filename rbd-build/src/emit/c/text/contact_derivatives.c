
/* Adds Baumgarte's terms to derivatives of the rows by q and v. Rows of inactive contacts become zero. */
static void ROBOT_hold_damp(const REAL *const at[3], const int *active, const ROBOT_contact_settings_t *settings,
                            const REAL *jt, const REAL *velocities_dq, REAL *by_q, REAL *by_v)
{
    const REAL kp = settings ? settings->kp : 0, kd = settings ? settings->kd : 0;
    int k, j, r;
    for (j = 0; j < SIZE && kd != 0; j++) {
        for (r = 0; r < ROBOT_hold_nr; r++) {
            const int here = j * ROBOT_hold_nr + r;
            by_q[here] = RBD_FMA(velocities_dq[here], kd, by_q[here]);
            by_v[here] = RBD_FMA(jt[r * SIZE + j], kd, by_v[here]);
        }
    }
    for (k = 0; k < ROBOT_hold_nc; k++) {
        const ROBOT_hold_second *beyond;
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        if (!active[k] || kp == 0) continue;
        beyond = ROBOT_hold_second_of(at, k, &second) ? &second : 0;
        if (ROBOT_hold_error_of(at, k, beyond, settings, &error)) ROBOT_hold_add_pull(at, k, beyond, &error, kp, by_q);
    }
    ROBOT_hold_clear_inactive(active, SIZE, by_q);
    ROBOT_hold_clear_inactive(active, SIZE, by_v);
}

/* Whether the active rows are so independent that products with an inverse are as good as solutions: each keeps a thousandth of
 * its diagonal entry, in `float` a tenth, beside the rows before it. */
static int ROBOT_hold_is_regular(const ROBOT_hold_delassus *of, const int *active, const ROBOT_contact_settings_t *settings)
{
    const REAL kept = sizeof(REAL) < 8 ? (REAL)0.1 : (REAL)1e-3, mu = settings ? settings->mu : 0;
    int k, r;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        for (r = ROBOT_hold_row[k]; active[k] && r < ROBOT_hold_row[k + 1]; r++) {
            const REAL entry = of->matrix[r * ROBOT_hold_nr + r], reciprocal = of->factors[r * ROBOT_hold_nr + r];
            const int is_kept = (entry + mu) * reciprocal >= (REAL)0.5 && (entry * kept + mu) * reciprocal <= 1;
            if (!is_kept) return 0;
        }
    }
    return of->iterations <= 1;
}

/* The inverse from the factors, by rows. */
static void ROBOT_hold_invert(const ROBOT_hold_delassus *of, REAL *x)
{
    const int n = ROBOT_hold_nr;
    const REAL *const f = of->factors;
    ROBOT_hold_multiples by;
    int i, k;
    ROBOT_hold_clear(x, n * n);
    for (k = 0; k < n; k++) {
        x[k * n + k] = 1;
        for (i = 0; i < k; i++) by.of[i] = i, by.times[i] = -f[i * n + k];
        by.count = k;
        ROBOT_hold_add_multiples(x, n, &by, x + k * n);
    }
    for (k = n - 1; k >= 0; k--) {
        for (i = 0; i < n; i++) x[k * n + i] *= f[k * n + k];
        for (i = k + 1; i < n; i++) by.of[i - k - 1] = i, by.times[i - k - 1] = -f[k * n + i];
        by.count = n - k - 1;
        ROBOT_hold_add_multiples(x, n, &by, x + k * n);
    }
}

/* Lists `sign` times so many numbers, each `stride` after the one before. Most are zero in every state. */
static void ROBOT_hold_list(const REAL *x, int n, int stride, REAL sign, ROBOT_hold_multiples *to)
{
    int k, count = 0;
    for (k = 0; k < n; k++) {
        to->of[count] = k;
        to->times[count] = x[k * stride] * sign;
        count += x[k * stride] != 0;
    }
    to->count = count;
}

/* Derivatives of accelerations and forces by the inverse P, K^T; K, S of the equations of both, from those of torques and of
 * rows, which are in the place of the forces'. */
static void ROBOT_hold_by_inverse(const ROBOT_hold_held *held, const REAL *minv, const ROBOT_rnea_derivatives_t *torques,
                                  ROBOT_contact_dynamics_derivatives_t *out)
{
    REAL s[ROBOT_hold_nr * ROBOT_hold_nr], minus_kt[ROBOT_hold_nr * SIZE];
    const REAL *const t[2] = {torques->dtau_dq, torques->dtau_dv};
    REAL *const x[2] = {out->ddq_dq, out->ddq_dv}, *const f[2] = {out->forces_dq, out->forces_dv};
    REAL *const p = out->ddq_dtau, *const minus_k = out->forces_dtau;
    ROBOT_hold_multiples by;
    int j, r, of;
    ROBOT_hold_invert(&held->delassus, s);
    ROBOT_hold_clear(minus_k, ROBOT_hold_nr * SIZE);
    for (j = 0; j < SIZE * SIZE; j++) p[j] = minv[j];
    for (j = 0; j < SIZE; j++) {
        ROBOT_hold_list(held->minv_jt + j, ROBOT_hold_nr, SIZE, -1, &by);
        ROBOT_hold_add_multiples(s, ROBOT_hold_nr, &by, minus_k + j * ROBOT_hold_nr);
        for (r = 0; r < ROBOT_hold_nr; r++) minus_kt[r * SIZE + j] = minus_k[j * ROBOT_hold_nr + r];
        ROBOT_hold_list(minus_k + j * ROBOT_hold_nr, ROBOT_hold_nr, 1, 1, &by);
        ROBOT_hold_add_multiples(held->minv_jt, SIZE, &by, p + j * SIZE);
    }
    for (of = 0; of < 2; of++) {
        ROBOT_hold_clear(x[of], SIZE * SIZE);
        for (j = 0; j < SIZE; j++) {
            REAL *const motions = x[of] + j * SIZE, *const forces = f[of] + j * ROBOT_hold_nr;
            ROBOT_hold_multiples rows;
            ROBOT_hold_list(forces, ROBOT_hold_nr, 1, 1, &rows);
            ROBOT_hold_add_multiples(minus_kt, SIZE, &rows, motions);
            ROBOT_hold_list(t[of] + j * SIZE, SIZE, 1, -1, &by);
            ROBOT_hold_add_multiples(p, SIZE, &by, motions);
            ROBOT_hold_clear(forces, ROBOT_hold_nr);
            ROBOT_hold_add_multiples(minus_k, ROBOT_hold_nr, &by, forces);
            for (r = 0; r < rows.count; r++) rows.times[r] = -rows.times[r];
            ROBOT_hold_add_multiples(s, ROBOT_hold_nr, &rows, forces);
        }
    }
}

/* Derivatives of accelerations and forces by solving for each column, where rows depend on others or nearly do. */
static void ROBOT_hold_by_solutions(const ROBOT_hold_held *held, const REAL *minv, const ROBOT_rnea_derivatives_t *torques,
                                    ROBOT_contact_dynamics_derivatives_t *out)
{
    REAL free[SIZE * SIZE];
    ROBOT_hold_accelerations(minv, torques->dtau_dq, free);
    ROBOT_hold_columns(held, free, out->forces_dq, out->ddq_dq);
    ROBOT_hold_accelerations(minv, torques->dtau_dv, free);
    ROBOT_hold_columns(held, free, out->forces_dv, out->ddq_dv);
    ROBOT_hold_clear(out->forces_dtau, ROBOT_hold_nr * SIZE);
    ROBOT_hold_columns(held, minv, out->forces_dtau, out->ddq_dtau);
}

/* Accelerations and forces in the contacts' own axes, with derivatives, and M^-1. Forces are constant in the axes of their
 * contacts while the robot is moved; what they change by holds the rows. */
static void ROBOT_hold_derivatives(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                                   const ROBOT_contact_settings_t *settings, ROBOT_hold_held *held, REAL *minv,
                                   ROBOT_contact_dynamics_derivatives_t *out)
{
    ROBOT_hold_mass mass;
    ROBOT_rnea_derivatives_t torques;
    ROBOT_hold_dynamics(PASSES at, v, tau, active, settings, &mass, &held->delassus, out->ddq, out->forces, out->residual);
    ROBOT_hold_inverse(PASSES at, &mass, minv);
    ROBOT_hold_fill_rows(at, minv, active, held);
    /* The velocities' derivatives are kept where those of forces by tau will be. */
    ROBOT_hold_by_state(PASSES at, v, active, out->ddq, out->forces, out->forces_dq, out->forces_dv, out->forces_dtau, &torques);
    ROBOT_hold_damp(at, active, settings, held->jt, out->forces_dtau, out->forces_dq, out->forces_dv);
    if (ROBOT_hold_is_regular(&held->delassus, active, settings)) {
        ROBOT_hold_by_inverse(held, minv, &torques, out);
    } else {
        ROBOT_hold_by_solutions(held, minv, &torques, out);
    }
}

/* Forces, residual and derivatives of forces in the world's axes, from those in the contacts' own. */
static void ROBOT_hold_turn_derivatives(const REAL *const at[3], const int *active, ROBOT_contact_dynamics_derivatives_t *out)
{
    ROBOT_hold_add_turning(at, active, out->forces, out->forces_dq);
    ROBOT_hold_turn_rows(at, active, 0, 1, out->forces);
    ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dq);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dv);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dtau);
}
