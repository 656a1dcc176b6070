/* Moves x, y, theta by a vector in the child's frame: the exponential of SE(2). */
RBD_PERHAPS_UNUSED
static void ROBOT_integrate_planar(const REAL *q, const REAL *dv, REAL *to)
{
    const REAL halved = dv[2] * (REAL)0.5;
    REAL sinc, cosine, s, c, a, b, x, y;
    ROBOT_sinc_cos(halved * halved, &sinc, &cosine);
    a = sinc * cosine;
    b = sinc * sinc * halved;
    x = a * dv[0] - b * dv[1];
    y = b * dv[0] + a * dv[1];
    ROBOT_sin_cos(1, q + 2, &s, &c);
    to[0] = q[0] + c * x - s * y;
    to[1] = q[1] + s * x + c * y;
    to[2] = q[2] + dv[2];
}

