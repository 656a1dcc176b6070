{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, moved[6], c[4], of_own[4];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = ALONG;
        x[of_twist[k]] = RBD_AT(TO, FIRST + k);
    }
    ROBOT_coefficients(u, c, of_own);
    ROBOT_moved_by(u, c, x, moved);
    for (unsigned k = 0; k < COUNT; k++) RBD_AT(TO, FIRST + k) = moved[of_twist[k]];
    /* The derivative by q of the joint's own coordinates. */
    if (IN_JOINT) {
        for (unsigned k = 0; k < 6; k++) x[k] = 0;
        for (unsigned k = 0; k < COUNT; k++) x[of_twist[k]] = part == FIRST + k ? (REAL)1 : (REAL)0;
        ROBOT_moved_by(u, of_own, x, moved);
        for (unsigned k = 0; k < COUNT; k++) RBD_AT(TO, FIRST + k) += moved[of_twist[k]];
    }
}
