
void ROBOT_friction_settings(ROBOT_friction_settings_t *out)
{
    out->tolerance = sizeof(REAL) < 8 ? (REAL)1e-4 : (REAL)1e-9;
    out->sweeps = 5;
    out->newton_steps = 20;
    out->admm_iterations = 100;
    out->rounds = 4;
    out->continuations = 3;
    out->correction = (REAL)0.2;
    out->least_impact = 0;
}

/* The state after a step, with the problem and its contacts. `memory` is as much as the problem takes. */
static void ROBOT_cones_step(const REAL *const at[3], const REAL *minv, const REAL *bias, const REAL *v, const REAL *tau,
                             REAL dt, const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                             const ROBOT_friction_step_t *last, REAL *memory, ROBOT_cones_touching *touching,
                             ROBOT_cones *of, ROBOT_friction_step_t *out)
{
    REAL free[SIZE];
    const int count = ROBOT_cones_begin(at, minv, bias, v, tau, dt, surfaces, settings, free, touching);
    ROBOT_cones_lay(of, count, 0, memory);
    ROBOT_cones_make(touching, v, free, dt, surfaces, settings, last ? last->impulses : 0, of);
    ROBOT_cones_solve(of, settings, &out->residuals, &out->iterations, &out->converged);
    ROBOT_cones_conclude(at[0], dt, touching, of, free, out);
}

HEAD(friction_step)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], bias[SIZE];
    REAL memory[ROBOT_cones_numbers(ROBOT_hold_nr, 0)];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_friction_settings_t given;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_bias_at(q, sin_q, cos_q, v, bias);
    ROBOT_cones_step(at, minv, bias, v, tau, dt, surfaces, &given, last, memory, &touching, &of, out);
}
