(void)part;
RBD_NOT_UNROLLED
for (unsigned j = 0; j < ROWS; j++) {
    const int is_held = RBD_AT(active, OF_ROW(j)) > HALF;
    REAL own = RBD_AT(diagonal, j), largest = own, limit, pivot, reciprocal;
    /* Beside the other two rows of the same unit. */
    for (unsigned i = j / 3 * 3; i < j / 3 * 3 + 3; i++) {
        if (RBD_AT(diagonal, i) > largest) largest = RBD_AT(diagonal, i);
    }
    own = is_held ? own + RBD_AT(settings, 0) : 1;
    largest = is_held ? largest + RBD_AT(settings, 0) : 1;
    limit = own * LEAST;
    if (limit < largest * ROUNDING) limit = largest * ROUNDING;
    pivot = RBD_AT(delassus, j * ROWS + j);
    reciprocal = pivot - limit < TINY ? 0 : 1 / pivot;
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
for (unsigned r = 0; r < ROWS; r++) {
    const REAL rate = RBD_FMA(RBD_AT(settings, 1), RBD_AT(row_velocity, r), RBD_AT(free_rows, r));
    RBD_AT(forces, r) = RBD_AT(active, OF_ROW(r)) > HALF ? -rate : 0;
    RBD_AT(residual, r) = -RBD_AT(forces, r);
}
ROBOT_contact_solve(stride, delassus, forces);
/* G is above the diagonal. */
RBD_NOT_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    REAL sum = RBD_AT(residual, r);
    if (RBD_AT(active, OF_ROW(r)) > HALF) sum = RBD_FMA(RBD_AT(diagonal, r), RBD_AT(forces, r), sum);
    for (unsigned c = 0; c < r; c++) sum = RBD_FMA(RBD_AT(delassus, r * ROWS + c), RBD_AT(forces, c), sum);
    for (unsigned c = r + 1; c < ROWS; c++) sum = RBD_FMA(RBD_AT(delassus, c * ROWS + r), RBD_AT(forces, c), sum);
    RBD_AT(residual, r) = sum;
}
