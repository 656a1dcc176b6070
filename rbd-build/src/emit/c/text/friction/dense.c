
/* Linear systems of a size known at run time. */

/* Solves A X = B in place, by elimination with row pivots: `ab` has the n rows of [A B], of `width` numbers each; B
 * becomes X. An unknown whose pivot is lost in rounding is zero. Gives 1 if there is none. Source: Golub and Van Loan,
 * Matrix Computations, 4th edition, section 3.4. */
static int ROBOT_cones_eliminate(REAL *ab, int n, int width)
{
    const REAL least = ROBOT_cones_epsilon * ROBOT_cones_epsilon;
    int i, k, row, is_regular = 1;
    for (k = 0; k < n; k++) {
        REAL *const of_pivot = ab + k * width;
        REAL largest = ROBOT_cones_abs(of_pivot[k]), reciprocal;
        int pivot = k;
        for (row = k + 1; row < n; row++) {
            const REAL x = ROBOT_cones_abs(ab[row * width + k]);
            if (x > largest) pivot = row, largest = x;
        }
        for (i = 0; i < width && pivot != k; i++) {
            const REAL x = of_pivot[i];
            of_pivot[i] = ab[pivot * width + i];
            ab[pivot * width + i] = x;
        }
        if (!(largest > least && ROBOT_cones_is_finite(largest))) {
            is_regular = 0;
            continue;
        }
        reciprocal = 1 / of_pivot[k];
        for (row = k + 1; row < n; row++) {
            REAL *const to = ab + row * width;
            const REAL factor = -(to[k] * reciprocal);
            for (i = k; i < width && factor != 0; i++) to[i] = RBD_FMA(of_pivot[i], factor, to[i]);
        }
    }
    for (k = n - 1; k >= 0; k--) {
        const REAL pivot = ab[k * width + k];
        const int is_there = ROBOT_cones_abs(pivot) > least && ROBOT_cones_is_finite(pivot);
        REAL *const x = ab + k * width;
        for (i = n; i < width; i++) x[i] *= is_there ? 1 / pivot : 0;
        for (row = 0; row < k; row++) {
            REAL *const to = ab + row * width;
            for (i = n; i < width; i++) to[i] = RBD_FMA(x[i], -to[k], to[i]);
        }
    }
    return is_regular;
}

/* L D L^T of a positive definite matrix in place: L below the diagonal, the reciprocals of D on it. */
static void ROBOT_cones_factor(REAL *a, int n)
{
    int i, j, k;
    for (j = 0; j < n; j++) {
        REAL *const column = a + j * n;
        const REAL reciprocal = column[j] > 0 ? 1 / column[j] : 0;
        for (k = j + 1; k < n; k++) {
            const REAL factor = -(column[k] * reciprocal);
            for (i = k; i < n; i++) a[k * n + i] = RBD_FMA(column[i], factor, a[k * n + i]);
        }
        for (i = j + 1; i < n; i++) column[i] *= reciprocal;
        column[j] = reciprocal;
    }
}

/* Solves in place by these factors. */
static void ROBOT_cones_solve_factored(const REAL *factors, REAL *x, int n)
{
    int i, j;
    for (j = 0; j < n; j++) {
        for (i = j + 1; i < n; i++) x[i] = RBD_FMA(factors[j * n + i], -x[j], x[i]);
    }
    for (j = n - 1; j >= 0; j--) {
        x[j] = x[j] * factors[j * n + j] - ROBOT_cones_dot(factors + j * n + j + 1, x + j + 1, n - j - 1);
    }
}
