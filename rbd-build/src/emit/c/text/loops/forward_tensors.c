
/* The coordinates on a path with one, in the tree of M's factors, as runs of terms of a product; how many. */
RBD_PERHAPS_UNUSED
static int ROBOT_table_support(int c, unsigned short *runs)
{
    int i, up, count = 0, at;
    for (i = c; i >= 0; i = up) {
        up = ROBOT_table_up[i];
        if (up < 0 || up != i - 1) count++;
    }
    at = 2 * count;
    runs[--at] = (unsigned short)ROBOT_table_reach[c];
    for (i = c; i >= 0; i = up) {
        up = ROBOT_table_up[i];
        if (up < 0 || up != i - 1) {
            runs[--at] = (unsigned short)i;
            if (up >= 0) runs[--at] = (unsigned short)(up + 1);
        }
    }
    return count;
}

/* Second derivatives of accelerations, in place of those of torques at these accelerations, from first ones. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_aba_tensors(const ROBOT_aba_derivatives_t *first, REAL *RBD_RESTRICT qq, REAL *RBD_RESTRICT qv,
                                    REAL *RBD_RESTRICT vv, REAL *RBD_RESTRICT qt)
{
    const WHOLE square = (WHOLE)SIZE * SIZE;
    REAL e[SIZE * SIZE], made[4 * SIZE];
    const REAL *const by[3] = {first->ddq_dq, first->ddq_dv, first->ddq_dtau};
    REAL *const pages[3] = {qq, qv, vv};
    /* Of products with what one coordinate's support makes nonzero: columns, and one block of all rows. */
    unsigned short terms[2 * SIZE + 6] = {0, 0, 1, 0, SIZE, 0};
    int c, i, k, m, t, count, columns;
    /* -M^-1 times those of torques: page c has nothing beside c's support. */
    for (c = 0; c < SIZE; c++) {
        count = ROBOT_table_support(c, terms + 6), terms[5] = (unsigned short)count;
        for (i = 0; i < count; i++) {
            terms[0] = terms[6 + 2 * i], terms[1] = terms[7 + 2 * i];
            for (t = 0; t < 3; t++) ROBOT_negative_product(first->ddq_dtau, pages[t] + c * square, terms, 1);
        }
    }
    /* And E = -M^-1 dM/dq_c times first derivatives. M does not depend on where a floating base is. */
    for (c = ROBOT_table_floats ? 6 : 0; c < SIZE; c++) {
        count = ROBOT_table_support(c, terms + 6), terms[5] = (unsigned short)count;
        for (i = 0; i < count; i++) {
            terms[0] = terms[6 + 2 * i], terms[1] = terms[7 + 2 * i];
            for (k = terms[0]; k < terms[1]; k++) {
                for (m = 0; m < SIZE; m++) e[k * SIZE + m] = qt[k * square + c * SIZE + m];
            }
            ROBOT_negative_product(first->ddq_dtau, e, terms, 1);
        }
        for (t = 0; t < 3; t++) {
            for (k = 0; k < SIZE; k += columns) {
                columns = ROBOT_together(SIZE - k);
                ROBOT_blocks(e, by[t] + k * SIZE, terms + 3, 1, columns, made);
                for (i = 0; i < columns; i++) {
                    const REAL *const x = made + i * SIZE;
                    REAL *const to = (t == 0 ? qq : t == 1 ? qv : qt) + (k + i) * square + c * SIZE;
                    REAL *const mirror = qq + c * square + (k + i) * SIZE;
                    for (m = 0; m < SIZE; m++) to[m] = t == 2 ? x[m] : to[m] + x[m];
                    for (m = 0; m < SIZE && t == 0; m++) mirror[m] += x[m];
                }
            }
        }
    }
}
