/* x = -a x. The table: for each group of columns the first, the one after the last, how many blocks of rows; for each of
 * these the first row, the one after the last, how many runs of terms; and these, each as the first and the one after
 * the last. */
RBD_PERHAPS_UNUSED
static void ROBOT_negative_product(const REAL *a, REAL *x, const unsigned short *table, int groups)
{
    REAL t[4 * SIZE];
    while (groups-- > 0) {
        const unsigned short *const group = table;
        int column, k, c;
        for (column = group[0]; column < group[1]; column += 4) {
            const int columns = group[1] - column < 4 ? group[1] - column : 4;
            for (c = 0; c < 4; c++) {
                for (k = 0; k < SIZE; k++) {
                    t[c * SIZE + k] = c < columns ? -x[(column + c) * SIZE + k] : 0;
                }
            }
            table = ROBOT_blocks(a, t, group + 3, group[2], columns, x + column * SIZE);
        }
    }
}

