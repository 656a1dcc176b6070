const int by_q = part < GROUPS;
const unsigned first = (by_q ? part : part - GROUPS) * WIDTH, columns = SIZE - first < WIDTH ? SIZE - first : WIDTH;
RBD_SPACE const REAL *const torques = by_q ? &RBD_AT(dtau_dq, first * SIZE) : &RBD_AT(dtau_dv, first * SIZE);
RBD_SPACE const REAL *const moved = by_q ? &RBD_AT(velocities_dq, first * ROWS) : &RBD_AT(jacobian, first * ROWS);
RBD_SPACE REAL *const of_ddq = by_q ? &RBD_AT(ddq_dq, first * SIZE) : &RBD_AT(ddq_dv, first * SIZE);
RBD_SPACE REAL *const of_forces = by_q ? &RBD_AT(forces_dq, first * ROWS) : &RBD_AT(forces_dv, first * ROWS);
REAL f[WIDTH][ROWS];
/* Without what contacts change. */
PRODUCT
RBD_NOT_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    const int is_held = RBD_AT(active, OF_ROW(r)) > HALF;
    REAL sum[WIDTH];
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) {
        sum[c] = c < columns ? RBD_FMA(RBD_AT(settings, 1), RBD_AT(moved, c * ROWS + r), RBD_AT(of_forces, c * ROWS + r)) : 0;
    }
    RBD_WHOLLY_UNROLLED
    for (unsigned k = 0; k < SIZE; k++) {
        const REAL entry = RBD_AT(jacobian, k * ROWS + r);
        RBD_WHOLLY_UNROLLED
        for (unsigned c = 0; c < WIDTH; c++) sum[c] = RBD_FMA(entry, x[c][k], sum[c]);
    }
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) {
        if (c < columns) RBD_AT(of_forces, c * ROWS + r) = is_held ? -sum[c] : 0;
    }
}
RBD_WHOLLY_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) f[c][r] = c < columns ? RBD_AT(of_forces, c * ROWS + r) : 0;
}
