
/* Derivatives of a solution by modes, by the implicit function theorem. Each contact and each coordinate keeps its mode:
 *   open: df = 0;
 *   stick: dc = 0;
 *   slide: dc_n = 0, and f_t stays on the cone, opposite to the sliding, whose direction may change;
 *   a coordinate that moves: df = 0; one that friction holds: dc = 0; one at a limit: dc is the change of the limit's velocity.
 * Source: docs/math.md#contacts-with-friction. */

/* How much memory they take beside the problem's. */
#define ROBOT_cones_more(rows) ((rows) * (rows) + 3 * (rows) * SIZE)

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

/* Whether a row asks for a velocity, so that its matrix is that of Delassus. */
static int ROBOT_cones_is_held(const ROBOT_cones *of, int row)
{
    const int joint = row - 3 * of->count;
    REAL known;
    if (joint >= 0) {
        return ROBOT_cones_joint_mode(of->scaled + 3 * joint, of->f[row], of->c[row], &known) != ROBOT_cones_moves;
    }
    return of->modes[row / 3] == ROBOT_cones_stick || (of->modes[row / 3] == ROBOT_cones_slide && row % 3 == 2);
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

/* Derivatives of the impulses, one column for each coordinate of the robot, in place of those of the velocities at constant
 * impulses. `held`: the coordinates of the rows of joints, and `rates` two numbers for each: how the least and the largest
 * velocity change with the coordinate; or null. `more`: memory. */
static void ROBOT_cones_differentiate(ROBOT_cones *of, const int *held, const REAL *rates, REAL *columns, REAL *more)
{
    const int n = of->rows, width = n + SIZE;
    REAL *const ab = of->ab, *const x = ROBOT_cones_take(&more, n * SIZE);
    int j, k, i, time;
    for (j = 0; j < SIZE; j++) {
        int joint = -1;
        for (k = 0; k < of->joints && rates; k++) joint = held[k] == j ? k : joint;
        ROBOT_cones_right_side(of, joint, joint < 0 ? rates : rates + 2 * joint, columns + j * n);
    }
    ROBOT_hold_clear(x, n * SIZE);
    of->ab = more, of->width = width, of->shift = RBD_SQRT(ROBOT_cones_epsilon);
    for (time = 0; time < 3; time++) {
        /* (A + S) x = b + S x, with the last x on the right: A x = b at the end, and x is one of several solutions if A is
         * singular. */
        ROBOT_cones_linearise(of);
        for (i = 0; i < n; i++) {
            const REAL shift = ROBOT_cones_is_held(of, i) ? of->shift : 0;
            for (j = 0; j < SIZE; j++) of->ab[i * width + n + j] = RBD_FMA(shift, x[j * n + i], columns[j * n + i]);
        }
        ROBOT_cones_eliminate(of->ab, n, width);
        for (i = 0; i < n; i++) {
            for (j = 0; j < SIZE; j++) x[j * n + i] = of->ab[i * width + n + j];
        }
    }
    for (j = 0; j < SIZE; j++) {
        for (i = 0; i < n; i++) columns[j * n + i] = x[j * n + i] * of->scale[i];
    }
    of->ab = ab;
}
