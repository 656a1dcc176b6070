const int by_q = part < SIZE;
const unsigned column = by_q ? part : part - SIZE;
RBD_SPACE const REAL *const torques = by_q ? &RBD_AT(dtau_dq, column * SIZE) : &RBD_AT(dtau_dv, column * SIZE);
RBD_SPACE const REAL *const moved = by_q ? &RBD_AT(velocities_dq, column * ROWS) : &RBD_AT(jacobian, column * ROWS);
RBD_SPACE REAL *const of_ddq = by_q ? &RBD_AT(ddq_dq, column * SIZE) : &RBD_AT(ddq_dv, column * SIZE);
RBD_SPACE REAL *const of_forces = by_q ? &RBD_AT(forces_dq, column * ROWS) : &RBD_AT(forces_dv, column * ROWS);
/* Without what contacts change. */
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = 0;
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(-RBD_AT(ddq_dtau, k * SIZE + i), RBD_AT(torques, k), sum);
    RBD_AT(of_ddq, i) = sum;
}
RBD_NOT_UNROLLED
for (unsigned r = 0; r < ROWS; r++) {
    REAL sum = RBD_FMA(RBD_AT(settings, 1), RBD_AT(moved, r), RBD_AT(of_forces, r));
    for (unsigned k = 0; k < SIZE; k++) sum = RBD_FMA(RBD_AT(jacobian, k * ROWS + r), RBD_AT(of_ddq, k), sum);
    RBD_AT(of_forces, r) = RBD_AT(active, OF_ROW(r)) > HALF ? -sum : 0;
}
ROBOT_contact_solve(stride, delassus, of_forces);
RBD_NOT_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    REAL sum = RBD_AT(of_ddq, i);
    for (unsigned r = 0; r < ROWS; r++) sum = RBD_FMA(RBD_AT(responses, r * SIZE + i), RBD_AT(of_forces, r), sum);
    RBD_AT(of_ddq, i) = sum;
}
