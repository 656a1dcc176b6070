
HEAD(contact_step)
{
    ROBOT_contact_dynamics_t later;
    REAL rate[SIZE] = {0}, ddq[SIZE] = {0}, along[SIZE] = {0}, gained[SIZE] = {0}, u[SIZE], now[SIZE],
        place[ROBOT_joining_nq];
    int k, stage;
    for (stage = 0; stage < 4; stage++) {
        const REAL time = ROBOT_joining_stages[stage][0] * dt, weight = ROBOT_joining_stages[stage][1] * dt;
        ROBOT_contact_dynamics_t *const found = stage == 0 ? &out->dynamics : &later;
        ROBOT_joining_reach(q, v, time, rate, ddq, u, now, place);
        ROBOT_contact_dynamics(place, now, tau, active, settings, found);
        ROBOT_joining_scale(ddq, found->ddq, 1, ROBOT_joining_nv);
        ROBOT_joining_rate(u, now, rate);
        ROBOT_joining_add_scaled(along, rate, weight, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(gained, ddq, weight, ROBOT_joining_nv);
    }
    ROBOT_integrate(q, along, out->q);
    for (k = 0; k < ROBOT_joining_nv; k++) out->v[k] = v[k] + gained[k];
}

HEAD(contact_step_derivatives)
{
    ROBOT_contact_dynamics_derivatives_t later;
    ROBOT_joining_stage stage;
    ROBOT_joining_sums sums;
    int k;
    ROBOT_joining_begin(&sums);
    for (k = 0; k < 4; k++) {
        const REAL time = ROBOT_joining_stages[k][0] * dt, weight = ROBOT_joining_stages[k][1] * dt;
        ROBOT_contact_dynamics_derivatives_t *const found = k == 0 ? &out->dynamics : &later;
        const REAL *const by[3] = {found->ddq_dq, found->ddq_dv, found->ddq_dtau};
        ROBOT_joining_begin_stage(q, v, time, &stage, &sums);
        ROBOT_contact_dynamics_derivatives(sums.place, stage.v, tau, active, settings, found);
        ROBOT_joining_end_stage(weight, found->ddq, by, &stage, &sums);
    }
    ROBOT_joining_end(q, v, &sums, &out->step);
}
