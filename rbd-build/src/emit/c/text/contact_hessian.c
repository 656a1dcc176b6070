
/* Adds the second derivatives of z . rows - forces . J m, and writes those by q and the forces: a column for each row. */
static void ROBOT_hold_add_second(const REAL *const at[3], const REAL *const given[3], const int *active,
                                  const ROBOT_contact_settings_t *settings, const REAL *z, const REAL *forces,
                                  ROBOT_rnea_hessian_t *to, REAL *by_forces)
{
    int k, j, c;
    for (k = 0; k < SIZE * ROBOT_hold_nr; k++) by_forces[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL jacobian[6 * SIZE], other[6 * SIZE];
        const REAL *const jacobians[2] = {jacobian, other};
        ROBOT_hold_chain chain;
        ROBOT_hold_weights weights;
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        int is_loop, is_held;
        if (!active[k]) continue;
        is_loop = ROBOT_hold_second_of(at, k, &second);
        is_held = ROBOT_hold_error_of(at, k, is_loop ? &second : 0, settings, &error);
        ROBOT_hold_wrench(k, z, weights.rows);
        ROBOT_hold_wrench(k, forces, weights.forces);
        weights.kp = settings ? settings->kp : 0;
        weights.kd = settings ? settings->kd : 0;
        weights.is_point = ROBOT_hold_rows(k) == 3;
        ROBOT_hold_jacobian(at, k, jacobian);
        if (is_loop) {
            ROBOT_hold_jacobian(at, second.frame, other);
            if (second.is_point) {
                ROBOT_hold_add_closed_points(k, &second, &error, jacobians, given, &weights, to, by_forces);
                continue;
            }
            for (j = 0; j < SIZE; j++) {
                REAL seen[6];
                ROBOT_hold_motion(second.seen, other + 6 * j, seen);
                for (c = 0; c < 6; c++) jacobian[6 * j + c] -= seen[c];
            }
            ROBOT_hold_between(k, second.frame, jacobian, &chain);
        } else {
            ROBOT_hold_reach(k, jacobian, &chain);
        }
        ROBOT_hold_follow(&chain, given[0], given[1], given[2], weights.kd);
        ROBOT_hold_add_pairs(&chain, &weights, to);
        if (is_held) ROBOT_hold_add_error(&chain, &weights, &error, to->dqdq);
        ROBOT_hold_subtract_moved(k, &chain, by_forces);
    }
}

/* The moment whose power on a turn is the change of the weighted force. */
static void ROBOT_hold_moment(const REAL *force, const REAL *weights, REAL *to)
{
    REAL x[3];
    int c;
    ROBOT_hold_cross(force, weights, to);
    ROBOT_hold_cross(force + 3, weights + 3, x);
    for (c = 0; c < 3; c++) to[c] += x[c];
}

/* Adds what turning frames add where forces are weighted in the world's axes. All arguments are in the contacts' own axes. */
static void ROBOT_hold_add_turning_twice(const REAL *const at[3], const int *active, const REAL *kappa,
                                         const ROBOT_contact_dynamics_derivatives_t *first,
                                         ROBOT_contact_dynamics_hessian_t *out)
{
    int k, l, p, c;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL jacobian[6 * SIZE], weights[6], force[6], column[6], turned[6], of_force[3], moment[3], x[3];
        ROBOT_hold_chain chain;
        if (!active[k]) continue;
        ROBOT_hold_jacobian(at, k, jacobian);
        ROBOT_hold_reach(k, jacobian, &chain);
        ROBOT_hold_wrench(k, kappa, weights);
        ROBOT_hold_wrench(k, first->forces, force);
        ROBOT_hold_moment(force, weights, of_force);
        for (c = 0; c < SIZE; c++) {
            ROBOT_hold_wrench(k, first->forces_dq + ROBOT_hold_nr * c, column);
            ROBOT_hold_moment(column, weights, moment);
            for (p = 0; p < chain.count; p++) {
                const REAL sum = ROBOT_hold_dot(chain.j[p] + 3, moment);
                out->dqdq[SIZE * c + chain.at[p]] += sum;
                out->dqdq[SIZE * chain.at[p] + c] += sum;
            }
            ROBOT_hold_wrench(k, first->forces_dv + ROBOT_hold_nr * c, column);
            ROBOT_hold_moment(column, weights, moment);
            for (p = 0; p < chain.count; p++) {
                out->dqdv[SIZE * c + chain.at[p]] += ROBOT_hold_dot(chain.j[p] + 3, moment);
            }
            ROBOT_hold_wrench(k, first->forces_dtau + ROBOT_hold_nr * c, column);
            ROBOT_hold_moment(column, weights, moment);
            for (p = 0; p < chain.count; p++) {
                out->dqdtau[SIZE * c + chain.at[p]] += ROBOT_hold_dot(chain.j[p] + 3, moment);
            }
        }
        for (p = 0; p < chain.count; p++) {
            const REAL *const turn = chain.j[p] + 3;
            ROBOT_hold_cross(turn, force, turned);
            ROBOT_hold_cross(turn, force + 3, turned + 3);
            ROBOT_hold_moment(turned, weights, moment);
            for (l = 0; l < chain.count; l++) {
                const REAL *const by = chain.j[l] + 3;
                REAL sum = ROBOT_hold_dot(by, moment);
                if (ROBOT_hold_turns_with(&chain, p, l)) {
                    ROBOT_hold_cross(turn, by, x);
                    sum += ROBOT_hold_dot(x, of_force);
                }
                out->dqdq[SIZE * chain.at[l] + chain.at[p]] += sum;
            }
        }
    }
}

/* to = m x, with a column of m for each of these rows, and as many columns as there are coordinates; or added. */
static void ROBOT_hold_multiply(const REAL *RBD_RESTRICT m, const REAL *RBD_RESTRICT x, int rows, int adds,
                                REAL *RBD_RESTRICT to)
{
    int i, j, k;
    for (j = 0; j < SIZE; j++, x += rows, to += SIZE) {
        for (i = 0; i < SIZE && !adds; i++) to[i] = 0;
        for (k = 0; k < rows; k++) {
            for (i = 0; i < SIZE; i++) to[i] = RBD_FMA(m[k * SIZE + i], x[k], to[i]);
        }
    }
}

/* The gradient of lambda . ddq + kappa . forces, from both derivatives. */
static void ROBOT_hold_gradient(const REAL *lambda, const REAL *kappa, const REAL *ddq, const REAL *forces, REAL *to)
{
    int i, k;
    for (i = 0; i < SIZE; i++, ddq += SIZE, forces += ROBOT_hold_nr) {
        to[i] = 0;
        for (k = 0; k < SIZE; k++) to[i] = RBD_FMA(ddq[k], lambda[k], to[i]);
        for (k = 0; k < ROBOT_hold_nr; k++) to[i] = RBD_FMA(forces[k], kappa[k], to[i]);
    }
}

HEAD(contact_dynamics_hessian_with_first)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE];
    REAL weights[ROBOT_hold_nr], own[ROBOT_hold_nr], z[ROBOT_hold_nr], rest[ROBOT_hold_nr], m[SIZE];
    REAL by_forces[SIZE * ROBOT_hold_nr];
    const REAL *const at[3] = {q, sin_q, cos_q};
    const REAL *const given[3] = {v, first->ddq, m};
    const int turns = settings && settings->axes;
    ROBOT_hold_held held;
    ROBOT_rnea_hessian_t of;
    int i, k;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_hold_derivatives(PASSES at, v, tau, active, settings, &held, minv, first);
    /* Forces of inactive contacts are zero, whatever their weights are. */
    for (k = 0; k < ROBOT_hold_nc; k++) {
        for (i = ROBOT_hold_row[k]; i < ROBOT_hold_row[k + 1]; i++) weights[i] = own[i] = active[k] ? kappa[i] : 0;
    }
    if (turns) ROBOT_hold_turn_rows(at, active, 1, 1, own);
    /* Multipliers of the equations of motion, and of the rows. */
    for (i = 0; i < SIZE; i++) out->dtau[i] = 0;
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i < SIZE; i++) out->dtau[i] = RBD_FMA(minv[k * SIZE + i], lambda[k], out->dtau[i]);
    }
    ROBOT_hold_now(&held, own, out->dtau, z, rest);
    for (i = 0; i < SIZE; i++) m[i] = -out->dtau[i];
    ROBOT_rnea_hessian_at(q, sin_q, cos_q, v, first->ddq, m, &of);
    ROBOT_hold_add_second(at, given, active, settings, z, first->forces, &of, by_forces);

    ROBOT_hold_multiply(of.dqda, first->ddq_dq, SIZE, 0, out->dqdq);
    ROBOT_hold_multiply(by_forces, first->forces_dq, ROBOT_hold_nr, 1, out->dqdq);
    for (k = 0; k < SIZE; k++) {
        for (i = 0; i <= k; i++) {
            const REAL both = out->dqdq[SIZE * k + i] + out->dqdq[SIZE * i + k];
            out->dqdq[SIZE * k + i] = of.dqdq[SIZE * k + i] + both;
            if (i < k) out->dqdq[SIZE * i + k] = of.dqdq[SIZE * i + k] + both;
        }
    }
    for (i = 0; i < SIZE * SIZE; i++) out->dqdv[i] = of.dqdv[i], out->dvdv[i] = of.dvdv[i];
    ROBOT_hold_multiply(of.dqda, first->ddq_dv, SIZE, 1, out->dqdv);
    ROBOT_hold_multiply(by_forces, first->forces_dv, ROBOT_hold_nr, 1, out->dqdv);
    ROBOT_hold_multiply(of.dqda, first->ddq_dtau, SIZE, 0, out->dqdtau);
    ROBOT_hold_multiply(by_forces, first->forces_dtau, ROBOT_hold_nr, 1, out->dqdtau);
    if (turns) {
        ROBOT_hold_add_turning_twice(at, active, own, first, out);
        ROBOT_hold_turn_derivatives(at, active, first);
    }
    out->value[0] = 0;
    for (i = 0; i < SIZE; i++) out->value[0] = RBD_FMA(lambda[i], first->ddq[i], out->value[0]);
    for (i = 0; i < ROBOT_hold_nr; i++) out->value[0] = RBD_FMA(weights[i], first->forces[i], out->value[0]);
    ROBOT_hold_gradient(lambda, weights, first->ddq_dq, first->forces_dq, out->dq);
    ROBOT_hold_gradient(lambda, weights, first->ddq_dv, first->forces_dv, out->dv);
}

HEAD(contact_dynamics_hessian)
{
    ROBOT_contact_dynamics_derivatives_t first;
    ROBOT_contact_dynamics_hessian_with_first(q, v, tau, active, settings, lambda, kappa, &first, out);
}
