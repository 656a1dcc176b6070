/* Gradients by the stage's configuration and velocity, and the weights of the stage before it. */
const REAL time = stage == 0 ? (REAL)0 : stage == 3 ? RBD_AT(dt, 0) : (REAL)0.5 * RBD_AT(dt, 0);
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) RBD_AT(by_q, k) = RBD_AT(by_u, k) = RBD_AT(second_dq, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    const REAL of_v = RBD_AT(velocity_weights, k) + RBD_AT(second_dv, k);
    RBD_AT(dq, k) += RBD_AT(by_q, k);
    RBD_AT(dv, k) += of_v;
    RBD_AT(dtau, k) += RBD_AT(second_dtau, k);
    RBD_AT(rate_weights, k) = time * (RBD_AT(motion_weights, k) + RBD_AT(by_u, k));
    RBD_AT(acceleration_weights, k) = time * of_v;
}
