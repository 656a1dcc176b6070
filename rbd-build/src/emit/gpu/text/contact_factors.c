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
