
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

/* Derivatives of the rows J ddq + drift by q and v, at these accelerations: by columns. */
static void ROBOT_hold_row_derivatives(const REAL *const at[3], const REAL *v, const REAL *ddq, const int *active,
                                       const ROBOT_contact_settings_t *settings, REAL *by_q, REAL *by_v)
{
    const REAL kp = settings ? settings->kp : 0, kd = settings ? settings->kd : 0;
    int k, j, c;
    for (k = 0; k < ROBOT_hold_nr * SIZE; k++) by_q[k] = by_v[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        const int rows = ROBOT_hold_rows(k);
        ROBOT_frame_velocity_derivatives_t first, other;
        ROBOT_frame_acceleration_derivatives_t accelerated, beyond;
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        REAL carried[6], pulled[6], relative[6];
        int is_loop, is_held;
        if (!active[k]) continue;
        ROBOT_hold_velocity_derivatives(at, k, v, &first);
        ROBOT_hold_acceleration_derivatives(at, k, v, ddq, &accelerated);
        is_loop = ROBOT_hold_second_of(at, k, &second);
        is_held = ROBOT_hold_error_of(at, k, is_loop ? &second : 0, settings, &error);
        for (c = 0; c < 6; c++) carried[c] = pulled[c] = relative[c] = 0;
        if (is_loop) {
            ROBOT_hold_velocity_derivatives(at, second.frame, v, &other);
            ROBOT_hold_acceleration_derivatives(at, second.frame, v, ddq, &beyond);
            if (second.is_point) ROBOT_hold_add_centripetal(other.velocity, beyond.acceleration);
            ROBOT_hold_motion(second.seen, other.velocity, carried);
            ROBOT_hold_motion(second.seen, beyond.acceleration, pulled);
            for (c = 0; c < 6; c++) relative[c] = first.velocity[c] - carried[c];
        }
        for (j = 0; j < SIZE; j++) {
            const REAL *const dv_dq = first.dv_dq + 6 * j, *const own = first.dv_dv + 6 * j;
            REAL q[6], w[6];
            for (c = 0; c < 6; c++) q[c] = accelerated.da_dq[6 * j + c], w[c] = accelerated.da_dv[6 * j + c];
            if (rows == 3) {
                ROBOT_hold_add_centripetal_moved(first.velocity, dv_dq, q);
                ROBOT_hold_add_centripetal_moved(first.velocity, own, w);
            }
            for (c = 0; c < 6; c++) q[c] += dv_dq[c] * kd, w[c] += own[c] * kd;
            if (is_loop) {
                REAL of_q[6], of_v[6], seen[6], apart[6], turn[6], x[6], y[6], carried_dq[6], difference[6];
                for (c = 0; c < 6; c++) of_q[c] = beyond.da_dq[6 * j + c], of_v[c] = beyond.da_dv[6 * j + c];
                if (second.is_point) {
                    ROBOT_hold_add_centripetal_moved(other.velocity, other.dv_dq + 6 * j, of_q);
                    ROBOT_hold_add_centripetal_moved(other.velocity, other.dv_dv + 6 * j, of_v);
                }
                ROBOT_hold_motion(second.seen, other.dv_dv + 6 * j, seen);
                /* How the second frame turns, and moves, as the first sees it: the other way round. */
                for (c = 0; c < 6; c++) apart[c] = own[c] - seen[c], turn[c] = second.is_point && c < 3 ? 0 : apart[c];
                ROBOT_hold_motion(second.seen, other.dv_dq + 6 * j, x);
                ROBOT_hold_motion_cross(turn, carried, y);
                for (c = 0; c < 6; c++) carried_dq[c] = x[c] - y[c];
                ROBOT_hold_motion_cross(turn, pulled, x);
                ROBOT_hold_motion(second.seen, of_q, y);
                for (c = 0; c < 6; c++) q[c] += x[c] - y[c] - carried_dq[c] * kd;
                ROBOT_hold_motion(second.seen, of_v, y);
                for (c = 0; c < 6; c++) w[c] -= y[c] + seen[c] * kd;
                if (!second.is_point) {
                    for (c = 0; c < 6; c++) difference[c] = dv_dq[c] - carried_dq[c];
                    ROBOT_hold_motion_cross(difference, carried, x);
                    ROBOT_hold_motion_cross(relative, carried_dq, y);
                    for (c = 0; c < 6; c++) q[c] += x[c] + y[c];
                    ROBOT_hold_motion_cross(apart, carried, x);
                    ROBOT_hold_motion_cross(relative, seen, y);
                    for (c = 0; c < 6; c++) w[c] += x[c] + y[c];
                }
                /* A point's distance is seen in axes that turn with the first frame, and not relative to the second. */
                for (c = 3; c < 6 && second.is_point; c++) apart[c] = own[c];
                ROBOT_hold_add_moved(&error, apart, kp, q);
            } else if (is_held) {
                ROBOT_hold_add_moved(&error, own, kp, q);
            }
            for (c = 0; c < rows; c++) {
                by_q[j * ROBOT_hold_nr + ROBOT_hold_row[k] + c] = q[c];
                by_v[j * ROBOT_hold_nr + ROBOT_hold_row[k] + c] = w[c];
            }
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

/* Accelerations, and forces in the contacts' own axes. */
static void ROBOT_hold_dynamics(const REAL *const at[3], const REAL *minv, const REAL *bias, const REAL *v, const REAL *tau,
                                const int *active, const ROBOT_contact_settings_t *settings, ROBOT_hold_held *held,
                                REAL *ddq, REAL *forces, REAL *residual)
{
    REAL drift[ROBOT_hold_nr];
    ROBOT_hold_contacts(at, minv, active, settings, held);
    ROBOT_hold_free(minv, bias, tau, ddq);
    ROBOT_hold_drift(at, v, active, settings, drift);
    ROBOT_hold_now(held, drift, ddq, forces, residual);
}

/* Their derivatives, from those of torques under these forces on bodies. Forces are constant in the axes of their contacts
 * while the robot is moved; what they change by holds the rows. */
static void ROBOT_hold_derivatives(const REAL *const at[3], const REAL *minv, const ROBOT_hold_held *held, const REAL *v,
                                   const int *active, const ROBOT_contact_settings_t *settings,
                                   ROBOT_rnea_derivatives_t *torques, ROBOT_contact_dynamics_derivatives_t *out)
{
    REAL free[SIZE * SIZE];
    int i;
    ROBOT_hold_add_turned(at, out->forces, active, torques->dtau_dq);
    ROBOT_hold_row_derivatives(at, v, out->ddq, active, settings, out->forces_dq, out->forces_dv);
    ROBOT_hold_accelerations(minv, torques->dtau_dq, free);
    ROBOT_hold_columns(held, free, out->forces_dq, out->ddq_dq);
    ROBOT_hold_accelerations(minv, torques->dtau_dv, free);
    ROBOT_hold_columns(held, free, out->forces_dv, out->ddq_dv);
    for (i = 0; i < SIZE * ROBOT_hold_nr; i++) out->forces_dtau[i] = 0;
    ROBOT_hold_columns(held, minv, out->forces_dtau, out->ddq_dtau);
}

/* Forces, residual and derivatives of forces in the world's axes, from those in the contacts' own. */
static void ROBOT_hold_turn_derivatives(const REAL *const at[3], const int *active, ROBOT_contact_dynamics_derivatives_t *out)
{
    ROBOT_hold_add_turning(at, active, out->forces, out->forces_dq);
    ROBOT_hold_turn_rows(at, active, 0, 1, out->forces);
    ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dq);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dv);
    ROBOT_hold_turn_rows(at, active, 0, SIZE, out->forces_dtau);
}

HEAD(contact_dynamics)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], bias[SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_bias_at(q, sin_q, cos_q, v, bias);
    ROBOT_hold_dynamics(at, minv, bias, v, tau, active, settings, &held, out->ddq, out->forces, out->residual);
    if (settings && settings->axes) {
        ROBOT_hold_turn_rows(at, active, 0, 1, out->forces);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    }
}

HEAD(contact_dynamics_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], bias[SIZE], fext[6 * ROBOT_hold_nb];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    ROBOT_rnea_derivatives_t torques;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_bias_at(q, sin_q, cos_q, v, bias);
    ROBOT_hold_dynamics(at, minv, bias, v, tau, active, settings, &held, out->ddq, out->forces, out->residual);
    ROBOT_hold_on_bodies(at, out->forces, fext);
    ROBOT_rnea_derivatives_fext_at(q, sin_q, cos_q, v, out->ddq, fext, &torques);
    ROBOT_hold_derivatives(at, minv, &held, v, active, settings, &torques, out);
    if (settings && settings->axes) ROBOT_hold_turn_derivatives(at, active, out);
}

HEAD(contact_impulse)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], rebound[ROBOT_hold_nr];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    int i;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_hold_contacts(at, minv, active, settings, &held);
    for (i = 0; i < ROBOT_hold_nr; i++) rebound[i] = 0;
    ROBOT_hold_add_rows(&held, v, rebound);
    for (i = 0; i < ROBOT_hold_nr; i++) rebound[i] *= restitution;
    for (i = 0; i < SIZE; i++) out->v_plus[i] = v[i];
    ROBOT_hold_now(&held, rebound, out->v_plus, out->impulses, out->residual);
    if (settings && settings->axes) {
        ROBOT_hold_turn_rows(at, active, 0, 1, out->impulses);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    }
}

HEAD(contact_impulse_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], before[ROBOT_hold_nr], rebound[ROBOT_hold_nr];
    REAL rest[SIZE], jump[SIZE], u[SIZE], fext[6 * ROBOT_hold_nb], free[SIZE * SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    ROBOT_rnea_derivatives_t torques, gravity;
    int i, j;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_hold_contacts(at, minv, active, settings, &held);
    for (i = 0; i < ROBOT_hold_nr; i++) before[i] = 0;
    ROBOT_hold_add_rows(&held, v, before);
    for (i = 0; i < ROBOT_hold_nr; i++) rebound[i] = before[i] * restitution;
    for (i = 0; i < SIZE; i++) out->v_plus[i] = v[i], rest[i] = 0;
    ROBOT_hold_now(&held, rebound, out->v_plus, out->impulses, out->residual);
    /* M jump - J^T impulses is inverse dynamics at rest, less gravity's torques. */
    for (i = 0; i < SIZE; i++) jump[i] = out->v_plus[i] - v[i];
    ROBOT_hold_on_bodies(at, out->impulses, fext);
    ROBOT_rnea_derivatives_fext_at(q, sin_q, cos_q, rest, jump, fext, &torques);
    for (i = 0; i < 6 * ROBOT_hold_nb; i++) fext[i] = 0;
    ROBOT_rnea_derivatives_fext_at(q, sin_q, cos_q, rest, rest, fext, &gravity);
    for (i = 0; i < SIZE * SIZE; i++) torques.dtau_dq[i] -= gravity.dtau_dq[i];
    ROBOT_hold_add_turned(at, out->impulses, active, torques.dtau_dq);
    ROBOT_hold_accelerations(minv, torques.dtau_dq, free);
    for (i = 0; i < SIZE; i++) u[i] = out->v_plus[i] + restitution * v[i];
    ROBOT_hold_velocity_rows(at, u, active, out->impulses_dq);
    ROBOT_hold_columns(&held, free, out->impulses_dq, out->v_plus_dq);
    for (j = 0; j < SIZE; j++) {
        for (i = 0; i < SIZE; i++) free[j * SIZE + i] = i == j;
        for (i = 0; i < ROBOT_hold_nr; i++) out->impulses_dv[j * ROBOT_hold_nr + i] = held.jt[i * SIZE + j] * restitution;
    }
    ROBOT_hold_columns(&held, free, out->impulses_dv, out->v_plus_dv);
    for (i = 0; i < SIZE; i++) out->v_plus_drestitution[i] = 0;
    ROBOT_hold_now(&held, before, out->v_plus_drestitution, out->impulses_drestitution, rebound);
    if (settings && settings->axes) {
        ROBOT_hold_add_turning(at, active, out->impulses, out->impulses_dq);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->impulses);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
        ROBOT_hold_turn_rows(at, active, 0, SIZE, out->impulses_dq);
        ROBOT_hold_turn_rows(at, active, 0, SIZE, out->impulses_dv);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->impulses_drestitution);
    }
}

HEAD(contact_inverse_dynamics)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], fext[6 * ROBOT_hold_nb];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_on_bodies(at, forces, fext);
    ROBOT_rnea_fext_at(q, sin_q, cos_q, v, a, fext, tau);
}

HEAD(contact_inverse_dynamics_in)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], own[ROBOT_hold_nr];
    const REAL *const at[3] = {q, sin_q, cos_q};
    int r;
    for (r = 0; r < ROBOT_hold_nr; r++) own[r] = forces[r];
    if (axes) {
        ROBOT_hold_posture(q, sin_q, cos_q);
        ROBOT_hold_turn_rows(at, 0, 1, 1, own);
    }
    ROBOT_contact_inverse_dynamics(q, v, a, own, tau);
}

HEAD(contact_jacobian)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], jt[ROBOT_hold_nr * SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    int r, j;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_jacobian_transpose(at, active, jt);
    for (j = 0; j < SIZE; j++) {
        for (r = 0; r < ROBOT_hold_nr; r++) jacobian[j * ROBOT_hold_nr + r] = jt[r * SIZE + j];
    }
}

HEAD(contact_jacobian_in)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_contact_jacobian(q, active, jacobian);
    if (axes) {
        ROBOT_hold_posture(q, sin_q, cos_q);
        ROBOT_hold_turn_rows(at, active, 0, SIZE, jacobian);
    }
}

HEAD(delassus)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    int i;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_minv_at(q, sin_q, cos_q, minv);
    ROBOT_hold_contacts(at, minv, active, 0, &held);
    for (i = 0; i < ROBOT_hold_nr * ROBOT_hold_nr; i++) delassus[i] = held.matrix[i];
}

HEAD(delassus_in)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], x;
    const REAL *const at[3] = {q, sin_q, cos_q};
    const int n = ROBOT_hold_nr;
    int i, k;
    ROBOT_delassus(q, active, delassus);
    if (!axes) return;
    /* Its rows, then its columns, which are rows of the transpose. */
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_turn_rows(at, active, 0, n, delassus);
    for (k = 0; k < n; k++) {
        for (i = 0; i < k; i++) x = delassus[k * n + i], delassus[k * n + i] = delassus[i * n + k], delassus[i * n + k] = x;
    }
    ROBOT_hold_turn_rows(at, active, 0, n, delassus);
}

HEAD(contact_errors)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    int k, c;
    ROBOT_hold_posture(q, sin_q, cos_q);
    for (k = 0; k < ROBOT_hold_nr; k++) errors[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        REAL both[6];
        if (!active[k]) continue;
        if (!ROBOT_hold_error_of(at, k, ROBOT_hold_second_of(at, k, &second) ? &second : 0, settings, &error)) continue;
        for (c = 0; c < 3; c++) both[c] = error.linear[c];
        ROBOT_hold_angular(&error, both + 3);
        for (c = 0; c < ROBOT_hold_rows(k); c++) errors[ROBOT_hold_row[k] + c] = both[c];
    }
    if (settings && settings->axes) ROBOT_hold_turn_rows(at, active, 0, 1, errors);
}

HEAD(contact_placements)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    int k;
    ROBOT_hold_posture(q, sin_q, cos_q);
    for (k = 0; k < ROBOT_hold_nc; k++) ROBOT_hold_placement(at, k, placements + 12 * k);
}
