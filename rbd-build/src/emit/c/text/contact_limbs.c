
/* Accelerations and forces by constrained articulated bodies (docs/math.md#constrained-bodies). Returns 0 for several
 * iterations, and if rows of a contact nearly depend on one another as long as only its limb moves. */
static int ROBOT_hold_by_limbs(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                               const ROBOT_contact_settings_t *settings, REAL *ddq, REAL *forces, REAL *residual)
{
    /* Sum of squares: the limbs' factors lose no more than four digits, in `float` two. */
    const REAL most = sizeof(REAL) < 8 ? (REAL)1e4 : (REAL)1e8;
    REAL activity[ROBOT_hold_nc], pulls[ROBOT_hold_nr], gains[2], dependence[1];
    int k;
    if (settings && settings->iterations > 1) return 0;
    for (k = 0; k < ROBOT_hold_nc; k++) activity[k] = active[k] ? 1 : 0;
    ROBOT_hold_clear(pulls, ROBOT_hold_nr);
    ROBOT_hold_add_pulls(at, active, settings, pulls);
    gains[0] = settings ? settings->kd : 0;
    gains[1] = settings ? settings->mu : 0;
    ROBOT_hold_clear(ddq, SIZE);
    ROBOT_hold_clear(forces, ROBOT_hold_nr);
    ROBOT_hold_clear(residual, ROBOT_hold_nr);
    dependence[0] = 0;
    ROBOT_hold_kernel_constrained_accelerations(at[0], at[1], at[2], v, tau, activity, pulls, gains, ddq, forces, residual,
                                                dependence);
    /* NaN is not less. */
    return dependence[0] < most;
}

/* Accelerations, and forces in the contacts' own axes. */
static void ROBOT_hold_forward(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                               const ROBOT_contact_settings_t *settings, REAL *ddq, REAL *forces, REAL *residual)
{
    ROBOT_hold_mass mass;
    ROBOT_hold_delassus of;
    if (ROBOT_hold_by_limbs(PASSES at, v, tau, active, settings, ddq, forces, residual)) return;
    ROBOT_hold_dynamics(PASSES at, v, tau, active, settings, &mass, &of, ddq, forces, residual);
}
