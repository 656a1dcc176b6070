/* First derivatives of accelerations, and their Hessian under weights. */
function _weigh(q, v, tau, dt, lambda) {
    _first ??= aba_derivatives(q, v, tau);
    _second = aba_hessian_with_first(q, v, tau, lambda, _first, _second);
}
