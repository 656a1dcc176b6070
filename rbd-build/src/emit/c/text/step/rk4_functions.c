
HEAD(step)
{
    REAL rate[SIZE] = {0}, ddq[SIZE] = {0}, along[SIZE] = {0}, gained[SIZE] = {0}, u[SIZE], now[SIZE],
        place[ROBOT_joining_nq];
    int k, stage;
    for (stage = 0; stage < 4; stage++) {
        const REAL time = ROBOT_joining_stages[stage][0] * dt, weight = ROBOT_joining_stages[stage][1] * dt;
        ROBOT_joining_reach(q, v, time, rate, ddq, u, now, place);
        DYNAMICS_aba(place, now, tau, ddq);
        ROBOT_joining_rate(u, now, rate);
        ROBOT_joining_add_scaled(along, rate, weight, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(gained, ddq, weight, ROBOT_joining_nv);
    }
    ROBOT_integrate(q, along, out->q);
    for (k = 0; k < ROBOT_joining_nv; k++) out->v[k] = v[k] + gained[k];
}

HEAD(step_derivatives)
{
    ROBOT_joining_stage stage;
    ROBOT_joining_sums sums;
    int k;
    ROBOT_joining_begin(&sums);
    for (k = 0; k < 4; k++) {
        const REAL time = ROBOT_joining_stages[k][0] * dt, weight = ROBOT_joining_stages[k][1] * dt;
        ROBOT_joining_SOURCE_add_stage(PASSES q, v, tau, time, weight, &stage, &sums);
    }
    ROBOT_joining_end(q, v, &sums, out);
}
