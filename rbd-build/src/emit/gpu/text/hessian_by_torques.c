REAL row[SIZE];
for (unsigned k = 0; k < SIZE; k++) row[k] = RBD_AT(dqdtau, k * SIZE + part);
RBD_NOT_UNROLLED
for (unsigned c = 0; c < SIZE; c++) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(row[k], RBD_AT(ddq_dtau, c * SIZE + k), sum);
    RBD_AT(dqdtau, c * SIZE + part) = sum;
}
RBD_AT(dtau, part) = -RBD_AT(dtau, part);
