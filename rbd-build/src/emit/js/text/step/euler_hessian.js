const _next = { q: new Float64Array(NQ), v: new Float64Array(NV) };
const [_by_q, _by_u, _by_v] = [0, 1, 2].map(() => new Float64Array(NV));

HESSIAN(q, v, tau, dt, lambda_q, lambda_v) {
    _next.v.set(v);
    /* Where joints turn, the weight of accelerations depends on the way, and so on accelerations. */
    if (SEMI && _turning.length > 0) {
        const ddq = _accelerations(q, v, tau, dt);
        for (let k = 0; k < NV; k++) _next.v[k] += dt * ddq[k];
    }
    _scaled(_along, _next.v, dt);
    _find_gradients(_along, lambda_q, _by_q, _by_u);
    for (let k = 0; k < NV; k++) _by_v[k] = lambda_v[k] + dt * _by_u[k];
    _weigh(q, v, tau, dt, SEMI ? _by_v : lambda_v);
    _moved(q, v, dt, _first.ddq, _next);
    for (let k = 0; k < NV; k++) {
        out.dq[k] = _by_q[k] + dt * _second.dq[k];
        out.dv[k] = _by_v[k] + dt * _second.dv[k];
        out.dtau[k] = dt * _second.dtau[k];
    }
    for (const block of ["dqdq", "dqdv", "dvdv", "dqdtau"]) _scaled(out[block], _second[block], dt);
    out.dvdtau.fill(0);
    out.dtaudtau.fill(0);
    if (_turning.length > 0) {
        const by = [_first.ddq_dq, _first.ddq_dv, _first.ddq_dtau];
        for (const m of by) _scaled(m, m, SEMI ? dt * dt : 0);
        _add_diagonal(by[1], dt);
        _add_curvature(_along, lambda_q, by, true, out);
    }
    out.value[0] = _weighted(_next.q, _next.v, lambda_q, lambda_v);
    return out;
}
