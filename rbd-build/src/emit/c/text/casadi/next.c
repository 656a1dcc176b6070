/* Derivatives of the next configuration and of the next velocity, one below the other. */
static void ROBOT_casadi_joined(double *to, const double *of_q, const double *of_v, const double *next, int columns)
{
    const int rows = ROBOT_casadi_nq + ROBOT_casadi_nv;
    int c, i;
    if (!to) return;
    ROBOT_casadi_in_coordinates(to, rows, of_q, next, columns);
    for (c = 0; c < columns; c++) {
        for (i = 0; i < ROBOT_casadi_nv; i++) to[c * rows + ROBOT_casadi_nq + i] = of_v[c * ROBOT_casadi_nv + i];
    }
}

/* The three derivatives of the next state x = [q; v]: by x at q, by torques and by the time dt of the step. */
static void ROBOT_casadi_next_by(double **res, const ROBOT_step_derivatives_t *d, const double *x, const double *pose, const double *ddq, double dt)
{
    const double *const v = x + ROBOT_casadi_nq;
    int k;
    if (res[0]) {
        double of_q[ROBOT_casadi_nv * ROBOT_casadi_nq], of_v[ROBOT_casadi_nv * ROBOT_casadi_nq];
        ROBOT_casadi_by_coordinates(of_q, d->dq_dq, x, ROBOT_casadi_nv);
        ROBOT_casadi_by_coordinates(of_v, d->dv_dq, x, ROBOT_casadi_nv);
        ROBOT_casadi_joined(res[0], of_q, of_v, d->q, ROBOT_casadi_nq);
        ROBOT_casadi_joined(res[0] + (ROBOT_casadi_nq + ROBOT_casadi_nv) * ROBOT_casadi_nq, d->dq_dv, d->dv_dv, d->q, ROBOT_casadi_nv);
    }
    ROBOT_casadi_joined(res[1], d->dq_dtau, d->dv_dtau, d->q, ROBOT_casadi_nv);
    if (res[2]) {
        /* q+ = integrate(q, along) */
        double along[ROBOT_casadi_nv], faster[ROBOT_casadi_nv], moved[ROBOT_casadi_nv];
        ROBOT_integrate_jacobians_t j;
        int i;
        for (k = 0; k < ROBOT_casadi_nv; k++) {
            along[k] = dt * (SEMI ? d->v[k] : v[k]);
            faster[k] = SEMI ? v[k] + 2 * dt * ddq[k] : v[k];
            moved[k] = 0;
        }
        ROBOT_integrate_jacobians(pose, along, &j);
        for (k = 0; k < ROBOT_casadi_nv; k++) {
            for (i = 0; i < ROBOT_casadi_nv; i++) moved[i] += j.dv[k * ROBOT_casadi_nv + i] * faster[k];
        }
        ROBOT_casadi_joined(res[2], moved, ddq, d->q, 1);
    }
}
