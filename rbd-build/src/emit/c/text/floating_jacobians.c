/* The derivative of 1 + a [w] + b [w]^2 along v, above the diagonal; the matrix itself on both blocks of the diagonal. */
static void ROBOT_of_screw(const ROBOT_quadratic *f, REAL sign, REAL scale, const REAL *dv, REAL *to)
{
    const REAL *v = dv, *w = dv + 3;
    const REAL w2 = ROBOT_square(w), vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    ROBOT_of_rotation(f, sign, scale, w, to);
    ROBOT_of_rotation(f, sign, scale, w, to + 3 * SIZE + 3);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            const REAL square = w[i] * w[j] - (i == j ? w2 : 0);
            const REAL mixed = v[i] * w[j] + w[i] * v[j] - (i == j ? 2 * vw : 0);
            const REAL odd = f->a * ROBOT_skew(v, i, j) + f->da * (2 * vw) * ROBOT_skew(w, i, j);
            to[SIZE * (3 + j) + i] = scale * (sign * odd + f->b * mixed + f->db * (2 * vw) * square);
        }
    }
}

static void ROBOT_integrate_jacobians_floating(const REAL *dv, REAL *by_q, REAL *by_dv)
{
    static const REAL origin[7] = {0, 0, 0, 0, 0, 0, 1};
    const ROBOT_quadratic f = ROBOT_right_jacobian(ROBOT_square(dv + 3));
    REAL to[7];
    ROBOT_of_screw(&f, 1, 1, dv, by_dv);
    /* Where exp(dv) leads: a motion at its beginning, in the child's frame at its end. */
    ROBOT_integrate_floating(origin, dv, to);
    ROBOT_rotation_back(to + 3, by_q);
    ROBOT_rotation_back(to + 3, by_q + 3 * SIZE + 3);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            REAL sum = 0;
            for (int k = 0; k < 3; k++) sum += by_q[SIZE * k + i] * ROBOT_skew(to, k, j);
            by_q[SIZE * (3 + j) + i] = -sum;
        }
    }
}

static void ROBOT_difference_jacobians_floating(const REAL *q0, const REAL *q1, REAL *by_q0, REAL *by_q1)
{
    REAL dv[6];
    ROBOT_difference_floating(q0, q1, dv);
    const ROBOT_quadratic f = ROBOT_inverse_right_jacobian(ROBOT_square(dv + 3));
    ROBOT_of_screw(&f, -1, -1, dv, by_q0);
    ROBOT_of_screw(&f, 1, 1, dv, by_q1);
}

