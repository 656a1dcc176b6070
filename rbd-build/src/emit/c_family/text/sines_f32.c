/* The angle from which on the library is asked: below, the number of quarter turns is exact. */
#define RBD_RANGE 400.0f
#define RBD_TWO_OVER_PI 0.63661975f
#define RBD_ROUND 12582912.0f
#define RBD_HALF_PI_1 (-1.5707703f)
#define RBD_HALF_PI_2 (-2.6063062e-5f)
#define RBD_HALF_PI_3 (-6.0771005e-11f)
#define RBD_SIGN_SHIFT 30
/* Minimax in relative error. */
#define RBD_SIN_POLYNOMIAL(x, fma, k) \
    fma(fma(k(-1.9514958e-4f), x, k(8.332158e-3f)), x, k(-1.6666665e-1f))
#define RBD_COS_POLYNOMIAL(x, fma, k) \
    fma(fma(k(2.4432785e-5f), x, k(-1.3887313e-3f)), x, k(4.1666646e-2f))
#ifndef RBD_SIN
#include <math.h>
#define RBD_SIN(x) sinf(x)
#define RBD_COS(x) cosf(x)
#endif
