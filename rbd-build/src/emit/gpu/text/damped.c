/* Accelerations under damping at the end of a step: x = (M + dt D)^-1 (tau - b) = aba(q, v, tau - dt D x). */

/* Subtracts from the entries below each pivot what so many columns of L have of x. */
RBD_FUNCTION
static void ROBOT_damped_forward(RBD_STRIDE stride, RBD_SPACE const REAL *lower, unsigned columns, RBD_SPACE REAL *x)
{
    RBD_NOT_UNROLLED
    for (unsigned k = 0; k < columns; k++) {
        for (unsigned i = k + 1; i < SIZE; i++) {
            RBD_AT(x, i) = RBD_FMA(-RBD_AT(x, k), RBD_AT(lower, k * SIZE + i), RBD_AT(x, i));
        }
    }
}

/* Solves with the factors, in place. */
RBD_FUNCTION
static void ROBOT_damped_solve(RBD_STRIDE stride, RBD_SPACE const REAL *factors, RBD_SPACE REAL *x)
{
    ROBOT_damped_forward(stride, factors, SIZE, x);
    RBD_NOT_UNROLLED
    for (unsigned k = SIZE; k-- > 0;) {
        const REAL last = RBD_AT(x, k) * RBD_AT(factors, k * SIZE + k);
        RBD_AT(x, k) = last;
        for (unsigned i = 0; i < k; i++) RBD_AT(x, i) = RBD_FMA(-last, RBD_AT(factors, k * SIZE + i), RBD_AT(x, i));
    }
}

