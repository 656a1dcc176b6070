/* Solves with the transposed factors, in place. */
function _solve_transposed(x) {
    for (let k = 0; k < NV; k++) {
        for (let i = 0; i < k; i++) x[k] -= x[i] * _factors[NV * k + i];
        x[k] *= _factors[(NV + 1) * k];
    }
    for (let k = NV - 1; k >= 0; k--) {
        for (let i = k + 1; i < NV; i++) x[k] -= x[i] * _factors[NV * k + i];
    }
}

const _weight = new Float64Array(NV), _way = new Float64Array(NV * NV), _product = new Float64Array(NV * NV);

/* First derivatives of accelerations x, and their Hessian under weights. */
function _weigh(q, v, tau, dt, lambda) {
    _find(q, v, tau, dt);
    _weight.set(lambda);
    _solve_transposed(_weight);
    _first ??= aba_derivatives(q, v, _torques);
    _second = aba_hessian_with_first(q, v, _torques, _weight, _first, _second);
    _become_damped();
    /* The torques of aba move by -dt D dx, and its Hessian has dqdtau along them. */
    for (let k = 0; k < NV; k++) {
        for (let i = 0; i < NV; i++) _way[NV * k + i] = _second.dqdtau[NV * k + i] * (-dt * _damping[k]);
    }
    _product.fill(0);
    _add_product(_product, _way, _first.ddq_dq);
    _add_product(_second.dqdv, _way, _first.ddq_dv);
    _add_product(_second.dqdtau, _way, _first.ddq_dtau);
    for (let c = 0; c < NV; c++) {
        for (let r = 0; r < NV; r++) _second.dqdq[NV * c + r] += _product[NV * c + r] + _product[NV * r + c];
    }
}
