
/* The terms of second order of integrate(q, dt v), under a fixed weight. */
static void ROBOT_joining_along_velocity(const REAL *u, const REAL *lambda, REAL dt, ROBOT_step_hessian_t *out)
{
    (void)u, (void)lambda, (void)dt, (void)out;
}
