/* The next state under these accelerations. */
function _moved(q, v, dt, ddq, out) {
    for (let k = 0; k < NV; k++) {
        const next = v[k] + dt * ddq[k];
        _along[k] = dt * (SEMI ? next : v[k]);
        out.v[k] = next;
    }
    integrate(q, _along, out.q);
    return out;
}

STEP(q, v, tau, dt) {
    return _moved(q, v, dt, _accelerations(q, v, tau, dt), out);
}

DERIVATIVES(q, v, tau, dt) {
    const first = _derivatives(q, v, tau, dt);
    _moved(q, v, dt, first.ddq, out);
    _scaled(out.dv_dq, first.ddq_dq, dt);
    _scaled(out.dv_dv, first.ddq_dv, dt);
    _scaled(out.dv_dtau, first.ddq_dtau, dt);
    _add_diagonal(out.dv_dv, 1);
    if (SEMI) {
        _scaled(out.dq_dq, out.dv_dq, dt);
        _scaled(out.dq_dv, out.dv_dv, dt);
        _scaled(out.dq_dtau, out.dv_dtau, dt);
    } else {
        [out.dq_dq, out.dq_dv, out.dq_dtau].forEach((m) => m.fill(0));
        _add_diagonal(out.dq_dv, dt);
    }
    _through(_along, out.dq_dq, out.dq_dv, out.dq_dtau);
    return out;
}
