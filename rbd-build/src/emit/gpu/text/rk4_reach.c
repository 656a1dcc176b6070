/* The motion that leads to a stage, and its velocity, by the rate and the acceleration before it. */
const REAL time = stage == 3 ? RBD_AT(dt, 0) : (REAL)0.5 * RBD_AT(dt, 0);
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(MOTION, k) = stage == 0 ? (REAL)0 : time * RBD_AT(rate, k);
    RBD_AT(VELOCITY, k) = stage == 0 ? RBD_AT(v, k) : RBD_FMA(time, RBD_AT(acceleration, k), RBD_AT(v, k));
}
