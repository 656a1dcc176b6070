
static void ROBOT_acados_put(double *to, int rows, int row, int column, const double *m, int turned)
{
    int i, j;
    for (j = 0; j < SIZE; j++) {
        for (i = 0; i < SIZE; i++) to[(column + j) * rows + row + i] = turned ? m[i * SIZE + j] : m[j * SIZE + i];
    }
}

/* The next state. */
int ROBOT_acados_fun_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    ROBOT_step_t out;
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step(arg[0], arg[0] + SIZE, arg[1], arg[2][0], &out);
    for (k = 0; res[0] && k < SIZE; k++) {
        res[0][k] = out.q[k];
        res[0][SIZE + k] = out.v[k];
    }
    return 0;
}

/* The next state, and its transposed Jacobian by [u; x]. */
int ROBOT_acados_fun_jac_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    ROBOT_step_derivatives_t out;
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step_derivatives(arg[0], arg[0] + SIZE, arg[1], arg[2][0], &out);
    for (k = 0; res[0] && k < SIZE; k++) {
        res[0][k] = out.q[k];
        res[0][SIZE + k] = out.v[k];
    }
    if (res[1]) {
        ROBOT_acados_put(res[1], 3 * SIZE, 0, 0, out.dq_dtau, 1);
        ROBOT_acados_put(res[1], 3 * SIZE, 0, SIZE, out.dv_dtau, 1);
        ROBOT_acados_put(res[1], 3 * SIZE, SIZE, 0, out.dq_dq, 1);
        ROBOT_acados_put(res[1], 3 * SIZE, SIZE, SIZE, out.dv_dq, 1);
        ROBOT_acados_put(res[1], 3 * SIZE, 2 * SIZE, 0, out.dq_dv, 1);
        ROBOT_acados_put(res[1], 3 * SIZE, 2 * SIZE, SIZE, out.dv_dv, 1);
    }
    return 0;
}

/* Those, and the Hessian by [u; x] of the next state weighted with multipliers, which are the third argument. */
int ROBOT_acados_fun_jac_hess_casadi(const double **arg, double **res, int *iw, double *w, void *mem)
{
    const double *first[3];
    ROBOT_step_hessian_t of;
    first[0] = arg[0], first[1] = arg[1], first[2] = arg[3];
    if (res[0] || res[1]) ROBOT_acados_fun_jac_casadi(first, res, iw, w, mem);
    if (res[2]) {
        ROBOT_step_hessian(arg[0], arg[0] + SIZE, arg[1], arg[3][0], arg[2], arg[2] + SIZE, &of);
        ROBOT_acados_put(res[2], 3 * SIZE, 0, 0, of.dtaudtau, 0);
        ROBOT_acados_put(res[2], 3 * SIZE, 0, SIZE, of.dqdtau, 1);
        ROBOT_acados_put(res[2], 3 * SIZE, 0, 2 * SIZE, of.dvdtau, 1);
        ROBOT_acados_put(res[2], 3 * SIZE, SIZE, 0, of.dqdtau, 0);
        ROBOT_acados_put(res[2], 3 * SIZE, SIZE, SIZE, of.dqdq, 0);
        ROBOT_acados_put(res[2], 3 * SIZE, SIZE, 2 * SIZE, of.dqdv, 0);
        ROBOT_acados_put(res[2], 3 * SIZE, 2 * SIZE, 0, of.dvdtau, 0);
        ROBOT_acados_put(res[2], 3 * SIZE, 2 * SIZE, SIZE, of.dqdv, 1);
        ROBOT_acados_put(res[2], 3 * SIZE, 2 * SIZE, 2 * SIZE, of.dvdv, 0);
    }
    return 0;
}
