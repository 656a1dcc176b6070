/* The Hessian of weighted accelerations, by derivatives of the stage's configuration and velocity. */
RBD_NOT_UNROLLED
for (unsigned b = 0; b < 3; b++) {
    RBD_SPACE const REAL *const of_place = &RBD_AT(BY_PLACE, (b * SIZE + part) * SIZE);
    RBD_SPACE const REAL *const of_x = &RBD_AT(BY_X, (b * SIZE + part) * SIZE);
    REAL along_place[SIZE], along_x[SIZE];
    RBD_NOT_UNROLLED
    for (unsigned i = 0; i < SIZE; i++) {
        REAL sum = b == 2 ? RBD_AT(second_dqdtau, part * SIZE + i) : (REAL)0, other = 0;
        for (unsigned k = 0; k < SIZE; k++) {
            sum = RBD_FMA(RBD_AT(second_dqdq, k * SIZE + i), RBD_AT(of_place, k), sum);
            sum = RBD_FMA(RBD_AT(second_dqdv, k * SIZE + i), RBD_AT(of_x, k), sum);
            other = RBD_FMA(RBD_AT(second_dqdv, i * SIZE + k), RBD_AT(of_place, k), other);
            other = RBD_FMA(RBD_AT(second_dvdv, k * SIZE + i), RBD_AT(of_x, k), other);
        }
        along_place[i] = sum;
        along_x[i] = other;
    }
    RBD_NOT_UNROLLED
    for (unsigned a = 0; a <= b; a++) {
        RBD_SPACE REAL *const to = BLOCK;
        RBD_NOT_UNROLLED
        for (unsigned r = 0; r < SIZE; r++) {
            REAL sum = 0;
            for (unsigned k = 0; k < SIZE; k++) {
                sum = RBD_FMA(RBD_AT(BY_PLACE, (a * SIZE + r) * SIZE + k), along_place[k], sum);
                sum = RBD_FMA(RBD_AT(BY_X, (a * SIZE + r) * SIZE + k), along_x[k], sum);
                if (a == 2) sum = RBD_FMA(RBD_AT(second_dqdtau, r * SIZE + k), RBD_AT(of_place, k), sum);
            }
            RBD_AT(to, part * SIZE + r) += sum;
        }
    }
}
