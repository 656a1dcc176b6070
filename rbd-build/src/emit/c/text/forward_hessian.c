
/* Weights of torques that stand for those of accelerations: mu = -M^-1 lambda. */
RBD_PERHAPS_UNUSED
static void ROBOT_weights_of_torques(const REAL *RBD_RESTRICT inverse, const REAL *RBD_RESTRICT lambda, REAL *RBD_RESTRICT mu)
{
    int i, k;
    for (i = 0; i < SIZE; i++) mu[i] = 0;
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i < SIZE; i++) mu[i] = RBD_FMA(-inverse[k * SIZE + i], lambda[k], mu[i]);
    }
}

/* Value, gradient and Hessian of lambda . ddq from first derivatives of ddq and from those of mu . tau at these
 * accelerations: with D the derivative of ddq and Z that of the gradient by a, dqdq + Z D + (Z D)^T by q. The table is that of
 * products of Z with full matrices. */
static void ROBOT_aba_hessian_of_parts(const ROBOT_aba_derivatives_t *first, const ROBOT_rnea_hessian_t *of,
                                       const REAL *RBD_RESTRICT lambda, const REAL *RBD_RESTRICT mu,
                                       const unsigned short *terms, int groups, ROBOT_aba_hessian_t *RBD_RESTRICT out)
{
    int i, k;
    out->value[0] = 0;
    for (k = 0; k < SIZE; k++) {
        out->value[0] = RBD_FMA(lambda[k], first->ddq[k], out->value[0]);
        out->dq[k] = of->dq[k];
        out->dv[k] = of->dv[k];
        out->dtau[k] = -mu[k];
    }
    for (k = 0; k < SIZE * SIZE; k++) {
        out->dqdq[k] = -first->ddq_dq[k];
        out->dqdv[k] = -first->ddq_dv[k];
        out->dqdtau[k] = -first->ddq_dtau[k];
    }
    ROBOT_negative_product(of->dqda, out->dqdq, terms, groups);
    ROBOT_negative_product(of->dqda, out->dqdv, terms, groups);
    ROBOT_negative_product(of->dqda, out->dqdtau, terms, groups);
    for (k = 0; k < SIZE * SIZE; k++) {
        out->dqdv[k] += of->dqdv[k];
        out->dvdv[k] = of->dvdv[k];
    }
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i <= k; i++) {
            const REAL both = out->dqdq[k * SIZE + i] + out->dqdq[i * SIZE + k];
            out->dqdq[k * SIZE + i] = of->dqdq[k * SIZE + i] + both;
            if (i < k) out->dqdq[i * SIZE + k] = of->dqdq[i * SIZE + k] + both;
        }
    }
}
