
static void ROBOT_joining_curvature_planar(const REAL *u, const REAL *lambda, REAL *to)
{
    const REAL vx = u[0], vy = u[1], w = u[2], lx = lambda[0], ly = lambda[1];
    const ROBOT_quadratic f = ROBOT_right_jacobian(w * w);
    /* Changes by w of a, of b w, of a w and of 1 - b w^2. */
    const REAL of_a = 2 * w * f.da, of_bw = f.b + 2 * w * w * f.db;
    const REAL of_turn = f.a + w * of_a, of_sinc = -(f.b * w + w * of_bw);
    ROBOT_column(0, 0, f.b * w * lx - f.a * ly, to);
    ROBOT_column(0, 0, f.a * lx + f.b * w * ly, to + SIZE);
    ROBOT_column(of_sinc * lx + of_turn * ly, of_sinc * ly - of_turn * lx,
                 (of_a * vy + of_bw * vx) * lx + (of_bw * vy - of_a * vx) * ly, to + 2 * SIZE);
}

static void ROBOT_joining_bracket_planar(const REAL *lambda, REAL *to)
{
    ROBOT_column(0, 0, -lambda[1], to);
    ROBOT_column(0, 0, lambda[0], to + SIZE);
    ROBOT_column(lambda[1], -lambda[0], 0, to + 2 * SIZE);
}

static void ROBOT_joining_ad_planar(const REAL *x, REAL *to)
{
    ROBOT_column(0, x[2], 0, to);
    ROBOT_column(-x[2], 0, 0, to + SIZE);
    ROBOT_column(x[1], -x[0], 0, to + 2 * SIZE);
}

static const ROBOT_joining_group ROBOT_joining_planar = {3, ROBOT_integrate_jacobians_planar,
    ROBOT_joining_curvature_planar, ROBOT_joining_bracket_planar, ROBOT_joining_ad_planar};
