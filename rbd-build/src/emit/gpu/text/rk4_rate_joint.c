{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, once[6], twice[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = RBD_AT(MOTION, FIRST + k);
        x[of_twist[k]] = RBD_AT(VELOCITY, FIRST + k);
    }
    ROBOT_bracket(u, x, once);
    ROBOT_bracket(u, once, twice);
    for (unsigned k = 0; k < COUNT; k++) {
        RBD_AT(rate, FIRST + k) += once[of_twist[k]] * (REAL)0.5 + twice[of_twist[k]] * (REAL)(1.0 / 12);
    }
}
