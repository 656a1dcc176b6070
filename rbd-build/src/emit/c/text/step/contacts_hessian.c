
HEAD(contact_step_hessian)
{
    ROBOT_contact_dynamics_derivatives_t first;
    ROBOT_contact_dynamics_hessian_t second;
    REAL next[SIZE], along[SIZE], by_q[SIZE], by_u[SIZE], by_v[SIZE], weights[SIZE], next_q[ROBOT_joining_nq];
    const REAL no_forces[ROBOT_hold_nr] = {0};
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) next[k] = v[k];
    /* Where joints turn, the weight of accelerations depends on the way, and so on accelerations. */
    if (ROBOT_joining_semi && ROBOT_joining_turns > 0) {
        ROBOT_contact_dynamics_t now;
        ROBOT_contact_dynamics(q, v, tau, active, settings, &now);
        ROBOT_joining_add_scaled(next, now.ddq, dt, ROBOT_joining_nv);
    }
    ROBOT_joining_scale(along, next, dt, ROBOT_joining_nv);
    ROBOT_joining_gradients(along, lambda_q, by_q, by_u);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        by_v[k] = RBD_FMA(by_u[k], dt, lambda_v[k]);
        weights[k] = dt * (ROBOT_joining_semi ? by_v[k] : lambda_v[k]);
    }
    ROBOT_contact_dynamics_hessian_with_first(q, v, tau, active, settings, weights, no_forces, &first, &second);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        next[k] = RBD_FMA(first.ddq[k], dt, v[k]);
        out->dq[k] = second.dq[k] + by_q[k];
        out->dv[k] = second.dv[k] + by_v[k];
        out->dtau[k] = second.dtau[k];
    }
    for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) {
        out->dqdq[k] = second.dqdq[k];
        out->dqdv[k] = second.dqdv[k];
        out->dvdv[k] = second.dvdv[k];
        out->dqdtau[k] = second.dqdtau[k];
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
