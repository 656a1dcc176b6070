
static void ROBOT_joining_curvature_spherical(const REAL *u, const REAL *lambda, REAL *to)
{
    const ROBOT_quadratic f = ROBOT_right_jacobian(ROBOT_square(u));
    ROBOT_joining_clear(to, 3);
    ROBOT_joining_add_change(&f, u, lambda, to);
}

static const ROBOT_joining_group ROBOT_joining_spherical = {3, ROBOT_integrate_jacobians_spherical,
    ROBOT_joining_curvature_spherical, ROBOT_joining_skew, ROBOT_joining_skew};
