
HEAD(step_hessian)
{
    ROBOT_aba_derivatives_t first;
    ROBOT_aba_hessian_t second;
    REAL next[SIZE], along[SIZE], by_q[SIZE], by_u[SIZE], by_v[SIZE], next_q[ROBOT_joining_nq];
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) next[k] = v[k];
    /* Where joints turn, the weight of accelerations depends on the way, and so on accelerations. */
    if (ROBOT_joining_semi && ROBOT_joining_turns > 0) {
        DYNAMICS_aba(q, v, tau, along);
        ROBOT_joining_add_scaled(next, along, dt, ROBOT_joining_nv);
    }
    ROBOT_joining_scale(along, next, dt, ROBOT_joining_nv);
    ROBOT_joining_gradients(along, lambda_q, by_q, by_u);
    for (k = 0; k < ROBOT_joining_nv; k++) by_v[k] = RBD_FMA(by_u[k], dt, lambda_v[k]);
    DYNAMICS_aba_hessian_with_first(q, v, tau, ROBOT_joining_semi ? by_v : lambda_v, &first, &second);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        next[k] = RBD_FMA(first.ddq[k], dt, v[k]);
        out->dq[k] = RBD_FMA(second.dq[k], dt, by_q[k]);
        out->dv[k] = RBD_FMA(second.dv[k], dt, by_v[k]);
        out->dtau[k] = second.dtau[k] * dt;
    }
    for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) {
        out->dqdq[k] = second.dqdq[k] * dt;
        out->dqdv[k] = second.dqdv[k] * dt;
        out->dvdv[k] = second.dvdv[k] * dt;
        out->dqdtau[k] = second.dqdtau[k] * dt;
        out->dvdtau[k] = out->dtaudtau[k] = 0;
    }
    if (ROBOT_joining_semi) {
        ROBOT_joining_scale(along, next, dt, ROBOT_joining_nv);
        if (ROBOT_joining_turns > 0) {
            const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
            for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) {
                first.ddq_dq[k] *= dt * dt;
                first.ddq_dv[k] *= dt * dt;
                first.ddq_dtau[k] *= dt * dt;
            }
            ROBOT_joining_add_diagonal(first.ddq_dv, dt);
            ROBOT_joining_curvature(along, lambda_q, by, 1, out);
        }
    } else {
        ROBOT_joining_along_velocity(along, lambda_q, dt, out);
    }
    ROBOT_integrate(q, along, next_q);
    out->value[0] = ROBOT_joining_weighted(next_q, next, lambda_q, lambda_v);
}
