
/* The state after a step, with the problem and its contacts. `memory` is as much as the problem takes. The inverse of the mass
 * matrix is written unless `minv` is null. */
static void ROBOT_cones_step(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, REAL dt,
                             const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                             const ROBOT_friction_step_t *last, REAL *memory, REAL *minv, ROBOT_cones_touching *touching,
                             ROBOT_cones *of, ROBOT_friction_step_t *out)
{
    REAL free[SIZE], bias[SIZE], own[SIZE * SIZE];
    REAL *const inverse = minv ? minv : own;
    int count;
    ROBOT_minv_at(at[0], at[1], at[2], inverse);
    ROBOT_bias_at(at[0], at[1], at[2], v, bias);
    count = ROBOT_cones_begin(at, inverse, bias, v, tau, dt, surfaces, settings, free, touching);
    ROBOT_cones_lay(of, count, 0, memory);
    ROBOT_cones_make(touching, v, free, dt, surfaces, settings, last ? last->impulses : 0, of);
    ROBOT_cones_solve(of, settings, &out->residuals, &out->iterations, &out->converged);
    ROBOT_cones_conclude(at[0], dt, touching, of, free, out);
}
