
/* Finds x with the active contacts held, and the torques `at` where contact dynamics give it. `held` receives contact dynamics
 * under the torques `tau`. */
static void ROBOT_damped_find_held(REAL dt, const REAL *q, const REAL *v, const REAL *tau, const int *active,
                                   const ROBOT_contact_settings_t *settings, ROBOT_contact_dynamics_derivatives_t *held,
                                   REAL *x, REAL *at, REAL *factors)
{
    ROBOT_contact_dynamics_derivatives(q, v, tau, active, settings, held);
    ROBOT_joining_scale(x, held->ddq, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(factors, held->ddq_dtau, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_damped_solve_from(dt, tau, x, at, factors);
}

/* Derivatives of the torques tau - D (v+ - v) by q, v or tau, from those of v+. Those of tau and of v are `own` and `before` on the
 * diagonal. */
static void ROBOT_damped_torques(const REAL *gained, REAL own, REAL before, REAL *by)
{
    int i, j;
    for (j = 0; j < ROBOT_joining_nv; j++) {
        for (i = 0; i < ROBOT_joining_nv; i++) by[j * SIZE + i] = -ROBOT_damped_damping[i] * gained[j * SIZE + i];
        by[j * SIZE + j] = own - ROBOT_damped_damping[j] * (gained[j * SIZE + j] - before);
    }
}

/* Derivatives at fixed torques become those of a step, whose torques move with v+. Both have so many rows. */
static void ROBOT_damped_follow(const ROBOT_step_derivatives_t *step, REAL *by_q, REAL *by_v, REAL *by_tau, int rows)
{
    REAL by[SIZE * SIZE], row[SIZE];
    int i, j, k;
    ROBOT_damped_torques(step->dv_dq, 0, 0, by);
    ROBOT_damped_add_product(by_q, by_tau, by, rows);
    ROBOT_damped_torques(step->dv_dv, 0, 1, by);
    ROBOT_damped_add_product(by_v, by_tau, by, rows);
    ROBOT_damped_torques(step->dv_dtau, 1, 0, by);
    /* by_tau by, row by row in place */
    for (i = 0; i < rows; i++) {
        for (j = 0; j < ROBOT_joining_nv; j++) {
            row[j] = 0;
            for (k = 0; k < ROBOT_joining_nv; k++) row[j] = RBD_FMA(by_tau[k * rows + i], by[j * SIZE + k], row[j]);
        }
        for (j = 0; j < ROBOT_joining_nv; j++) by_tau[j * rows + i] = row[j];
    }
}

HEAD(contact_step)
{
    ROBOT_contact_dynamics_derivatives_t held;
    REAL x[SIZE], at[SIZE], along[SIZE], factors[SIZE * SIZE];
    int k;
    ROBOT_damped_find_held(dt, q, v, tau, active, settings, &held, x, at, factors);
    ROBOT_joining_move(q, v, dt, x, along, out->q, out->v);
    for (k = 0; k < ROBOT_joining_nv; k++) at[k] = tau[k] - ROBOT_damped_damping[k] * (out->v[k] - v[k]);
    ROBOT_contact_dynamics(q, v, at, active, settings, &out->dynamics);
}

HEAD(contact_step_derivatives)
{
    ROBOT_aba_derivatives_t first;
    const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
    REAL x[SIZE], at[SIZE], factors[SIZE * SIZE];
    ROBOT_contact_dynamics_derivatives_t *const held = &out->dynamics;
    ROBOT_damped_find_held(dt, q, v, tau, active, settings, held, x, at, factors);
    ROBOT_contact_dynamics_derivatives(q, v, at, active, settings, held);
    ROBOT_joining_scale(first.ddq_dq, held->ddq_dq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(first.ddq_dv, held->ddq_dv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(first.ddq_dtau, held->ddq_dtau, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_damped_first(x, factors, &first);
    ROBOT_joining_moved(q, v, dt, first.ddq, by, &out->step);
    ROBOT_damped_follow(&out->step, held->forces_dq, held->forces_dv, held->forces_dtau, ROBOT_hold_nr);
    ROBOT_damped_follow(&out->step, held->ddq_dq, held->ddq_dv, held->ddq_dtau, ROBOT_joining_nv);
}
