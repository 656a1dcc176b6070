/* The length of two, for joint friction. */
#ifndef RBD_HYPOT
#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__) && !defined(__HIPCC__) && !defined(__HIPCC_RTC__) && \
    !defined(__OPENCL_VERSION__)
#include <math.h>
#endif
#define RBD_HYPOT(a, b) sqrt((a) * (a) + (b) * (b))
#endif

