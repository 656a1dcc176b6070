
HEAD(step_hessian)
{
    ROBOT_joining_stage stages[4];
    ROBOT_joining_sums sums;
    ROBOT_aba_derivatives_t first;
    ROBOT_aba_hessian_t second;
    const REAL *by[3];
    REAL next_q[ROBOT_joining_nq], next[SIZE], by_q[SIZE], along_weight[SIZE], of_u[SIZE], of_v[SIZE], more_q[SIZE],
        more_u[SIZE], of_rate[SIZE] = {0}, of_acceleration[SIZE] = {0};
    int k, m, stage;
    ROBOT_joining_begin(&sums);
    for (k = 0; k < 4; k++) {
        const REAL time = ROBOT_joining_stages[k][0] * dt, weight = ROBOT_joining_stages[k][1] * dt;
        ROBOT_joining_SOURCE_add_stage(PASSES q, v, tau, time, weight, &stages[k], &sums);
    }
    for (k = 0; k < ROBOT_joining_nv; k++) next[k] = v[k] + sums.gained[k];
    ROBOT_integrate(q, sums.along, next_q);
    out->value[0] = ROBOT_joining_weighted(next_q, next, lambda_q, lambda_v);
    for (k = 0; k < SIZE * SIZE; k++) {
        out->dqdq[k] = out->dqdv[k] = out->dvdv[k] = out->dqdtau[k] = out->dvdtau[k] = out->dtaudtau[k] = 0;
    }
    for (m = 0; m < 3; m++) by[m] = sums.by_along[m];
    ROBOT_joining_curvature(sums.along, lambda_q, by, 1, out);
    ROBOT_joining_gradients(sums.along, lambda_q, by_q, along_weight);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        out->dq[k] = by_q[k];
        out->dv[k] = lambda_v[k];
        out->dtau[k] = 0;
    }
    /* Weights of a stage's rate and acceleration come from the stage after it. */
    for (stage = 3; stage >= 0; stage--) {
        ROBOT_joining_stage *const at = &stages[stage];
        const REAL time = ROBOT_joining_stages[stage][0] * dt, weight = ROBOT_joining_stages[stage][1] * dt;
        ROBOT_joining_add_scaled(of_rate, along_weight, weight, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(of_acceleration, lambda_v, weight, ROBOT_joining_nv);
        ROBOT_joining_rate_back(of_rate, at, of_u, of_v, out);
        for (m = 0; m < 3; m++) {
            ROBOT_joining_scale(sums.by_place[m], at->by_u[m], 1, ROBOT_joining_nv * ROBOT_joining_nv);
            by[m] = at->by_u[m];
        }
        ROBOT_joining_through(at->u, sums.by_place[0], sums.by_place[1], sums.by_place[2]);
        ROBOT_integrate(q, at->u, sums.place);
        DYNAMICS_aba_hessian_with_first(sums.place, at->v, tau, of_acceleration, &first, &second);
        ROBOT_joining_add_accelerations(&second, sums.by_place, at->by_v, out);
        ROBOT_joining_curvature(at->u, second.dq, by, 0, out);
        ROBOT_joining_gradients(at->u, second.dq, more_q, more_u);
        for (k = 0; k < ROBOT_joining_nv; k++) {
            of_v[k] += second.dv[k];
            out->dtau[k] += second.dtau[k];
            out->dq[k] += more_q[k];
            out->dv[k] += of_v[k];
            of_rate[k] = (of_u[k] + more_u[k]) * time;
            of_acceleration[k] = of_v[k] * time;
        }
    }
}
