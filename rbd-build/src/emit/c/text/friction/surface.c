
/* Axes of a surface in the world: two tangents and the normal. Whether the normal has a direction.
 * Source: Duff and others, 2017 (docs/math.md#contacts-with-friction). */
static int ROBOT_cones_axes(const REAL *normal, REAL *axes)
{
    REAL largest = 0, length, x, y, z, sign, a, b;
    int k;
    for (k = 0; k < 3; k++) {
        if (ROBOT_cones_abs(normal[k]) > largest) largest = ROBOT_cones_abs(normal[k]);
    }
    if (!(largest > 0)) return 0;
    x = normal[0] / largest, y = normal[1] / largest, z = normal[2] / largest;
    length = RBD_SQRT(RBD_FMA(x, x, RBD_FMA(y, y, z * z)));
    x /= length, y /= length, z /= length;
    sign = z < 0 ? (REAL)-1 : (REAL)1;
    a = -1 / (sign + z);
    b = x * y * a;
    axes[0] = sign * x * x * a + 1, axes[1] = sign * b, axes[2] = -(sign * x);
    axes[3] = b, axes[4] = RBD_FMA(y, y * a, sign), axes[5] = -y;
    axes[6] = x, axes[7] = y, axes[8] = z;
    for (k = 0; k < 9; k++) {
        if (!ROBOT_cones_is_finite(axes[k])) return 0;
    }
    return 1;
}

/* What the solver adds to the normal's velocity, so that zero is where it is to be. A contact may close, and not
 * more, until the end of the step. A penetration is to lose its share. What hits the surface within the step
 * rebounds. `by` receives its derivatives by the distance and by the velocity before the step. */
static REAL ROBOT_cones_offset(const ROBOT_contact_surface_t *surface, REAL velocity, REAL dt,
                               const ROBOT_friction_settings_t *settings, REAL *by)
{
    const REAL distance = surface->distance, share = distance > 0 ? (REAL)1 : settings->correction;
    const REAL closing = dt > 0 ? share * distance / dt : 0, rebound = surface->restitution * velocity;
    const int hits = distance <= 0 || velocity * dt + distance <= 0;
    const int rebounds = surface->restitution > 0 && hits && velocity < -settings->least_impact;
    /* What does not rebound comes to the surface, and not to rest above it. */
    if (rebounds && rebound < closing) {
        by[0] = 0, by[1] = surface->restitution;
        return rebound;
    }
    by[0] = dt > 0 ? share / dt : 0, by[1] = 0;
    return closing;
}
