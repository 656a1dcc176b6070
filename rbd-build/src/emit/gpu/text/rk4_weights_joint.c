{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, w[6] = {0}, once[6], twice[6], both[6], of_x[6], of_both[6], of_once[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = RBD_AT(MOTION, FIRST + k);
        x[of_twist[k]] = RBD_AT(VELOCITY, FIRST + k);
        w[of_twist[k]] = RBD_AT(rate_weights, FIRST + k);
    }
    ROBOT_dual_bracket(u, w, once);
    ROBOT_dual_bracket(u, once, twice);
    ROBOT_bracket(u, x, both);
    ROBOT_dual_bracket(x, w, of_x);
    ROBOT_dual_bracket(both, w, of_both);
    ROBOT_dual_bracket(x, once, of_once);
    for (unsigned k = 0; k < COUNT; k++) {
        const unsigned at = of_twist[k];
        RBD_AT(velocity_weights, FIRST + k) += once[at] * (REAL)0.5 + twice[at] * (REAL)(1.0 / 12);
        RBD_AT(motion_weights, FIRST + k) = of_x[at] * (REAL)-0.5 - (of_both[at] + of_once[at]) * (REAL)(1.0 / 12);
    }
}
