
/* Accelerations and their derivatives alone. */
static void ROBOT_held_keep(const ROBOT_contact_dynamics_derivatives_t *of, ROBOT_aba_derivatives_t *to)
{
    ROBOT_joining_scale(to->ddq, of->ddq, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(to->ddq_dq, of->ddq_dq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(to->ddq_dv, of->ddq_dv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(to->ddq_dtau, of->ddq_dtau, 1, ROBOT_joining_nv * ROBOT_joining_nv);
}

static void ROBOT_held_aba_hessian_with_first(const int *active, const ROBOT_contact_settings_t *settings, const REAL *q,
                                              const REAL *v, const REAL *tau, const REAL *lambda,
                                              ROBOT_aba_derivatives_t *first, ROBOT_aba_hessian_t *out)
{
    ROBOT_contact_dynamics_derivatives_t found;
    ROBOT_contact_dynamics_hessian_t second;
    const REAL no_forces[ROBOT_hold_nr] = {0};
    ROBOT_contact_dynamics_hessian_with_first(q, v, tau, active, settings, lambda, no_forces, &found, &second);
    ROBOT_held_keep(&found, first);
    ROBOT_joining_scale(out->dq, second.dq, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(out->dv, second.dv, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(out->dtau, second.dtau, 1, ROBOT_joining_nv);
    ROBOT_joining_scale(out->dqdq, second.dqdq, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dqdv, second.dqdv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dvdv, second.dvdv, 1, ROBOT_joining_nv * ROBOT_joining_nv);
    ROBOT_joining_scale(out->dqdtau, second.dqdtau, 1, ROBOT_joining_nv * ROBOT_joining_nv);
}
