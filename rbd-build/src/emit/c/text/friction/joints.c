
/* Scalar rows of joints: dry friction and limits, as one monotone law of a coordinate. A law has three numbers: the
 * largest impulse F of dry friction, the least and the largest velocity. The impulse is in -F sign(c) for velocities
 * c between the limits, and at a limit it also pushes back. The largest number is no limit. */

/* The proximal map of the law's potential, times rho: the velocity that is nearest to x. */
static REAL ROBOT_cones_nearest(const REAL *law, REAL x, REAL rho)
{
    const REAL size = ROBOT_cones_max(ROBOT_cones_abs(x) - law[0] * rho, 0), soft = x < 0 ? -size : size;
    const REAL up = soft > law[1] ? soft : law[1];
    /* A range that is empty ends at its upper end. */
    return up < law[2] ? up : law[2];
}

/* The impulse to which a step of weight rho leads, from p: an impulse less a velocity over rho. */
static REAL ROBOT_cones_project_joint(const REAL *law, REAL p, REAL rho)
{
    return p + ROBOT_cones_nearest(law, -(p * rho), rho) / rho;
}

/* Whether a coordinate moves, under an impulse that is known, or has a velocity that is known: zero, or that of a
 * limit. `known` is the one or the other. */
static int ROBOT_cones_moves(const REAL *law, REAL f, REAL c, REAL *known)
{
    const REAL u = ROBOT_cones_nearest(law, c - f, 1);
    *known = u;
    /* Without friction, a velocity of zero is as any other. */
    if (!(u > law[1] && u < law[2] && (u != 0 || law[0] == 0))) return 0;
    *known = law[0] == 0 ? 0 : u > 0 ? -law[0] : law[0];
    return 1;
}
