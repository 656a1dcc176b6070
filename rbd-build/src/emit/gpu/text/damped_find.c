/* 1 + dt M^-1 D, then its factors L, whose diagonal is 1, and U: the diagonal receives the reciprocals of U's. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    for (unsigned i = 0; i < SIZE; i++) RBD_AT(factors, k * SIZE + i) *= time * RBD_AT(damping, k);
    RBD_AT(factors, k * SIZE + k) += 1;
}
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_SPACE REAL *const column = &RBD_AT(factors, k * SIZE);
    REAL pivot;
    ROBOT_damped_forward(stride, factors, k, column);
    pivot = 1 / RBD_AT(column, k);
    RBD_AT(column, k) = pivot;
    for (unsigned i = k + 1; i < SIZE; i++) RBD_AT(column, i) *= pivot;
}
/* The accelerations x, and the torques at which aba gives them. */
ROBOT_damped_solve(stride, factors, ddq);
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(found_tau, k) = RBD_FMA(-(time * RBD_AT(damping, k)), RBD_AT(ddq, k), RBD_AT(tau, k));
}
