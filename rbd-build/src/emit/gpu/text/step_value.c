if (part == 0) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(RBD_AT(lambda_v, k), RBD_AT(v_next, k), sum);
    TERMS
    RBD_AT(value, 0) = sum;
}
