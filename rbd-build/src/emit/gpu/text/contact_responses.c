RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(RBD_AT(ddq_dtau, k * SIZE + i), RBD_AT(jacobian, k * ROWS + part), sum);
    RBD_AT(responses, part * SIZE + i) = sum;
}
