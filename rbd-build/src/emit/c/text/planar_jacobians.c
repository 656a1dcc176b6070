static void ROBOT_column(REAL x, REAL y, REAL turn, REAL *to)
{
    to[0] = x;
    to[1] = y;
    to[2] = turn;
}

static void ROBOT_integrate_jacobians_planar(const REAL *dv, REAL *by_q, REAL *by_dv)
{
    static const REAL origin[3] = {0, 0, 0};
    const REAL w = dv[2];
    const ROBOT_quadratic f = ROBOT_right_jacobian(w * w);
    const REAL sinc = 1 - f.b * w * w, turn = f.a * w;
    REAL to[3], s, c;
    ROBOT_column(sinc, turn, 0, by_dv);
    ROBOT_column(-turn, sinc, 0, by_dv + SIZE);
    ROBOT_column(f.a * dv[1] + f.b * w * dv[0], f.b * w * dv[1] - f.a * dv[0], 1, by_dv + 2 * SIZE);
    ROBOT_integrate_planar(origin, dv, to);
    ROBOT_sin_cos(1, &w, &s, &c);
    ROBOT_column(c, -s, 0, by_q);
    ROBOT_column(s, c, 0, by_q + SIZE);
    ROBOT_column(s * to[0] - c * to[1], c * to[0] + s * to[1], 1, by_q + 2 * SIZE);
}

static void ROBOT_difference_jacobians_planar(const REAL *q0, const REAL *q1, REAL *by_q0, REAL *by_q1)
{
    REAL dv[3], sinc, half_cot;
    ROBOT_difference_planar(q0, q1, dv);
    const REAL x = dv[0], y = dv[1], w = dv[2], a = (REAL)0.5;
    const ROBOT_quadratic f = ROBOT_inverse_right_jacobian(w * w);
    ROBOT_sinc_cos(w * w * (REAL)0.25, &sinc, &half_cot);
    half_cot /= sinc;
    ROBOT_column(half_cot, a * w, 0, by_q1);
    ROBOT_column(-a * w, half_cot, 0, by_q1 + SIZE);
    ROBOT_column(a * y + f.b * w * x, f.b * w * y - a * x, 1, by_q1 + 2 * SIZE);
    ROBOT_column(-half_cot, a * w, 0, by_q0);
    ROBOT_column(-a * w, -half_cot, 0, by_q0 + SIZE);
    ROBOT_column(a * y - f.b * w * x, -f.b * w * y - a * x, -1, by_q0 + 2 * SIZE);
}

