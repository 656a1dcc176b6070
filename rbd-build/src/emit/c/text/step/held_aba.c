
/* Forward dynamics with the active contacts held, in place of the robot's own. */
static void ROBOT_held_aba(const int *active, const ROBOT_contact_settings_t *settings, const REAL *q, const REAL *v,
                           const REAL *tau, REAL *ddq)
{
    ROBOT_contact_dynamics_t found;
    ROBOT_contact_dynamics(q, v, tau, active, settings, &found);
    ROBOT_joining_scale(ddq, found.ddq, 1, ROBOT_joining_nv);
}
