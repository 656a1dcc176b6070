/* Weights of the stage's rate and acceleration, and those of its motion and velocity by the rate. */
const REAL weight = RBD_AT(dt, 0) * (stage % 3 == 0 ? (REAL)(1.0 / 6) : (REAL)(1.0 / 3));
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL of_rate = stage == 3 ? (REAL)0 : RBD_AT(rate_weights, k);
    const REAL of_acceleration = stage == 3 ? (REAL)0 : RBD_AT(acceleration_weights, k);
    RBD_AT(rate_weights, k) = RBD_FMA(weight, RBD_AT(along_weights, k), of_rate);
    RBD_AT(acceleration_weights, k) = RBD_FMA(weight, RBD_AT(lambda_v, k), of_acceleration);
    RBD_AT(motion_weights, k) = 0;
    RBD_AT(velocity_weights, k) = RBD_AT(rate_weights, k);
}
JOINTS
