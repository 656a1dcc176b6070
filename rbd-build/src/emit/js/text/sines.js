/* Sines and cosines of the first n angles: less a whole number of quarter turns (pi / 2 in three parts, after Cody and
 * Waite), by polynomials with the coefficients of fdlibm (Sun Microsystems, 1993). Engines have sines of their own, and
 * no two have the same bits. */
function _sin_cos(n) {
    for (let i = 0; i < n; i++) {
        const q = _angles[i];
        if (!(q >= -1e5 && q <= 1e5)) {
            _sines[i] = Math.sin(q);
            _cosines[i] = Math.cos(q);
            continue;
        }
        const turns = q * 0.63661977236758134;
        const number = (turns < 0 ? turns - 0.5 : turns + 0.5) | 0;
        const coarse = number * -1.5707963267341256 + q;
        const r = number * -6.077100506303966e-11 + coarse;
        const tail = number * -2.0222662487959506e-21 + (number * -6.077100506303966e-11 + (coarse - r));
        const r2 = r * r, halved = 0.5 * r2, low = 1 - halved;
        const sine = r + (r2 * r * (((((1.58969099521155e-10 * r2 - 2.5050760253406863e-8) * r2 + 2.7557313707070068e-6) * r2
            - 1.984126982985795e-4) * r2 + 8.33333333332249e-3) * r2 - 1.6666666666666632e-1) + tail * low);
        const rest = 1 - low - halved;
        const cosine = low + (r2 * r2 * (((((-1.1359647557788195e-11 * r2 + 2.087572321298175e-9) * r2
            - 2.7557314351390663e-7) * r2 + 2.480158728947673e-5) * r2 - 1.388888888887411e-3) * r2
            + 4.16666666666666e-2) + rest - r * tail);
        const ofOdd = number & 1 ? cosine : sine, ofEven = number & 1 ? sine : cosine;
        _sines[i] = number & 2 ? -ofOdd : ofOdd;
        _cosines[i] = (number + 1) & 2 ? -ofEven : ofEven;
    }
}

