/* The square root: only C needs its type. */
#ifndef RBD_SQRT
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__) || defined(__HIPCC_RTC__) || defined(__OPENCL_VERSION__)
#define RBD_SQRT(x) sqrt(x)
#else
#include <math.h>
#define RBD_SQRT(x) sqrtLIBM(x)
#endif
#endif

/* sin(x) / x and cos(x) of x^2: series where x^2 < 1. */
RBD_PERHAPS_UNUSED
static void ROBOT_sinc_cos(REAL x2, REAL *sinc, REAL *cosine)
{
    if (x2 < 1) {
        REAL s = (REAL)(1.0 / 355687428096000.0), c = (REAL)(-1.0 / 6402373705728000.0);
        s = RBD_FMA(s, x2, (REAL)(-1.0 / 1307674368000.0));
        s = RBD_FMA(s, x2, (REAL)(1.0 / 6227020800.0));
        s = RBD_FMA(s, x2, (REAL)(-1.0 / 39916800));
        s = RBD_FMA(s, x2, (REAL)(1.0 / 362880));
        s = RBD_FMA(s, x2, (REAL)(-1.0 / 5040));
        s = RBD_FMA(s, x2, (REAL)(1.0 / 120));
        s = RBD_FMA(s, x2, (REAL)(-1.0 / 6));
        *sinc = RBD_FMA(s, x2, (REAL)1);
        c = RBD_FMA(c, x2, (REAL)(1.0 / 20922789888000.0));
        c = RBD_FMA(c, x2, (REAL)(-1.0 / 87178291200.0));
        c = RBD_FMA(c, x2, (REAL)(1.0 / 479001600));
        c = RBD_FMA(c, x2, (REAL)(-1.0 / 3628800));
        c = RBD_FMA(c, x2, (REAL)(1.0 / 40320));
        c = RBD_FMA(c, x2, (REAL)(-1.0 / 720));
        c = RBD_FMA(c, x2, (REAL)(1.0 / 24));
        c = RBD_FMA(c, x2, (REAL)(-1.0 / 2));
        *cosine = RBD_FMA(c, x2, (REAL)1);
    } else {
        const REAL x = RBD_SQRT(x2);
        REAL sine;
        ROBOT_sin_cos(1, &x, &sine, cosine);
        *sinc = sine / x;
    }
}

