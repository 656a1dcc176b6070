/* Results of steps, and their lengths. */
const _OF_STEP = { q: NQ, v: NV };
const _OF_DERIVATIVES = { ..._OF_STEP };
for (const name of ["dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"]) _OF_DERIVATIVES[name] = NV * NV;

function _made(lengths) {
    return Object.fromEntries(Object.entries(lengths).map(([name, n]) => [name, new Float64Array(n)]));
}

function _checked(name, q, v, tau, out, lengths) {
    _check(`${name}: q`, q, NQ);
    _check(`${name}: v`, v, NV);
    _check(`${name}: tau`, tau, NV);
    for (const field in lengths) _check(`${name}: ${field}`, out[field], lengths[field]);
}
