/* The bracket [u, x] of twists, [linear; angular]. */
RBD_PERHAPS_UNUSED
static void ROBOT_bracket(const REAL *u, const REAL *x, REAL *to)
{
    to[0] = u[4] * x[2] - u[5] * x[1] + u[1] * x[5] - u[2] * x[4];
    to[1] = u[5] * x[0] - u[3] * x[2] + u[2] * x[3] - u[0] * x[5];
    to[2] = u[3] * x[1] - u[4] * x[0] + u[0] * x[4] - u[1] * x[3];
    to[3] = u[4] * x[5] - u[5] * x[4];
    to[4] = u[5] * x[3] - u[3] * x[5];
    to[5] = u[3] * x[4] - u[4] * x[3];
}

/* Coefficients of both derivatives of integrate(q, u), polynomials in -A with A = [u, .]: by u, the sum of (-A)^k / (k + 1)!, and by q,
 * exp(-A). With t the square of the angle, A^5 = -2 t A^3 - t^2 A, so that four powers are left: series where t < 1. */
RBD_PERHAPS_UNUSED
static void ROBOT_coefficients(const REAL *u, REAL *c, REAL *of_q)
{
    const REAL t = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
    if (t < 1) {
        /* A^(2 m + 1) is (-t)^(m - 1) (m A^3 + (m - 1) t A), m from 1 on, and A^(2 m + 2) has A^4 and A^2 in their place. */
        REAL power = 1, inverse = (REAL)(1.0 / 24);
        c[0] = (REAL)(1.0 / 2);
        c[1] = (REAL)(1.0 / 6);
        c[2] = inverse;
        c[3] = inverse / 5;
        RBD_NOT_UNROLLED
        for (int m = 2; m < 10; m++) {
            inverse /= (REAL)((2 * m + 1) * (2 * m + 2));
            power *= -t;
            c[0] += (REAL)(m - 1) * t * power * inverse;
            c[1] += (REAL)(m - 1) * t * power * inverse / (REAL)(2 * m + 3);
            c[2] += (REAL)m * power * inverse;
            c[3] += (REAL)m * power * inverse / (REAL)(2 * m + 3);
        }
    } else {
        const REAL angle = RBD_SQRT(t);
        REAL s, co;
        ROBOT_sin_cos(1, &angle, &s, &co);
        c[0] = (4 - angle * s - 4 * co) / (2 * t);
        c[1] = (4 * angle - 5 * s + angle * co) / (2 * t * angle);
        c[2] = (2 - angle * s - 2 * co) / (2 * t * t);
        c[3] = (2 * angle - 3 * s + angle * co) / (2 * t * t * angle);
    }
    /* exp(-A) is 1 - A times the sum. */
    of_q[0] = 1 - t * t * c[3];
    of_q[1] = c[0];
    of_q[2] = c[1] - 2 * t * c[3];
    of_q[3] = c[2];
}

/* x + c[0] (-A) x + .. + c[3] A^4 x */
RBD_PERHAPS_UNUSED
static void ROBOT_moved_by(const REAL *u, const REAL *c, const REAL *x, REAL *to)
{
    REAL once[6], twice[6];
    for (int k = 0; k < 6; k++) to[k] = once[k] = x[k];
    RBD_NOT_UNROLLED
    for (int m = 0; m < 4; m++) {
        ROBOT_bracket(u, once, twice);
        for (int k = 0; k < 6; k++) {
            once[k] = -twice[k];
            to[k] = RBD_FMA(c[m], once[k], to[k]);
        }
    }
}

