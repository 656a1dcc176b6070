const _ddq = new Float64Array(NV);
let _first;

function _accelerations(q, v, tau) {
    return aba(q, v, tau, _ddq);
}

function _derivatives(q, v, tau) {
    return (_first = aba_derivatives(q, v, tau, _first));
}
