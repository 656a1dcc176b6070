/* Moves x, y, theta by a velocity in the child's frame: the exponential of SE(2). */
static void ROBOT_integrate_planar(const REAL *q, const REAL *dv, REAL *to)
{
    const REAL half = dv[2] * (REAL)0.5;
    REAL sinc, cosine, s, c;
    ROBOT_sinc_cos(half * half, &sinc, &cosine);
    const REAL a = sinc * cosine, b = sinc * sinc * half;
    const REAL x = a * dv[0] - b * dv[1], y = b * dv[0] + a * dv[1];
    ROBOT_sin_cos(1, q + 2, &s, &c);
    to[0] = q[0] + c * x - s * y;
    to[1] = q[1] + s * x + c * y;
    to[2] = q[2] + dv[2];
}

/* Its inverse, with the angle between -pi and pi. */
static void ROBOT_difference_planar(const REAL *q0, const REAL *q1, REAL *dv)
{
    const REAL turn = q1[2] - q0[2], dx = q1[0] - q0[0], dy = q1[1] - q0[1];
    REAL s, c, sinc, cosine;
    ROBOT_sin_cos(1, &turn, &s, &c);
    const REAL w = RBD_ATAN2(s, c), half = w * (REAL)0.5;
    ROBOT_sinc_cos(half * half, &sinc, &cosine);
    const REAL half_cot = cosine / sinc;
    ROBOT_sin_cos(1, q0 + 2, &s, &c);
    const REAL x = c * dx + s * dy, y = c * dy - s * dx;
    dv[0] = half_cot * x + half * y;
    dv[1] = half_cot * y - half * x;
    dv[2] = w;
}

