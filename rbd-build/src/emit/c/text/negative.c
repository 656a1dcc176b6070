#if RBD_VECTORS && SIZE >= 4 && SIZE <= 8
/* So many columns of x = -a x, at most four, where each row is a sum of all terms and a column is two registers. All sums are
 * made before the first is stored, and numbers of x are loaded one by one, as they were stored. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_short_columns(const REAL *a, REAL *x, int columns)
{
    ROBOT_v4 lower[4], upper[4];
    int k, column;
    for (column = 0; column < columns; column++) {
        lower[column] = upper[column] = RBD_SPLAT4(0);
    }
    for (k = 0; k < SIZE; k++) {
        const ROBOT_v4 of_lower = *(const ROBOT_u4 *)(a + k * SIZE);
        const ROBOT_v4 of_upper = *(const ROBOT_u4 *)(a + k * SIZE + SIZE - 4);
        for (column = 0; column < columns; column++) {
            const ROBOT_v4 by = RBD_SPLAT4(-x[column * SIZE + k]);
            lower[column] = RBD_FMA4(of_lower, by, lower[column]);
            upper[column] = RBD_FMA4(of_upper, by, upper[column]);
        }
    }
    for (column = 0; column < columns; column++) {
        *(ROBOT_u4 *)(x + column * SIZE) = lower[column];
        *(ROBOT_u4 *)(x + column * SIZE + SIZE - 4) = upper[column];
    }
}

/* Whether these blocks of rows are one, of all rows, with all terms. */
RBD_PERHAPS_UNUSED
static int ROBOT_is_full(const unsigned short *blocks, int count)
{
    return count == 1 && blocks[0] == 0 && blocks[1] == SIZE && blocks[2] == 1 && blocks[3] == 0 && blocks[4] == SIZE;
}
#endif

/* x = -a x. The table: for each group of columns the first, the one after the last, how many blocks of rows; for each of
 * these the first row, the one after the last, how many runs of terms; and these, each as the first and the one after
 * the last. */
RBD_PERHAPS_UNUSED
static void ROBOT_negative_product(const REAL *a, REAL *x, const unsigned short *table, int groups)
{
    REAL t[4 * SIZE];
    while (groups-- > 0) {
        const unsigned short *const group = table;
        int column, columns, k;
        for (column = group[0]; column < group[1]; column += columns) {
            columns = ROBOT_together(group[1] - column);
#if RBD_VECTORS && SIZE >= 4 && SIZE <= 8
            if (ROBOT_is_full(group + 3, group[2])) {
                REAL *const first = x + column * SIZE;
                switch (columns) {
                case 1: ROBOT_short_columns(a, first, 1); break;
                case 2: ROBOT_short_columns(a, first, 2); break;
                case 3: ROBOT_short_columns(a, first, 3); break;
                default: ROBOT_short_columns(a, first, 4); break;
                }
                table = group + 8;
                continue;
            }
#endif
            for (k = 0; k < columns * SIZE; k++) {
                t[k] = -x[column * SIZE + k];
            }
            table = ROBOT_blocks(a, t, group + 3, group[2], columns, x + column * SIZE);
        }
    }
}

