
HEAD(torques)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) tau[k] = 0;
    for (k = 0; k < ROBOT_joining_nu; k++) tau[ROBOT_joining_controls[k]] = u[k];
}

HEAD(of_controls)
{
    int k, i;
    for (k = 0; k < ROBOT_joining_nu; k++) {
        for (i = 0; i < rows; i++) by_controls[rows * k + i] = by_torques[rows * ROBOT_joining_controls[k] + i];
    }
}

HEAD(actuated_step)
{
    REAL tau[SIZE];
    ROBOT_torques(u, tau);
    ROBOT_step(q, v, tau, dt, out);
}

HEAD(actuated_step_derivatives)
{
    ROBOT_step_derivatives_t of;
    REAL tau[SIZE];
    ROBOT_torques(u, tau);
    ROBOT_step_derivatives(q, v, tau, dt, &of);
    ROBOT_joining_scale(out->q, of.q, 1, ROBOT_joining_nq);
    ROBOT_joining_scale(out->v, of.v, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(out->dq_dq, of.dq_dq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dq_dv, of.dq_dv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_of_controls(of.dq_dtau, ROBOT_joining_nv, out->dq_du);
    ROBOT_joining_scale(out->dv_dq, of.dv_dq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dv_dv, of.dv_dv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_of_controls(of.dv_dtau, ROBOT_joining_nv, out->dv_du);
}

HEAD(actuated_step_hessian)
{
    ROBOT_step_hessian_t of;
    REAL tau[SIZE];
    int k, i;
    ROBOT_torques(u, tau);
    ROBOT_step_hessian(q, v, tau, dt, lambda_q, lambda_v, &of);
    out->value[0] = of.value[0];
    ROBOT_joining_scale(out->dq, of.dq, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(out->dv, of.dv, 1, ROBOT_joining_nv);
    ROBOT_of_controls(of.dtau, 1, out->du);
    ROBOT_joining_scale(out->dqdq, of.dqdq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dqdv, of.dqdv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dvdv, of.dvdv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_of_controls(of.dqdtau, ROBOT_joining_nv, out->dqdu);
    ROBOT_of_controls(of.dvdtau, ROBOT_joining_nv, out->dvdu);
    for (k = 0; k < ROBOT_joining_nu; k++) {
        const REAL *const column = of.dtaudtau + SIZE * ROBOT_joining_controls[k];
        for (i = 0; i < ROBOT_joining_nu; i++) out->dudu[ROBOT_joining_nu * k + i] = column[ROBOT_joining_controls[i]];
    }
}
