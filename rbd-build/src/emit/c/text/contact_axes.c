
/* Rows in the contacts' own axes become rows in the world's, or back: by columns. All contacts, if `active` is null. */
static void ROBOT_hold_turn_rows(const REAL *const at[3], const int *active, int back, int columns, REAL *rows)
{
    int k, j, r, c;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL here[12], x[3];
        if (active && !active[k]) continue;
        ROBOT_hold_placement(at, k, here);
        for (j = 0; j < columns; j++) {
            for (r = ROBOT_hold_row[k]; r < ROBOT_hold_row[k + 1]; r += 3) {
                REAL *const to = rows + j * ROBOT_hold_nr + r;
                if (back) {
                    ROBOT_hold_turn_back(here, to, x);
                } else {
                    ROBOT_hold_turn(here, to, x);
                }
                for (c = 0; c < 3; c++) to[c] = x[c];
            }
        }
    }
}

/* Adds to the derivative of forces by q, all in the contacts' own axes, what turning axes add in the world's. */
static void ROBOT_hold_add_turning(const REAL *const at[3], const int *active, const REAL *forces, REAL *by_q)
{
    int k, j, r, c;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL jacobian[6 * SIZE], x[3];
        if (!active[k]) continue;
        ROBOT_hold_jacobian(at, k, jacobian);
        for (j = 0; j < SIZE; j++) {
            for (r = ROBOT_hold_row[k]; r < ROBOT_hold_row[k + 1]; r += 3) {
                ROBOT_hold_cross(jacobian + 6 * j + 3, forces + r, x);
                for (c = 0; c < 3; c++) by_q[j * ROBOT_hold_nr + r + c] += x[c];
            }
        }
    }
}
