
void ROBOT_joint_contacts(const REAL q[ROBOT_hold_nq], ROBOT_joint_contacts_t *out)
{
    int k, i;
    for (i = 0; i < SIZE; i++) out->friction[i] = 0, out->to_lower[i] = out->to_upper[i] = ROBOT_cones_largest;
    for (k = 0; k < ROBOT_hold_nb; k++) {
        const ROBOT_joint_t *const joint = ROBOT_joints + k;
        if (joint->nv != 1 || joint->mimic >= 0) continue;
        out->friction[joint->idx_v] = joint->friction;
        if (joint->nq != 1) continue;
        out->to_lower[joint->idx_v] = q[joint->idx_q] - joint->lower;
        out->to_upper[joint->idx_v] = joint->upper - q[joint->idx_q];
    }
}

/* The velocity at which a distance is gone at the end of the step. A share of what is beyond a limit is taken back. */
static REAL ROBOT_cones_reach(REAL distance, REAL dt, REAL correction)
{
    /* No limit, also if the distance is no number. */
    if (!(distance < ROBOT_cones_largest)) return ROBOT_cones_largest;
    if (dt > 0) return (distance > 0 ? (REAL)1 : correction) * distance / dt;
    /* An impact: no time passes. */
    return distance > 0 ? ROBOT_cones_largest : 0;
}

/* Lists the coordinates that have friction or a limit. Gives their number. */
static int ROBOT_cones_hold(const ROBOT_joint_contacts_t *joints, int *held)
{
    int k, count = 0;
    for (k = 0; k < SIZE; k++) {
        const int has_limit = joints->to_lower[k] < ROBOT_cones_largest || joints->to_upper[k] < ROBOT_cones_largest;
        if (joints->friction[k] > 0 || has_limit) held[count++] = k;
    }
    return count;
}

/* Makes the coordinates' part of a problem, of which the contacts' is made. `by_joints`: velocities by impulses on
 * coordinates. */
static void ROBOT_cones_make_joints(const ROBOT_cones_touching *touching, const ROBOT_joint_contacts_t *joints,
                                    const int *held, const REAL *by_joints, const REAL *free, REAL dt, REAL correction,
                                    const REAL *start, ROBOT_cones *of)
{
    const int n = of->rows, first = 3 * of->count;
    int k, r;
    for (k = 0; k < of->joints; k++) {
        const int at = held[k], row = first + k;
        REAL *const law = of->laws + 3 * k;
        law[0] = dt > 0 ? joints->friction[at] * dt : 0;
        law[1] = -ROBOT_cones_reach(joints->to_lower[at], dt, correction);
        law[2] = ROBOT_cones_reach(joints->to_upper[at], dt, correction);
        of->velocity[row] = free[at];
        of->impulses[row] = start ? start[at] : 0;
        for (r = 0; r < first; r++) {
            of->g[r * n + row] = of->g[row * n + r] = touching->minv_jt[ROBOT_cones_column(touching, r) + at];
        }
        for (r = 0; r < of->joints; r++) of->g[row * n + first + r] = by_joints[at * SIZE + held[r]];
    }
}

/* The state after a step with joints, with the problem, its contacts and its coordinates. `minv` and `motions` may be one
 * matrix: the inverse of the mass matrix, then velocities by impulses on coordinates, with closed loops. */
static void ROBOT_cones_step_with_joints(TAKES const REAL *const at[3], const REAL *v, const REAL *tau, REAL dt,
                                         const ROBOT_contact_surface_t *surfaces, const ROBOT_joint_contacts_t *joints,
                                         const ROBOT_friction_settings_t *settings,
                                         const ROBOT_joint_friction_step_t *last, REAL *memory, REAL *minv, REAL *motions,
                                         ROBOT_cones_touching *touching, int *held, ROBOT_cones *of,
                                         ROBOT_joint_friction_step_t *out)
{
    const int coordinates = ROBOT_cones_hold(joints, held);
    REAL free[SIZE], bias[SIZE];
    int k, i, count;
    if (coordinates == 0) {
        ROBOT_cones_step(PASSES at, v, tau, dt, surfaces, settings, last ? &last->step : 0, memory, minv, touching, of,
                         &out->step);
        ROBOT_hold_clear(out->joints, SIZE);
        return;
    }
    ROBOT_minv_at(at[0], at[1], at[2], minv);
    ROBOT_bias_at(at[0], at[1], at[2], v, bias);
    count = ROBOT_cones_begin(at, minv, bias, v, tau, dt, surfaces, settings, free, touching);
    for (i = 0; i < SIZE * SIZE; i++) motions[i] = minv[i];
LOOPS    ROBOT_cones_close_joints(&touching->loops, motions);
    ROBOT_cones_lay(of, count, coordinates, memory);
    ROBOT_cones_make(touching, v, free, dt, surfaces, settings, last ? last->step.impulses : 0, of);
    ROBOT_cones_make_joints(touching, joints, held, motions, free, dt, settings->correction, last ? last->joints : 0, of);
    ROBOT_cones_solve(of, settings, &out->step.residuals, &out->step.iterations, &out->step.converged);
    ROBOT_hold_clear(out->joints, SIZE);
    for (k = 0; k < of->joints; k++) {
        const REAL f = of->impulses[3 * count + k];
        out->joints[held[k]] = f;
        for (i = 0; i < SIZE; i++) free[i] = RBD_FMA(motions[held[k] * SIZE + i], f, free[i]);
    }
    ROBOT_cones_conclude(at[0], dt, touching, of, free, &out->step);
LOOPS    for (k = 0; k < of->joints; k++) {
LOOPS        const REAL *const by = touching->loops.by_joints + held[k] * ROBOT_hold_nr;
LOOPS        REAL *const to = out->step.impulses;
LOOPS        for (i = 0; i < ROBOT_hold_nr; i++) to[i] = RBD_FMA(by[i], out->joints[held[k]], to[i]);
LOOPS    }
}

HEAD(friction_step_with_joints)
{
    REAL sin_q[ROBOT_hold_nq], cos_q[ROBOT_hold_nq], motions[SIZE * SIZE];
    REAL memory[ROBOT_cones_numbers(ROBOT_hold_nr + SIZE, SIZE)];
    const REAL *const at[3] = {q, sin_q, cos_q};
    ROBOT_friction_settings_t given;
    ROBOT_joint_contacts_t own;
    ROBOT_cones_touching touching;
    ROBOT_cones of;
    int held[SIZE];
    ROBOT_friction_settings(&given);
    if (settings) given = *settings;
    if (joints) {
        own = *joints;
    } else {
        ROBOT_joint_contacts(q, &own);
    }
    ROBOT_hold_posture(q, sin_q, cos_q);
    ROBOT_cones_step_with_joints(PASSES at, v, tau, dt, surfaces, &own, &given, last, memory, motions, motions, &touching,
                                 held, &of, out);
}
