/* By factors of G. */
RBD_WHOLLY_UNROLLED
for (unsigned k = 0; k < ROWS; k++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned i = k + 1; i < ROWS; i++) {
        const REAL factor = -RBD_AT(delassus, k * ROWS + i);
        RBD_WHOLLY_UNROLLED
        for (unsigned c = 0; c < WIDTH; c++) f[c][i] = RBD_FMA(factor, f[c][k], f[c][i]);
    }
}
RBD_WHOLLY_UNROLLED
for (unsigned l = 0; l < ROWS; l++) {
    const unsigned k = ROWS - 1 - l;
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) f[c][k] *= RBD_AT(delassus, k * ROWS + k);
    RBD_WHOLLY_UNROLLED
    for (unsigned i = k + 1; i < ROWS; i++) {
        const REAL factor = -RBD_AT(delassus, k * ROWS + i);
        RBD_WHOLLY_UNROLLED
        for (unsigned c = 0; c < WIDTH; c++) f[c][k] = RBD_FMA(factor, f[c][i], f[c][k]);
    }
}
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) {
        if (c < columns) RBD_AT(of_forces, c * ROWS + r) = f[c][r];
    }
}
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned i = 0; i < SIZE; i++) {
        const REAL entry = RBD_AT(responses, r * SIZE + i);
        RBD_WHOLLY_UNROLLED
        for (unsigned c = 0; c < WIDTH; c++) x[c][i] = RBD_FMA(entry, f[c][r], x[c][i]);
    }
}
RBD_WHOLLY_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) {
        if (c < columns) RBD_AT(of_ddq, c * SIZE + i) = x[c][i];
    }
}
