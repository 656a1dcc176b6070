/* A function of q for CasADi is that of its quaternions' directions, q/|q|; zero counts as no rotation. */

/* The quaternion of a joint's coordinates, or null. */
static const double *ROBOT_casadi_quaternion_of(int kind, const double *q)
{
    return kind < 2 ? 0 : kind == 2 ? q : q + 3;
}

static double ROBOT_casadi_length(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
}

/* The direction of a quaternion, and 1/|q|. */
static double ROBOT_casadi_direction(const double *a, double *to)
{
    const double length = ROBOT_casadi_length(a), scale = length == 0 ? 1 : 1 / length;
    int c;
    for (c = 0; c < 4; c++) to[c] = a[c] * scale;
    if (length == 0) to[3] = 1;
    return scale;
}

/* The configuration with unit quaternions. */
static void ROBOT_casadi_posed(const double *q, double *to)
{
    int k;
    for (k = 0; k < ROBOT_casadi_nq; k++) to[k] = q[k];
    for (k = 0; k < ROBOT_casadi_joints; k++) {
        const double *const a = ROBOT_casadi_quaternion_of(ROBOT_casadi_joint[k].kind, q + ROBOT_casadi_joint[k].q);
        if (a) ROBOT_casadi_direction(a, to + (a - q));
    }
}
