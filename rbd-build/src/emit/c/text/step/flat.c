
/* No joint has several coordinates: integrate(q, u) is a sum. */

/* Derivatives of u become those of integrate(q, u). */
static void ROBOT_joining_through(const REAL *u, REAL *by_q, REAL *by_v, REAL *by_tau)
{
    (void)u, (void)by_v, (void)by_tau;
    ROBOT_joining_ones(by_q);
}

/* J_q^T lambda and J_u^T lambda, J being the Jacobians of integrate(q, u) */
static void ROBOT_joining_gradients(const REAL *u, const REAL *lambda, REAL *by_q, REAL *by_u)
{
    int k;
    (void)u;
    for (k = 0; k < ROBOT_joining_nv; k++) by_q[k] = by_u[k] = lambda[k];
}

/* Adds what a weight of integrate(q, u) has of second order. */
static void ROBOT_joining_curvature(const REAL *u, const REAL *lambda, const REAL *const by[3], int is_fixed,
                                    ROBOT_step_hessian_t *out)
{
    (void)u, (void)lambda, (void)by, (void)is_fixed, (void)out;
}
