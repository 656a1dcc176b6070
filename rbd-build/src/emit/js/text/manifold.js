/* Writes numbers from an entry on. */
function _store(to, at, numbers) {
    for (let i = 0; i < numbers.length; i++) to[at + i] = numbers[i];
}

/* The value of a polynomial, its coefficients lowest first. */
function _polynomial(x, coefficients) {
    return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

const _SINES = [1, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, -1 / 1307674368000,
    1 / 355687428096000];
const _COSINES = [1, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800, 1 / 479001600, -1 / 87178291200,
    1 / 20922789888000, -1 / 6402373705728000];

/* sin(x) / x and cos(x) of x^2: series where x^2 < 1. */
function _sinc_cos(x2) {
    if (x2 < 1) return [_polynomial(x2, _SINES), _polynomial(x2, _COSINES)];
    const x = Math.sqrt(x2);
    _angles[0] = x;
    _sin_cos(1);
    return [_sines[0] / x, _cosines[0]];
}

