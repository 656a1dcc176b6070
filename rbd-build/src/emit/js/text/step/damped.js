const _ddq = new Float64Array(NV), _torques = new Float64Array(NV), _factors = new Float64Array(NV * NV);
let _first;

/* Subtracts from the entries below each pivot, from an entry on, what so many columns of L have of x. */
function _forward(columns, x, at) {
    for (let k = 0; k < columns; k++) {
        for (let i = k + 1; i < NV; i++) x[at + i] -= x[at + k] * _factors[NV * k + i];
    }
}

/* Solves with the factors L and U of 1 + dt M^-1 D, in place. */
function _solve(x, at = 0) {
    _forward(NV, x, at);
    for (let k = NV - 1; k >= 0; k--) {
        x[at + k] *= _factors[(NV + 1) * k];
        for (let i = 0; i < k; i++) x[at + i] -= x[at + k] * _factors[NV * k + i];
    }
}

/* x = (M + dt D)^-1 (tau - b) = aba(q, v, tau - dt D x), D being joint damping. No pivots are searched: 1 + dt M^-1 D has
 * those of a positive definite matrix. */
function _accelerations(q, v, tau, dt) {
    aba(q, v, tau, _ddq);
    minv(q, _factors);
    for (let k = 0; k < NV; k++) {
        for (let i = 0; i < NV; i++) _factors[NV * k + i] *= dt * _damping[k];
        _factors[(NV + 1) * k] += 1;
    }
    for (let k = 0; k < NV; k++) {
        _forward(k, _factors, NV * k);
        const pivot = (_factors[(NV + 1) * k] = 1 / _factors[(NV + 1) * k]);
        for (let i = k + 1; i < NV; i++) _factors[NV * k + i] *= pivot;
    }
    _solve(_ddq);
    return _ddq;
}

/* Finds x, and the torques where aba gives it. */
function _find(q, v, tau, dt) {
    _accelerations(q, v, tau, dt);
    for (let k = 0; k < NV; k++) _torques[k] = tau[k] - dt * _damping[k] * _ddq[k];
}

/* Derivatives of aba become those of x. */
function _become_damped() {
    _first.ddq.set(_ddq);
    for (const m of [_first.ddq_dq, _first.ddq_dv, _first.ddq_dtau]) {
        for (let c = 0; c < NV; c++) _solve(m, NV * c);
    }
}

function _derivatives(q, v, tau, dt) {
    _find(q, v, tau, dt);
    _first = aba_derivatives(q, v, _torques, _first);
    _become_damped();
    return _first;
}
