
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

HEAD(friction_step)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], bias[SIZE], free[SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_friction_settings_t given;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
LOOPS    ROBOT_cones_loops loops;
    int k, i;
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_bias_at(q, sin_q, cos_q, v, bias);
    ROBOT_hold_free(minv, bias, tau, free);
    for (i = 0; i < SIZE; i++) free[i] = RBD_FMA(free[i], dt, v[i]);
    of.count = ROBOT_cones_touch(surfaces, dt, &touching);
    ROBOT_cones_rows(at, minv, of.count, &touching);
LOOPS    ROBOT_cones_close(at, minv, dt, &given, touching.active, touching.minv_jt, free, &loops);
    ROBOT_cones_make(&touching, v, free, dt, surfaces, &given, last ? last->impulses : 0, &of);
    ROBOT_cones_solve(&of, &given, &out->residuals, &out->iterations, &out->converged);
    ROBOT_cones_clear(out->impulses, ROBOT_hold_nr);
    ROBOT_cones_push(&touching, &of, free, out->impulses);
LOOPS    ROBOT_cones_add_loops(&touching, &of, &loops, out->impulses);
    for (k = 0; k < ROBOT_hold_nc; k++) out->modes[k] = ROBOT_hold_is_loop[k] ? ROBOT_cones_stick : ROBOT_cones_open;
    for (k = 0; k < of.count; k++) out->modes[touching.of[k]] = of.modes[k];
    for (i = 0; i < SIZE; i++) bias[i] = free[i] * dt;
    ROBOT_integrate(q, bias, out->q);
    for (i = 0; i < SIZE; i++) out->v[i] = free[i];
}
