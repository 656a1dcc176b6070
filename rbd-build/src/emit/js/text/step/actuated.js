/* Steps under controls: torques of these coordinates. */
const _controls = [CONTROLS];
const _by_controls = new Float64Array(NV);
let _by_torques;
const _OF_ACTUATED = { ..._OF_DERIVATIVES };
for (const row of ["dq", "dv"]) {
    delete _OF_ACTUATED[`${row}_dtau`];
    _OF_ACTUATED[`${row}_du`] = NV * _controls.length;
}

export const NU = _controls.length;

export function torques(u, tau = new Float64Array(NV)) {
    _check("torques: u", u, NU);
    _check("torques: tau", tau, NV);
    tau.fill(0);
    _controls.forEach((to, k) => (tau[to] = u[k]));
    return tau;
}

export function actuated_step(q, v, u, dt, out) {
    _check("actuated_step: u", u, NU);
    return step(q, v, torques(u, _by_controls), dt, out);
}

export function actuated_step_derivatives(q, v, u, dt, out = _made(_OF_ACTUATED)) {
    _check("actuated_step_derivatives: u", u, NU);
    for (const field in _OF_ACTUATED) _check(`actuated_step_derivatives: ${field}`, out[field], _OF_ACTUATED[field]);
    _by_torques = step_derivatives(q, v, torques(u, _by_controls), dt, _by_torques);
    for (const field in _OF_ACTUATED) {
        if (!field.endsWith("_du")) out[field].set(_by_torques[field]);
    }
    for (const row of ["dq", "dv"]) {
        _controls.forEach((from, k) => {
            out[`${row}_du`].set(_by_torques[`${row}_dtau`].subarray(NV * from, NV * (from + 1)), NV * k);
        });
    }
    return out;
}
