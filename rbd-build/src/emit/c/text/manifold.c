/* What turns needs roots and arc tangents; these may be others. */
#ifndef RBD_SQRT
#include <math.h>
#define RBD_SQRT(x) sqrtLIBM(x)
#define RBD_ATAN2(y, x) atan2LIBM((y), (x))
#endif

/* The value of a polynomial, its coefficients lowest first. */
static REAL ROBOT_polynomial(REAL x, const double *coefficients, int n)
{
    REAL sum = 0;
    while (n-- > 0) {
        sum = RBD_FMA(sum, x, (REAL)coefficients[n]);
    }
    return sum;
}

/* sin(x) / x and cos(x) of x^2: series where x^2 < 1. */
static void ROBOT_sinc_cos(REAL x2, REAL *sinc, REAL *cosine)
{
    static const double sines[9] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
        1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    static const double cosines[10] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
    if (x2 < 1) {
        *sinc = ROBOT_polynomial(x2, sines, 9);
        *cosine = ROBOT_polynomial(x2, cosines, 10);
    } else {
        const REAL x = RBD_SQRT(x2);
        REAL sine;
        ROBOT_sin_cos(1, &x, &sine, cosine);
        *sinc = sine / x;
    }
}

