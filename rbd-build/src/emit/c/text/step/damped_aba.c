
static void ROBOT_damped_SOURCE_aba(REAL dt,
    TAKES const REAL *q, const REAL *v, const REAL *tau, REAL *ddq)
{
    REAL at[SIZE], factors[SIZE * SIZE];
    ROBOT_damped_SOURCE_find(dt, PASSES q, v, tau, ddq, at, factors);
}
