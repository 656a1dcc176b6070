{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, weight[6] = {0}, c[4], of_own[4], changes[4], moved[6], dual[6], turned[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = ALONG;
        weight[of_twist[k]] = RBD_AT(WEIGHTS, FIRST + k);
    }
    ROBOT_coefficients(u, c, of_own);
    ROBOT_coefficient_changes(u, c, changes);
    /* x: how this column's variable moves u. */
    RBD_NOT_UNROLLED
    for (unsigned b = 0; b < 3; b++) {
        RBD_SPACE const REAL *const of_u = CHANGE_B;
        RBD_SPACE REAL *const of_q = b == 0 ? dqdq : b == 1 ? dqdv : dqdtau;
        REAL x[6] = {0};
        for (unsigned k = 0; k < COUNT; k++) {
            x[of_twist[k]] = squared * RBD_AT(of_u, part * SIZE + FIRST + k) + (b == 1 && part == FIRST + k ? time : (REAL)0);
        }
        ROBOT_moved_by(u, c, x, moved);
        ROBOT_dual_bracket(moved, weight, dual);
        ROBOT_turned_by(u, of_own, dual, moved);
        ROBOT_turned_by(u, c, dual, turned);
        for (unsigned k = 0; k < 6; k++) turned[k] *= HELD;
        ROBOT_add_change(u, c, changes, weight, x, turned);
        for (unsigned k = 0; k < COUNT; k++) RBD_AT(of_q, part * SIZE + FIRST + k) -= TURNS * moved[of_twist[k]];
        RBD_NOT_UNROLLED
        for (unsigned a = 0; a <= b; a++) {
            RBD_SPACE const REAL *const row = CHANGE_A;
            RBD_SPACE REAL *const to = BLOCK;
            RBD_NOT_UNROLLED
            for (unsigned r = 0; r < SIZE; r++) {
                REAL sum = 0;
                for (unsigned k = 0; k < COUNT; k++) {
                    const REAL by = squared * RBD_AT(row, r * SIZE + FIRST + k) + (a == 1 && r == FIRST + k ? time : (REAL)0);
                    sum = RBD_FMA(by, turned[of_twist[k]], sum);
                }
                RBD_AT(to, part * SIZE + r) += sum;
            }
        }
    }
    OWN
    /* How the joint's own coordinates turn what follows. */
    if (IN_JOINT) {
        REAL x[6] = {0};
        for (unsigned k = 0; k < COUNT; k++) x[of_twist[k]] = part == FIRST + k ? (REAL)1 : (REAL)0;
        ROBOT_moved_by(u, of_own, x, moved);
        ROBOT_dual_bracket(moved, weight, dual);
        ROBOT_turned_by(u, c, dual, turned);
        RBD_NOT_UNROLLED
        for (unsigned r = 0; r < SIZE; r++) {
            REAL sum = 0;
            for (unsigned k = 0; k < COUNT; k++) {
                sum = RBD_FMA(squared * RBD_AT(CHANGE_Q, r * SIZE + FIRST + k), turned[of_twist[k]], sum);
            }
            RBD_AT(dqdq, part * SIZE + r) += (REAL)0.5 * sum;
        }
        ROBOT_turned_by(u, of_own, weight, turned);
        ROBOT_dual_bracket(x, turned, dual);
        for (unsigned k = 0; k < COUNT; k++) RBD_AT(dqdq, part * SIZE + FIRST + k) += (REAL)0.5 * dual[of_twist[k]];
    }
}
