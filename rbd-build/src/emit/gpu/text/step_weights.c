/* Gradients without accelerations, and the weights of accelerations. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) RBD_AT(by_q, k) = RBD_AT(by_v, k) = RBD_AT(lambda_q, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(by_v, k) = RBD_FMA(time, RBD_AT(by_v, k), RBD_AT(lambda_v, k));
    RBD_AT(weights, k) = RBD_AT(WEIGHTS, k);
}
