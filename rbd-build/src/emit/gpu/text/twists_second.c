/* The dual of the bracket: lambda . [y, x] = to . x for every x. */
RBD_PERHAPS_UNUSED
static void ROBOT_dual_bracket(const REAL *y, const REAL *lambda, REAL *to)
{
    to[0] = lambda[1] * y[5] - lambda[2] * y[4];
    to[1] = lambda[2] * y[3] - lambda[0] * y[5];
    to[2] = lambda[0] * y[4] - lambda[1] * y[3];
    to[3] = lambda[1] * y[2] - lambda[2] * y[1] + lambda[4] * y[5] - lambda[5] * y[4];
    to[4] = lambda[2] * y[0] - lambda[0] * y[2] + lambda[5] * y[3] - lambda[3] * y[5];
    to[5] = lambda[0] * y[1] - lambda[1] * y[0] + lambda[3] * y[4] - lambda[4] * y[3];
}

/* The transposed of ROBOT_moved_by. */
RBD_PERHAPS_UNUSED
static void ROBOT_turned_by(const REAL *u, const REAL *c, const REAL *lambda, REAL *to)
{
    REAL once[6], twice[6];
    for (int k = 0; k < 6; k++) to[k] = once[k] = lambda[k];
    RBD_NOT_UNROLLED
    for (int m = 0; m < 4; m++) {
        ROBOT_dual_bracket(u, once, twice);
        for (int k = 0; k < 6; k++) {
            once[k] = -twice[k];
            to[k] = RBD_FMA(c[m], once[k], to[k]);
        }
    }
}

/* Derivatives of ROBOT_coefficients by the square of the angle. */
RBD_PERHAPS_UNUSED
static void ROBOT_coefficient_changes(const REAL *u, const REAL *c, REAL *to)
{
    const REAL t = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
    for (int k = 0; k < 4; k++) to[k] = 0;
    if (t < 1) {
        REAL power = 1, inverse = (REAL)(1.0 / 24);
        RBD_NOT_UNROLLED
        for (int m = 2; m < 10; m++) {
            const REAL both = (REAL)(m * (m - 1)), odd = (REAL)(2 * m + 3);
            inverse /= (REAL)((2 * m + 1) * (2 * m + 2));
            to[2] -= both * power * inverse;
            to[3] -= both * power * inverse / odd;
            power *= -t;
            to[0] += both * power * inverse;
            to[1] += both * power * inverse / odd;
        }
    } else {
        const REAL angle = RBD_SQRT(t);
        REAL s, co;
        ROBOT_sin_cos(1, &angle, &s, &co);
        to[0] = ((3 * s - angle * co) / (2 * angle) - 2 * c[0]) / (2 * t);
        to[1] = ((4 - angle * s - 4 * co) / (2 * t) - 3 * c[1]) / (2 * t);
        to[2] = ((s - angle * co) / (2 * t * angle) - 4 * c[2]) / (2 * t);
        to[3] = ((2 - angle * s - 2 * co) / (2 * t * t) - 5 * c[3]) / (2 * t);
    }
}

/* Adds the change along x of J^T lambda, with the coefficients and their changes; J is ROBOT_moved_by. */
RBD_PERHAPS_UNUSED
static void ROBOT_add_change(const REAL *u, const REAL *c, const REAL *changes, const REAL *lambda, const REAL *x, REAL *to)
{
    const REAL along = 2 * (u[3] * x[3] + u[4] * x[4] + u[5] * x[5]);
    REAL power[6], change[6] = {0}, of_u[6], of_x[6];
    for (int k = 0; k < 6; k++) power[k] = lambda[k];
    RBD_NOT_UNROLLED
    for (int m = 0; m < 4; m++) {
        ROBOT_dual_bracket(u, change, of_u);
        ROBOT_dual_bracket(x, power, of_x);
        for (int k = 0; k < 6; k++) change[k] = -of_u[k] - of_x[k];
        ROBOT_dual_bracket(u, power, of_u);
        for (int k = 0; k < 6; k++) {
            power[k] = -of_u[k];
            to[k] += c[m] * change[k] + along * changes[m] * power[k];
        }
    }
}

