
/* The next state under these accelerations, and the motion that leads there. */
static void ROBOT_joining_move(const REAL *q, const REAL *v, REAL dt, const REAL *ddq, REAL *along, REAL *next_q, REAL *next_v)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        next_v[k] = RBD_FMA(ddq[k], dt, v[k]);
        along[k] = (ROBOT_joining_semi ? next_v[k] : v[k]) * dt;
    }
    ROBOT_integrate(q, along, next_q);
}

/* The next state and its derivatives, by accelerations and their derivatives by q, v and tau. */
static void ROBOT_joining_moved(const REAL *q, const REAL *v, REAL dt, const REAL *ddq, const REAL *const by[3],
                                ROBOT_step_derivatives_t *out)
{
    REAL along[SIZE];
    int k;
    ROBOT_joining_move(q, v, dt, ddq, along, out->q, out->v);
    ROBOT_joining_scale(out->dv_dq, by[0], dt, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dv_dv, by[1], dt, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dv_dtau, by[2], dt, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_add_diagonal(out->dv_dv, 1);
    if (ROBOT_joining_semi) {
        /* q+ moves by dt v+. */
        ROBOT_joining_scale(out->dq_dq, out->dv_dq, dt, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_scale(out->dq_dv, out->dv_dv, dt, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_scale(out->dq_dtau, out->dv_dtau, dt, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_through(along, out->dq_dq, out->dq_dv, out->dq_dtau);
    } else {
        for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) out->dq_dq[k] = out->dq_dv[k] = out->dq_dtau[k] = 0;
        ROBOT_joining_add_diagonal(out->dq_dv, dt);
        ROBOT_joining_through(along, out->dq_dq, out->dq_dv, 0);
    }
}

HEAD(step)
{
    REAL ddq[SIZE], along[SIZE];
    DYNAMICS_aba(dt, q, v, tau, ddq);
    ROBOT_joining_move(q, v, dt, ddq, along, out->q, out->v);
}

HEAD(step_derivatives)
{
    ROBOT_aba_derivatives_t first;
    const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
    DYNAMICS_aba_derivatives(dt, q, v, tau, &first);
    ROBOT_joining_moved(q, v, dt, first.ddq, by, out);
}

HEAD(step_hessian)
{
    ROBOT_aba_derivatives_t first;
    ROBOT_aba_hessian_t second;
    REAL next[SIZE], along[SIZE], by_q[SIZE], by_u[SIZE], by_v[SIZE], next_q[ROBOT_joining_nq];
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) next[k] = v[k];
    /* Where joints turn, the weight of accelerations depends on the way, and so on accelerations. */
    if (ROBOT_joining_semi && ROBOT_joining_turns > 0) {
        DYNAMICS_aba(dt, q, v, tau, along);
        ROBOT_joining_add_scaled(next, along, dt, ROBOT_joining_nv);
    }
    ROBOT_joining_scale(along, next, dt, ROBOT_joining_nv);
    ROBOT_joining_gradients(along, lambda_q, by_q, by_u);
    for (k = 0; k < ROBOT_joining_nv; k++) by_v[k] = RBD_FMA(by_u[k], dt, lambda_v[k]);
    DYNAMICS_aba_hessian_with_first(dt, q, v, tau, ROBOT_joining_semi ? by_v : lambda_v, &first, &second);
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
