const REAL time = RBD_AT(dt, 0);
RBD_NOT_UNROLLED
for (unsigned k = 0; k < SIZE; k++) {
    RBD_AT(dqdq, part * SIZE + k) *= time;
    RBD_AT(dqdv, part * SIZE + k) *= time;
    RBD_AT(dvdv, part * SIZE + k) *= time;
    RBD_AT(dqdtau, part * SIZE + k) *= time;
    RBD_AT(dvdtau, part * SIZE + k) = RBD_AT(dtaudtau, part * SIZE + k) = 0;
}
RBD_AT(dq, part) = RBD_FMA(RBD_AT(dq, part), time, RBD_AT(by_q, part));
RBD_AT(dv, part) = RBD_FMA(RBD_AT(dv, part), time, RBD_AT(by_v, part));
RBD_AT(dtau, part) *= time;
