
/* A problem of contacts and of coordinates of joints, whose rows follow the contacts', and the memory of its solver.
 * The solver scales the problem in place. */
typedef struct {
    int count, joints, rows;
    int modes[ROBOT_hold_nc];
    /* Velocities without impulses, m/s, with the offsets of normals. */
    REAL *velocity;
    /* Where to begin, then the solution, N s. */
    REAL *impulses;
    /* The Delassus matrix by columns; compliance and coefficients of friction of contacts; laws of coordinates, three
     * numbers each. */
    REAL *g, *compliance, *friction, *laws;
    /* Scaled velocities c' = c s / V and impulses f' = f / (s V): the factors s of rows, zero for what no impulse
     * moves, V, laws, velocities without impulses, and impulses that are being improved, with their velocities. */
    REAL *scale, fastest, *scaled, *free, *f, *c;
    /* The impulses of the smallest residual that is known, and at which residual the search ends. */
    REAL *best, residual, target;
    /* Newton's matrix with its right-hand sides, how many numbers a row has, and what is added to the diagonal. */
    REAL *ab, shift;
    int width;
    /* The method of multipliers: impulses that satisfy the velocity's equation, impulses within the laws, multipliers
     * of x = y, the factors of its matrix, and the weight of x = y. */
    REAL *x, *y, *z, *factors, rho;
    /* The diagonal of G without what is added at a level of compliance, and impulses to come back to. */
    REAL *diagonal, *kept;
} ROBOT_cones;

/* How much memory so many rows need, so many of them of joints. */
#define ROBOT_cones_numbers(rows, joints) (3 * (rows) * (rows) + 13 * (rows) + 2 * ROBOT_hold_nc + 6 * (joints))

/* Takes so many numbers of the memory. */
static REAL *ROBOT_cones_take(REAL **memory, int numbers)
{
    REAL *const taken = *memory;
    *memory += numbers;
    return taken;
}

/* Lays a problem of so many contacts and coordinates into the memory. */
static void ROBOT_cones_lay(ROBOT_cones *of, int count, int joints, REAL *memory)
{
    const int n = 3 * count + joints;
    of->count = count, of->joints = joints, of->rows = n;
    of->g = ROBOT_cones_take(&memory, n * n);
    of->factors = ROBOT_cones_take(&memory, n * n);
    of->ab = ROBOT_cones_take(&memory, n * (n + 1));
    of->velocity = ROBOT_cones_take(&memory, n);
    of->impulses = ROBOT_cones_take(&memory, n);
    of->scale = ROBOT_cones_take(&memory, n);
    of->free = ROBOT_cones_take(&memory, n);
    of->f = ROBOT_cones_take(&memory, n);
    of->c = ROBOT_cones_take(&memory, n);
    of->best = ROBOT_cones_take(&memory, n);
    of->x = ROBOT_cones_take(&memory, n);
    of->y = ROBOT_cones_take(&memory, n);
    of->z = ROBOT_cones_take(&memory, n);
    of->diagonal = ROBOT_cones_take(&memory, n);
    of->kept = ROBOT_cones_take(&memory, n);
    of->compliance = ROBOT_cones_take(&memory, count);
    of->friction = ROBOT_cones_take(&memory, count);
    of->laws = ROBOT_cones_take(&memory, 3 * joints);
    of->scaled = ROBOT_cones_take(&memory, 3 * joints);
}

static void ROBOT_cones_copy(const REAL *from, REAL *to, int n)
{
    int i;
    for (i = 0; i < n; i++) to[i] = from[i];
}

/* The factors s: blocks of contacts on the diagonal become such of trace 3, entries of joints become 1. */
static void ROBOT_cones_find_scale(ROBOT_cones *of)
{
    const REAL third = (REAL)(1.0 / 3.0);
    const int n = of->rows;
    REAL largest = 0;
    int j, k;
    for (k = 0; k < of->count; k++) {
        const REAL *const block = of->g + 3 * k * (n + 1);
        of->scale[3 * k] = (block[0] + block[n + 1] + block[2 * (n + 1)]) * third;
        largest = ROBOT_cones_max(largest, of->scale[3 * k]);
    }
    for (k = 0; k < of->count; k++) {
        REAL *const s = of->scale + 3 * k;
        /* A contact that no impulse moves has none. */
        const int moves = s[0] > largest * (ROBOT_cones_epsilon * ROBOT_cones_epsilon) && ROBOT_cones_is_finite(s[0]);
        s[0] = s[1] = s[2] = moves ? 1 / RBD_SQRT(s[0]) : 0;
    }
    for (j = 3 * of->count; j < n; j++) {
        const REAL own = of->g[j * (n + 1)];
        of->scale[j] = own > 0 && ROBOT_cones_is_finite(own) ? 1 / RBD_SQRT(own) : 0;
    }
}

/* Goes to scaled units. NaN and negative coefficients of friction are none, larger ones than 1e6 are as 1e6; NaN is no limit. */
static void ROBOT_cones_scale(ROBOT_cones *of)
{
    const int n = of->rows;
    int i, j, k;
    for (k = 0; k < of->count; k++) {
        if (of->friction[k] > (REAL)1e6) of->friction[k] = (REAL)1e6;
        if (!(of->friction[k] > 0)) of->friction[k] = 0;
        for (j = 3 * k; j < 3 * k + 3 && of->compliance[k] > 0; j++) of->g[j * (n + 1)] += of->compliance[k];
    }
    ROBOT_cones_find_scale(of);
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) of->g[j * n + i] *= of->scale[j] * of->scale[i];
        of->diagonal[j] = of->g[j * (n + 1)];
    }
    of->fastest = 0;
    for (i = 0; i < n; i++) {
        of->free[i] = of->velocity[i] * of->scale[i];
        of->fastest = ROBOT_cones_max(of->fastest, ROBOT_cones_abs(of->free[i]));
    }
    if (!(of->fastest > 0 && ROBOT_cones_is_finite(of->fastest))) of->fastest = 1;
    for (i = 0; i < n; i++) of->free[i] /= of->fastest;
    for (k = 0; k < of->joints; k++) {
        const REAL *const law = of->laws + 3 * k, s = of->scale[3 * of->count + k];
        REAL *const to = of->scaled + 3 * k;
        to[0] = law[0] > 0 ? law[0] * (1 / (s * of->fastest)) : 0;
        to[1] = law[1] > -ROBOT_cones_largest ? law[1] * (s / of->fastest) : -ROBOT_cones_largest;
        to[2] = law[2] < ROBOT_cones_largest ? law[2] * (s / of->fastest) : ROBOT_cones_largest;
    }
}

/* Adds a compliance to all rows, in place of the one that was added before. */
static void ROBOT_cones_soften(ROBOT_cones *of, REAL by)
{
    int j;
    for (j = 0; j < of->rows; j++) of->g[j * (of->rows + 1)] = of->diagonal[j] + by;
}

/* Velocities c = G f + g of rows from this one on. */
static void ROBOT_cones_velocities(const ROBOT_cones *of, int first, int rows, REAL *c)
{
    const int n = of->rows;
    int i;
    for (i = 0; i < rows; i++) c[i] = ROBOT_cones_dot(of->g + (first + i) * n, of->f, n) + of->free[first + i];
}
