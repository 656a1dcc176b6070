
/* Derivatives of a solution by modes, by the implicit function theorem. Each contact and each coordinate keeps its mode:
 *   open: df = 0;
 *   stick: dc = 0;
 *   slide: dc_n = 0, and f_t stays on the cone, opposite to the sliding, whose direction may change;
 *   a coordinate that moves: df = 0; one that friction holds: dc = 0; one at a limit: dc is the change of the limit's velocity.
 * Source: docs/math.md#contacts-with-friction. */

/* How much memory they take beside the problem's. */
#define ROBOT_cones_more(rows) (4 * (rows) * (rows) + (rows) * (SIZE + 2))

/* The inverse of the modes' matrix, by columns, for solutions in the units of the problem; the matrix times -1; how often
 * solutions are corrected; and memory. */
typedef struct {
    REAL *inverse, *negative, *ab, *b, *rest;
    int corrections;
} ROBOT_cones_solver;

/* Goes to the solution's impulses, as they are in the units of the problem, if there are any. */
static void ROBOT_cones_go_to_solution(ROBOT_cones *of)
{
    int i;
    for (i = 0; i < of->rows; i++) {
        const REAL unit = of->scale[i] * of->fastest;
        of->f[i] = unit > 0 ? of->impulses[i] / unit : 0;
    }
    ROBOT_cones_velocities(of, 0, of->rows, of->c);
}

/* The right side of the modes' equations, from a derivative of velocities. `rates`: how the least and the largest velocity
 * of coordinate `joint` change; -1 is none. */
static void ROBOT_cones_right_side(const ROBOT_cones *of, int joint, const REAL *rates, REAL *column)
{
    REAL e[2], h[4], known;
    int k, r;
    for (k = 0; k < of->count; k++) {
        REAL *const own = column + 3 * k;
        for (r = 0; r < 3; r++) own[r] = -(own[r] * of->scale[3 * k]);
        if (of->modes[k] == ROBOT_cones_open) {
            ROBOT_hold_clear(own, 3);
        } else if (of->modes[k] == ROBOT_cones_slide) {
            const REAL x = own[0], y = own[1];
            ROBOT_cones_slide_along(of, k, e, h);
            own[0] = RBD_FMA(h[0], x, h[1] * y), own[1] = RBD_FMA(h[2], x, h[3] * y);
        }
    }
    for (k = 0; k < of->joints; k++) {
        const int row = 3 * of->count + k;
        const int mode = ROBOT_cones_joint_mode(of->scaled + 3 * k, of->f[row], of->c[row], &known);
        REAL change = 0;
        if (k == joint && mode == ROBOT_cones_at_least) change = rates[0];
        if (k == joint && mode == ROBOT_cones_at_most) change = rates[1];
        column[row] = mode == ROBOT_cones_moves ? 0 : (change - column[row]) * of->scale[row];
    }
}

/* How far the nearest contact or coordinate is from another mode, without a unit; the largest number if there is none. */
static REAL ROBOT_cones_margin(const ROBOT_cones *of)
{
    REAL margin = ROBOT_cones_largest;
    int k;
    for (k = 0; k < of->count; k++) {
        const REAL *const f = of->f + 3 * k, *const c = of->c + 3 * k, mu = of->friction[k];
        REAL own = c[2];
        if (of->modes[k] == ROBOT_cones_stick) {
            own = ROBOT_cones_nearer(f[2], RBD_FMA(mu, f[2], -ROBOT_cones_norm(f[0], f[1])));
        } else if (of->modes[k] == ROBOT_cones_slide) {
            /* Without friction, sliding and sticking are one. */
            own = mu > 0 ? ROBOT_cones_nearer(f[2], ROBOT_cones_norm(c[0], c[1])) : f[2];
        }
        margin = ROBOT_cones_nearer(margin, own);
    }
    for (k = 0; k < of->joints; k++) {
        const int row = 3 * of->count + k;
        margin = ROBOT_cones_nearer(margin, ROBOT_cones_joint_margin(of->scaled + 3 * k, of->f[row], of->c[row]));
    }
    return margin;
}

/* Writes the inverse of the modes' matrix. `shift` is added to the diagonal where the matrix is that of Delassus. Gives
 * its largest entry in scaled units, or the largest number if a pivot is lost in rounding. */
static REAL ROBOT_cones_write_inverse(ROBOT_cones *of, REAL shift, ROBOT_cones_solver *to)
{
    const int n = of->rows, width = 2 * n;
    REAL largest = 0;
    int i, j;
    of->ab = to->ab, of->width = width, of->shift = shift;
    ROBOT_cones_linearise(of);
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) of->ab[i * width + n + j] = (REAL)(i == j);
    }
    if (!ROBOT_cones_eliminate(of->ab, n, width)) largest = ROBOT_cones_largest;
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) {
            const REAL x = of->ab[i * width + n + j];
            largest = ROBOT_cones_worse(largest, ROBOT_cones_abs(x));
            to->inverse[j * n + i] = x * of->scale[i];
        }
    }
    return largest;
}

/* Makes the inverse of the modes' matrix, at the solution. Gives what is left of the memory. */
static REAL *ROBOT_cones_invert(ROBOT_cones *of, REAL *more, ROBOT_cones_solver *to)
{
    const REAL root = RBD_SQRT(ROBOT_cones_epsilon);
    const int n = of->rows;
    REAL *const ab = of->ab, largest;
    int i, j;
    to->inverse = ROBOT_cones_take(&more, n * n);
    to->negative = ROBOT_cones_take(&more, n * n);
    to->ab = ROBOT_cones_take(&more, 2 * n * n);
    to->b = ROBOT_cones_take(&more, n);
    to->rest = ROBOT_cones_take(&more, n);
    to->corrections = 0;
    largest = ROBOT_cones_write_inverse(of, 0, to);
    /* Products with the inverse of a nearly singular matrix lose the digits that cancel in solutions. */
    if (!(largest <= (REAL)(1.0 / 512) / root)) {
        to->corrections = 1;
        if (!(largest <= (REAL)(1.0 / 64) / root)) {
            to->corrections = 2;
            ROBOT_cones_write_inverse(of, root, to);
        }
        of->width = n + 1, of->shift = 0;
        ROBOT_cones_linearise(of);
        for (j = 0; j < n; j++) {
            /* Nothing moves a row of factor zero. */
            const REAL unit = of->scale[j] > 0 ? -(1 / of->scale[j]) : 0;
            for (i = 0; i < n; i++) to->negative[j * n + i] = of->ab[i * (n + 1) + j] * unit;
        }
    }
    of->ab = ab;
    return more;
}

/* Adds a product of a matrix of n rows with a column. */
static void ROBOT_cones_add_product(const REAL *matrix, int n, const REAL *x, REAL *to)
{
    ROBOT_hold_multiples by;
    for (by.count = 0; by.count < n; by.count++) by.of[by.count] = by.count, by.times[by.count] = x[by.count];
    ROBOT_hold_add_multiples(matrix, n, &by, to);
}

/* Derivatives of the impulses, one column for each coordinate of the robot, in place of those of the velocities at constant
 * impulses. `held`: the coordinates of the rows of joints, and `rates` two numbers for each: how the least and the largest
 * velocity change with the coordinate; or null. */
static void ROBOT_cones_differentiate(const ROBOT_cones *of, const ROBOT_cones_solver *by, const int *held, const REAL *rates,
                                      REAL *columns)
{
    const int n = of->rows;
    int j, k, time;
    for (j = 0; j < SIZE; j++) {
        REAL *const x = columns + j * n;
        int joint = -1;
        for (k = 0; k < of->joints && rates; k++) joint = held[k] == j ? k : joint;
        ROBOT_cones_copy(x, by->b, n);
        ROBOT_cones_right_side(of, joint, joint < 0 ? rates : rates + 2 * joint, by->b);
        ROBOT_hold_clear(x, n);
        ROBOT_cones_add_product(by->inverse, n, by->b, x);
        /* Each correction solves (A + S) d = b - A x: A x = b at the end, and x is one of several solutions if A is singular. */
        for (time = 0; time < by->corrections; time++) {
            ROBOT_cones_copy(by->b, by->rest, n);
            ROBOT_cones_add_product(by->negative, n, x, by->rest);
            ROBOT_cones_add_product(by->inverse, n, by->rest, x);
        }
    }
}
