/* A block of second derivatives, or its transpose, where rows and columns of tangent vectors at these configurations, if they
 * are given, become those of coordinates. */
static void ROBOT_casadi_block(double *to, const double *m, int is_turned, const double *rows, const double *columns)
{
    const int n = columns ? ROBOT_casadi_nq : ROBOT_casadi_nv;
    double own[ROBOT_casadi_nv * ROBOT_casadi_nv], by[ROBOT_casadi_nv * ROBOT_casadi_nq];
    const double *const from = columns ? by : own;
    int i, j;
    if (!to) return;
    for (j = 0; j < ROBOT_casadi_nv; j++) {
        for (i = 0; i < ROBOT_casadi_nv; i++) {
            own[j * ROBOT_casadi_nv + i] = m[is_turned ? i * ROBOT_casadi_nv + j : j * ROBOT_casadi_nv + i];
        }
    }
    if (columns) ROBOT_casadi_by_coordinates(by, own, columns, ROBOT_casadi_nv);
    for (j = 0; j < n; j++) {
        if (rows) {
            ROBOT_casadi_by_coordinates(to + j * ROBOT_casadi_nq, from + j * ROBOT_casadi_nv, rows, 1);
        } else {
            ROBOT_copy(to + j * ROBOT_casadi_nv, from + j * ROBOT_casadi_nv, ROBOT_casadi_nv);
        }
    }
}

/* Adds the derivative of P^T g by coordinates, g being a gradient by tangent vectors at q. */
static void ROBOT_casadi_add_turning(double *to, const double *g, const double *q)
{
    int k, i, j, c;
    for (k = 0; to && k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, at = ROBOT_casadi_joint[k].q, n = ROBOT_casadi_nq;
        const double *const a = ROBOT_casadi_quaternion_of(kind, q + at), *const own = g + ROBOT_casadi_joint[k].v;
        double e[42], unit[4], moved[4], square, *block;
        if (kind == 1) {
            const double x = cos(q[at + 2]), y = sin(q[at + 2]);
            to[(at + 2) * n + at] -= y * own[0] + x * own[1];
            to[(at + 2) * n + at + 1] += x * own[0] - y * own[1];
        }
        if (!a) continue;
        square = ROBOT_casadi_direction(a, unit);
        square *= square;
        if (kind == 3) {
            /* R g, along the turn P dq */
            double p[42];
            ROBOT_casadi_rates(kind, q + at, e);
            ROBOT_casadi_inverse_rates(kind, q + at, p);
            for (j = 3; j < 7; j++) {
                const double *const turn = p + 6 * j + 3;
                moved[0] = turn[1] * own[2] - turn[2] * own[1];
                moved[1] = turn[2] * own[0] - turn[0] * own[2];
                moved[2] = turn[0] * own[1] - turn[1] * own[0];
                for (i = 0; i < 3; i++) {
                    for (c = 0; c < 3; c++) to[(at + j) * n + at + i] += e[7 * c + i] * moved[c];
                }
            }
        }
        /* 2 q (g, 0) / |q|^2, a product of quaternions, of the unit one `unit`: its change with q, and with |q|. */
        {
            const int first = kind == 3 ? 3 : 0;
            const double *const w = own + first;
            block = to + (at + first) * n + at + first;
            for (i = 0; i < 3; i++) {
                moved[i] = unit[3] * w[i];
                for (j = 0; j < 3; j++) moved[i] += ROBOT_casadi_crossing(unit, i, j) * w[j];
            }
            moved[3] = -(unit[0] * w[0] + unit[1] * w[1] + unit[2] * w[2]);
            for (j = 0; j < 4; j++) {
                for (i = 0; i < 4; i++) {
                    const double by = i < 3 && j < 3 ? -ROBOT_casadi_crossing(w, i, j) : i == j ? 0 : j == 3 ? w[i] : -w[j];
                    block[j * n + i] += 2 * square * (by - 2 * moved[i] * unit[j]);
                }
            }
        }
    }
}
