(void)part;
REAL g[ROWS][ROWS], f[ROWS], left[ROWS];
RBD_WHOLLY_UNROLLED
for (unsigned j = 0; j < ROWS; j++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned i = j; i < ROWS; i++) g[j][i] = RBD_AT(delassus, j * ROWS + i);
}
RBD_WHOLLY_UNROLLED
for (unsigned j = 0; j < ROWS; j++) {
    const REAL pivot = g[j][j];
    RECIPROCAL
    RBD_WHOLLY_UNROLLED
    for (unsigned k = j + 1; k < ROWS; k++) {
        const REAL factor = -(g[j][k] * reciprocal);
        RBD_WHOLLY_UNROLLED
        for (unsigned i = k; i < ROWS; i++) g[k][i] = RBD_FMA(g[j][i], factor, g[k][i]);
    }
    RBD_WHOLLY_UNROLLED
    for (unsigned i = j + 1; i < ROWS; i++) g[j][i] *= reciprocal;
    g[j][j] = reciprocal;
}
RBD_WHOLLY_UNROLLED
for (unsigned j = 0; j < ROWS; j++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned i = j; i < ROWS; i++) RBD_AT(delassus, j * ROWS + i) = g[j][i];
}
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    const REAL rate = RATE;
    f[r] = RBD_AT(active, OF_ROW(r)) > HALF ? -rate : 0;
    left[r] = -f[r];
}
RBD_WHOLLY_UNROLLED
for (unsigned k = 0; k < ROWS; k++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned i = k + 1; i < ROWS; i++) f[i] = RBD_FMA(-g[k][i], f[k], f[i]);
}
RBD_WHOLLY_UNROLLED
for (unsigned l = 0; l < ROWS; l++) {
    const unsigned k = ROWS - 1 - l;
    f[k] *= g[k][k];
    RBD_WHOLLY_UNROLLED
    for (unsigned i = k + 1; i < ROWS; i++) f[k] = RBD_FMA(-g[k][i], f[i], f[k]);
}
/* G is above the diagonal. */
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    REAL sum = left[r];
    RBD_AT(FORCES, r) = f[r];
    if (RBD_AT(active, OF_ROW(r)) > HALF) sum = RBD_FMA(RBD_AT(diagonal, r), f[r], sum);
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < r; c++) sum = RBD_FMA(RBD_AT(delassus, r * ROWS + c), f[c], sum);
    RBD_WHOLLY_UNROLLED
    for (unsigned c = r + 1; c < ROWS; c++) sum = RBD_FMA(RBD_AT(delassus, c * ROWS + r), f[c], sum);
    RBD_AT(residual, r) = sum;
}
