
/* A problem of so many contacts, and the memory of its solver. The solver scales the problem in place. */
typedef struct {
    int count;
    /* Velocities without impulses, m/s, with the offsets of normals; compliance. */
    REAL velocity[ROBOT_hold_nr], compliance[ROBOT_hold_nc];
    /* Where to begin, then the solution, N s. */
    REAL impulses[ROBOT_hold_nr];
    int modes[ROBOT_hold_nc];
    /* The Delassus matrix by columns, and coefficients of friction. Scaled, they have the compliance and no negative
     * numbers. */
    REAL g[ROBOT_hold_nr * ROBOT_hold_nr], friction[ROBOT_hold_nc];
    /* Scaled velocities c' = c s / V and impulses f' = f / (s V): the factors s, zero for a contact that no impulse moves, V,
     * velocities without impulses, and impulses that are being improved, with their velocities. */
    REAL scale[ROBOT_hold_nc], fastest, free[ROBOT_hold_nr], f[ROBOT_hold_nr], c[ROBOT_hold_nr];
    /* The impulses of the smallest residual that is known, and at which residual the search ends. */
    REAL best[ROBOT_hold_nr], residual, target;
    /* Newton's matrix with its right-hand side. */
    REAL ab[ROBOT_hold_nr * (ROBOT_hold_nr + 1)];
    /* The method of multipliers: impulses that satisfy the velocity's equation, impulses in the cones, multipliers of
     * x = y, the factors of its matrix, and the weight of x = y. */
    REAL x[ROBOT_hold_nr], y[ROBOT_hold_nr], z[ROBOT_hold_nr], factors[ROBOT_hold_nr * ROBOT_hold_nr], rho;
    REAL kept[ROBOT_hold_nr];
} ROBOT_cones;

static void ROBOT_cones_copy(const REAL *from, REAL *to, int n)
{
    int i;
    for (i = 0; i < n; i++) to[i] = from[i];
}

static void ROBOT_cones_clear(REAL *x, int n)
{
    int i;
    for (i = 0; i < n; i++) x[i] = 0;
}

static void ROBOT_cones_scale(ROBOT_cones *of)
{
    const REAL third = (REAL)(1.0 / 3.0);
    const int n = 3 * of->count;
    REAL largest = 0;
    int i, j, k;
    for (j = 0; j < n; j++) {
        if (of->compliance[j / 3] > 0) of->g[j * n + j] += of->compliance[j / 3];
    }
    for (k = 0; k < of->count; k++) {
        const REAL *const block = of->g + 3 * k * (n + 1);
        of->scale[k] = (block[0] + block[n + 1] + block[2 * (n + 1)]) * third;
        largest = ROBOT_cones_max(largest, of->scale[k]);
        /* NaN and negative coefficients are none. */
        if (!(of->friction[k] > 0)) of->friction[k] = 0;
    }
    for (k = 0; k < of->count; k++) {
        const REAL s = of->scale[k], least = largest * (ROBOT_cones_epsilon * ROBOT_cones_epsilon);
        of->scale[k] = s > least && ROBOT_cones_is_finite(s) ? 1 / RBD_SQRT(s) : 0;
    }
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) of->g[j * n + i] *= of->scale[j / 3] * of->scale[i / 3];
    }
    of->fastest = 0;
    for (i = 0; i < n; i++) {
        of->free[i] = of->velocity[i] * of->scale[i / 3];
        of->fastest = ROBOT_cones_max(of->fastest, ROBOT_cones_abs(of->free[i]));
    }
    if (!(of->fastest > 0 && ROBOT_cones_is_finite(of->fastest))) of->fastest = 1;
    for (i = 0; i < n; i++) of->free[i] /= of->fastest;
}

/* Velocities c = G f + g of rows from this one on. */
static void ROBOT_cones_velocities(const ROBOT_cones *of, int first, int rows, REAL *c)
{
    const int n = 3 * of->count;
    int i;
    for (i = 0; i < rows; i++) c[i] = ROBOT_cones_dot(of->g + (first + i) * n, of->f, n) + of->free[first + i];
}
