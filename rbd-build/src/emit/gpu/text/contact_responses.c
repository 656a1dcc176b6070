REAL row[SIZE];
for (unsigned k = 0; k < SIZE; k++) row[k] = RBD_AT(jacobian, k * ROWS + part);
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(RBD_AT(ddq_dtau, k * SIZE + i), row[k], sum);
    RBD_AT(responses, part * SIZE + i) = sum;
}
