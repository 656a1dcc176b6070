
/* Contacts with friction: the same text for every robot. Each contact that touches has three rows: two tangents, then
 * the normal. The solver's units are such that blocks of the matrix's diagonal have trace 3, and the largest velocity
 * is 1. Equations, methods and their sources: docs/math.md#contacts-with-friction. */
#ifndef RBD_SQRT
#include <math.h>
#define RBD_SQRT(x) sqrtLIBM(x)
#endif

/* The numbers of the modes. */
enum { ROBOT_cones_open, ROBOT_cones_stick, ROBOT_cones_slide };

/* From one to the next larger number, and the largest number. */
static const REAL ROBOT_cones_epsilon = (REAL)(sizeof(REAL) < 8 ? (double)FLT_EPSILON : DBL_EPSILON);
static const REAL ROBOT_cones_largest = (REAL)(sizeof(REAL) < 8 ? (double)FLT_MAX : DBL_MAX);

/* The larger number. NaN if the second is NaN; a NaN before is forgotten only by a larger one. */
static REAL ROBOT_cones_max(REAL a, REAL b)
{
    return a >= b ? a : b;
}

static REAL ROBOT_cones_abs(REAL x)
{
    return x < 0 ? -x : x;
}

/* Neither infinite nor NaN. */
static int ROBOT_cones_is_finite(REAL x)
{
    return x * 0 == 0;
}

/* The smaller number; NaN if one is NaN. */
static REAL ROBOT_cones_nearer(REAL a, REAL b)
{
    return a <= b ? a : b < a ? b : a + b;
}

/* The difference of a limit and another number: no limit stays none. */
static REAL ROBOT_cones_less(REAL a, REAL b)
{
    return a >= ROBOT_cones_largest || b <= -ROBOT_cones_largest ? ROBOT_cones_largest : a - b;
}

/* The larger one; what is not finite is the worst. */
static REAL ROBOT_cones_worse(REAL a, REAL b)
{
    return !ROBOT_cones_is_finite(a) || a >= b ? a : b;
}

/* The length of a tangential vector, scaled, so that squares of small numbers do not vanish. */
static REAL ROBOT_cones_norm(REAL x, REAL y)
{
    const REAL largest = ROBOT_cones_max(ROBOT_cones_abs(x), ROBOT_cones_abs(y));
    if (!(largest > 0 && ROBOT_cones_is_finite(largest))) return largest;
    x /= largest, y /= largest;
    return largest * RBD_SQRT(RBD_FMA(x, x, y * y));
}

/* Four sums, so that products do not wait for one another. */
static REAL ROBOT_cones_dot(const REAL *a, const REAL *b, int n)
{
    REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0, rest = 0;
    int k;
    for (k = 0; k + 4 <= n; k += 4) {
        s0 = RBD_FMA(a[k], b[k], s0);
        s1 = RBD_FMA(a[k + 1], b[k + 1], s1);
        s2 = RBD_FMA(a[k + 2], b[k + 2], s2);
        s3 = RBD_FMA(a[k + 3], b[k + 3], s3);
    }
    for (; k < n; k++) rest = RBD_FMA(a[k], b[k], rest);
    return ((s0 + s1) + (s2 + s3)) + rest;
}

/* De Saxce's correction: mu |c_t| is added to the normal's velocity. */
static void ROBOT_cones_correct(REAL *c, REAL mu)
{
    c[2] = RBD_FMA(mu, ROBOT_cones_norm(c[0], c[1]), c[2]);
}

/* Goes to the nearest point of the friction cone |f_t| <= mu f_n. */
static void ROBOT_cones_project(REAL *f, REAL mu)
{
    const REAL across = ROBOT_cones_norm(f[0], f[1]);
    REAL up, share;
    /* The polar first: without friction, the normal's line below the tip is within both conditions. */
    if (mu * across <= -f[2]) {
        f[0] = f[1] = f[2] = 0;
        return;
    }
    if (across <= mu * f[2]) return;
    /* Here `across` is not zero, since the point is neither in the cone nor in its polar. */
    up = RBD_FMA(mu, across, f[2]) / RBD_FMA(mu, mu, 1);
    share = mu * up / across;
    f[0] *= share, f[1] *= share, f[2] = up;
}

/* The mode of a contact, by where a fixed-point step from impulse f and velocity c leads. */
static int ROBOT_cones_mode(const REAL *f, const REAL *c, REAL mu)
{
    const REAL z = f[2] - c[2];
    /* Of NaN too. */
    if (!(z > 0)) return ROBOT_cones_open;
    return ROBOT_cones_norm(f[0] - c[0], f[1] - c[1]) < mu * z ? ROBOT_cones_stick : ROBOT_cones_slide;
}
