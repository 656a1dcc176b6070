
/* Scalar rows of joints: dry friction and limits, as one monotone law of a coordinate. A law has three numbers: the
 * largest impulse F of dry friction, the least and the largest velocity. The impulse is in -F sign(c) for velocities
 * c between the limits, and at a limit it also pushes back. The largest number is no limit. */

/* The proximal map of the friction's potential, times rho. */
static REAL ROBOT_cones_soft(REAL friction, REAL x, REAL rho)
{
    const REAL size = ROBOT_cones_max(ROBOT_cones_abs(x) - friction * rho, 0);
    return x < 0 ? -size : size;
}

/* The proximal map of the law's potential, times rho: the velocity that is nearest to x. */
static REAL ROBOT_cones_nearest(const REAL *law, REAL x, REAL rho)
{
    const REAL soft = ROBOT_cones_soft(law[0], x, rho), up = soft > law[1] ? soft : law[1];
    /* A range that is empty ends at its upper end. */
    return up < law[2] ? up : law[2];
}

/* The impulse to which a step of weight rho leads, from p: an impulse less a velocity over rho. */
static REAL ROBOT_cones_project_joint(const REAL *law, REAL p, REAL rho)
{
    return p + ROBOT_cones_nearest(law, -(p * rho), rho) / rho;
}

/* What a coordinate does: it moves, friction holds it, or it has the velocity of its lower or upper limit. */
enum { ROBOT_cones_moves, ROBOT_cones_sticks, ROBOT_cones_at_least, ROBOT_cones_at_most };

/* The mode of a coordinate. `known` is the impulse of one that moves, the velocity of any other. */
static int ROBOT_cones_joint_mode(const REAL *law, REAL f, REAL c, REAL *known)
{
    const REAL u = ROBOT_cones_nearest(law, c - f, 1);
    *known = u;
    /* Without friction, a velocity of zero is as any other. */
    if (!(u > law[1] && u < law[2] && (u != 0 || law[0] == 0))) {
        return u >= law[2] ? ROBOT_cones_at_most : u <= law[1] ? ROBOT_cones_at_least : ROBOT_cones_sticks;
    }
    *known = law[0] == 0 ? 0 : u > 0 ? -law[0] : law[0];
    return ROBOT_cones_moves;
}

/* How far a coordinate is from another mode, as a velocity. The modes are those of where c - f lies: beyond the limits,
 * between them, or within friction's reach. */
static REAL ROBOT_cones_joint_margin(const REAL *law, REAL f, REAL c)
{
    const REAL x = c - f, soft = ROBOT_cones_soft(law[0], x, 1), up = soft > law[1] ? soft : law[1];
    REAL known, inside;
    switch (ROBOT_cones_joint_mode(law, f, c, &known)) {
    case ROBOT_cones_at_most: return up - law[2];
    case ROBOT_cones_at_least: return ROBOT_cones_nearer(law[1] - soft, ROBOT_cones_less(law[2], law[1]));
    /* A limit that comes to zero moves what sticks. */
    case ROBOT_cones_sticks: return ROBOT_cones_nearer(law[0] - ROBOT_cones_abs(x), ROBOT_cones_nearer(-law[1], law[2]));
    default:
        inside = ROBOT_cones_nearer(ROBOT_cones_less(soft, law[1]), ROBOT_cones_less(law[2], soft));
        return law[0] > 0 ? ROBOT_cones_nearer(inside, ROBOT_cones_abs(soft)) : inside;
    }
}
