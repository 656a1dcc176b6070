
/* Define RBD_NO_BLASFEO to leave out what needs acados' headers. */
#ifndef RBD_NO_BLASFEO
#include "acados/utils/external_function_generic.h"
#include "blasfeo_common.h"

static void ROBOT_acados_given(void *from, double *to, int n)
{
    const struct blasfeo_dvec_args *const given = (const struct blasfeo_dvec_args *)from;
    int k;
    for (k = 0; k < n; k++) to[k] = BLASFEO_DVECEL(given->x, given->xi + k);
}

static void ROBOT_acados_vector(const double *from, void *to, int n)
{
    const struct blasfeo_dvec_args *const out = (const struct blasfeo_dvec_args *)to;
    int k;
    for (k = 0; k < n; k++) BLASFEO_DVECEL(out->x, out->xi + k) = from[k];
}

static void ROBOT_acados_matrix(const double *from, void *to, int rows, int columns)
{
    const struct blasfeo_dmat_args *const out = (const struct blasfeo_dmat_args *)to;
    int i, j;
    for (j = 0; j < columns; j++) {
        for (i = 0; i < rows; i++) BLASFEO_DMATEL(out->A, out->ai + i, out->aj + j) = from[j * rows + i];
    }
}

int ROBOT_acados_fun(void **in, void **out, void *p)
{
    double x[2 * SIZE], u[SIZE], next[2 * SIZE], *res[1];
    const double *arg[3];
    ROBOT_acados_given(in[0], x, 2 * SIZE);
    ROBOT_acados_given(in[1], u, SIZE);
    arg[0] = x, arg[1] = u, arg[2] = (const double *)p;
    res[0] = next;
    ROBOT_acados_fun_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], 2 * SIZE);
    return 0;
}

int ROBOT_acados_fun_jac(void **in, void **out, void *p)
{
    double x[2 * SIZE], u[SIZE], next[2 * SIZE], jacobian[6 * SIZE * SIZE], *res[2];
    const double *arg[3];
    ROBOT_acados_given(in[0], x, 2 * SIZE);
    ROBOT_acados_given(in[1], u, SIZE);
    arg[0] = x, arg[1] = u, arg[2] = (const double *)p;
    res[0] = next, res[1] = jacobian;
    ROBOT_acados_fun_jac_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], 2 * SIZE);
    ROBOT_acados_matrix(jacobian, out[1], 3 * SIZE, 2 * SIZE);
    return 0;
}

int ROBOT_acados_fun_jac_hess(void **in, void **out, void *p)
{
    double x[2 * SIZE], u[SIZE], lambda[2 * SIZE], next[2 * SIZE], jacobian[6 * SIZE * SIZE], hessian[9 * SIZE * SIZE],
        *res[3];
    const double *arg[4];
    ROBOT_acados_given(in[0], x, 2 * SIZE);
    ROBOT_acados_given(in[1], u, SIZE);
    ROBOT_acados_given(in[2], lambda, 2 * SIZE);
    arg[0] = x, arg[1] = u, arg[2] = lambda, arg[3] = (const double *)p;
    res[0] = next, res[1] = jacobian, res[2] = hessian;
    ROBOT_acados_fun_jac_hess_casadi(arg, res, 0, 0, 0);
    ROBOT_acados_vector(next, out[0], 2 * SIZE);
    ROBOT_acados_matrix(jacobian, out[1], 3 * SIZE, 2 * SIZE);
    ROBOT_acados_matrix(hessian, out[2], 3 * SIZE, 3 * SIZE);
    return 0;
}
#endif
