/* Weights of torques that stand for those of accelerations: mu = -M^-1 lambda. */
function _weights_of_torques(inverse, lambda, mu) {
    mu.fill(0);
    for (let k = 0; k < NV; k++) {
        for (let i = 0; i < NV; i++) mu[i] -= inverse[NV * k + i] * lambda[k];
    }
}

/* Value, gradient and Hessian of lambda . ddq from first derivatives of ddq and from those of mu . tau at these
 * accelerations: with D the derivative of ddq and Z that of the gradient by a, dqdq + Z D + (Z D)^T by q. */
function _hessian_of_parts(first, of, lambda, mu, out) {
    const { dqdq, dqdv, dqdtau } = out;
    out.value[0] = 0;
    for (let k = 0; k < NV; k++) {
        out.value[0] += lambda[k] * first.ddq[k];
        out.dtau[k] = -mu[k];
    }
    out.dq.set(of.dq);
    out.dv.set(of.dv);
    out.dvdv.set(of.dvdv);
    for (let k = 0; k < NV * NV; k++) {
        dqdq[k] = -first.ddq_dq[k];
        dqdv[k] = -first.ddq_dv[k];
        dqdtau[k] = -first.ddq_dtau[k];
    }
    for (const to of [dqdq, dqdv, dqdtau]) _negative_product(NV, of.dqda, to, _hessian_terms);
    for (let k = 0; k < NV * NV; k++) dqdv[k] += of.dqdv[k];
    for (let k = 0; k < NV; k++) {
        for (let i = 0; i <= k; i++) {
            const both = dqdq[NV * k + i] + dqdq[NV * i + k];
            dqdq[NV * k + i] = of.dqdq[NV * k + i] + both;
            if (i < k) dqdq[NV * i + k] = of.dqdq[NV * i + k] + both;
        }
    }
    return out;
}
