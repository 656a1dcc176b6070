const unsigned column = part % SIZE;
const int by_v = part / SIZE == 1;
const REAL time = stage == 3 ? RBD_AT(dt, 0) : (REAL)0.5 * RBD_AT(dt, 0);
const REAL weight = RBD_AT(dt, 0) * (stage % 3 == 0 ? (REAL)(1.0 / 6) : (REAL)(1.0 / 3));
RBD_SPACE REAL *const of_rate = &RBD_AT(by_rate, part * SIZE), *const of_ddq = &RBD_AT(by_acceleration, part * SIZE);
RBD_SPACE REAL *const of_u = &RBD_AT(BY_U, part * SIZE), *const of_x = &RBD_AT(BY_X, part * SIZE);
RBD_SPACE REAL *const of_place = &RBD_AT(BY_PLACE, part * SIZE), *const moved = &RBD_AT(MOVED, part * SIZE);
RESULTS
REAL changes[SIZE];
/* How the motion to the stage, its velocity and its configuration move. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL own = by_v && k == column ? (REAL)1 : (REAL)0;
    RBD_AT(of_u, k) = stage == 0 ? (REAL)0 : time * RBD_AT(of_rate, k);
    RBD_AT(of_x, k) = stage == 0 ? own : RBD_FMA(time, RBD_AT(of_ddq, k), own);
    RBD_AT(of_place, k) = RBD_AT(of_u, k);
}
THROUGH_JOINTS
/* How accelerations and rates do. */
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = part < 2 * SIZE ? (REAL)0 : RBD_AT(DDQ_DTAU, column * SIZE + i);
    for (unsigned k = 0; k < SIZE; k++) {
        sum = RBD_FMA(RBD_AT(DDQ_DQ, k * SIZE + i), RBD_AT(of_place, k), sum);
        sum = RBD_FMA(RBD_AT(DDQ_DV, k * SIZE + i), RBD_AT(of_x, k), sum);
    }
    changes[i] = sum;
}
for (unsigned k = 0; k < SIZE; k++) RBD_AT(moved, k) = RBD_AT(of_x, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL change = RBD_AT(moved, k);
    RBD_AT(of_rate, k) = change;
    RBD_AT(of_ddq, k) = changes[k];
    SUMS
}
