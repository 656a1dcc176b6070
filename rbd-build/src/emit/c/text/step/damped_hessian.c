
static void ROBOT_damped_SOURCE_aba_hessian_with_first(REAL dt,
    TAKES const REAL *q, const REAL *v, const REAL *tau, const REAL *lambda, ROBOT_aba_derivatives_t *first,
    ROBOT_aba_hessian_t *out)
{
    REAL x[SIZE], at[SIZE], weight[SIZE], factors[SIZE * SIZE], through[SIZE * SIZE], product[SIZE * SIZE] = {0};
    int i, k;
    ROBOT_damped_SOURCE_find(dt, PASSES q, v, tau, x, at, factors);
    for (k = 0; k < ROBOT_joining_nv; k++) weight[k] = lambda[k];
    ROBOT_damped_solve_transposed(factors, weight);
    DYNAMICS_aba_hessian_with_first(q, v, at, weight, first, out);
    ROBOT_damped_first(x, factors, first);
    /* The torques of aba move by -dt D dx, and its Hessian has dqdtau along them. */
    for (k = 0; k < ROBOT_joining_nv; k++) {
        for (i = 0; i < ROBOT_joining_nv; i++) {
            through[k * SIZE + i] = out->dqdtau[k * SIZE + i] * (-dt * ROBOT_damped_damping[k]);
        }
    }
    ROBOT_damped_add_product(product, through, first->ddq_dq, ROBOT_joining_nv);
    ROBOT_damped_add_product(out->dqdv, through, first->ddq_dv, ROBOT_joining_nv);
    ROBOT_damped_add_product(out->dqdtau, through, first->ddq_dtau, ROBOT_joining_nv);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        for (i = 0; i < ROBOT_joining_nv; i++) out->dqdq[k * SIZE + i] += product[k * SIZE + i] + product[i * SIZE + k];
    }
}
