/* The solution of G x = rhs in its place, by factors of G. */
RBD_FUNCTION
static void ROBOT_contact_solve(RBD_STRIDE stride, RBD_SPACE const REAL *factors, RBD_SPACE REAL *x)
{
    RBD_NOT_UNROLLED
    for (unsigned k = 0; k < ROWS; k++) {
        for (unsigned i = k + 1; i < ROWS; i++) {
            RBD_AT(x, i) = RBD_FMA(-RBD_AT(factors, k * ROWS + i), RBD_AT(x, k), RBD_AT(x, i));
        }
    }
    RBD_NOT_UNROLLED
    for (unsigned k = ROWS; k-- > 0;) {
        REAL sum = RBD_AT(x, k) * RBD_AT(factors, k * ROWS + k);
        for (unsigned i = k + 1; i < ROWS; i++) sum = RBD_FMA(-RBD_AT(factors, k * ROWS + i), RBD_AT(x, i), sum);
        RBD_AT(x, k) = sum;
    }
}
