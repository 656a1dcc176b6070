const _TRANSLATIONS = [1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800, 1 / 1307674368000,
    -1 / 355687428096000, 1 / 121645100408832000];
/* |B_2k| / (2k)!, with the Bernoulli numbers. */
const _COTANGENTS = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600,
    3617 / 10670622842880000];

/* Moves x, y, z and a quaternion by a velocity in the child's frame: the exponential of SE(3). */
function _integrate_floating(q, dv) {
    const place = q.slice(0, 3), turned = q.slice(3), v = dv.slice(0, 3), w = dv.slice(3), x2 = _square(w);
    const [turn, sinc] = _quaternion_exp(w);
    /* v + (1 - cos t)/t^2 w x v + (t - sin t)/t^3 w x (w x v) */
    const rest = x2 < 1 ? _polynomial(x2, _TRANSLATIONS) : (1 - sinc * turn[3]) / x2;
    const moved = _rotate(turned, _combine(v, w, sinc * sinc * 0.5, rest));
    return [place[0] + moved[0], place[1] + moved[1], place[2] + moved[2], ..._turn(turned, turn)];
}

/* Its inverse, with a turn of at most pi. */
function _difference_floating(q0, q1) {
    const back = _inverse(q0.slice(3));
    const [w, halfCotangent] = _quaternion_log(_quaternion_product(back, q1.slice(3)));
    const p = _rotate(back, [q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]]), x2 = _square(w);
    /* p - w x p / 2 + (1 - (t/2) cot(t/2))/t^2 w x (w x p) */
    const rest = x2 < 0.25 ? _polynomial(x2, _COTANGENTS) : (1 - halfCotangent) / x2;
    return [..._combine(p, w, -0.5, rest), ...w];
}

