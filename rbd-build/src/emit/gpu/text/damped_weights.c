/* Weights of aba that weigh x by others: a solution with the transposed factors. */
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    REAL sum = RBD_AT(weights, k);
    for (unsigned i = 0; i < k; i++) sum = RBD_FMA(-RBD_AT(weights, i), RBD_AT(factors, k * SIZE + i), sum);
    RBD_AT(weights, k) = sum * RBD_AT(factors, k * SIZE + k);
}
RBD_NOT_UNROLLED
for (unsigned k = SIZE; k-- > 0;) {
    REAL sum = RBD_AT(weights, k);
    for (unsigned i = k + 1; i < SIZE; i++) sum = RBD_FMA(-RBD_AT(weights, i), RBD_AT(factors, k * SIZE + i), sum);
    RBD_AT(weights, k) = sum;
}
