
/* Three rows in the axes of a surface, from those in the frame's own. */
static void ROBOT_cones_turn_rows(const REAL *seen, REAL *rows)
{
    const REAL own[3] = {rows[0], rows[1], rows[2]};
    int r;
    for (r = 0; r < 3; r++) rows[r] = ROBOT_cones_dot(seen + 3 * r, own, 3);
}

/* The state after a step, with the problem and its contacts, by factors of the mass matrix. `memory` is as much as the problem
 * takes. The inverse of the mass matrix and the terms that take it are written unless `minv` is null. */
static void ROBOT_cones_step(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, REAL dt,
                             const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                             const ROBOT_friction_step_t *last, REAL *memory, REAL *minv, ROBOT_cones_touching *touching,
                             ROBOT_cones *of, ROBOT_friction_step_t *out)
{
    const int count = ROBOT_cones_touch(surfaces, dt, touching);
    REAL after[ROBOT_hold_nr], own[ROBOT_hold_nr], matrix[ROBOT_hold_nr * ROBOT_hold_nr], change[SIZE];
    ROBOT_hold_mass mass;
    int k, r, c, i;
    ROBOT_hold_factor_mass(PASSES at, v, tau, &mass);
    ROBOT_cones_copy(mass.velocity, after, ROBOT_hold_nr);
    for (i = 0; i < SIZE; i++) {
        const REAL x = mass.pivots[i] * (mass.reduced[i] * dt);
        for (r = 0; r < ROBOT_hold_nr; r++) after[r] = RBD_FMA(mass.paths[i * ROBOT_hold_nr + r], x, after[r]);
    }
    for (k = 0; k < count; k++) {
        const int row = ROBOT_hold_row[touching->of[k]];
        ROBOT_hold_multiples by;
        REAL seen[9];
        ROBOT_cones_see_axes(at, touching, k, seen);
        ROBOT_cones_turn_rows(seen, mass.velocity + row);
        ROBOT_cones_turn_rows(seen, after + row);
        ROBOT_hold_list_moved(touching->of[k], &by);
        for (i = 0; i < by.count; i++) ROBOT_cones_turn_rows(seen, mass.paths + by.of[i] * ROBOT_hold_nr + row);
    }
    ROBOT_hold_square(touching->active, &mass, matrix);
    ROBOT_cones_lay(of, count, 0, memory);
    ROBOT_cones_add(touching, mass.velocity, after, dt, surfaces, settings, last ? last->impulses : 0, of);
    for (c = 0; c < of->rows; c++) {
        const REAL *const column = matrix + (ROBOT_hold_row[touching->of[c / 3]] + c % 3) * ROBOT_hold_nr;
        for (r = 0; r < of->rows; r++) of->g[c * of->rows + r] = column[ROBOT_hold_row[touching->of[r / 3]] + r % 3];
    }
    ROBOT_cones_solve(of, settings, &out->residuals, &out->iterations, &out->converged);
    ROBOT_cones_tell(touching, of, own, out);
    for (i = 0; i < SIZE; i++) mass.reduced[i] *= dt;
    ROBOT_hold_clear(change, SIZE);
    ROBOT_hold_respond(at, &mass, own, change);
    for (i = 0; i < SIZE; i++) change[i] += v[i];
    if (minv) {
        ROBOT_hold_inverse(PASSES at, &mass, minv);
        ROBOT_cones_rows(at, minv, count, touching);
    }
    ROBOT_cones_arrive(at[0], change, dt, out);
}
