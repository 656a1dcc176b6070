
/* Derivatives by the coordinates of q. With dq = E v, a derivative J by tangent vectors is J P by coordinates, P being the left
 * inverse of E: E^T, and of a rotation 4 E^T / |q|. Source: docs/math.md#derivatives-by-coordinates. */

/* Numbers of coordinates and velocities of each kind of joint. */
static const int ROBOT_casadi_coordinates[4] = {1, 3, 4, 7}, ROBOT_casadi_velocities[4] = {1, 3, 3, 6};

/* Entry (i, j) of the matrix of the cross product by w. */
static double ROBOT_casadi_crossing(const double *w, int i, int j)
{
    return i == j ? 0 : (j - i + 3) % 3 == 1 ? -w[3 - i - j] : w[3 - i - j];
}

/* E of one joint: a row for each coordinate, by columns. Returns 1/|q| of its quaternion. */
static double ROBOT_casadi_rates(int kind, const double *q, double *e)
{
    const int rows = ROBOT_casadi_coordinates[kind], columns = ROBOT_casadi_velocities[kind], at = kind == 3 ? 3 : 0;
    double a[4], scale;
    int i, j;
    for (i = 0; i < rows * columns; i++) e[i] = 0;
    if (kind == 0) e[0] = 1;
    if (kind == 1) {
        e[0] = e[4] = cos(q[2]);
        e[1] = sin(q[2]);
        e[3] = -e[1];
        e[8] = 1;
    }
    if (kind < 2) return 1;
    scale = ROBOT_casadi_direction(ROBOT_casadi_quaternion_of(kind, q), a);
    for (j = 0; j < 3; j++) {
        double *const turned = e + rows * (at + j) + at, *const moved = e + rows * j;
        for (i = 0; i < 3; i++) turned[i] = 0.5 * ((i == j ? a[3] : 0) + ROBOT_casadi_crossing(a, i, j));
        turned[3] = -0.5 * a[j];
        for (i = 0; i < at; i++) {
            moved[i] = 2 * (a[i] * a[j] + a[3] * ROBOT_casadi_crossing(a, i, j)) + (i == j ? 2 * a[3] * a[3] - 1 : 0);
        }
    }
    return scale;
}

/* P of one joint: a row for each velocity, by columns. */
static void ROBOT_casadi_inverse_rates(int kind, const double *q, double *p)
{
    const int rows = ROBOT_casadi_coordinates[kind], columns = ROBOT_casadi_velocities[kind];
    double e[42];
    const double scale = 4 * ROBOT_casadi_rates(kind, q, e);
    int i, j;
    for (j = 0; j < columns; j++) {
        const int is_turn = kind == 2 || (kind == 3 && j > 2);
        for (i = 0; i < rows; i++) p[i * columns + j] = e[j * rows + i] * (is_turn ? scale : 1);
    }
}

/* to = m P: a derivative by tangent vectors at q becomes one by coordinates. */
static void ROBOT_casadi_by_coordinates(double *to, const double *m, const double *q, int rows)
{
    int k, r, i, j;
    for (k = 0; to && k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, n = ROBOT_casadi_velocities[kind];
        const double *const from = m + rows * ROBOT_casadi_joint[k].v;
        double p[42];
        ROBOT_casadi_inverse_rates(kind, q + ROBOT_casadi_joint[k].q, p);
        for (j = 0; j < ROBOT_casadi_coordinates[kind]; j++) {
            double *const by = to + rows * (ROBOT_casadi_joint[k].q + j);
            for (r = 0; r < rows; r++) by[r] = 0;
            for (i = 0; i < n; i++) {
                for (r = 0; r < rows; r++) by[r] += from[i * rows + r] * p[j * n + i];
            }
        }
    }
}
