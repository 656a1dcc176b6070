
int ROBOT_acados_KIND_fun(void **in, void **out, void *p)
{
    double x[ROBOT_acados_nx], u[SIZE], next[ROBOT_acados_nx], *res[1];
    const double *arg[3];
    ROBOT_acados_given(in[0], x, ROBOT_acados_nx);
    ROBOT_acados_given(in[1], u, SIZE);
    arg[0] = x, arg[1] = u, arg[2] = (const double *)p;
    res[0] = next;
    ROBOT_acados_KIND_fun_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], ROBOT_acados_nx);
    return 0;
}

int ROBOT_acados_KIND_fun_jac(void **in, void **out, void *p)
{
    double x[ROBOT_acados_nx], u[SIZE], next[ROBOT_acados_nx], jacobian[ROBOT_acados_all * ROBOT_acados_nx], *res[2];
    const double *arg[3];
    ROBOT_acados_given(in[0], x, ROBOT_acados_nx);
    ROBOT_acados_given(in[1], u, SIZE);
    arg[0] = x, arg[1] = u, arg[2] = (const double *)p;
    res[0] = next, res[1] = jacobian;
    ROBOT_acados_KIND_fun_jac_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], ROBOT_acados_nx);
    ROBOT_acados_matrix(jacobian, out[1], ROBOT_acados_all, ROBOT_acados_nx);
    return 0;
}

int ROBOT_acados_KIND_fun_jac_hess(void **in, void **out, void *p)
{
    double x[ROBOT_acados_nx], u[SIZE], lambda[ROBOT_acados_nx], next[ROBOT_acados_nx], jacobian[ROBOT_acados_all * ROBOT_acados_nx],
        hessian[ROBOT_acados_all * ROBOT_acados_all], *res[3];
    const double *arg[4];
    ROBOT_acados_given(in[0], x, ROBOT_acados_nx);
    ROBOT_acados_given(in[1], u, SIZE);
    ROBOT_acados_given(in[2], lambda, ROBOT_acados_nx);
    arg[0] = x, arg[1] = u, arg[2] = lambda, arg[3] = (const double *)p;
    res[0] = next, res[1] = jacobian, res[2] = hessian;
    ROBOT_acados_KIND_fun_jac_hess_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], ROBOT_acados_nx);
    ROBOT_acados_matrix(jacobian, out[1], ROBOT_acados_all, ROBOT_acados_nx);
    ROBOT_acados_matrix(hessian, out[2], ROBOT_acados_all, ROBOT_acados_all);
    return 0;
}
