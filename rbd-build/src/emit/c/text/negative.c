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
            for (k = 0; k < columns * SIZE; k++) {
                t[k] = -x[column * SIZE + k];
            }
            table = ROBOT_blocks(a, t, group + 3, group[2], columns, x + column * SIZE);
        }
    }
}

