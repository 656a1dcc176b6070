
static void ROBOT_held_aba_derivatives(const int *active, const ROBOT_contact_settings_t *settings, const REAL *q, const REAL *v,
                                       const REAL *tau, ROBOT_aba_derivatives_t *out)
{
    ROBOT_contact_dynamics_derivatives_t found;
    ROBOT_contact_dynamics_derivatives(q, v, tau, active, settings, &found);
    ROBOT_held_keep(&found, out);
}
