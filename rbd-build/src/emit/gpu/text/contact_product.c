REAL x[WIDTH][SIZE];
RBD_WHOLLY_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) x[c][i] = 0;
}
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    REAL own[WIDTH];
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) own[c] = c < columns ? FACTOR : 0;
    RBD_WHOLLY_UNROLLED
    for (unsigned i = 0; i < SIZE; i++) {
        const REAL entry = RBD_AT(ddq_dtau, k * SIZE + i);
        RBD_WHOLLY_UNROLLED
        for (unsigned c = 0; c < WIDTH; c++) x[c][i] = RBD_FMA(entry, own[c], x[c][i]);
    }
}
