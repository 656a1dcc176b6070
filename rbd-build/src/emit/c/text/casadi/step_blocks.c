
/* The Hessian is of tangent vectors at q+, on which its coordinates do not depend linearly. */
static void ROBOT_casadi_add_bends(ROBOT_step_hessian_t *h, const ROBOT_step_derivatives_t *d, const double *seed)
{
    ROBOT_casadi_add_bent(h->dqdq, d->dq_dq, d->dq_dq, d->q, seed);
    ROBOT_casadi_add_bent(h->dqdv, d->dq_dq, d->dq_dv, d->q, seed);
    ROBOT_casadi_add_bent(h->dvdv, d->dq_dv, d->dq_dv, d->q, seed);
    ROBOT_casadi_add_bent(h->dqdtau, d->dq_dq, d->dq_dtau, d->q, seed);
    ROBOT_casadi_add_bent(h->dvdtau, d->dq_dv, d->dq_dtau, d->q, seed);
    ROBOT_casadi_add_bent(h->dtaudtau, d->dq_dtau, d->dq_dtau, d->q, seed);
}

/* Blocks of second derivatives by the state twice, by state and torques, by torques and state, and by torques twice. */
static void ROBOT_casadi_put_blocks(const ROBOT_step_hessian_t *h, const double *x, double *xx, double *xu, double *ux, double *uu)
{
    enum { n = ROBOT_casadi_nv, m = ROBOT_casadi_nq, all = ROBOT_casadi_nq + ROBOT_casadi_nv };
    double block[m * m];
    if (xx) {
        ROBOT_casadi_block(block, h->dqdq, 0, x, x);
        ROBOT_casadi_add_turning(block, h->dq, x);
        ROBOT_casadi_put(xx, all, block, m, m, 0);
        ROBOT_casadi_block(block, h->dqdv, 0, x, 0);
        ROBOT_casadi_put(xx + all * m, all, block, m, n, 0);
        ROBOT_casadi_put(xx + m, all, block, m, n, 1);
        ROBOT_casadi_put(xx + all * m + m, all, h->dvdv, n, n, 0);
    }
    ROBOT_casadi_block(block, h->dqdtau, 0, x, 0);
    ROBOT_casadi_put(xu, all, block, m, n, 0);
    ROBOT_casadi_put(xu ? xu + m : 0, all, h->dvdtau, n, n, 0);
    ROBOT_casadi_put(ux, n, block, m, n, 1);
    ROBOT_casadi_put(ux ? ux + n * m : 0, n, h->dvdtau, n, n, 1);
    ROBOT_casadi_put(uu, n, h->dtaudtau, n, n, 0);
}
