const _OF_ACTUATED_HESSIAN = { value: 1, dq: NV, dv: NV, du: NU };
const _BLOCKS_OF_CONTROLS = _BLOCKS.map(([block, x, y]) => [block, block.replaceAll("tau", "u"), x === 2, y === 2]);
for (const [, to, x, y] of _BLOCKS_OF_CONTROLS) _OF_ACTUATED_HESSIAN[to] = (x ? NU : NV) * (y ? NU : NV);
let _hessian_by_torques;

export function actuated_step_hessian(q, v, u, dt, lambda_q, lambda_v, out = _made(_OF_ACTUATED_HESSIAN)) {
    _check("actuated_step_hessian: u", u, NU);
    for (const field in _OF_ACTUATED_HESSIAN) _check(`actuated_step_hessian: ${field}`, out[field], _OF_ACTUATED_HESSIAN[field]);
    const of = (_hessian_by_torques = step_hessian(q, v, torques(u, _by_controls), dt, lambda_q, lambda_v, _hessian_by_torques));
    for (const field of ["value", "dq", "dv"]) out[field].set(of[field]);
    _controls.forEach((from, k) => (out.du[k] = of.dtau[from]));
    /* Rows and columns of the controls. */
    const all = Array.from({ length: NV }, (_, k) => k);
    for (const [block, to, x, y] of _BLOCKS_OF_CONTROLS) {
        const rows = x ? _controls : all, columns = y ? _controls : all;
        columns.forEach((column, c) => rows.forEach((row, r) => (out[to][rows.length * c + r] = of[block][NV * column + row])));
    }
    return out;
}
