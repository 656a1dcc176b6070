/* A quaternion that is uniform over all rotations, of three numbers from 0 to 1: Shoemake, Graphics Gems III, 1992. */
static void ROBOT_random_rotation(const REAL *uniform, REAL *to)
{
    const REAL whole = (REAL)6.283185307179586, a = RBD_SQRT(1 - uniform[0]), b = RBD_SQRT(uniform[0]);
    const REAL angles[2] = {whole * uniform[1], whole * uniform[2]};
    REAL s[2], c[2];
    ROBOT_sin_cos(2, angles, s, c);
    to[0] = a * s[0];
    to[1] = a * c[0];
    to[2] = b * s[1];
    to[3] = b * c[1];
}

