/* out = g d g^T with a diagonal d: of each group's columns the rows from the first of them on, and then the mirror image.
 * The table is that of a negative product. */
RBD_PERHAPS_UNUSED
static void ROBOT_gram_product(const REAL *g, const REAL *d, REAL *out, const unsigned short *table, int groups)
{
    REAL t[4 * SIZE];
    int column, columns, k, c;
    while (groups-- > 0) {
        const unsigned short *const group = table;
        for (column = group[0]; column < group[1]; column += columns) {
            columns = ROBOT_together(group[1] - column);
            for (c = 0; c < columns; c++) {
                for (k = 0; k < SIZE; k++) {
                    t[c * SIZE + k] = g[k * SIZE + column + c] * d[k];
                }
            }
            table = ROBOT_blocks(g, t, group + 3, group[2], columns, out + column * SIZE);
        }
    }
    for (column = 0; column < SIZE; column++) {
        for (k = column + 1; k < SIZE; k++) {
            out[k * SIZE + column] = out[column * SIZE + k];
        }
    }
}

