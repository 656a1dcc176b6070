/* Results of the weighted Hessian of a step, their lengths, and its blocks by two of the variables q, v and tau: 0, 1, 2. */
const _BLOCKS = [["dqdq", 0, 0], ["dqdv", 0, 1], ["dqdtau", 0, 2], ["dvdv", 1, 1], ["dvdtau", 1, 2], ["dtaudtau", 2, 2]];
const _OF_HESSIAN = { value: 1, dq: NV, dv: NV, dtau: NV };
for (const [block] of _BLOCKS) _OF_HESSIAN[block] = NV * NV;
let _second;

/* lambda_q . q of joints of one coordinate, and lambda_v . v */
function _weighted(q, v, lambda_q, lambda_v) {
    let sum = 0;
    for (const { mimic, nv, idx_q, idx_v } of JOINTS) if (mimic === null && nv === 1) sum += q[idx_q] * lambda_q[idx_v];
    for (let k = 0; k < NV; k++) sum += v[k] * lambda_v[k];
    return sum;
}
