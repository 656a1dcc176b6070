const _ARC = [1, -1 / 3, 1 / 5, -1 / 7, 1 / 9, -1 / 11, 1 / 13, -1 / 15, 1 / 17];

function _square(a) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* The product of two quaternions x, y, z, w. */
function _quaternion_product(a, b) {
    return [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ];
}

/* The product, one Newton step nearer to unit length: that removes the drift. */
function _turn(a, b) {
    const [x, y, z, w] = _quaternion_product(a, b);
    const scale = (3 - (x * x + y * y + z * z + w * w)) * 0.5;
    return [x * scale, y * scale, z * scale, w * scale];
}

/* The unit quaternion of the rotation vector w, and sin(t/2) / (t/2) of its angle t. */
function _quaternion_exp(w) {
    const [sinc, cosine] = _sinc_cos(_square(w) * 0.25), half = sinc * 0.5;
    return [[w[0] * half, w[1] * half, w[2] * half, cosine], sinc];
}

/* The rotation vector, of length at most pi, of a quaternion of any length but zero; half the angle times its
 * cotangent. */
function _quaternion_log(q) {
    const sign = q[3] < 0 ? -1 : 1, real = q[3] * sign, n2 = _square(q), n = Math.sqrt(n2);
    const half = n2 < 0.01 ? _polynomial(n2 / (real * real), _ARC) / real : Math.atan2(n, real) / n;
    return [[0, 1, 2].map((i) => q[i] * sign * (half + half)), half * real];
}

function _cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/* x + s w x x + t w x (w x x). */
function _combine(x, w, s, t) {
    const a = _cross(w, x), b = _cross(w, a);
    return [0, 1, 2].map((i) => s * a[i] + (t * b[i] + x[i]));
}

/* A vector turned by a unit quaternion. */
function _rotate(q, x) {
    return _combine(x, q, 2 * q[3], 2);
}

/* The inverse of a unit quaternion. */
function _inverse(q) {
    return [-q[0], -q[1], -q[2], q[3]];
}

