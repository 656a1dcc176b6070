
/* Adds joint friction, or the first or second derivative by its own velocity, to entries so far apart: times weights, if there
 * are some. A joint that follows another has that of its own velocity. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_friction(const ROBOT_table_work *w, int derivative, const REAL *weights, REAL *to, WHOLE apart)
{
    const REAL smoothing = ROBOT_table_smoothing[0];
    int i;
    for (i = 0; i < ROBOT_table_rows; i++) {
        const REAL ratio = ROBOT_table_ratio[i], x = ratio * w->v[i], size = RBD_HYPOT(x, smoothing);
        const REAL share = x / size, rest = smoothing / size;
        const int at = ROBOT_table_coordinate[i];
        REAL of = ratio * ROBOT_table_rubs[i];
        switch (derivative) {
        case 0: of *= share; break;
        case 1: of *= ratio * rest * rest / size; break;
        default: of *= -3 * ratio * ratio * share * rest * rest / (size * size); break;
        }
        to[at * apart] += weights ? weights[at] * of : of;
    }
}
