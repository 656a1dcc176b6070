/* Sine and cosine of one angle. */
function _sine_and_cosine(angle) {
    _angles[0] = angle;
    _sin_cos(1);
    return [_sines[0], _cosines[0]];
}

/* Moves x, y, theta by a velocity in the child's frame: the exponential of SE(2). */
function _integrate_planar(q, dv) {
    const half = dv[2] * 0.5, [sinc, cosine] = _sinc_cos(half * half);
    const a = sinc * cosine, b = sinc * sinc * half;
    const x = a * dv[0] - b * dv[1], y = b * dv[0] + a * dv[1];
    const [s, c] = _sine_and_cosine(q[2]);
    return [q[0] + c * x - s * y, q[1] + s * x + c * y, q[2] + dv[2]];
}

/* Its inverse, with the angle between -pi and pi. */
function _difference_planar(q0, q1) {
    const dx = q1[0] - q0[0], dy = q1[1] - q0[1];
    const w = Math.atan2(..._sine_and_cosine(q1[2] - q0[2])), half = w * 0.5;
    const [sinc, cosine] = _sinc_cos(half * half), halfCotangent = cosine / sinc;
    const [s, c] = _sine_and_cosine(q0[2]);
    const x = c * dx + s * dy, y = c * dy - s * dx;
    return [halfCotangent * x + half * y, halfCotangent * y - half * x, w];
}

