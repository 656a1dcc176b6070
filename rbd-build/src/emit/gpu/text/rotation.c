/* A unit quaternion times that of the rotation vector w, one Newton step nearer to unit length: that removes the drift.
 * sin(t/2) / (t/2) and cos(t/2) are those of the vector's angle t. */
RBD_PERHAPS_UNUSED
static void ROBOT_turn(const REAL *q, const REAL *w, REAL sinc, REAL cosine, REAL *to)
{
    const REAL halved = sinc * (REAL)0.5, x = halved * w[0], y = halved * w[1], z = halved * w[2];
    const REAL a = q[3] * x + q[0] * cosine + q[1] * z - q[2] * y;
    const REAL b = q[3] * y + q[1] * cosine + q[2] * x - q[0] * z;
    const REAL c = q[3] * z + q[2] * cosine + q[0] * y - q[1] * x;
    const REAL d = q[3] * cosine - q[0] * x - q[1] * y - q[2] * z;
    const REAL scale = (3 - (a * a + b * b + c * c + d * d)) * (REAL)0.5;
    to[0] = a * scale;
    to[1] = b * scale;
    to[2] = c * scale;
    to[3] = d * scale;
}

