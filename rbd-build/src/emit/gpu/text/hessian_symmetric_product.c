RBD_NOT_UNROLLED
for (unsigned r = 0; r <= part; r++) {
    REAL sum = 0, mirrored = 0;
    for (unsigned k = 0; k < SIZE; k++) {
        sum = RBD_FMA(RBD_AT(FACTOR, k * SIZE + r), RBD_AT(ddq_dq, part * SIZE + k), sum);
        mirrored = RBD_FMA(RBD_AT(FACTOR, k * SIZE + part), RBD_AT(ddq_dq, r * SIZE + k), mirrored);
    }
    RBD_AT(dqdq, part * SIZE + r) += sum + mirrored;
    if (r < part) RBD_AT(dqdq, r * SIZE + part) += sum + mirrored;
}
