const unsigned column = part % SIZE;
RBD_SPACE REAL *const of_x = &RBD_AT(part < SIZE ? ddq_dq : part / SIZE == 1 ? ddq_dv : ddq_dtau, column * SIZE);
ROBOT_damped_solve(stride, factors, of_x);
/* The torques of aba move by -dt D dx, and its Hessian has dqdtau along them. */
if (part < SIZE) {
    const REAL moved = -RBD_AT(dt, 0) * RBD_AT(damping, part);
    for (unsigned k = 0; k < SIZE; k++) RBD_AT(through, part * SIZE + k) = moved * RBD_AT(dqdtau, part * SIZE + k);
}
