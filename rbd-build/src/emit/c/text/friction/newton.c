
/* Newton's steps by modes. With dc = G df, the equations are:
 *   open: f = 0;
 *   stick: c = 0;
 *   slide: c_n = 0 and f_t = mu f_n e, where e is the direction of f_t - c_t: opposite to the sliding at the solution, and
 *   defined at small velocities too.
 * Source: Alart and Curnier, 1991 (docs/math.md#contacts-with-friction). */

/* What is added to the diagonal where the matrix is that of Delassus, so that redundant contacts have one solution:
 * in rounding errors of a scaled block, what is lost of the impulses that such contacts share. Velocities do not
 * depend on it. */
#define ROBOT_cones_shift (ROBOT_cones_epsilon * (REAL)1e6)

/* Of contact k, which slides: the direction e of f_t - c_t, zero if there is none, and the derivative h of mu f_n e by
 * f_t - c_t, by rows. */
static void ROBOT_cones_slide_along(const ROBOT_cones *of, int k, REAL *e, REAL *h)
{
    const REAL *const f = of->f + 3 * k, *const c = of->c + 3 * k;
    const REAL z[2] = {f[0] - c[0], f[1] - c[1]}, across = ROBOT_cones_norm(z[0], z[1]);
    REAL turn = 0;
    int r;
    e[0] = e[1] = 0;
    if (across > 0) {
        e[0] = z[0] / across, e[1] = z[1] / across;
        /* How the bound of friction turns with the direction. */
        turn = of->friction[k] * ROBOT_cones_max(f[2], 0) / across;
    }
    for (r = 0; r < 4; r++) h[r] = ((REAL)(r % 3 == 0) - e[r / 2] * e[r % 2]) * turn;
}

/* Rows along the two tangents of contact k, which slides. */
static void ROBOT_cones_linearise_sliding(ROBOT_cones *of, int k)
{
    const int n = of->rows, first = 3 * k;
    const REAL *const f = of->f + first, *const x = of->g + first * n, *const y = x + n;
    const REAL mu = of->friction[k];
    REAL e[2], h[4];
    int i, r;
    ROBOT_cones_slide_along(of, k, e, h);
    for (r = 0; r < 2; r++) {
        const REAL h0 = h[2 * r], h1 = h[2 * r + 1];
        REAL *const row = of->ab + (first + r) * of->width;
        for (i = 0; i < n; i++) row[i] = RBD_FMA(h0, x[i], h1 * y[i]);
        row[first + r] += 1;
        row[first] += -h0;
        row[first + 1] += -h1;
        row[first + 2] += -(mu * e[r]);
        row[n] = mu * f[2] * e[r] - f[r];
    }
}

/* A row that asks for an impulse. */
static void ROBOT_cones_ask_impulse(ROBOT_cones *of, int j, REAL impulse)
{
    REAL *const row = of->ab + j * of->width;
    ROBOT_hold_clear(row, of->rows);
    row[j] = 1, row[of->rows] = impulse - of->f[j];
}

/* A row that asks for a velocity. */
static void ROBOT_cones_ask_velocity(ROBOT_cones *of, int j, REAL velocity)
{
    REAL *const row = of->ab + j * of->width;
    ROBOT_cones_copy(of->g + j * of->rows, row, of->rows);
    row[j] += of->shift, row[of->rows] = velocity - of->c[j];
}

/* Writes rows of the matrix by which impulses of the modes change, and what is left of their equations. */
static void ROBOT_cones_linearise(ROBOT_cones *of)
{
    REAL known;
    int j;
    for (j = 0; j < 3 * of->count; j++) {
        const int mode = of->modes[j / 3];
        if (mode == ROBOT_cones_open) {
            ROBOT_cones_ask_impulse(of, j, 0);
        } else if (mode == ROBOT_cones_stick || j % 3 == 2) {
            ROBOT_cones_ask_velocity(of, j, 0);
        } else if (j % 3 == 0) {
            ROBOT_cones_linearise_sliding(of, j / 3);
        }
    }
    for (; j < of->rows; j++) {
        const REAL *const law = of->scaled + 3 * (j - 3 * of->count);
        if (ROBOT_cones_joint_mode(law, of->f[j], of->c[j], &known) == ROBOT_cones_moves) {
            ROBOT_cones_ask_impulse(of, j, known);
        } else {
            ROBOT_cones_ask_velocity(of, j, known);
        }
    }
}

/* Writes the modes, and adds Newton's step to the impulses. */
static void ROBOT_cones_newton_step(ROBOT_cones *of)
{
    const int n = of->rows;
    int i, k;
    of->width = n + 1, of->shift = ROBOT_cones_shift;
    for (k = 0; k < of->count; k++) of->modes[k] = ROBOT_cones_mode(of->f + 3 * k, of->c + 3 * k, of->friction[k]);
    ROBOT_cones_linearise(of);
    ROBOT_cones_eliminate(of->ab, n, of->width);
    for (i = 0; i < n; i++) of->f[i] += of->ab[i * (n + 1) + n];
}
