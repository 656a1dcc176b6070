{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, c[4], of_own[4], turned[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = ALONG;
        x[of_twist[k]] = RBD_AT(WEIGHTS, FIRST + k);
    }
    ROBOT_coefficients(u, c, of_own);
    ROBOT_turned_by(u, of_own, x, turned);
    for (unsigned k = 0; k < COUNT; k++) RBD_AT(by_q, FIRST + k) = turned[of_twist[k]];
    ROBOT_turned_by(u, c, x, turned);
    for (unsigned k = 0; k < COUNT; k++) RBD_AT(BY_U, FIRST + k) = turned[of_twist[k]];
}
