
/* to = a^T x + b^T y */
static void ROBOT_casadi_seeded(double *to, const double *a, const double *x, const double *b, const double *y)
{
    int i, j;
    for (j = 0; to && j < ROBOT_casadi_nv; j++) {
        to[j] = 0;
        for (i = 0; i < ROBOT_casadi_nv; i++) to[j] += a[j * ROBOT_casadi_nv + i] * x[i] + b[j * ROBOT_casadi_nv + i] * y[i];
    }
}

/* The mixed derivatives of the seeded sum by dt and by x, by u, and twice by dt, from accelerations and their derivatives. */
static void ROBOT_casadi_by_time(const double *x, const double *pose, double dt, const double *seed, const ROBOT_step_derivatives_t *d,
                                 const double *ddq, const double *const by_state[3], const double *of_q, double *with_x, double *with_u,
                                 double *twice)
{
    const double *const v = x + ROBOT_casadi_nq, *const of_v = seed + ROBOT_casadi_nq;
    double along[ROBOT_casadi_nv], rate[ROBOT_casadi_nv], by_u[ROBOT_casadi_nv], bent[ROBOT_casadi_nv], bent_q[ROBOT_casadi_nv];
    double of_ddq[ROBOT_casadi_nv], none[ROBOT_casadi_nv] = {0}, by[ROBOT_casadi_nv];
    ROBOT_integrate_jacobians_t j;
    int k;
    /* q+ = integrate(q, along), and along changes by `rate` with the time. */
    for (k = 0; k < ROBOT_casadi_nv; k++) {
        along[k] = dt * (SEMI ? d->v[k] : v[k]);
        rate[k] = SEMI ? v[k] + 2 * dt * ddq[k] : v[k];
    }
    ROBOT_integrate_jacobians(pose, along, &j);
    ROBOT_casadi_seeded(by_u, j.dv, of_q, j.dv, none);
    ROBOT_casadi_bend(pose, along, rate, seed, bent, bent_q);
    twice[0] = 0;
    for (k = 0; k < ROBOT_casadi_nv; k++) {
        of_ddq[k] = of_v[k] + (SEMI ? 2 * dt * by_u[k] + dt * dt * bent[k] : 0);
        twice[0] += rate[k] * bent[k] + (SEMI ? 2 * by_u[k] * ddq[k] : 0);
    }
    ROBOT_casadi_seeded(by, by_state[0], of_ddq, by_state[0], none);
    for (k = 0; k < ROBOT_casadi_nv; k++) by[k] += bent_q[k];
    ROBOT_casadi_by_coordinates(with_x, by, x, 1);
    ROBOT_casadi_seeded(with_x + ROBOT_casadi_nq, by_state[1], of_ddq, by_state[1], none);
    for (k = 0; k < ROBOT_casadi_nv; k++) with_x[ROBOT_casadi_nq + k] += by_u[k] + dt * bent[k];
    ROBOT_casadi_seeded(with_u, by_state[2], of_ddq, by_state[2], none);
}
