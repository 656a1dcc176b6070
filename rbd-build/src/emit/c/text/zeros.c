/* Checks that a result has the zeros which a function leaves alone. NDEBUG leaves the checks out, and so does an
 * environment without a library. Define RBD_ASSERT to choose your own. */
#ifndef RBD_ASSERT
#if defined(NDEBUG) || __STDC_HOSTED__ == 0
#define RBD_ASSERT(x) ((void)0)
#else
#include <assert.h>
#define RBD_ASSERT(x) assert(x)
#endif
#endif

/* Whether a matrix is zero in these runs of entries: the first, and one past the last. */
RBD_PERHAPS_UNUSED
static int ROBOT_zeros_are_in(const REAL *x, const int *runs, int count)
{
    int i, k;
    for (i = 0; i < count; i++) {
        for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
            if (!(x[k] == 0)) return 0;
        }
    }
    return 1;
}

