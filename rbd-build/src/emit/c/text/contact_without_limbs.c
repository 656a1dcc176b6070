
/* Accelerations, and forces in the contacts' own axes. */
static void ROBOT_hold_forward(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                               const ROBOT_contact_settings_t *settings, REAL *ddq, REAL *forces, REAL *residual)
{
    ROBOT_hold_mass mass;
    ROBOT_hold_delassus of;
    ROBOT_hold_dynamics(PASSES at, v, tau, active, settings, &mass, &of, ddq, forces, residual);
}
