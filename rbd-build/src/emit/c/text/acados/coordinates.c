
/* The next state. */
int ROBOT_acados_KIND_fun_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    double q[ROBOT_casadi_nq];
    ROBOT_step_t next;
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(arg[0], q);
    ROBOT_acados_KIND_next(q, arg[0] + ROBOT_casadi_nq, arg[1], arg[2], &next);
    for (k = 0; res[0] && k < ROBOT_casadi_nq; k++) res[0][k] = next.q[k];
    for (k = 0; res[0] && k < ROBOT_casadi_nv; k++) res[0][ROBOT_casadi_nq + k] = next.v[k];
    return 0;
}

/* The next state, and its transposed Jacobian by [u; x]. */
int ROBOT_acados_KIND_fun_jac_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    enum { n = ROBOT_casadi_nv, m = ROBOT_casadi_nq, all = ROBOT_casadi_nq + ROBOT_casadi_nv };
    double q[m], by_x[all * all], by_u[all * n], *by[3] = {by_x, by_u, 0};
    ROBOT_step_derivatives_t d;
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(arg[0], q);
    ROBOT_acados_KIND_first(q, arg[0] + m, arg[1], arg[2], &d);
    for (k = 0; res[0] && k < m; k++) res[0][k] = d.q[k];
    for (k = 0; res[0] && k < n; k++) res[0][m + k] = d.v[k];
    if (res[1]) {
        ROBOT_casadi_next_by(by, &d, arg[0], q, 0, 0);
        ROBOT_casadi_put(res[1], n + all, by_u, all, n, 1);
        ROBOT_casadi_put(res[1] + n, n + all, by_x, all, all, 1);
    }
    return 0;
}

/* Those, and the Hessian by [u; x] of the next state weighted with multipliers, which are the third argument. */
int ROBOT_acados_KIND_fun_jac_hess_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    enum { n = ROBOT_casadi_nv, m = ROBOT_casadi_nq, all = 2 * ROBOT_casadi_nv + ROBOT_casadi_nq };
    const double *const x = arg[0], *const lambda = arg[2], *first[3];
    double q[m], of_q[n], block[m * m];
    ROBOT_step_derivatives_t d;
    ROBOT_step_hessian_t h;
    first[0] = arg[0], first[1] = arg[1], first[2] = arg[3];
    if (res[0] || res[1]) ROBOT_acados_KIND_fun_jac_casadi(first, res, iw, w, mem);
    if (!res[2]) return 0;
    ROBOT_casadi_posed(x, q);
    ROBOT_acados_KIND_first(q, x + m, arg[1], arg[3], &d);
    ROBOT_casadi_weighted(d.q, lambda, of_q);
    ROBOT_acados_KIND_second(q, x + m, arg[1], arg[3], of_q, lambda + m, &h);
    /* The Hessian is of tangent vectors at q+, on which its coordinates do not depend linearly. */
    ROBOT_casadi_add_bent(h.dqdq, d.dq_dq, d.dq_dq, d.q, lambda);
    ROBOT_casadi_add_bent(h.dqdv, d.dq_dq, d.dq_dv, d.q, lambda);
    ROBOT_casadi_add_bent(h.dvdv, d.dq_dv, d.dq_dv, d.q, lambda);
    ROBOT_casadi_add_bent(h.dqdtau, d.dq_dq, d.dq_dtau, d.q, lambda);
    ROBOT_casadi_add_bent(h.dvdtau, d.dq_dv, d.dq_dtau, d.q, lambda);
    ROBOT_casadi_add_bent(h.dtaudtau, d.dq_dtau, d.dq_dtau, d.q, lambda);
    ROBOT_casadi_put(res[2], all, h.dtaudtau, n, n, 0);
    ROBOT_casadi_block(block, h.dqdtau, 0, x, 0);
    ROBOT_casadi_put(res[2] + n, all, block, m, n, 0);
    ROBOT_casadi_put(res[2] + all * n, all, block, m, n, 1);
    ROBOT_casadi_put(res[2] + n + m, all, h.dvdtau, n, n, 0);
    ROBOT_casadi_put(res[2] + all * (n + m), all, h.dvdtau, n, n, 1);
    ROBOT_casadi_block(block, h.dqdq, 0, x, x);
    ROBOT_casadi_add_turning(block, h.dq, x);
    ROBOT_casadi_put(res[2] + all * n + n, all, block, m, m, 0);
    ROBOT_casadi_block(block, h.dqdv, 0, x, 0);
    ROBOT_casadi_put(res[2] + all * (n + m) + n, all, block, m, n, 0);
    ROBOT_casadi_put(res[2] + all * n + n + m, all, block, m, n, 1);
    ROBOT_casadi_put(res[2] + all * (n + m) + n + m, all, h.dvdv, n, n, 0);
    return 0;
}
