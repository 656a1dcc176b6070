
static void ROBOT_acados_next(const double *q, const double *v, const double *u, const double *p, ROBOT_step_t *to)
{
    ROBOT_step(q, v, u, p[0], to);
}

static void ROBOT_acados_first(const double *q, const double *v, const double *u, const double *p, ROBOT_step_derivatives_t *to)
{
    ROBOT_step_derivatives(q, v, u, p[0], to);
}

static void ROBOT_acados_second(const double *q, const double *v, const double *u, const double *p, const double *of_q,
                                const double *of_v, ROBOT_step_hessian_t *to)
{
    ROBOT_step_hessian(q, v, u, p[0], of_q, of_v, to);
}
