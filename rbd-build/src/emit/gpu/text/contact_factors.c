(void)part;
RBD_NOT_UNROLLED
for (unsigned j = 0; j < ROWS; j++) {
    const REAL pivot = RBD_AT(delassus, j * ROWS + j);
    RECIPROCAL
    RBD_NOT_UNROLLED
    for (unsigned k = j + 1; k < ROWS; k++) {
        const REAL factor = -(RBD_AT(delassus, j * ROWS + k) * reciprocal);
        for (unsigned i = k; i < ROWS; i++) {
            RBD_AT(delassus, k * ROWS + i) = RBD_FMA(RBD_AT(delassus, j * ROWS + i), factor, RBD_AT(delassus, k * ROWS + i));
        }
    }
    for (unsigned i = j + 1; i < ROWS; i++) RBD_AT(delassus, j * ROWS + i) *= reciprocal;
    RBD_AT(delassus, j * ROWS + j) = reciprocal;
}
