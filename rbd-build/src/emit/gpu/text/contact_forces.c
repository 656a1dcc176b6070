for (unsigned r = 0; r < ROWS; r++) {
    const REAL rate = RATE;
    RBD_AT(FORCES, r) = RBD_AT(active, OF_ROW(r)) > HALF ? -rate : 0;
    RBD_AT(residual, r) = -RBD_AT(FORCES, r);
}
ROBOT_contact_solve(stride, delassus, FORCES);
/* G is above the diagonal. */
RBD_NOT_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    REAL sum = RBD_AT(residual, r);
    if (RBD_AT(active, OF_ROW(r)) > HALF) sum = RBD_FMA(RBD_AT(diagonal, r), RBD_AT(FORCES, r), sum);
    for (unsigned c = 0; c < r; c++) sum = RBD_FMA(RBD_AT(delassus, r * ROWS + c), RBD_AT(FORCES, c), sum);
    for (unsigned c = r + 1; c < ROWS; c++) sum = RBD_FMA(RBD_AT(delassus, c * ROWS + r), RBD_AT(FORCES, c), sum);
    RBD_AT(residual, r) = sum;
}
