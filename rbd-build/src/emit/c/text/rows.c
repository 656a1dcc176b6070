
/* Rows `from` to before `to` of so many columns of a t, at most four, as sums over runs of terms; t by columns as well. Rows
 * are made from the last up, four or eight at once; those above `from` that this spoils are made after these, and those
 * that are made twice are the same again. */
RBD_PERHAPS_UNUSED
static RBD_COPIED void ROBOT_rows(const REAL *RBD_RESTRICT a, const REAL *RBD_RESTRICT t, int from, int to,
                       const unsigned short *runs, int count, int columns, REAL *RBD_RESTRICT out)
{
    int i, k, column, end = to;
#if RBD_VECTORS
    while (end > from && to >= 4) {
        ROBOT_v4 s0 = RBD_SPLAT4(0), s1 = s0, s2 = s0, s3 = s0;
#if defined(__AVX__) || defined(__aarch64__)
        if (end - from > 4 && to >= 8) {
            ROBOT_v4 r0 = s0, r1 = s0, r2 = s0, r3 = s0;
            end = end > 8 ? end - 8 : 0;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    const ROBOT_v4 x = *(const ROBOT_u4 *)(a + k * SIZE + end);
                    const ROBOT_v4 y = *(const ROBOT_u4 *)(a + k * SIZE + end + 4);
                    s0 = RBD_FMA4(x, RBD_SPLAT4(t[k]), s0);
                    r0 = RBD_FMA4(y, RBD_SPLAT4(t[k]), r0);
                    if (columns > 1) s1 = RBD_FMA4(x, RBD_SPLAT4(t[SIZE + k]), s1);
                    if (columns > 1) r1 = RBD_FMA4(y, RBD_SPLAT4(t[SIZE + k]), r1);
                    if (columns > 2) s2 = RBD_FMA4(x, RBD_SPLAT4(t[2 * SIZE + k]), s2);
                    if (columns > 2) r2 = RBD_FMA4(y, RBD_SPLAT4(t[2 * SIZE + k]), r2);
                    if (columns > 3) s3 = RBD_FMA4(x, RBD_SPLAT4(t[3 * SIZE + k]), s3);
                    if (columns > 3) r3 = RBD_FMA4(y, RBD_SPLAT4(t[3 * SIZE + k]), r3);
                }
            }
            *(ROBOT_u4 *)(out + end + 4) = r0;
            if (columns > 1) *(ROBOT_u4 *)(out + SIZE + end + 4) = r1;
            if (columns > 2) *(ROBOT_u4 *)(out + 2 * SIZE + end + 4) = r2;
            if (columns > 3) *(ROBOT_u4 *)(out + 3 * SIZE + end + 4) = r3;
        } else
#endif
        {
            end = end > 4 ? end - 4 : 0;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    const ROBOT_v4 x = *(const ROBOT_u4 *)(a + k * SIZE + end);
                    s0 = RBD_FMA4(x, RBD_SPLAT4(t[k]), s0);
                    if (columns > 1) s1 = RBD_FMA4(x, RBD_SPLAT4(t[SIZE + k]), s1);
                    if (columns > 2) s2 = RBD_FMA4(x, RBD_SPLAT4(t[2 * SIZE + k]), s2);
                    if (columns > 3) s3 = RBD_FMA4(x, RBD_SPLAT4(t[3 * SIZE + k]), s3);
                }
            }
        }
        *(ROBOT_u4 *)(out + end) = s0;
        if (columns > 1) *(ROBOT_u4 *)(out + SIZE + end) = s1;
        if (columns > 2) *(ROBOT_u4 *)(out + 2 * SIZE + end) = s2;
        if (columns > 3) *(ROBOT_u4 *)(out + 3 * SIZE + end) = s3;
    }
#endif
    while (end > from) {
        end--;
        for (column = 0; column < columns; column++) {
            REAL sum = 0;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    sum = RBD_FMA(a[k * SIZE + end], t[column * SIZE + k], sum);
                }
            }
            out[column * SIZE + end] = sum;
        }
    }
}

/* All blocks of rows of these columns; where the table goes on after them. */
RBD_PERHAPS_UNUSED
static const unsigned short *ROBOT_blocks(const REAL *a, const REAL *t, const unsigned short *blocks, int count,
                                          int columns, REAL *out)
{
    for (; count > 0; count--, blocks += 3 + 2 * blocks[2]) {
#if RBD_VECTORS
        switch (columns) {
        case 1: ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], 1, out); continue;
        case 2: ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], 2, out); continue;
        case 3: ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], 3, out); continue;
        default: break;
        }
        ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], 4, out);
#else
        ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], columns, out);
#endif
    }
    return blocks;
}

/* How many columns to make next of so many that are left: three where less than three would be left at last, since few
 * sums wait for one another. */
RBD_PERHAPS_UNUSED
static int ROBOT_together(int left)
{
    return left <= 4 ? left : left % 4 == 1 || left % 4 == 2 ? 3 : 4;
}
