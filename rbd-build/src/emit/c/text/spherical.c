/* Turns a unit quaternion by a rotation vector in the child's frame. */
static void ROBOT_integrate_spherical(const REAL *q, const REAL *dv, REAL *to)
{
    REAL turn[4], sinc;
    ROBOT_quaternion_exp(dv, turn, &sinc);
    ROBOT_turn(q, turn, to);
}

/* Its inverse: the rotation vector, of length at most pi. */
static void ROBOT_difference_spherical(const REAL *q0, const REAL *q1, REAL *dv)
{
    const REAL back[4] = {-q0[0], -q0[1], -q0[2], q0[3]};
    REAL turn[4];
    ROBOT_quaternion_product(back, q1, turn);
    (void)ROBOT_quaternion_log(turn, dv);
}

