/* The length of two, for joint friction. */
#ifndef RBD_HYPOT
#include <math.h>
#define RBD_HYPOT(a, b) sqrtLIBM((a) * (a) + (b) * (b))
#endif

