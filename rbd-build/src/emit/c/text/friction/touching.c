
/* Contacts that touch: their numbers, which they are, the axes of their surfaces, the derivatives of their offsets, and
 * rows of all contacts in these axes. */
typedef struct {
    int of[ROBOT_hold_nc], active[ROBOT_hold_nc];
    REAL axes[ROBOT_hold_nc][9], offsets[ROBOT_hold_nc][2], jt[ROBOT_hold_nr * SIZE], minv_jt[ROBOT_hold_nr * SIZE];
LOOPS    ROBOT_cones_loops loops;
} ROBOT_cones_touching;

/* Finds which contacts touch. Gives their number. */
static int ROBOT_cones_touch(const ROBOT_contact_surface_t *surfaces, REAL dt, ROBOT_cones_touching *to)
{
    int k, count = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        const int is_far = surfaces[k].distance > 0 && !(dt > 0);
        to->active[k] = !ROBOT_hold_is_loop[k] && !is_far && ROBOT_cones_axes(surfaces[k].normal, to->axes[count]);
        if (to->active[k]) to->of[count++] = k;
    }
    return count;
}

/* The axes of the surface of a contact that touches, as its frame sees them. */
static void ROBOT_cones_see_axes(const REAL *const at[3], const ROBOT_cones_touching *of, int k, REAL *seen)
{
    REAL here[12];
    int r;
    ROBOT_hold_placement(at, of->of[k], here);
    for (r = 0; r < 3; r++) ROBOT_hold_turn_back(here, of->axes[k] + 3 * r, seen + 3 * r);
}

/* The rows of contacts that touch, in the axes of their surfaces, and how impulses along them move the robot. */
static void ROBOT_cones_rows(const REAL *const at[3], const REAL *minv, int count, ROBOT_cones_touching *to)
{
    int k, i, j, r;
    ROBOT_hold_jacobian_transpose(at, to->active, to->jt);
    for (k = 0; k < count; k++) {
        const int row = ROBOT_hold_row[to->of[k]];
        REAL *const jt = to->jt + row * SIZE, *const moved = to->minv_jt + row * SIZE;
        ROBOT_hold_multiples by;
        REAL seen[9], own[3];
        ROBOT_cones_see_axes(at, to, k, seen);
        for (j = 0; j < SIZE; j++) {
            for (r = 0; r < 3; r++) own[r] = jt[r * SIZE + j];
            for (r = 0; r < 3; r++) jt[r * SIZE + j] = ROBOT_cones_dot(seen + 3 * r, own, 3);
        }
        ROBOT_hold_clear(moved, 3 * SIZE);
        ROBOT_hold_list_moved(to->of[k], &by);
        for (r = 0; r < 3; r++) {
            for (i = 0; i < by.count; i++) by.times[i] = jt[r * SIZE + by.of[i]];
            ROBOT_hold_add_multiples(minv, SIZE, &by, moved + r * SIZE);
        }
    }
}

/* Where a contact's row r begins in matrices with a column for each row. */
static int ROBOT_cones_column(const ROBOT_cones_touching *of, int r)
{
    return (ROBOT_hold_row[of->of[r / 3]] + r % 3) * SIZE;
}

/* Makes the contacts' part of a problem that is laid, but for its matrix, from velocities of all rows in the axes of surfaces:
 * before the step, and after it without contacts. */
static void ROBOT_cones_add(ROBOT_cones_touching *touching, const REAL *before, const REAL *after, REAL dt,
                            const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                            const REAL *start, ROBOT_cones *of)
{
    int k, r;
    for (k = 0; k < of->count; k++) {
        const ROBOT_contact_surface_t *const surface = surfaces + touching->of[k];
        const int row = ROBOT_hold_row[touching->of[k]];
        for (r = 0; r < 3; r++) {
            of->velocity[3 * k + r] = after[row + r];
            of->impulses[3 * k + r] = start ? ROBOT_cones_dot(touching->axes[k] + 3 * r, start + row, 3) : 0;
        }
        of->velocity[3 * k + 2] += ROBOT_cones_offset(surface, before[row + 2], dt, settings, touching->offsets[k]);
        of->friction[k] = surface->friction, of->compliance[k] = surface->compliance;
    }
}

/* Makes the contacts' part of a problem that is laid, from velocities before the step, and after it without contacts. */
static void ROBOT_cones_make(ROBOT_cones_touching *touching, const REAL *v, const REAL *free, REAL dt,
                             const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                             const REAL *start, ROBOT_cones *of)
{
    const int n = of->rows;
    REAL before[ROBOT_hold_nr], after[ROBOT_hold_nr];
    int r, j;
    for (r = 0; r < 3 * of->count; r++) {
        const int row = ROBOT_hold_row[touching->of[r / 3]] + r % 3;
        before[row] = ROBOT_cones_dot(touching->jt + row * SIZE, v, SIZE);
        after[row] = ROBOT_cones_dot(touching->jt + row * SIZE, free, SIZE);
    }
    ROBOT_cones_add(touching, before, after, dt, surfaces, settings, start, of);
    for (r = 0; r < 3 * of->count; r++) {
        const REAL *const moved = touching->minv_jt + ROBOT_cones_column(touching, r);
        for (j = 0; j <= r; j++) {
            const REAL *const jt = touching->jt + ROBOT_cones_column(touching, j);
            of->g[r * n + j] = of->g[j * n + r] = ROBOT_cones_dot(jt, moved, SIZE);
        }
    }
}

/* The velocities after a step without contacts, and the contacts that touch. Gives their number. */
static int ROBOT_cones_begin(const REAL *const at[3], const REAL *minv, const REAL *bias, const REAL *v, const REAL *tau,
                             REAL dt, const ROBOT_contact_surface_t *surfaces, const ROBOT_friction_settings_t *settings,
                             REAL *free, ROBOT_cones_touching *to)
{
    const int count = ROBOT_cones_touch(surfaces, dt, to);
    int i;
    (void)settings;
    ROBOT_hold_free(minv, bias, tau, free);
    for (i = 0; i < SIZE; i++) free[i] = RBD_FMA(free[i], dt, v[i]);
    ROBOT_cones_rows(at, minv, count, to);
LOOPS    ROBOT_cones_close(at, minv, dt, settings, to->active, to->minv_jt, free, &to->loops);
    return count;
}

/* Modes and impulses, these in the world's axes; and in the axes of surfaces. */
static void ROBOT_cones_tell(const ROBOT_cones_touching *touching, const ROBOT_cones *of, REAL *own, ROBOT_friction_step_t *out)
{
    int k;
    ROBOT_hold_clear(own, ROBOT_hold_nr);
    ROBOT_hold_clear(out->impulses, ROBOT_hold_nr);
    for (k = 0; k < ROBOT_hold_nc; k++) out->modes[k] = ROBOT_hold_is_loop[k] ? ROBOT_cones_stick : ROBOT_cones_open;
    for (k = 0; k < of->count; k++) {
        const int row = ROBOT_hold_row[touching->of[k]];
        const REAL *const f = of->impulses + 3 * k;
        out->modes[touching->of[k]] = of->modes[k];
        ROBOT_hold_turn(touching->axes[k], f, out->impulses + row);
        ROBOT_cones_copy(f, own + row, 3);
    }
}

/* The state after the step, from its velocities. */
static void ROBOT_cones_arrive(const REAL *q, const REAL *v, REAL dt, ROBOT_friction_step_t *out)
{
    REAL motion[SIZE];
    int i;
    for (i = 0; i < SIZE; i++) motion[i] = v[i] * dt;
    ROBOT_integrate(q, motion, out->q);
    ROBOT_cones_copy(v, out->v, SIZE);
}

/* The state after the step, by the impulses that are found, which it also has in the world's axes. */
static void ROBOT_cones_conclude(const REAL *q, REAL dt, const ROBOT_cones_touching *touching, const ROBOT_cones *of,
                                 REAL *v, ROBOT_friction_step_t *out)
{
    REAL own[ROBOT_hold_nr];
    int r, i;
    ROBOT_cones_tell(touching, of, own, out);
    for (r = 0; r < 3 * of->count; r++) {
        const REAL *const moved = touching->minv_jt + ROBOT_cones_column(touching, r);
        for (i = 0; i < SIZE; i++) v[i] = RBD_FMA(moved[i], of->impulses[r], v[i]);
    }
LOOPS    ROBOT_cones_add_loops(touching->of, of, &touching->loops, out->impulses);
    ROBOT_cones_arrive(q, v, dt, out);
}
