static void ROBOT_integrate_jacobians_spherical(const REAL *dv, REAL *by_q, REAL *by_dv)
{
    const ROBOT_quadratic f = ROBOT_right_jacobian(ROBOT_square(dv));
    REAL turn[4], sinc;
    ROBOT_quaternion_exp(dv, turn, &sinc);
    ROBOT_rotation_back(turn, by_q);
    ROBOT_of_rotation(&f, 1, 1, dv, by_dv);
}

static void ROBOT_difference_jacobians_spherical(const REAL *q0, const REAL *q1, REAL *by_q0, REAL *by_q1)
{
    REAL w[3];
    ROBOT_difference_spherical(q0, q1, w);
    const ROBOT_quadratic f = ROBOT_inverse_right_jacobian(ROBOT_square(w));
    ROBOT_of_rotation(&f, -1, -1, w, by_q0);
    ROBOT_of_rotation(&f, 1, 1, w, by_q1);
}

