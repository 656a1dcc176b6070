const int by_v = part >= SIZE;
const unsigned column = by_v ? part - SIZE : part;
RBD_SPACE const REAL *const of_v = &RBD_AT(by_v ? dv_dv : dv_dq, column * SIZE);
RBD_SPACE REAL *const of_forces = &RBD_AT(by_v ? forces_dv : forces_dq, column * ROWS);
RBD_NOT_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    REAL sum = RBD_AT(of_forces, r);
    for (unsigned k = 0; k < SIZE; k++) {
        const REAL gained = RBD_AT(of_v, k) - (by_v && k == column ? (REAL)1 : (REAL)0);
        sum = RBD_FMA(-(RBD_AT(damping, k) * gained), RBD_AT(forces_dtau, k * ROWS + r), sum);
    }
    RBD_AT(of_forces, r) = sum;
}
