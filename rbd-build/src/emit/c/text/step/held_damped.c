
static void ROBOT_damped_held_find(REAL dt, const int *active, const ROBOT_contact_settings_t *settings, const REAL *q,
                                   const REAL *v, const REAL *tau, REAL *x, REAL *at, REAL *factors)
{
    ROBOT_contact_dynamics_derivatives_t held;
    ROBOT_damped_find_held(dt, q, v, tau, active, settings, &held, x, at, factors);
}
