
/* Columns of a floating root that are known (docs/math.md#root-columns): of derivatives by q its turns, by v its linear velocities. There
 * the kernel gives in place of torques what accelerations change by, in addition to what the rows ask for. */
typedef struct {
    REAL q[3][3], v[3][3];
} ROBOT_hold_known;

static void ROBOT_hold_take_columns(REAL *columns, REAL to[3][3])
{
    int c, r;
    for (c = 0; c < 3; c++) {
        for (r = 0; r < 3; r++) {
            to[c][r] = columns[c * SIZE + r];
            columns[c * SIZE + r] = 0;
        }
    }
}

static void ROBOT_hold_add_columns(const REAL from[3][3], REAL *columns)
{
    int c, r;
    for (c = 0; c < 3; c++) {
        for (r = 0; r < 3; r++) columns[c * SIZE + r] += from[c][r];
    }
}

static void ROBOT_hold_take_root(ROBOT_rnea_derivatives_t *torques, ROBOT_hold_known *known)
{
    ROBOT_hold_take_columns(torques->dtau_dq + 3 * SIZE, known->q);
    ROBOT_hold_take_columns(torques->dtau_dv, known->v);
}

static void ROBOT_hold_add_root(const ROBOT_hold_known *known, ROBOT_contact_dynamics_derivatives_t *out)
{
    ROBOT_hold_add_columns(known->q, out->ddq_dq + 3 * SIZE);
    ROBOT_hold_add_columns(known->v, out->ddq_dv);
}
