RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(dqdq, part * SIZE + k) = RBD_AT(dqdv, part * SIZE + k) = RBD_AT(dvdv, part * SIZE + k) = 0;
    RBD_AT(dqdtau, part * SIZE + k) = RBD_AT(dvdtau, part * SIZE + k) = RBD_AT(dtaudtau, part * SIZE + k) = 0;
}
