
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
    DYNAMICS_aba(q, v, tau, ddq);
    ROBOT_joining_move(q, v, dt, ddq, along, out->q, out->v);
}

HEAD(step_derivatives)
{
    ROBOT_aba_derivatives_t first;
    const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
    DYNAMICS_aba_derivatives(q, v, tau, &first);
    ROBOT_joining_moved(q, v, dt, first.ddq, by, out);
}
