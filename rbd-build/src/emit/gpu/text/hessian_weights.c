REAL sum = 0;
for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(-RBD_AT(ddq_dtau, k * SIZE + part), RBD_AT(WEIGHTS, k), sum);
RBD_AT(dtau, part) = sum;
if (part == 0) {
    REAL weighted = 0;
    for (unsigned k = 0; k < SIZE; k++) weighted = RBD_FMA(RBD_AT(WEIGHTS, k), RBD_AT(ddq, k), weighted);
    RBD_AT(value, 0) = weighted;
}
