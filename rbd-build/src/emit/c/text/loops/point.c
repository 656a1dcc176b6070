
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
