
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
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], memory[ROBOT_cones_numbers(ROBOT_hold_nr, 0)];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_friction_settings_t given;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_cones_step(PASSES at, v, tau, dt, surfaces, &given, last, memory, 0, &touching, &of, out);
}
