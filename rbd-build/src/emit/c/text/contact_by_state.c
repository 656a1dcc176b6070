
/* Derivatives of the rows by q and v, of their velocities by q, and of inverse dynamics under these forces, which are constant
 * in the axes of their contacts. */
static void ROBOT_hold_by_state(TAKES const REAL *const at[3], const REAL *v, const int *active, const REAL *ddq,
                                const REAL *forces, REAL *rows_dq, REAL *rows_dv, REAL *velocities_dq,
                                ROBOT_rnea_derivatives_t *torques)
{
    (void)active;
    ROBOT_hold_clear(rows_dq, ROBOT_hold_nr * SIZE);
    ROBOT_hold_clear(rows_dv, ROBOT_hold_nr * SIZE);
    ROBOT_hold_clear(velocities_dq, ROBOT_hold_nr * SIZE);
    ROBOT_hold_clear(torques->dtau_dq, SIZE * SIZE);
    ROBOT_hold_clear(torques->dtau_dv, SIZE * SIZE);
    ROBOT_hold_kernel_row_and_torque_derivatives(at[0], at[1], at[2], v, ddq, forces, rows_dq, rows_dv, velocities_dq,
                                                 torques->dtau_dq, torques->dtau_dv);
}
