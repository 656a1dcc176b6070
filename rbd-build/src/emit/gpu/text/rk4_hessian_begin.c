/* Gradients of the next state, and the weights of the motion that leads there. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) RBD_AT(by_q, k) = RBD_AT(by_u, k) = RBD_AT(lambda_q, k);
JOINTS
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(dq, k) = RBD_AT(by_q, k);
    RBD_AT(dv, k) = RBD_AT(lambda_v, k);
    RBD_AT(dtau, k) = 0;
    RBD_AT(along_weights, k) = RBD_AT(by_u, k);
}
