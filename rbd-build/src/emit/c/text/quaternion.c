static REAL ROBOT_square(const REAL *a)
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* The product of two quaternions x, y, z, w. */
static void ROBOT_quaternion_product(const REAL *a, const REAL *b, REAL *to)
{
    to[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    to[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    to[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    to[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* The product, one Newton step nearer to unit length: that removes the drift. */
static void ROBOT_turn(const REAL *a, const REAL *b, REAL *to)
{
    REAL p[4], scale;
    ROBOT_quaternion_product(a, b, p);
    scale = (3 - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])) * (REAL)0.5;
    for (int i = 0; i < 4; i++) to[i] = p[i] * scale;
}

/* The unit quaternion of the rotation vector w, with sin(t/2) / (t/2) and cos(t/2) of its angle t. */
static void ROBOT_quaternion_exp(const REAL *w, REAL *to, REAL *sinc)
{
    ROBOT_sinc_cos(ROBOT_square(w) * (REAL)0.25, sinc, &to[3]);
    for (int i = 0; i < 3; i++) to[i] = w[i] * (*sinc * (REAL)0.5);
}

/* The rotation vector, of length at most pi, of a quaternion of any length but zero; half the angle times its
 * cotangent. */
static REAL ROBOT_quaternion_log(const REAL *q, REAL *w)
{
    static const double arc[9] = {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
    const REAL sign = q[3] < 0 ? (REAL)-1 : (REAL)1, real = q[3] * sign, n2 = ROBOT_square(q);
    REAL half, n;
    if (n2 < (REAL)0.01) {
        half = ROBOT_polynomial(n2 / (real * real), arc, 9) / real;
    } else {
        n = RBD_SQRT(n2);
        half = RBD_ATAN2(n, real) / n;
    }
    for (int i = 0; i < 3; i++) w[i] = q[i] * sign * (half + half);
    return half * real;
}

