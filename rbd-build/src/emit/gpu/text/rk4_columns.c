const unsigned column = part % SIZE;
const int by_v = part / SIZE == 1;
const REAL time = stage == 3 ? RBD_AT(dt, 0) : (REAL)0.5 * RBD_AT(dt, 0);
const REAL weight = RBD_AT(dt, 0) * (stage % 3 == 0 ? (REAL)(1.0 / 6) : (REAL)(1.0 / 3));
RBD_SPACE REAL *const of_u = &RBD_AT(by_rate, part * SIZE), *const of_x = &RBD_AT(by_acceleration, part * SIZE);
RBD_SPACE REAL *const of_place = &RBD_AT(by_place, part * SIZE);
RBD_SPACE REAL *const of_v = &RBD_AT(part < SIZE ? dv_dq : by_v ? dv_dv : dv_dtau, column * SIZE);
RBD_SPACE REAL *const of_q = &RBD_AT(part < SIZE ? dq_dq : by_v ? dq_dv : dq_dtau, column * SIZE);
REAL changes[SIZE];
/* How the motion to the stage, its velocity and its configuration move. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL own = by_v && k == column ? (REAL)1 : (REAL)0;
    RBD_AT(of_u, k) = stage == 0 ? (REAL)0 : time * RBD_AT(of_u, k);
    RBD_AT(of_x, k) = stage == 0 ? own : RBD_FMA(time, RBD_AT(of_x, k), own);
    RBD_AT(of_place, k) = RBD_AT(of_u, k);
}
PLACE
/* How accelerations and rates do. */
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = part < 2 * SIZE ? (REAL)0 : RBD_AT(stage_dtau, column * SIZE + i);
    for (unsigned k = 0; k < SIZE; k++) {
        sum = RBD_FMA(RBD_AT(stage_dq, k * SIZE + i), RBD_AT(of_place, k), sum);
        sum = RBD_FMA(RBD_AT(stage_dv, k * SIZE + i), RBD_AT(of_x, k), sum);
    }
    changes[i] = sum;
}
for (unsigned k = 0; k < SIZE; k++) RBD_AT(of_place, k) = RBD_AT(of_x, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL of_rate = RBD_AT(of_place, k);
    RBD_AT(of_u, k) = of_rate;
    RBD_AT(of_x, k) = changes[k];
    if (stage == 0) RBD_AT(of_q, k) = RBD_AT(of_v, k) = 0;
    RBD_AT(of_q, k) = RBD_FMA(weight, of_rate, RBD_AT(of_q, k));
    RBD_AT(of_v, k) = RBD_FMA(weight, changes[k], RBD_AT(of_v, k));
}
