{
    const unsigned of_twist[COUNT] = {ENTRIES};
    REAL u[6] = {0}, x[6] = {0}, w[6] = {0}, du[6] = {0}, dx[6] = {0}, once[6], change[6], of_u[6], of_du[6], of_dx[6];
    REAL to_u[6], to_x[6];
    for (unsigned k = 0; k < COUNT; k++) {
        u[of_twist[k]] = RBD_AT(MOTION, FIRST + k);
        x[of_twist[k]] = RBD_AT(VELOCITY, FIRST + k);
        w[of_twist[k]] = RBD_AT(rate_weights, FIRST + k);
    }
    ROBOT_dual_bracket(u, w, once);
    RBD_NOT_UNROLLED
    for (unsigned b = 0; b < 3; b++) {
        for (unsigned k = 0; k < COUNT; k++) {
            du[of_twist[k]] = RBD_AT(BY_U, (b * SIZE + part) * SIZE + FIRST + k);
            dx[of_twist[k]] = RBD_AT(BY_X, (b * SIZE + part) * SIZE + FIRST + k);
        }
        /* How the weights of the velocity and of the motion move with them. */
        ROBOT_dual_bracket(du, w, of_du);
        ROBOT_dual_bracket(du, once, to_x);
        ROBOT_dual_bracket(u, of_du, of_u);
        for (unsigned k = 0; k < 6; k++) to_x[k] = of_du[k] * (REAL)0.5 + (to_x[k] + of_u[k]) * (REAL)(1.0 / 12);
        ROBOT_bracket(du, x, change);
        ROBOT_bracket(u, dx, of_u);
        for (unsigned k = 0; k < 6; k++) change[k] += of_u[k];
        ROBOT_dual_bracket(change, w, to_u);
        ROBOT_dual_bracket(dx, once, of_u);
        ROBOT_dual_bracket(x, of_du, change);
        ROBOT_dual_bracket(dx, w, of_dx);
        for (unsigned k = 0; k < 6; k++) {
            to_u[k] = of_dx[k] * (REAL)-0.5 - (to_u[k] + of_u[k] + change[k]) * (REAL)(1.0 / 12);
        }
        RBD_NOT_UNROLLED
        for (unsigned a = 0; a <= b; a++) {
            RBD_SPACE REAL *const to = BLOCK;
            RBD_NOT_UNROLLED
            for (unsigned r = 0; r < SIZE; r++) {
                REAL sum = 0;
                for (unsigned k = 0; k < COUNT; k++) {
                    sum = RBD_FMA(RBD_AT(BY_U, (a * SIZE + r) * SIZE + FIRST + k), to_u[of_twist[k]], sum);
                    sum = RBD_FMA(RBD_AT(BY_X, (a * SIZE + r) * SIZE + FIRST + k), to_x[of_twist[k]], sum);
                }
                RBD_AT(to, part * SIZE + r) += sum;
            }
        }
    }
}
