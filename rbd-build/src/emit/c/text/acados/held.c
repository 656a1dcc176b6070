
/* The contacts that hold and their settings, of the parameters p = [dt; active; mu; kp; kd; axes; anchors]. */
static void ROBOT_acados_held(const double *p, int *active, ROBOT_contact_settings_t *settings)
{
    ROBOT_casadi_chosen(p + 1, active);
    ROBOT_casadi_set(p + 1 + ROBOT_casadi_nc, p + 5 + ROBOT_casadi_nc, settings);
}

static void ROBOT_acados_contact_next(const double *q, const double *v, const double *u, const double *p, ROBOT_step_t *to)
{
    int active[ROBOT_casadi_nc], k;
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_t all;
    ROBOT_acados_held(p, active, &settings);
    ROBOT_contact_step(q, v, u, p[0], active, &settings, &all);
    for (k = 0; k < ROBOT_casadi_nq; k++) to->q[k] = all.q[k];
    for (k = 0; k < ROBOT_casadi_nv; k++) to->v[k] = all.v[k];
}

static void ROBOT_acados_contact_first(const double *q, const double *v, const double *u, const double *p,
                                       ROBOT_step_derivatives_t *to)
{
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_derivatives_t all;
    ROBOT_acados_held(p, active, &settings);
    ROBOT_contact_step_derivatives(q, v, u, p[0], active, &settings, &all);
    *to = all.step;
}

static void ROBOT_acados_contact_second(const double *q, const double *v, const double *u, const double *p, const double *of_q,
                                        const double *of_v, ROBOT_step_hessian_t *to)
{
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_acados_held(p, active, &settings);
    ROBOT_contact_step_hessian(q, v, u, p[0], active, &settings, of_q, of_v, to);
}
