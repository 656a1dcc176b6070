
/* Accelerations under damping at the end of a step (docs/math.md#implicit-damping):
 * x = (M + dt D)^-1 (tau - b) = aba(q, v, tau - dt D x). The functions are those of forward dynamics, of x. */

/* Subtracts from the entries below each pivot what so many columns of L have of x. */
static void ROBOT_damped_forward(const REAL *lower, int columns, REAL *x)
{
    int i, k;
    for (k = 0; k < columns; k++) {
        for (i = k + 1; i < ROBOT_joining_nv; i++) x[i] = RBD_FMA(-x[k], lower[k * SIZE + i], x[i]);
    }
}

/* Factors 1 + dt M^-1 D into L, whose diagonal is 1, and U, in its place. The diagonal receives the reciprocals of U's. */
static void ROBOT_damped_factor(REAL *m)
{
    int i, k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        REAL *const column = m + k * SIZE;
        ROBOT_damped_forward(m, k, column);
        column[k] = 1 / column[k];
        for (i = k + 1; i < ROBOT_joining_nv; i++) column[i] *= column[k];
    }
}

static void ROBOT_damped_solve(const REAL *factors, REAL *x)
{
    int i, k;
    ROBOT_damped_forward(factors, ROBOT_joining_nv, x);
    for (k = ROBOT_joining_nv - 1; k >= 0; k--) {
        x[k] *= factors[k * SIZE + k];
        for (i = 0; i < k; i++) x[i] = RBD_FMA(-x[k], factors[k * SIZE + i], x[i]);
    }
}

/* Solves with the transposed factors. */
static void ROBOT_damped_solve_transposed(const REAL *factors, REAL *x)
{
    int i, k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        for (i = 0; i < k; i++) x[k] = RBD_FMA(-x[i], factors[k * SIZE + i], x[k]);
        x[k] *= factors[k * SIZE + k];
    }
    for (k = ROBOT_joining_nv - 1; k >= 0; k--) {
        for (i = k + 1; i < ROBOT_joining_nv; i++) x[k] = RBD_FMA(-x[i], factors[k * SIZE + i], x[k]);
    }
}

/* Accelerations become x, and derivatives of accelerations by torques the factors. `at` receives the torques where aba gives x. */
static void ROBOT_damped_solve_from(REAL dt, const REAL *tau, REAL *x, REAL *at, REAL *factors)
{
    int i, k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        for (i = 0; i < ROBOT_joining_nv; i++) factors[k * SIZE + i] *= dt * ROBOT_damped_damping[k];
        factors[k * SIZE + k] += 1;
    }
    ROBOT_damped_factor(factors);
    ROBOT_damped_solve(factors, x);
    for (k = 0; k < ROBOT_joining_nv; k++) at[k] = tau[k] - dt * ROBOT_damped_damping[k] * x[k];
}

/* Finds x, the torques `at` where aba gives it, and the factors. */
static void ROBOT_damped_find(REAL dt, const REAL *q, const REAL *v, const REAL *tau, REAL *x, REAL *at, REAL *factors)
{
    ROBOT_aba(q, v, tau, x);
    ROBOT_minv(q, factors);
    ROBOT_damped_solve_from(dt, tau, x, at, factors);
}

/* Derivatives of aba become those of x. */
static void ROBOT_damped_first(const REAL *x, const REAL *factors, ROBOT_aba_derivatives_t *out)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        out->ddq[k] = x[k];
        ROBOT_damped_solve(factors, out->ddq_dq + k * SIZE);
        ROBOT_damped_solve(factors, out->ddq_dv + k * SIZE);
        ROBOT_damped_solve(factors, out->ddq_dtau + k * SIZE);
    }
}

/* to += a b, where `to` and a have so many rows */
static void ROBOT_damped_add_product(REAL *to, const REAL *a, const REAL *b, int rows)
{
    int i, j, k;
    for (j = 0; j < ROBOT_joining_nv; j++) {
        for (k = 0; k < ROBOT_joining_nv; k++) {
            for (i = 0; i < rows; i++) to[j * rows + i] = RBD_FMA(a[k * rows + i], b[j * SIZE + k], to[j * rows + i]);
        }
    }
}
