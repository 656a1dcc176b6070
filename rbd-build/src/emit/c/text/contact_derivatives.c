
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

/* What solves M ddq - J^T f = -t and J ddq = -r: ddq = -P t - K^T r and f = K t - S r. */
typedef struct {
    REAL s[ROBOT_hold_nr * ROBOT_hold_nr], minus_kt[ROBOT_hold_nr * SIZE];
    REAL *p, *minus_k;
} ROBOT_hold_kkt;

static void ROBOT_hold_make_kkt(const ROBOT_hold_held *held, const REAL *minv, ROBOT_hold_kkt *to)
{
    ROBOT_hold_multiples by;
    int j, r;
    ROBOT_hold_invert(&held->delassus, to->s);
    ROBOT_hold_clear(to->minus_k, ROBOT_hold_nr * SIZE);
    for (j = 0; j < SIZE * SIZE; j++) to->p[j] = minv[j];
    for (j = 0; j < SIZE; j++) {
        REAL *const minus_k = to->minus_k + j * ROBOT_hold_nr;
        ROBOT_hold_list(held->minv_jt + j, ROBOT_hold_nr, SIZE, -1, &by);
        ROBOT_hold_add_multiples(to->s, ROBOT_hold_nr, &by, minus_k);
        for (r = 0; r < ROBOT_hold_nr; r++) to->minus_kt[r * SIZE + j] = minus_k[r];
        ROBOT_hold_list(minus_k, ROBOT_hold_nr, 1, 1, &by);
        ROBOT_hold_add_multiples(held->minv_jt, SIZE, &by, to->p + j * SIZE);
    }
}

/* Derivatives of accelerations and forces, by columns, from those of torques and of rows, which are in the place of the forces'. */
static void ROBOT_hold_by_kkt(const ROBOT_hold_kkt *of, const REAL *torques, REAL *ddq, REAL *forces)
{
    ROBOT_hold_multiples by, rows;
    int j, r;
    ROBOT_hold_clear(ddq, SIZE * SIZE);
    for (j = 0; j < SIZE; j++, torques += SIZE, ddq += SIZE, forces += ROBOT_hold_nr) {
        ROBOT_hold_list(forces, ROBOT_hold_nr, 1, 1, &rows);
        ROBOT_hold_add_multiples(of->minus_kt, SIZE, &rows, ddq);
        ROBOT_hold_list(torques, SIZE, 1, -1, &by);
        ROBOT_hold_add_multiples(of->p, SIZE, &by, ddq);
        ROBOT_hold_clear(forces, ROBOT_hold_nr);
        ROBOT_hold_add_multiples(of->minus_k, ROBOT_hold_nr, &by, forces);
        for (r = 0; r < rows.count; r++) rows.times[r] = -rows.times[r];
        ROBOT_hold_add_multiples(of->s, ROBOT_hold_nr, &rows, forces);
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
    ROBOT_hold_known known;
    ROBOT_hold_dynamics(PASSES at, v, tau, active, settings, &mass, &held->delassus, out->ddq, out->forces, out->residual);
    ROBOT_hold_inverse(PASSES at, &mass, minv);
    ROBOT_hold_fill_rows(at, minv, active, held);
    /* The velocities' derivatives are kept where those of forces by tau will be. */
    ROBOT_hold_by_state(PASSES at, v, active, out->ddq, out->forces, out->forces_dq, out->forces_dv, out->forces_dtau, &torques);
    ROBOT_hold_damp(at, active, settings, held->jt, out->forces_dtau, out->forces_dq, out->forces_dv);
    ROBOT_hold_take_root(&torques, &known);
    if (ROBOT_hold_is_regular(&held->delassus, active, settings)) {
        ROBOT_hold_kkt inverse;
        inverse.p = out->ddq_dtau, inverse.minus_k = out->forces_dtau;
        ROBOT_hold_make_kkt(held, minv, &inverse);
        ROBOT_hold_by_kkt(&inverse, torques.dtau_dq, out->ddq_dq, out->forces_dq);
        ROBOT_hold_by_kkt(&inverse, torques.dtau_dv, out->ddq_dv, out->forces_dv);
    } else {
        ROBOT_hold_by_solutions(held, minv, &torques, out);
    }
    ROBOT_hold_add_root(&known, out);
}

/* Derivatives of velocities after an impact and of impulses, from those of torques by q, and from those of rows by q, which are in
 * the place of the impulses'. */
static void ROBOT_hold_impulse_derivatives(const ROBOT_hold_held *held, const REAL *minv, const int *active, REAL restitution,
                                           const ROBOT_contact_settings_t *settings, const REAL *torques,
                                           ROBOT_contact_impulse_derivatives_t *out)
{
    REAL free[SIZE * SIZE];
    int i, j;
    if (ROBOT_hold_is_regular(&held->delassus, active, settings)) {
        REAL minus_k[ROBOT_hold_nr * SIZE];
        ROBOT_hold_kkt inverse;
        inverse.p = free, inverse.minus_k = minus_k;
        ROBOT_hold_make_kkt(held, minv, &inverse);
        ROBOT_hold_by_kkt(&inverse, torques, out->v_plus_dq, out->impulses_dq);
        ROBOT_hold_clear(out->impulses_dv, ROBOT_hold_nr * SIZE);
        for (j = 0; j < SIZE; j++) {
            REAL *const v_plus = out->v_plus_dv + j * SIZE, *const impulses = out->impulses_dv + j * ROBOT_hold_nr;
            ROBOT_hold_multiples by;
            ROBOT_hold_list(held->jt + j, ROBOT_hold_nr, SIZE, -1 - restitution, &by);
            ROBOT_hold_add_multiples(inverse.s, ROBOT_hold_nr, &by, impulses);
            for (i = 0; i < SIZE; i++) v_plus[i] = i == j;
            ROBOT_hold_list(impulses, ROBOT_hold_nr, 1, 1, &by);
            ROBOT_hold_add_multiples(held->minv_jt, SIZE, &by, v_plus);
        }
        return;
    }
    ROBOT_hold_accelerations(minv, torques, free);
    ROBOT_hold_columns(held, free, out->impulses_dq, out->v_plus_dq);
    for (j = 0; j < SIZE; j++) {
        for (i = 0; i < SIZE; i++) free[j * SIZE + i] = i == j;
        for (i = 0; i < ROBOT_hold_nr; i++) out->impulses_dv[j * ROBOT_hold_nr + i] = held->jt[i * SIZE + j] * restitution;
    }
    ROBOT_hold_columns(held, free, out->impulses_dv, out->v_plus_dv);
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
