/* What differs between languages. Each of these may be defined before. */
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__) || defined(__HIPCC_RTC__)
/* Threads of a block at the most: so many registers are left for each. */
#ifndef RBD_BLOCK
#define RBD_BLOCK 128
#endif
#ifndef RBD_KERNEL
#define RBD_KERNEL extern "C" __global__ void __launch_bounds__(RBD_BLOCK)
#endif
#define RBD_PERHAPS_UNUSED __device__ __forceinline__
#define RBD_GLOBAL
#define RBD_SPACE
#define RBD_RESTRICT __restrict__
#define RBD_EACH_STATE(i, n) const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < (n))
#define RBD_EACH_STATE_OF_PARTS(i, n, part, parts) \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, part = blockIdx.y; \
    if (i < (n) && part < (parts))
/* Blocks run in their order: here all parts of some states together, whose arguments are then in the cache. */
#define RBD_EACH_PART_OF_STATES(i, n, part, parts) \
    const unsigned block = blockIdx.y * gridDim.x + blockIdx.x, part = block % gridDim.y; \
    const unsigned i = block / gridDim.y * blockDim.x + threadIdx.x; \
    if (i < (n) && part < (parts))
#define RBD_NOT_UNROLLED _Pragma("unroll 1")
#define RBD_UNROLLED _Pragma("unroll 18")
#define RBD_WHOLLY_UNROLLED _Pragma("unroll")
#ifndef RBD_FMA
#define RBD_FMA(a, b, c) fma((a), (b), (c))
#endif
#ifndef RBD_SIN
#define RBD_SIN(x) sin(x)
#define RBD_COS(x) cos(x)
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38f
#endif
#elif defined(__OPENCL_VERSION__)
FP64#ifndef RBD_KERNEL
#define RBD_KERNEL __kernel void
#endif
#define RBD_PERHAPS_UNUSED
#define RBD_GLOBAL __global
/* What device functions point to. With OpenCL 2.0 or later it may be defined as nothing, which is any memory. */
#ifndef RBD_SPACE
#define RBD_SPACE __global
#endif
#define RBD_RESTRICT restrict
#define RBD_EACH_STATE(i, n) const unsigned i = (unsigned)get_global_id(0); if (i < (n))
#define RBD_EACH_STATE_OF_PARTS(i, n, part, parts) \
    const unsigned i = (unsigned)get_global_id(0), part = (unsigned)get_global_id(1); \
    if (i < (n) && part < (parts))
#define RBD_EACH_PART_OF_STATES(i, n, part, parts) RBD_EACH_STATE_OF_PARTS(i, n, part, parts)
#define RBD_NOT_UNROLLED
#define RBD_UNROLLED
#define RBD_WHOLLY_UNROLLED
#ifndef RBD_FMA
#define RBD_FMA(a, b, c) fma((a), (b), (c))
#endif
#ifndef RBD_SIN
#define RBD_SIN(x) sin(x)
#define RBD_COS(x) cos(x)
#endif
#else
#include <float.h>
#include <stddef.h>
#ifdef __GNUC__
#define RBD_PERHAPS_UNUSED __attribute__((unused))
#else
#define RBD_PERHAPS_UNUSED
#endif
#ifndef RBD_KERNEL
#define RBD_KERNEL RBD_PERHAPS_UNUSED static void
#endif
#define RBD_GLOBAL
#define RBD_SPACE
#ifdef __cplusplus
#define RBD_RESTRICT __restrict
#else
#define RBD_RESTRICT restrict
#endif
#define RBD_EACH_STATE(i, n) for (unsigned i = 0; i < (n); i++)
#define RBD_EACH_STATE_OF_PARTS(i, n, part, parts) \
    for (unsigned i = 0; i < (n); i++) for (unsigned part = 0; part < (parts); part++)
#define RBD_EACH_PART_OF_STATES(i, n, part, parts) RBD_EACH_STATE_OF_PARTS(i, n, part, parts)
#define RBD_NOT_UNROLLED
#define RBD_UNROLLED
#define RBD_WHOLLY_UNROLLED
#ifndef RBD_FMA
#define RBD_FMA(a, b, c) ((a) * (b) + (c))
#endif
#ifndef RBD_SIN
#define RBD_SIN_IS_OWN
#include <math.h>
#define RBD_SIN(x) sinLIBM(x)
#define RBD_COS(x) cosLIBM(x)
#endif
#endif
/* In CUDA device functions are templates over the type of the stride: a number, as for arrays of a thread's own, or a kernel's. */
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && !defined(__HIPCC__) && !defined(__HIPCC_RTC__)
#define RBD_FUNCTION template <class ROBOT_stride> __device__ __forceinline__
#define RBD_STRIDE ROBOT_stride
/* A kernel's stride is the number of states. The address of an entry is computed where it is used, by an instruction that the
 * compiler does not see through: else it makes addresses of one another, and keeps them in registers that numbers need. */
struct ROBOT_states { unsigned n; };
#define RBD_STATES(n) ROBOT_states{n}
template <class T> __device__ __forceinline__ T &ROBOT_at(T *x, unsigned k, ROBOT_states stride)
{
    size_t bytes;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(bytes) : "r"(stride.n), "r"((unsigned)(k * sizeof(T))));
    return *(T *)((const char *)x + bytes);
}
template <class T> __device__ __forceinline__ T &ROBOT_at(T *x, unsigned k, unsigned stride) { return x[(size_t)k * stride]; }
#define RBD_AT(x, k) ROBOT_at((x), (k), stride)
#else
#define RBD_FUNCTION RBD_PERHAPS_UNUSED
#define RBD_STRIDE unsigned
#define RBD_STATES(n) n
#define RBD_AT(x, k) (x)[(size_t)(k) * stride]
#endif

