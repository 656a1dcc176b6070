
/* to = E m: tangent vectors at q become rates of its coordinates. Columns of `to` are `stride` numbers apart. */
static void ROBOT_casadi_in_coordinates(double *to, int stride, const double *m, const double *q, int columns)
{
    int k, c, i, j;
    for (k = 0; k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, rows = ROBOT_casadi_coordinates[kind];
        double e[42];
        ROBOT_casadi_rates(kind, q + ROBOT_casadi_joint[k].q, e);
        for (c = 0; c < columns; c++) {
            const double *const from = m + c * ROBOT_casadi_nv + ROBOT_casadi_joint[k].v;
            double *const rate = to + c * stride + ROBOT_casadi_joint[k].q;
            for (i = 0; i < rows; i++) rate[i] = 0;
            for (j = 0; j < ROBOT_casadi_velocities[kind]; j++) {
                for (i = 0; i < rows; i++) rate[i] += e[j * rows + i] * from[j];
            }
        }
    }
}
