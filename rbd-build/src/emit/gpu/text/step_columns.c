const unsigned column = part % SIZE;
const int by_v = part / SIZE == 1;
RBD_SPACE REAL *const of_v = &RBD_AT(part < SIZE ? dv_dq : by_v ? dv_dv : dv_dtau, column * SIZE);
RBD_SPACE REAL *const of_q = &RBD_AT(part < SIZE ? dq_dq : by_v ? dq_dv : dq_dtau, column * SIZE);
const REAL time = RBD_AT(dt, 0);
SOLVE
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL own = by_v && k == column ? (REAL)1 : (REAL)0, x = RBD_FMA(time, RBD_AT(of_v, k), own);
    RBD_AT(of_v, k) = x;
    RBD_AT(of_q, k) = time * MOVES;
}
