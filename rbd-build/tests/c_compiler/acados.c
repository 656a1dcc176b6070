/* Functions for acados beside differences of those that they are derivatives of, and beside the robot's own step. Printed is the
 * largest difference of each, of the largest entry. */
#include "ROBOT.h"
#include <math.h>
#include <stdio.h>

GIVEN

enum { n = ROBOT_NV, m = ROBOT_NQ, nx = ROBOT_NQ + ROBOT_NV, all = ROBOT_NQ + 2 * ROBOT_NV };

typedef int function(const double **, double **, int *, double *, void *);

function ROBOT_acados_fun_casadi, ROBOT_acados_fun_jac_casadi, ROBOT_acados_fun_jac_hess_casadi;
function ROBOT_acados_contact_fun_casadi, ROBOT_acados_contact_fun_jac_casadi, ROBOT_acados_contact_fun_jac_hess_casadi;

/* [u; x], and the multipliers. */
static double at[all], lambda[nx];
static double next[nx], jacobian[all * nx], again[nx], hessian[all * all], once_more[all * nx];

/* The next state, or the gradient of its weighted sum. */
static void evaluate(function *f, int is_gradient, const double *p, double *to)
{
    const double *arg[3];
    double value[nx], first[all * nx], *res[2];
    int i, j;
    arg[0] = at + n, arg[1] = at, arg[2] = p;
    res[0] = value, res[1] = first;
    if (f(arg, res, 0, 0, 0)) printf("nan\n");
    for (i = 0; i < (is_gradient ? all : nx); i++) {
        to[i] = is_gradient ? 0 : value[i];
        for (j = 0; is_gradient && j < nx; j++) to[i] += first[j * all + i] * lambda[j];
    }
}

/* Prints how far a matrix is from differences by [u; x]. Row j of a transposed one is the derivative by entry j. */
static void compare(function *f, int is_gradient, const double *p, const double *matrix)
{
    const int rows = is_gradient ? all : nx;
    const double h = 1e-3;
    double worst = 0, largest = 0, moved[4][all];
    int i, j, k;
    for (j = 0; j < all; j++) {
        const double own = at[j];
        for (k = 0; k < 4; k++) {
            at[j] = own + (k % 2 ? -h : h) * (k < 2 ? 1 : 2);
            evaluate(f, is_gradient, p, moved[k]);
        }
        at[j] = own;
        for (i = 0; i < rows; i++) {
            const double found = matrix[i * all + j];
            const double known = (8 * (moved[0][i] - moved[1][i]) - (moved[2][i] - moved[3][i])) / (12 * h);
            worst = fmax(worst, fabs(found - known));
            largest = fmax(largest, fabs(known));
        }
    }
    printf("%.17g\n", largest > 0 && worst == worst ? worst / largest : NAN);
}

static void check(function *fun, function *fun_jac, function *fun_jac_hess, const double *p, const double *q, const double *v)
{
    const double *arg[4];
    double *res[3], worst = 0;
    int k;
    arg[0] = at + n, arg[1] = at, arg[2] = p;
    res[0] = next;
    if (fun(arg, res, 0, 0, 0)) printf("nan\n");
    for (k = 0; k < m; k++) worst = fmax(worst, fabs(next[k] - q[k]));
    for (k = 0; k < n; k++) worst = fmax(worst, fabs(next[m + k] - v[k]));
    printf("%.17g\n", worst);
    res[0] = again, res[1] = jacobian;
    if (fun_jac(arg, res, 0, 0, 0)) printf("nan\n");
    for (k = 0, worst = 0; k < nx; k++) worst = fmax(worst, fabs(next[k] - again[k]));
    printf("%.17g\n", worst);
    compare(fun_jac, 0, p, jacobian);
    arg[2] = lambda, arg[3] = p;
    res[1] = once_more, res[2] = hessian;
    if (fun_jac_hess(arg, res, 0, 0, 0)) printf("nan\n");
    for (k = 0, worst = 0; k < all * nx; k++) worst = fmax(worst, fabs(jacobian[k] - once_more[k]));
    printf("%.17g\n", worst);
    compare(fun_jac, 1, p, hessian);
}

int main(void)
{
    const int active[] = {ACTIVE};
    ROBOT_contact_settings_t settings = {p[1 + NC], 1, p[2 + NC], p[3 + NC], {0}, p[4 + NC] > 0.5};
    static ROBOT_step_t free_step;
    static ROBOT_contact_step_t held;
    int k, c;
    for (k = 0; k < NC; k++) {
        for (c = 0; c < 12; c++) {
            if (p[5 + NC + 12 * k + c] != 0) settings.anchors[k] = p + 5 + NC + 12 * k;
        }
    }
    for (k = 0; k < n; k++) at[k] = u[k], at[n + m + k] = v[k];
    for (k = 0; k < m; k++) at[n + k] = longer[k];
    for (k = 0; k < nx; k++) lambda[k] = sin(0.4 + 1.7 * k);
    ROBOT_step(q, v, u, p[0], &free_step);
    check(ROBOT_acados_fun_casadi, ROBOT_acados_fun_jac_casadi, ROBOT_acados_fun_jac_hess_casadi, p, free_step.q, free_step.v);
    ROBOT_contact_step(q, v, u, p[0], active, &settings, &held);
    check(ROBOT_acados_contact_fun_casadi, ROBOT_acados_contact_fun_jac_casadi, ROBOT_acados_contact_fun_jac_hess_casadi, p, held.q,
          held.v);
    return 0;
}
