/* The rate of the motion: v + [u, v]/2 + [u, [u, v]]/12. */
const REAL weight = RBD_AT(dt, 0) * (stage % 3 == 0 ? (REAL)(1.0 / 6) : (REAL)(1.0 / 3));
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) RBD_AT(rate, k) = RBD_AT(VELOCITY, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    if (stage == 0) {
        RBD_AT(ddq, k) = RBD_AT(acceleration, k);
        RBD_AT(along, k) = RBD_AT(v_next, k) = 0;
    }
    RBD_AT(along, k) = RBD_FMA(weight, RBD_AT(rate, k), RBD_AT(along, k));
    RBD_AT(v_next, k) = RBD_FMA(weight, RBD_AT(acceleration, k), RBD_AT(v_next, k));
}
