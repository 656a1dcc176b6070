const unsigned first = part * WIDTH, columns = SIZE - first < WIDTH ? SIZE - first : WIDTH;
RBD_SPACE REAL *const of_ddq = &RBD_AT(ddq_dtau, first * SIZE);
RBD_SPACE REAL *const of_forces = &RBD_AT(forces_dtau, first * ROWS);
REAL x[WIDTH][SIZE], f[WIDTH][ROWS];
RBD_WHOLLY_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) x[c][i] = c < columns ? RBD_AT(of_ddq, c * SIZE + i) : 0;
}
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    const int is_held = RBD_AT(active, OF_ROW(r)) > HALF;
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) f[c][r] = is_held && c < columns ? -RBD_AT(responses, r * SIZE + first + c) : 0;
}
