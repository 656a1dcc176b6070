
/* The rate of u under the velocity v at integrate(q, u). */
static void ROBOT_joining_rate(const REAL *u, const REAL *v, REAL *out)
{
    int k;
    (void)u;
    for (k = 0; k < ROBOT_joining_nv; k++) out[k] = v[k];
}

/* Its derivatives, from those of u and v. */
static void ROBOT_joining_rate_moved(const REAL *u, const REAL *v, const REAL *by_u, const REAL *by_v, REAL *out)
{
    int k;
    (void)u, (void)v, (void)by_u;
    for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) out[k] = by_v[k];
}

/* Gradients of the weighted rate by u and v; adds its Hessian. */
static void ROBOT_joining_rate_back(const REAL *weight, const ROBOT_joining_stage *stage, REAL *to_u, REAL *to_v,
                                    ROBOT_step_hessian_t *out)
{
    int k;
    (void)stage, (void)out;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        to_u[k] = 0;
        to_v[k] = weight[k];
    }
}
