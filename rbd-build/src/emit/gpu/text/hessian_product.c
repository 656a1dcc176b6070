RBD_NOT_UNROLLED
for (unsigned r = 0; r < SIZE; r++) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(RBD_AT(FACTOR, k * SIZE + r), RBD_AT(CHANGE, part * SIZE + k), sum);
    RBD_AT(RESULT, part * SIZE + r) += sum;
}
