{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, du[6] = {0}, dx[6] = {0}, once[6], change[6], other[6], twice[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = RBD_AT(MOTION, FIRST + k);
        x[of_twist[k]] = RBD_AT(VELOCITY, FIRST + k);
        du[of_twist[k]] = RBD_AT(of_u, FIRST + k);
        dx[of_twist[k]] = RBD_AT(of_x, FIRST + k);
    }
    ROBOT_bracket(du, x, change);
    ROBOT_bracket(u, dx, other);
    for (unsigned k = 0; k < 6; k++) change[k] += other[k];
    ROBOT_bracket(u, x, once);
    ROBOT_bracket(du, once, twice);
    ROBOT_bracket(u, change, other);
    for (unsigned k = 0; k < COUNT; k++) {
        const unsigned at = of_twist[k];
        RBD_AT(moved, FIRST + k) += change[at] * (REAL)0.5 + (twice[at] + other[at]) * (REAL)(1.0 / 12);
    }
}
