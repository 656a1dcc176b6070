
/* Closed loops, with their impulses without contacts, by those of each contact's rows, and by those on coordinates. */
typedef struct {
    ROBOT_hold_held held;
    REAL free[ROBOT_hold_nr], by_contacts[ROBOT_hold_nr * ROBOT_hold_nr], by_joints[ROBOT_hold_nr * SIZE];
} ROBOT_cones_loops;

/* The velocity that takes back a share of a loop's error, over the error. */
static REAL ROBOT_cones_share(REAL dt, const ROBOT_friction_settings_t *settings)
{
    return dt > 0 ? settings->correction / dt : 0;
}

/* Closes the loops of the free motion, and of the motions by contacts' impulses. A share of their errors is taken back. */
static void ROBOT_cones_close(const REAL *const at[3], const REAL *minv, REAL dt, const ROBOT_friction_settings_t *settings,
                              const int *active, REAL *minv_jt, REAL *free, ROBOT_cones_loops *loops)
{
    const REAL share = ROBOT_cones_share(dt, settings);
    int closed[ROBOT_hold_nc], k, c, r;
    REAL offset[ROBOT_hold_nr], residual[ROBOT_hold_nr];
    for (k = 0; k < ROBOT_hold_nc; k++) closed[k] = ROBOT_hold_is_loop[k];
    ROBOT_hold_contacts(at, minv, closed, 0, &loops->held);
    ROBOT_hold_clear(offset, ROBOT_hold_nr);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        REAL both[6];
        if (!ROBOT_hold_second_of(at, k, &second) || !ROBOT_hold_error_of(at, k, &second, 0, &error)) continue;
        for (c = 0; c < 3; c++) both[c] = error.linear[c];
        ROBOT_hold_angular(&error, both + 3);
        for (c = 0; c < ROBOT_hold_rows(k); c++) offset[ROBOT_hold_row[k] + c] = both[c] * share;
    }
    ROBOT_hold_now(&loops->held, offset, free, loops->free, residual);
    ROBOT_hold_clear(offset, ROBOT_hold_nr);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        for (r = ROBOT_hold_row[k]; r < ROBOT_hold_row[k + 1]; r++) {
            REAL *const by = loops->by_contacts + r * ROBOT_hold_nr;
            if (active[k]) ROBOT_hold_now(&loops->held, offset, minv_jt + r * SIZE, by, residual);
        }
    }
}

/* Closes the loops of the motions by impulses on coordinates, one a column. Writes the loops' impulses, one more
 * column each. */
static void ROBOT_cones_close_joints(ROBOT_cones_loops *loops, REAL *motions)
{
    REAL offset[ROBOT_hold_nr], residual[ROBOT_hold_nr];
    int j;
    ROBOT_hold_clear(offset, ROBOT_hold_nr);
    for (j = 0; j < SIZE; j++) {
        ROBOT_hold_now(&loops->held, offset, motions + j * SIZE, loops->by_joints + j * ROBOT_hold_nr, residual);
    }
}

/* Adds the impulses of closed loops to those of contacts, which are listed. */
static void ROBOT_cones_add_loops(const int *contacts, const ROBOT_cones *of, const ROBOT_cones_loops *loops, REAL *impulses)
{
    int i, r;
    for (i = 0; i < ROBOT_hold_nr; i++) impulses[i] += loops->free[i];
    for (r = 0; r < 3 * of->count; r++) {
        const REAL *const by = loops->by_contacts + (ROBOT_hold_row[contacts[r / 3]] + r % 3) * ROBOT_hold_nr;
        for (i = 0; i < ROBOT_hold_nr; i++) impulses[i] = RBD_FMA(by[i], of->impulses[r], impulses[i]);
    }
}

/* The derivative by q of the velocities that loops are to have: of their rows at these velocities, and of the share of
 * their errors that is taken back. */
static void ROBOT_cones_move_loops(const REAL *const at[3], const REAL *v, REAL share, const int *closed, REAL *by_q)
{
    int k;
    ROBOT_hold_velocity_rows(at, v, closed, by_q);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        if (!ROBOT_hold_second_of(at, k, &second) || !ROBOT_hold_error_of(at, k, &second, 0, &error)) continue;
        ROBOT_hold_add_pull(at, k, &second, &error, share, by_q);
    }
}
