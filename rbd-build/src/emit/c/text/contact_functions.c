
HEAD(contact_dynamics)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_forward(PASSES at, v, tau, active, settings, out->ddq, out->forces, out->residual);
    if (settings && settings->axes) {
        ROBOT_hold_turn_rows(at, active, 0, 1, out->forces);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    }
}

HEAD(contact_dynamics_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_held held;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_derivatives(PASSES at, v, tau, active, settings, &held, minv, out);
    if (settings && settings->axes) ROBOT_hold_turn_derivatives(at, active, out);
}

HEAD(contact_impulse)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_mass mass;
    ROBOT_hold_delassus of;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_impulse(PASSES at, v, active, restitution, settings, &mass, &of, out->v_plus, out->impulses, out->residual);
    if (settings && settings->axes) {
        ROBOT_hold_turn_rows(at, active, 0, 1, out->impulses);
        ROBOT_hold_turn_rows(at, active, 0, 1, out->residual);
    }
}

HEAD(contact_impulse_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], before[ROBOT_hold_nr], left[ROBOT_hold_nr];
    REAL rest[SIZE], jump[SIZE], u[SIZE], fext[6 * ROBOT_hold_nb];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_mass mass;
    ROBOT_hold_held held;
    ROBOT_rnea_derivatives_t torques, gravity;
    int i;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_impulse(PASSES at, v, active, restitution, settings, &mass, &held.delassus, out->v_plus, out->impulses,
                       out->residual);
    ROBOT_hold_inverse(PASSES at, &mass, minv);
    ROBOT_hold_fill_rows(at, minv, active, &held);
    ROBOT_hold_clear(rest, SIZE);
    /* M jump - J^T impulses is inverse dynamics at rest, less gravity's torques. */
    for (i = 0; i < SIZE; i++) jump[i] = out->v_plus[i] - v[i];
    ROBOT_hold_on_bodies(at, out->impulses, fext);
    ROBOT_rnea_derivatives_fext_at(q, sin_q, cos_q, rest, jump, fext, &torques);
    for (i = 0; i < 6 * ROBOT_hold_nb; i++) fext[i] = 0;
    ROBOT_rnea_derivatives_fext_at(q, sin_q, cos_q, rest, rest, fext, &gravity);
    for (i = 0; i < SIZE * SIZE; i++) torques.dtau_dq[i] -= gravity.dtau_dq[i];
    ROBOT_hold_add_turned(at, out->impulses, active, torques.dtau_dq);
    for (i = 0; i < SIZE; i++) u[i] = out->v_plus[i] + restitution * v[i];
    ROBOT_hold_velocity_rows(at, u, active, out->impulses_dq);
    ROBOT_hold_impulse_derivatives(&held, minv, active, restitution, settings, torques.dtau_dq, out);
    ROBOT_hold_clear(before, ROBOT_hold_nr);
    ROBOT_hold_add_rows(&held, v, before);
    for (i = 0; i < SIZE; i++) out->v_plus_drestitution[i] = 0;
    ROBOT_hold_now(&held, before, out->v_plus_drestitution, out->impulses_drestitution, left);
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
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_clear(jacobian, ROBOT_hold_nr * SIZE);
    ROBOT_hold_kernel_row_jacobian(at[0], at[1], at[2], jacobian);
    ROBOT_hold_clear_inactive(active, SIZE, jacobian);
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
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_delassus_of(PASSES at, active, delassus);
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
