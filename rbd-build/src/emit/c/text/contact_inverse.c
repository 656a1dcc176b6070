
/* Dynamics under contacts by the inverse of the mass matrix. */
typedef struct {
    REAL minv[SIZE * SIZE];
} ROBOT_hold_mass;

/* Accelerations, and forces in the contacts' own axes. */
static void ROBOT_hold_dynamics(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                                const ROBOT_contact_settings_t *settings, ROBOT_hold_mass *mass, ROBOT_hold_delassus *of,
                                REAL *ddq, REAL *forces, REAL *residual)
{
    REAL bias[SIZE], velocities[ROBOT_hold_nr], drift[ROBOT_hold_nr];
    ROBOT_hold_held held;
    ROBOT_minv_at(at[0], at[1], at[2], mass->minv);
    ROBOT_bias_at(at[0], at[1], at[2], v, bias);
    ROBOT_hold_contacts(at, mass->minv, active, settings, &held);
    ROBOT_hold_free(mass->minv, bias, tau, ddq);
    ROBOT_hold_clear(velocities, ROBOT_hold_nr);
    ROBOT_hold_clear(drift, ROBOT_hold_nr);
    ROBOT_hold_kernel_row_motion(at[0], at[1], at[2], v, velocities, drift);
    ROBOT_hold_add_baumgarte(at, active, settings, velocities, drift);
    ROBOT_hold_now(&held, drift, ddq, forces, residual);
    *of = held.delassus;
}

/* Velocities after an impact, and impulses in the contacts' own axes. */
static void ROBOT_hold_impulse(TAKES const REAL *const at[3], const REAL *v, const int *active, REAL restitution,
                               const ROBOT_contact_settings_t *settings, ROBOT_hold_mass *mass, ROBOT_hold_delassus *of,
                               REAL *v_plus, REAL *impulses, REAL *residual)
{
    REAL rebound[ROBOT_hold_nr];
    ROBOT_hold_held held;
    int i;
    UNREAD
    ROBOT_minv_at(at[0], at[1], at[2], mass->minv);
    ROBOT_hold_contacts(at, mass->minv, active, settings, &held);
    ROBOT_hold_clear(rebound, ROBOT_hold_nr);
    ROBOT_hold_add_rows(&held, v, rebound);
    for (i = 0; i < ROBOT_hold_nr; i++) rebound[i] *= restitution;
    for (i = 0; i < SIZE; i++) v_plus[i] = v[i];
    ROBOT_hold_now(&held, rebound, v_plus, impulses, residual);
    *of = held.delassus;
}

static void ROBOT_hold_delassus_of(TAKES const REAL *const at[3], const int *active, REAL *matrix)
{
    REAL minv[SIZE * SIZE];
    ROBOT_hold_held held;
    int i;
    UNREAD
    ROBOT_minv_at(at[0], at[1], at[2], minv);
    ROBOT_hold_contacts(at, minv, active, 0, &held);
    for (i = 0; i < ROBOT_hold_nr * ROBOT_hold_nr; i++) matrix[i] = held.delassus.matrix[i];
}

static void ROBOT_hold_inverse(TAKES const REAL *const at[3], const ROBOT_hold_mass *mass, REAL *minv)
{
    int i;
    UNREAD
    (void)at;
    for (i = 0; i < SIZE * SIZE; i++) minv[i] = mass->minv[i];
}
