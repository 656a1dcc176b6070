/* Rows `from` to before `to` of so many columns of a t, at most four, as sums over runs of terms; t by columns as well. Rows
 * are made from the last up, four or eight at once; those above `from` that this spoils are made after these. */
RBD_PERHAPS_UNUSED
static void ROBOT_rows(const REAL *RBD_RESTRICT a, const REAL *RBD_RESTRICT t, int from, int to,
                       const unsigned short *runs, int count, int columns, REAL *RBD_RESTRICT out)
{
    int i, k, column;
#if RBD_VECTORS
    while (to > from && to >= 4) {
        ROBOT_v4 s0 = RBD_SPLAT4(0), s1 = s0, s2 = s0, s3 = s0;
#if defined(__AVX__) || defined(__aarch64__)
        if (to - from > 4 && to >= 8) {
            ROBOT_v4 r0 = s0, r1 = s0, r2 = s0, r3 = s0;
            to -= 8;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    const ROBOT_v4 x = *(const ROBOT_u4 *)(a + k * SIZE + to);
                    const ROBOT_v4 y = *(const ROBOT_u4 *)(a + k * SIZE + to + 4);
                    s0 = RBD_FMA4(x, RBD_SPLAT4(t[k]), s0);
                    r0 = RBD_FMA4(y, RBD_SPLAT4(t[k]), r0);
                    s1 = RBD_FMA4(x, RBD_SPLAT4(t[SIZE + k]), s1);
                    r1 = RBD_FMA4(y, RBD_SPLAT4(t[SIZE + k]), r1);
                    s2 = RBD_FMA4(x, RBD_SPLAT4(t[2 * SIZE + k]), s2);
                    r2 = RBD_FMA4(y, RBD_SPLAT4(t[2 * SIZE + k]), r2);
                    s3 = RBD_FMA4(x, RBD_SPLAT4(t[3 * SIZE + k]), s3);
                    r3 = RBD_FMA4(y, RBD_SPLAT4(t[3 * SIZE + k]), r3);
                }
            }
            *(ROBOT_u4 *)(out + to + 4) = r0;
            if (columns > 1) *(ROBOT_u4 *)(out + SIZE + to + 4) = r1;
            if (columns > 2) *(ROBOT_u4 *)(out + 2 * SIZE + to + 4) = r2;
            if (columns > 3) *(ROBOT_u4 *)(out + 3 * SIZE + to + 4) = r3;
        } else
#endif
        {
            to -= 4;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    const ROBOT_v4 x = *(const ROBOT_u4 *)(a + k * SIZE + to);
                    s0 = RBD_FMA4(x, RBD_SPLAT4(t[k]), s0);
                    s1 = RBD_FMA4(x, RBD_SPLAT4(t[SIZE + k]), s1);
                    s2 = RBD_FMA4(x, RBD_SPLAT4(t[2 * SIZE + k]), s2);
                    s3 = RBD_FMA4(x, RBD_SPLAT4(t[3 * SIZE + k]), s3);
                }
            }
        }
        *(ROBOT_u4 *)(out + to) = s0;
        if (columns > 1) *(ROBOT_u4 *)(out + SIZE + to) = s1;
        if (columns > 2) *(ROBOT_u4 *)(out + 2 * SIZE + to) = s2;
        if (columns > 3) *(ROBOT_u4 *)(out + 3 * SIZE + to) = s3;
    }
#endif
    while (to > from) {
        to--;
        for (column = 0; column < columns; column++) {
            REAL sum = 0;
            for (i = 0; i < count; i++) {
                for (k = runs[2 * i]; k < runs[2 * i + 1]; k++) {
                    sum = RBD_FMA(a[k * SIZE + to], t[column * SIZE + k], sum);
                }
            }
            out[column * SIZE + to] = sum;
        }
    }
}

/* All blocks of rows of these columns; where the table goes on after them. */
RBD_PERHAPS_UNUSED
static const unsigned short *ROBOT_blocks(const REAL *a, const REAL *t, const unsigned short *blocks, int count,
                                          int columns, REAL *out)
{
    while (count-- > 0) {
        ROBOT_rows(a, t, blocks[0], blocks[1], blocks + 3, blocks[2], columns, out);
        blocks += 3 + 2 * blocks[2];
    }
    return blocks;
}

