
/* Dynamics under contacts by factors M = L^T D L of the mass matrix, or by articulated bodies: numbers that stand for L, D^-1,
 * the reduced torques L^-T (tau - b), J L^-1 by columns, and velocities and accelerations of all rows without forces
 * (docs/math.md#contacts). */
typedef struct {
    REAL factors[FACTORS], pivots[SIZE], reduced[SIZE], paths[ROBOT_hold_nr * SIZE];
    REAL velocity[ROBOT_hold_nr], free[ROBOT_hold_nr];
} ROBOT_hold_mass;

static void ROBOT_hold_factor_mass(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, ROBOT_hold_mass *mass)
{
    ROBOT_hold_clear(mass->factors, FACTORS);
    ROBOT_hold_clear(mass->pivots, SIZE);
    ROBOT_hold_clear(mass->reduced, SIZE);
    ROBOT_hold_clear(mass->paths, ROBOT_hold_nr * SIZE);
    ROBOT_hold_clear(mass->velocity, ROBOT_hold_nr);
    ROBOT_hold_clear(mass->free, ROBOT_hold_nr);
    ROBOT_hold_kernel_row_factors(at[0], at[1], at[2], v, tau, mass->factors, mass->pivots, mass->reduced, mass->paths,
                                  mass->velocity, mass->free);
}

/* The Delassus matrix J L^-1 D^-1 (J L^-1)^T. */
static void ROBOT_hold_square(const int *active, ROBOT_hold_mass *mass, REAL *matrix)
{
    const int n = ROBOT_hold_nr;
    int k, r, c, i;
    ROBOT_hold_clear_inactive(active, SIZE, mass->paths);
    ROBOT_hold_clear(matrix, n * n);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_multiples by;
        ROBOT_hold_list_moved(k, &by);
        for (r = ROBOT_hold_row[k]; active[k] && r < ROBOT_hold_row[k + 1]; r++) {
            for (i = 0; i < by.count; i++) by.times[i] = mass->paths[by.of[i] * n + r] * mass->pivots[by.of[i]];
            ROBOT_hold_add_multiples(mass->paths, n, &by, matrix + r * n);
        }
    }
    for (r = 0; r < n; r++) {
        for (c = 0; c < r; c++) matrix[c * n + r] = matrix[r * n + c];
    }
}

/* Accelerations under these forces. */
static void ROBOT_hold_respond(const REAL *const at[3], ROBOT_hold_mass *mass, const REAL *forces, REAL *ddq)
{
    int i, r;
    for (i = 0; i < SIZE; i++) {
        const REAL *const path = mass->paths + i * ROBOT_hold_nr;
        REAL sum = 0;
        for (r = 0; r < ROBOT_hold_nr; r++) sum = RBD_FMA(path[r], forces[r], sum);
        mass->reduced[i] += sum;
    }
    ROBOT_hold_kernel_accelerations(at[0], at[1], at[2], mass->factors, mass->pivots, mass->reduced, ddq);
}

/* Forces that make these rows vanish, and what they leave. */
static void ROBOT_hold_forces(const ROBOT_hold_delassus *of, const REAL *rows, REAL *forces, REAL *residual)
{
    REAL rhs[ROBOT_hold_nr];
    int r;
    for (r = 0; r < ROBOT_hold_nr; r++) rhs[r] = forces[r] = -rows[r];
    ROBOT_hold_solve(of, forces);
    ROBOT_hold_left(of, rhs, forces, residual);
    for (r = 0; r < ROBOT_hold_nr; r++) residual[r] = -residual[r];
}

/* Accelerations, and forces in the contacts' own axes. */
static void ROBOT_hold_dynamics(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, const int *active,
                                const ROBOT_contact_settings_t *settings, ROBOT_hold_mass *mass, ROBOT_hold_delassus *of,
                                REAL *ddq, REAL *forces, REAL *residual)
{
    REAL rows[ROBOT_hold_nr];
    int r;
    ROBOT_hold_factor_mass(PASSES at, v, tau, mass);
    ROBOT_hold_square(active, mass, of->matrix);
    ROBOT_hold_factor_delassus(active, settings, of);
    for (r = 0; r < ROBOT_hold_nr; r++) rows[r] = mass->free[r];
    ROBOT_hold_add_baumgarte(at, active, settings, mass->velocity, rows);
    ROBOT_hold_forces(of, rows, forces, residual);
    ROBOT_hold_respond(at, mass, forces, ddq);
}

/* Velocities after an impact, and impulses in the contacts' own axes. */
static void ROBOT_hold_impulse(TAKES const REAL *const at[3], const REAL *v, const int *active, REAL restitution,
                               const ROBOT_contact_settings_t *settings, ROBOT_hold_mass *mass, ROBOT_hold_delassus *of,
                               REAL *v_plus, REAL *impulses, REAL *residual)
{
    REAL rest[SIZE], rows[ROBOT_hold_nr];
    int i;
    ROBOT_hold_clear(rest, SIZE);
    ROBOT_hold_factor_mass(PASSES at, v, rest, mass);
    ROBOT_hold_square(active, mass, of->matrix);
    ROBOT_hold_factor_delassus(active, settings, of);
    ROBOT_hold_clear_inactive(active, 1, mass->velocity);
    for (i = 0; i < ROBOT_hold_nr; i++) rows[i] = RBD_FMA(mass->velocity[i], restitution, mass->velocity[i]);
    ROBOT_hold_forces(of, rows, impulses, residual);
    /* Impulses alone change the velocities. */
    ROBOT_hold_clear(mass->reduced, SIZE);
    ROBOT_hold_respond(at, mass, impulses, rest);
    for (i = 0; i < SIZE; i++) v_plus[i] = v[i] + rest[i];
}

static void ROBOT_hold_delassus_of(TAKES const REAL *const at[3], const int *active, REAL *matrix)
{
    REAL rest[SIZE];
    ROBOT_hold_mass mass;
    ROBOT_hold_clear(rest, SIZE);
    ROBOT_hold_factor_mass(PASSES at, rest, rest, &mass);
    ROBOT_hold_square(active, &mass, matrix);
}
