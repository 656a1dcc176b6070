
/* The derivative by q of the rows' velocities J u: by columns. */
static void ROBOT_hold_velocity_rows(const REAL *const at[3], const REAL *u, const int *active, REAL *by_q)
{
    int k, j, c;
    for (k = 0; k < ROBOT_hold_nr * SIZE; k++) by_q[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_frame_velocity_derivatives_t first, other;
        ROBOT_hold_second second;
        REAL carried[6];
        int is_loop;
        if (!active[k]) continue;
        ROBOT_hold_velocity_derivatives(at, k, u, &first);
        is_loop = ROBOT_hold_second_of(at, k, &second);
        if (is_loop) {
            ROBOT_hold_velocity_derivatives(at, second.frame, u, &other);
            ROBOT_hold_motion(second.seen, other.velocity, carried);
        }
        for (j = 0; j < SIZE; j++) {
            REAL x[6], seen[6], turn[6], moved[6], turned[6];
            for (c = 0; c < 6; c++) x[c] = first.dv_dq[6 * j + c];
            if (is_loop) {
                ROBOT_hold_motion(second.seen, other.dv_dv + 6 * j, seen);
                for (c = 0; c < 6; c++) turn[c] = second.is_point && c < 3 ? 0 : first.dv_dv[6 * j + c] - seen[c];
                ROBOT_hold_motion(second.seen, other.dv_dq + 6 * j, moved);
                ROBOT_hold_motion_cross(turn, carried, turned);
                for (c = 0; c < 6; c++) x[c] -= moved[c] - turned[c];
            }
            for (c = 0; c < ROBOT_hold_rows(k); c++) by_q[j * ROBOT_hold_nr + ROBOT_hold_row[k] + c] = x[c];
        }
    }
}

/* Adds how the torques of inverse dynamics change with q under forces that are constant in the axes of first frames, where second
 * frames see these turn. */
static void ROBOT_hold_add_turned(const REAL *const at[3], const REAL *forces, const int *active, REAL *dtau_dq)
{
    int k, j, c, i;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL first[6 * SIZE], other[6 * SIZE], force[6];
        ROBOT_hold_second second;
        if (!active[k] || !ROBOT_hold_second_of(at, k, &second)) continue;
        for (c = 0; c < 6; c++) force[c] = c < ROBOT_hold_rows(k) ? forces[ROBOT_hold_row[k] + c] : 0;
        ROBOT_hold_jacobian(at, k, first);
        ROBOT_hold_jacobian(at, second.frame, other);
        for (j = 0; j < SIZE; j++) {
            REAL seen[6];
            ROBOT_hold_motion(second.seen, other + 6 * j, seen);
            for (c = 0; c < 6; c++) other[6 * j + c] = seen[c];
        }
        for (j = 0; j < SIZE; j++) {
            REAL m[6], f[6], n[3];
            for (c = 0; c < 6; c++) m[c] = second.is_point && c < 3 ? 0 : first[6 * j + c] - other[6 * j + c];
            /* m x* force */
            ROBOT_hold_cross(m + 3, force, f);
            ROBOT_hold_cross(m + 3, force + 3, f + 3);
            ROBOT_hold_cross(m, force, n);
            for (c = 0; c < 3; c++) f[3 + c] += n[c];
            for (i = 0; i < SIZE; i++) {
                for (c = 0; c < 6; c++) dtau_dq[j * SIZE + i] = RBD_FMA(other[6 * i + c], f[c], dtau_dq[j * SIZE + i]);
            }
        }
    }
}

/* M^-1 (tau - bias) */
RBD_PERHAPS_UNUSED
static void ROBOT_hold_free(const REAL *minv, const REAL *bias, const REAL *tau, REAL *ddq)
{
    REAL drive[SIZE];
    int i, k;
    for (i = 0; i < SIZE; i++) drive[i] = tau[i] - bias[i], ddq[i] = 0;
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i < SIZE; i++) ddq[i] = RBD_FMA(minv[k * SIZE + i], drive[k], ddq[i]);
    }
}

/* Derivatives of accelerations from those of torques: -M^-1 dtau. */
static void ROBOT_hold_accelerations(const REAL *minv, const REAL *dtau, REAL *ddq)
{
    int j, i, k;
    for (j = 0; j < SIZE; j++) {
        for (i = 0; i < SIZE; i++) ddq[j * SIZE + i] = 0;
        for (k = 0; k < SIZE; k++) {
            const REAL x = -dtau[j * SIZE + k];
            for (i = 0; i < SIZE; i++) ddq[j * SIZE + i] = RBD_FMA(minv[k * SIZE + i], x, ddq[j * SIZE + i]);
        }
    }
}
