RBD_SPACE REAL *const of_ddq = &RBD_AT(ddq_dtau, part * SIZE);
RBD_SPACE REAL *const of_forces = &RBD_AT(forces_dtau, part * ROWS);
for (unsigned r = 0; r < ROWS; r++) {
    RBD_AT(of_forces, r) = RBD_AT(active, OF_ROW(r)) > HALF ? -RBD_AT(responses, r * SIZE + part) : 0;
}
ROBOT_contact_solve(stride, delassus, of_forces);
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = RBD_AT(of_ddq, i);
    for (unsigned r = 0; r < ROWS; r++) sum = RBD_FMA(RBD_AT(responses, r * SIZE + i), RBD_AT(of_forces, r), sum);
    RBD_AT(of_ddq, i) = sum;
}
