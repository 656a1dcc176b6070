/* Turns a unit quaternion by a rotation vector in the child's frame. */
RBD_PERHAPS_UNUSED
static void ROBOT_integrate_spherical(const REAL *q, const REAL *dv, REAL *to)
{
    REAL sinc, cosine;
    ROBOT_sinc_cos((dv[0] * dv[0] + dv[1] * dv[1] + dv[2] * dv[2]) * (REAL)0.25, &sinc, &cosine);
    ROBOT_turn(q, dv, sinc, cosine, to);
}

