
static void ROBOT_damped_aba_derivatives(REAL dt, const REAL *q, const REAL *v, const REAL *tau,
                                         ROBOT_aba_derivatives_t *out)
{
    REAL x[SIZE], at[SIZE], factors[SIZE * SIZE];
    ROBOT_damped_find(dt, q, v, tau, x, at, factors);
    ROBOT_aba_derivatives(q, v, at, out);
    ROBOT_damped_first(x, factors, out);
}
