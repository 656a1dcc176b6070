/* Turns a unit quaternion by a rotation vector in the child's frame. */
function _integrate_spherical(q, dv) {
    return _turn(q, _quaternion_exp(dv)[0]);
}

/* Its inverse: the rotation vector, of length at most pi. */
function _difference_spherical(q0, q1) {
    return _quaternion_log(_quaternion_product(_inverse(q0), q1))[0];
}

