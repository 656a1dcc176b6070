
/* Where derivatives of a step go, by q, v and tau: of the next configuration, of the velocities, of the impulses, and of those
 * on coordinates, which are null without joints. Matrices are by columns. */
typedef struct {
    REAL *q[3], *v[3], *impulses[3], *joints[3];
} ROBOT_cones_derivatives;

/* Derivatives by q and v of M (v+ - v) + dt b - J^T f, with the jump v+ - v and impulses that are constant on their bodies; by
 * v, those of dt b alone. */
static void ROBOT_cones_momentum(TAKES const REAL *const at[3], const REAL *v, REAL dt, const REAL *after,
                                 const REAL *impulses, REAL *by_q, REAL *by_v)
{
    REAL jump[SIZE], fext[6 * ROBOT_hold_nb];
    ROBOT_rnea_derivatives_t torques;
    int i;
    for (i = 0; i < SIZE; i++) jump[i] = after[i] - v[i];
    if (dt == 0) {
        /* Inverse dynamics at rest, less gravity's torques. */
        REAL rest[SIZE];
        ROBOT_hold_clear(rest, SIZE);
        ROBOT_hold_on_bodies(at, impulses, fext);
        ROBOT_rnea_derivatives_fext_at(at[0], at[1], at[2], rest, jump, fext, &torques);
        ROBOT_cones_copy(torques.dtau_dq, by_q, SIZE * SIZE);
        ROBOT_hold_clear(fext, 6 * ROBOT_hold_nb);
        ROBOT_rnea_derivatives_fext_at(at[0], at[1], at[2], rest, rest, fext, &torques);
        for (i = 0; i < SIZE * SIZE; i++) by_q[i] -= torques.dtau_dq[i], by_v[i] = 0;
    } else {
        REAL forces[ROBOT_hold_nr];
        for (i = 0; i < SIZE; i++) jump[i] /= dt;
        for (i = 0; i < ROBOT_hold_nr; i++) forces[i] = impulses[i] / dt;
        ROBOT_hold_on_bodies(at, forces, fext);
        ROBOT_rnea_derivatives_fext_at(at[0], at[1], at[2], v, jump, fext, &torques);
        for (i = 0; i < SIZE * SIZE; i++) by_q[i] = torques.dtau_dq[i] * dt, by_v[i] = torques.dtau_dv[i] * dt;
    }
}

/* The change of a point's velocity with coordinate j, in axes that do not turn, as its frame sees them. */
static void ROBOT_cones_moved(const ROBOT_frame_velocity_derivatives_t *of, int j, REAL *to)
{
    int c;
    ROBOT_hold_cross(of->dv_dv + 6 * j + 3, of->velocity, to);
    for (c = 0; c < 3; c++) to[c] += of->dv_dq[6 * j + c];
}

/* What contacts do as they move with q: their impulses turn in the bodies, which `momentum` receives, and their velocities and
 * offsets change. `impulses` are in the axes of frames. */
static void ROBOT_cones_move(const REAL *const at[3], const REAL *before, const REAL *after,
                             const ROBOT_cones_touching *touching, int count, const REAL *impulses, REAL *momentum,
                             REAL *by_q, REAL *by_v)
{
    int k, j, r, i;
    for (k = 0; k < count; k++) {
        const int contact = touching->of[k], row = ROBOT_hold_row[contact];
        const REAL *const normal = touching->jt + (row + 2) * SIZE, *const offset = touching->offsets[k];
        ROBOT_frame_velocity_derivatives_t motion, rebound;
        REAL here[12], seen[9], moved[3], turned[3];
        ROBOT_hold_placement(at, contact, here);
        for (r = 0; r < 3; r++) ROBOT_hold_turn_back(here, touching->axes[k] + 3 * r, seen + 3 * r);
        ROBOT_hold_velocity_derivatives(at, contact, after, &motion);
        if (offset[1] > 0) ROBOT_hold_velocity_derivatives(at, contact, before, &rebound);
        for (j = 0; j < SIZE; j++) {
            REAL *const own = by_q + j * ROBOT_hold_nr + row;
            ROBOT_cones_moved(&motion, j, moved);
            for (r = 0; r < 3; r++) own[r] = ROBOT_cones_dot(seen + 3 * r, moved, 3);
            own[2] = RBD_FMA(normal[j], offset[0], own[2]);
            if (offset[1] > 0) {
                ROBOT_cones_moved(&rebound, j, moved);
                own[2] = RBD_FMA(ROBOT_cones_dot(seen + 6, moved, 3), offset[1], own[2]);
                by_v[j * ROBOT_hold_nr + row + 2] = normal[j] * offset[1];
            }
            ROBOT_hold_cross(motion.dv_dv + 6 * j + 3, impulses + row, turned);
            for (i = 0; i < SIZE; i++) momentum[j * SIZE + i] += ROBOT_cones_dot(motion.dv_dv + 6 * i, turned, 3);
        }
    }
}

/* Derivatives of the next configuration from those of the velocities. */
static void ROBOT_cones_move_on(const REAL *q, const REAL *v, REAL dt, const ROBOT_cones_derivatives *to)
{
    REAL motion[SIZE];
    ROBOT_integrate_jacobians_t jacobians;
    int k, j, i, c;
    for (i = 0; i < SIZE; i++) motion[i] = v[i] * dt;
    ROBOT_integrate_jacobians(q, motion, &jacobians);
    for (k = 0; k < 3; k++) {
        for (j = 0; j < SIZE; j++) {
            REAL *const by = to->q[k] + j * SIZE;
            for (i = 0; i < SIZE; i++) by[i] = k == 0 ? jacobians.dq[j * SIZE + i] : 0;
            for (c = 0; c < SIZE; c++) {
                const REAL x = to->v[k][j * SIZE + c] * dt;
                for (i = 0; i < SIZE; i++) by[i] = RBD_FMA(jacobians.dv[c * SIZE + i], x, by[i]);
            }
        }
    }
}

/* Derivatives of the problem's impulses, from those of velocities at constant impulses, with closed loops held. Writes those
 * of contacts' impulses in the world's axes, and adds what impulses change to `v`. `motions`: velocities by impulses on
 * coordinates. */
static void ROBOT_cones_through(const ROBOT_cones_touching *touching, const int *held, const REAL *rates, const REAL *motions,
                                const ROBOT_cones *of, const ROBOT_cones_solver *solver, REAL *columns, REAL *v,
                                REAL *impulses, REAL *joints)
{
    const int n = of->rows, first = 3 * of->count;
    int j, k, r, i;
    for (j = 0; j < SIZE; j++) {
        const REAL *const by_v = v + j * SIZE, *const by_f = impulses + j * ROBOT_hold_nr;
        for (r = 0; r < first; r++) {
            const int row = ROBOT_hold_row[touching->of[r / 3]] + r % 3;
            columns[j * n + r] = by_f[row] + ROBOT_cones_dot(touching->jt + row * SIZE, by_v, SIZE);
        }
        for (k = 0; k < of->joints; k++) columns[j * n + first + k] = by_v[held[k]];
    }
    if (n > 0) ROBOT_cones_differentiate(of, solver, held, rates, columns);
    ROBOT_hold_clear(impulses, ROBOT_hold_nr * SIZE);
    for (j = 0; j < SIZE; j++) {
        REAL *const by_v = v + j * SIZE, *const by_f = impulses + j * ROBOT_hold_nr;
        const REAL *const own = columns + j * n;
        for (k = 0; k < of->joints; k++) {
            joints[j * SIZE + held[k]] = own[first + k];
            for (i = 0; i < SIZE; i++) by_v[i] = RBD_FMA(motions[held[k] * SIZE + i], own[first + k], by_v[i]);
        }
        for (r = 0; r < first; r++) {
            const REAL *const moved = touching->minv_jt + ROBOT_cones_column(touching, r);
            for (i = 0; i < SIZE; i++) by_v[i] = RBD_FMA(moved[i], own[r], by_v[i]);
        }
        for (k = 0; k < of->count; k++) {
            ROBOT_hold_turn(touching->axes[k], own + 3 * k, by_f + ROBOT_hold_row[touching->of[k]]);
        }
LOOPS        for (r = 0; r < first; r++) {
LOOPS            const int row = ROBOT_hold_row[touching->of[r / 3]] + r % 3;
LOOPS            const REAL *const by = touching->loops.by_contacts + row * ROBOT_hold_nr;
LOOPS            for (i = 0; i < ROBOT_hold_nr; i++) by_f[i] = RBD_FMA(by[i], own[r], by_f[i]);
LOOPS        }
LOOPS        for (k = 0; k < of->joints; k++) {
LOOPS            const REAL *const by = touching->loops.by_joints + held[k] * ROBOT_hold_nr;
LOOPS            for (i = 0; i < ROBOT_hold_nr; i++) by_f[i] = RBD_FMA(by[i], own[first + k], by_f[i]);
LOOPS        }
    }
}

/* Writes derivatives of a step that is taken, and gives the margin. Those of velocities are first what the momentum lacks;
 * `impulses` are in the axes of frames, `rates` as those of the problem. */
static REAL ROBOT_cones_derive(const REAL *const at[3], const REAL *minv, const REAL *motions, const REAL *v, REAL dt,
                               const ROBOT_friction_settings_t *settings, const REAL *after, const REAL *impulses,
                               const ROBOT_cones_touching *touching, const int *held, const REAL *rates, ROBOT_cones *of,
                               REAL *more, const ROBOT_cones_derivatives *to)
{
    REAL free[SIZE * SIZE];
    ROBOT_cones_solver solver;
LOOPS    REAL of_loops[ROBOT_hold_nr * SIZE];
LOOPS    int closed[ROBOT_hold_nc];
    int k, i;
    (void)settings;
LOOPS    for (k = 0; k < ROBOT_hold_nc; k++) closed[k] = ROBOT_hold_is_loop[k];
LOOPS    ROBOT_hold_add_turned(at, impulses, closed, to->v[0]);
    for (k = 0; k < 3; k++) ROBOT_hold_clear(to->impulses[k], ROBOT_hold_nr * SIZE);
    for (k = 0; k < 3 && to->joints[k]; k++) ROBOT_hold_clear(to->joints[k], SIZE * SIZE);
    ROBOT_cones_move(at, v, after, touching, of->count, impulses, to->v[0], to->impulses[0], to->impulses[1]);
    for (k = 0; k < 2; k++) {
        ROBOT_hold_accelerations(minv, to->v[k], free);
        ROBOT_cones_copy(free, to->v[k], SIZE * SIZE);
    }
    for (i = 0; i < SIZE; i++) to->v[1][(SIZE + 1) * i] += 1;
    for (i = 0; i < SIZE * SIZE; i++) to->v[2][i] = minv[i] * dt;
    if (of->rows > 0) {
        ROBOT_cones_go_to_solution(of);
        more = ROBOT_cones_invert(of, more, &solver);
    }
    for (k = 0; k < 3; k++) {
LOOPS        ROBOT_hold_clear(of_loops, ROBOT_hold_nr * SIZE);
LOOPS        if (k == 0) ROBOT_cones_move_loops(at, after, ROBOT_cones_share(dt, settings), closed, of_loops);
LOOPS        ROBOT_hold_columns(&touching->loops.held, to->v[k], of_loops, free);
LOOPS        ROBOT_cones_copy(free, to->v[k], SIZE * SIZE);
        ROBOT_cones_through(touching, held, k == 0 ? rates : 0, motions, of, &solver, more, to->v[k], to->impulses[k],
                            to->joints[k]);
LOOPS        for (i = 0; i < ROBOT_hold_nr * SIZE; i++) to->impulses[k][i] += of_loops[i];
    }
    ROBOT_cones_move_on(at[0], after, dt, to);
    return ROBOT_cones_margin(of);
}

/* Impulses in the axes of their frames, from those in the world's; of closed loops as they are. */
static void ROBOT_cones_see(const REAL *const at[3], const ROBOT_cones_touching *touching, int count, const REAL *impulses,
                            REAL *to)
{
    REAL here[12];
    int k;
    ROBOT_cones_copy(impulses, to, ROBOT_hold_nr);
    for (k = 0; k < count; k++) {
        const int row = ROBOT_hold_row[touching->of[k]];
        ROBOT_hold_placement(at, touching->of[k], here);
        ROBOT_hold_turn_back(here, impulses + row, to + row);
    }
}

HEAD(friction_step_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], impulses[ROBOT_hold_nr];
    REAL memory[ROBOT_cones_numbers(ROBOT_hold_nr, 0)], more[ROBOT_cones_more(ROBOT_hold_nr)];
    const REAL *const at[3] = {q, sin_q, cos_q};
    const ROBOT_friction_step_t *const found = &out->contacts;
    const ROBOT_cones_derivatives to = {{out->dq_dq, out->dq_dv, out->dq_dtau}, {out->dv_dq, out->dv_dv, out->dv_dtau},
                                        {out->impulses_dq, out->impulses_dv, out->impulses_dtau}, {0, 0, 0}};
    ROBOT_friction_settings_t given;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_cones_step(PASSES at, v, tau, dt, surfaces, &given, last, memory, minv, &touching, &of, &out->contacts);
    ROBOT_cones_see(at, &touching, of.count, found->impulses, impulses);
    ROBOT_cones_momentum(PASSES at, v, dt, found->v, impulses, to.v[0], to.v[1]);
    out->margin =
        ROBOT_cones_derive(at, minv, minv, v, dt, &given, found->v, impulses, &touching, 0, 0, &of, more, &to);
}

HEAD(friction_step_with_joints_derivatives)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], minv[SIZE * SIZE], impulses[ROBOT_hold_nr];
    REAL memory[ROBOT_cones_numbers(ROBOT_hold_nr + SIZE, SIZE)], more[ROBOT_cones_more(ROBOT_hold_nr + SIZE)];
    REAL motions[SIZE * SIZE], rates[2 * SIZE];
    const REAL *const at[3] = {q, sin_q, cos_q};
    const ROBOT_friction_step_t *const found = &out->contacts.step;
    const ROBOT_cones_derivatives to = {{out->dq_dq, out->dq_dv, out->dq_dtau}, {out->dv_dq, out->dv_dv, out->dv_dtau},
                                        {out->impulses_dq, out->impulses_dv, out->impulses_dtau},
                                        {out->joints_dq, out->joints_dv, out->joints_dtau}};
    ROBOT_friction_settings_t given;
    ROBOT_joint_contacts_t own;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
    int held[SIZE], k;
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    if (joints) {
        own = *joints;
    } else {
        ROBOT_joint_contacts(q, &own);
    }
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_cones_step_with_joints(PASSES at, v, tau, dt, surfaces, &own, &given, last, memory, minv, motions, &touching, held,
                                 &of, &out->contacts);
    for (k = 0; k < of.joints; k++) {
        /* Limits that move with their coordinates: a distance, or the share of it that is taken back, over the time. */
        const REAL lower = own.to_lower[held[k]], upper = own.to_upper[held[k]];
        rates[2 * k] = dt > 0 ? -((lower > 0 ? 1 : given.correction) / dt) : 0;
        rates[2 * k + 1] = dt > 0 ? -((upper > 0 ? 1 : given.correction) / dt) : 0;
    }
    ROBOT_cones_see(at, &touching, of.count, found->impulses, impulses);
    ROBOT_cones_momentum(PASSES at, v, dt, found->v, impulses, to.v[0], to.v[1]);
    out->margin = ROBOT_cones_derive(at, minv, motions, v, dt, &given, found->v, impulses, &touching, held, rates, &of, more,
                                     &to);
}
