static void ROBOT_cross(const REAL *a, const REAL *b, REAL *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* x + s w x x + t w x (w x x). */
static void ROBOT_combine(const REAL *x, const REAL *w, REAL s, REAL t, REAL *to)
{
    REAL a[3], b[3];
    ROBOT_cross(w, x, a);
    ROBOT_cross(w, a, b);
    for (int i = 0; i < 3; i++) to[i] = RBD_FMA(s, a[i], RBD_FMA(t, b[i], x[i]));
}

/* A vector turned by a unit quaternion. */
static void ROBOT_rotate(const REAL *q, const REAL *x, REAL *to)
{
    ROBOT_combine(x, q, 2 * q[3], 2, to);
}

/* Moves x, y, z and a quaternion by a velocity in the child's frame: the exponential of SE(3). */
static void ROBOT_integrate_floating(const REAL *q, const REAL *dv, REAL *to)
{
    static const double series[9] = {1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800,
        -1.0 / 6227020800.0, 1.0 / 1307674368000.0, -1.0 / 355687428096000.0, 1.0 / 121645100408832000.0};
    const REAL x2 = ROBOT_square(dv + 3);
    REAL turn[4], sinc, p[3], moved[3], rest;
    ROBOT_quaternion_exp(dv + 3, turn, &sinc);
    /* v + (1 - cos t)/t^2 w x v + (t - sin t)/t^3 w x (w x v) */
    rest = x2 < 1 ? ROBOT_polynomial(x2, series, 9) : (1 - sinc * turn[3]) / x2;
    ROBOT_combine(dv, dv + 3, sinc * sinc * (REAL)0.5, rest, p);
    ROBOT_rotate(q + 3, p, moved);
    ROBOT_turn(q + 3, turn, to + 3);
    for (int i = 0; i < 3; i++) to[i] = q[i] + moved[i];
}

/* Its inverse, with a turn of at most pi. */
static void ROBOT_difference_floating(const REAL *q0, const REAL *q1, REAL *dv)
{
    /* |B_2k| / (2k)!, with the Bernoulli numbers */
    static const double series[8] = {1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160,
        691.0 / 1307674368000.0, 1.0 / 74724249600.0, 3617.0 / 10670622842880000.0};
    const REAL back[4] = {-q0[3], -q0[4], -q0[5], q0[6]};
    const REAL way[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    REAL turn[4], p[3], half_cot, x2, rest;
    ROBOT_quaternion_product(back, q1 + 3, turn);
    half_cot = ROBOT_quaternion_log(turn, dv + 3);
    ROBOT_rotate(back, way, p);
    /* p - w x p / 2 + (1 - (t/2) cot(t/2))/t^2 w x (w x p) */
    x2 = ROBOT_square(dv + 3);
    rest = x2 < (REAL)0.25 ? ROBOT_polynomial(x2, series, 8) : (1 - half_cot) / x2;
    ROBOT_combine(p, dv + 3, (REAL)-0.5, rest, dv);
}

