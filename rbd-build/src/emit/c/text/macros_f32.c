#ifndef RBD_RESTRICT
#define RBD_RESTRICT restrict
#endif

/* For what is called in one of two versions only. */
#ifdef __GNUC__
#define RBD_PERHAPS_UNUSED __attribute__((unused))
#else
#define RBD_PERHAPS_UNUSED
#endif

/* a * b + c. Define it to choose; the compiler's own fused instruction is taken where there is one. */
#ifndef RBD_FMA
#if defined(__FP_FAST_FMAF) && defined(__GNUC__)
#define RBD_FMA(a, b, c) __builtin_fmaf((a), (b), (c))
#else
#define RBD_FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif

/* Whether registers of several numbers are used, by the vector extension of GCC and Clang. */
#ifndef RBD_VECTORS
#if defined(__GNUC__) && !defined(__TINYC__) && (defined(__SSE2__) || defined(__aarch64__))
#define RBD_VECTORS 1
#else
#define RBD_VECTORS 0
#endif
#endif

/* What is to be side by side is written so. What GCC finds besides is scattered, and slower. */
#if RBD_VECTORS && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#if RBD_VECTORS
typedef float ROBOT_v2 __attribute__((vector_size(8)));
typedef float ROBOT_v4 __attribute__((vector_size(16)));
typedef float ROBOT_u4 __attribute__((vector_size(16), aligned(4), __may_alias__));
typedef unsigned ROBOT_i4 __attribute__((vector_size(16)));
#define RBD_SPLAT2(x) ((ROBOT_v2){(x), (x)})
#define RBD_SPLAT4(x) ((ROBOT_v4){(x), (x), (x), (x)})
#if defined(__AVX2__) && defined(__FMA__) && !defined(__clang__) && !defined(RBD_NO_FUSED_VECTORS)
#define RBD_FMA2(a, b, c) ((a) * (b) + (c))
#define RBD_FMA4(a, b, c) __builtin_ia32_vfmaddps((a), (b), (c))
#else
#define RBD_FMA2(a, b, c) ((a) * (b) + (c))
#define RBD_FMA4(a, b, c) ((a) * (b) + (c))
#endif
#endif

/* What is made in a copy for each size that it is called with, where registers hold the sums. */
#if RBD_VECTORS
#define RBD_COPIED inline __attribute__((always_inline))
#else
#define RBD_COPIED
#endif
