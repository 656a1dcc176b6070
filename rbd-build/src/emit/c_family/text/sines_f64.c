/* The angle from which on the library is asked: below, the number of quarter turns is exact. */
#define RBD_RANGE 1e5
#define RBD_TWO_OVER_PI 0.63661977236758134
#define RBD_ROUND 6755399441055744.0
#define RBD_HALF_PI_1 (-1.5707963267341256)
#define RBD_HALF_PI_2 (-6.077100506303966e-11)
#define RBD_HALF_PI_3 (-2.0222662487959506e-21)
#define RBD_SIGN_SHIFT 62
/* The coefficients of fdlibm (Sun Microsystems, 1993). */
#define RBD_SIN_POLYNOMIAL(x, fma, k) \
    fma(fma(fma(fma(fma(k(1.58969099521155e-10), x, k(-2.5050760253406863e-8)), x, k(2.7557313707070068e-6)), x, \
    k(-1.984126982985795e-4)), x, k(8.33333333332249e-3)), x, k(-1.6666666666666632e-1))
#define RBD_COS_POLYNOMIAL(x, fma, k) \
    fma(fma(fma(fma(fma(k(-1.1359647557788195e-11), x, k(2.087572321298175e-9)), x, k(-2.7557314351390663e-7)), x, \
    k(2.480158728947673e-5)), x, k(-1.388888888887411e-3)), x, k(4.16666666666666e-2))
#ifndef RBD_SIN
#include <math.h>
#define RBD_SIN(x) sin(x)
#define RBD_COS(x) cos(x)
#endif
