/* x + s w x x + t w x (w x x). */
RBD_PERHAPS_UNUSED
static void ROBOT_combine(const REAL *x, const REAL *w, REAL s, REAL t, REAL *to)
{
    const REAL a = w[1] * x[2] - w[2] * x[1], b = w[2] * x[0] - w[0] * x[2], c = w[0] * x[1] - w[1] * x[0];
    to[0] = x[0] + s * a + t * (w[1] * c - w[2] * b);
    to[1] = x[1] + s * b + t * (w[2] * a - w[0] * c);
    to[2] = x[2] + s * c + t * (w[0] * b - w[1] * a);
}

/* Moves x, y, z and a quaternion by a vector in the child's frame: the exponential of SE(3). */
RBD_PERHAPS_UNUSED
static void ROBOT_integrate_floating(const REAL *q, const REAL *dv, REAL *to)
{
    const REAL x2 = dv[3] * dv[3] + dv[4] * dv[4] + dv[5] * dv[5];
    REAL sinc, cosine, rest, p[3], moved[3];
    ROBOT_sinc_cos(x2 * (REAL)0.25, &sinc, &cosine);
    /* v + (1 - cos t)/t^2 w x v + (t - sin t)/t^3 w x (w x v) */
    if (x2 < 1) {
        rest = (REAL)(1.0 / 121645100408832000.0);
        rest = RBD_FMA(rest, x2, (REAL)(-1.0 / 355687428096000.0));
        rest = RBD_FMA(rest, x2, (REAL)(1.0 / 1307674368000.0));
        rest = RBD_FMA(rest, x2, (REAL)(-1.0 / 6227020800.0));
        rest = RBD_FMA(rest, x2, (REAL)(1.0 / 39916800));
        rest = RBD_FMA(rest, x2, (REAL)(-1.0 / 362880));
        rest = RBD_FMA(rest, x2, (REAL)(1.0 / 5040));
        rest = RBD_FMA(rest, x2, (REAL)(-1.0 / 120));
        rest = RBD_FMA(rest, x2, (REAL)(1.0 / 6));
    } else {
        rest = (1 - sinc * cosine) / x2;
    }
    ROBOT_combine(dv, dv + 3, sinc * sinc * (REAL)0.5, rest, p);
    ROBOT_combine(p, q + 3, 2 * q[6], 2, moved);
    ROBOT_turn(q + 3, dv + 3, sinc, cosine, to + 3);
    to[0] = q[0] + moved[0];
    to[1] = q[1] + moved[1];
    to[2] = q[2] + moved[2];
}

