REAL row[SIZE];
for (unsigned k = 0; k < SIZE; k++) row[k] = RBD_AT(forces_dtau, k * ROWS + part);
RBD_NOT_UNROLLED
for (unsigned j = 0; j < SIZE; j++) {
    REAL sum = row[j];
    for (unsigned k = 0; k < SIZE; k++) {
        sum = RBD_FMA(-(RBD_AT(damping, k) * RBD_AT(dv_dtau, j * SIZE + k)), row[k], sum);
    }
    RBD_AT(forces_dtau, j * ROWS + part) = sum;
}
