/* to += a b, of NV x NV matrices */
function _add_product(to, a, b) {
    for (let c = 0; c < NV; c++) {
        for (let k = 0; k < NV; k++) {
            const s = b[NV * c + k];
            if (s !== 0) for (let r = 0; r < NV; r++) to[NV * c + r] += a[NV * k + r] * s;
        }
    }
}
