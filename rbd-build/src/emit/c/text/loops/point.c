
/* Moves the point of all segments to that of a floating base, or else to the world's. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_at_one_point(ROBOT_table_work *w)
{
    REAL point[ROBOT_table_segments][3];
    int i, j, k;
    for (j = 0; j < ROBOT_table_segments && ROBOT_table_rows > 0; j++) {
        const int parent = ROBOT_table_segment_parent[j];
        for (k = 0; k < 3; k++) {
            const REAL before = parent >= 0 ? point[parent][k] : ROBOT_table_floats ? -w->hop[0][k] : 0;
            point[j][k] = before + w->hop[j][k];
        }
    }
    for (i = 0; i < ROBOT_table_rows; i++) {
        for (k = 0; k < 3; k++) w->frame[9 + k][i] += point[ROBOT_table_segment[i]][k];
    }
    for (j = 0; j < ROBOT_table_segments; j++) w->hop[j][0] = w->hop[j][1] = w->hop[j][2] = 0;
}

/* Positions, motions, and what bodies add to sums over subtrees, all about that point; `fext` may be null. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_about_one_point(ROBOT_table_work *w, const REAL *q, const REAL *sin_q, const REAL *cos_q,
                                        const REAL *v, const REAL *a, const REAL *fext)
{
    ROBOT_table_gather(w, q, sin_q, cos_q, v);
    ROBOT_table_placements(w, q);
    ROBOT_table_at_one_point(w);
    ROBOT_table_axes(w);
    ROBOT_table_velocities(w);
    ROBOT_table_rates(w, a);
    ROBOT_table_bodies(w, 1, 1);
    if (fext) ROBOT_table_external(w, fext);
}
