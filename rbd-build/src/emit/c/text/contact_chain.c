
/* Second derivatives of contacts' rows, contracted with multipliers: the same text for every robot. Formulas are in
 * docs/math.md#second-derivatives-under-contacts. */

/* The joints that move a frame against the world, or one frame against another: coordinates of v, positions of their joints
 * in the chain, whether joints are passed from child to parent, and columns of the Jacobian. Then derivatives of motions, in
 * the frame's axes: of the rows by q, of the velocity by q, of J m by q, of the rows by v; and the velocity of the rest of the
 * chain. At last the motions at its end. */
typedef struct {
    int count, at[SIZE], order[SIZE], reversed[SIZE];
    REAL j[SIZE][6], a[SIZE][6], c[SIZE][6], m[SIZE][6], d[SIZE][6], rest[SIZE][6];
    REAL velocity[6], acceleration[6], motion[6];
} ROBOT_hold_chain;

/* What rows are contracted with: multipliers of the rows, and forces, whose power on J m is subtracted. */
typedef struct {
    REAL rows[6], forces[6], kp, kd;
    int is_point;
} ROBOT_hold_weights;

static REAL ROBOT_hold_dot(const REAL *a, const REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static REAL ROBOT_hold_power(const REAL *a, const REAL *b)
{
    return ROBOT_hold_dot(a, b) + ROBOT_hold_dot(a + 3, b + 3);
}

/* m x* f */
static void ROBOT_hold_force_cross(const REAL *m, const REAL *f, REAL *to)
{
    REAL moment[3];
    int k;
    ROBOT_hold_cross(m + 3, f, to);
    ROBOT_hold_cross(m + 3, f + 3, to + 3);
    ROBOT_hold_cross(m, f, moment);
    for (k = 0; k < 3; k++) to[3 + k] += moment[k];
}

/* The force whose power on a motion is the change of weights . (w x v) at this velocity. */
static void ROBOT_hold_centripetal_force(const REAL *weights, const REAL *velocity, REAL *to)
{
    ROBOT_hold_cross(weights, velocity + 3, to);
    ROBOT_hold_cross(velocity, weights, to + 3);
}

/* Rows of contact k, as six numbers. */
static void ROBOT_hold_wrench(int k, const REAL *rows, REAL *to)
{
    int c;
    for (c = 0; c < 6; c++) to[c] = c < ROBOT_hold_rows(k) ? rows[ROBOT_hold_row[k] + c] : 0;
}

static void ROBOT_hold_push(ROBOT_hold_chain *chain, int joint, int order, int is_reversed, const REAL *jacobian)
{
    int at, c;
    for (at = ROBOT_hold_joint[joint][0]; at < ROBOT_hold_joint[joint][1]; at++, chain->count++) {
        chain->at[chain->count] = at;
        chain->order[chain->count] = order;
        chain->reversed[chain->count] = is_reversed;
        for (c = 0; c < 6; c++) chain->j[chain->count][c] = jacobian[6 * at + c];
    }
}

/* The chain from the root to a frame with this Jacobian. */
static void ROBOT_hold_reach(int frame, const REAL *jacobian, ROBOT_hold_chain *chain)
{
    const int from = ROBOT_hold_path[frame], to = ROBOT_hold_path[frame + 1];
    int k;
    chain->count = 0;
    for (k = from; k < to; k++) ROBOT_hold_push(chain, k, k - from, 0, jacobian);
}

/* The chain from a second frame to the first, with the Jacobian of their relative motion. Joints that carry both are not in
 * it. */
static void ROBOT_hold_between(int frame, int second, const REAL *jacobian, ROBOT_hold_chain *chain)
{
    int down = ROBOT_hold_path[frame], up = ROBOT_hold_path[second], k, order = 0;
    while (down < ROBOT_hold_path[frame + 1] && up < ROBOT_hold_path[second + 1] &&
           ROBOT_hold_joint[down][0] == ROBOT_hold_joint[up][0]) {
        down++, up++;
    }
    chain->count = 0;
    for (k = ROBOT_hold_path[second + 1] - 1; k >= up; k--) ROBOT_hold_push(chain, k, order++, 1, jacobian);
    for (k = down; k < ROBOT_hold_path[frame + 1]; k++) ROBOT_hold_push(chain, k, order++, 0, jacobian);
}

/* Whether column j changes along the coordinate of column k. */
static int ROBOT_hold_turns_with(const ROBOT_hold_chain *chain, int j, int k)
{
    return chain->order[j] < chain->order[k] || (chain->order[j] == chain->order[k] && chain->reversed[j]);
}

/* Motions along the chain at these velocities, accelerations and multipliers of the torques, and their derivatives. */
static void ROBOT_hold_follow(ROBOT_hold_chain *chain, const REAL *v, const REAL *a, const REAL *m, REAL kd)
{
    const int n = chain->count;
    REAL through[SIZE][6], apart[6], x[6];
    REAL *const velocity = chain->velocity, *const acceleration = chain->acceleration, *const motion = chain->motion;
    int k = 0, end, c;
    for (c = 0; c < 6; c++) velocity[c] = acceleration[c] = motion[c] = 0;
    while (k < n) {
        REAL before[3][6], own[3][6];
        for (c = 0; c < 6; c++) {
            before[0][c] = velocity[c], before[1][c] = acceleration[c], before[2][c] = motion[c];
            own[0][c] = own[1][c] = own[2][c] = 0;
        }
        for (end = k; end < n && chain->order[end] == chain->order[k]; end++) {
            const REAL *const j = chain->j[end];
            const int at = chain->at[end];
            for (c = 0; c < 6; c++) {
                own[0][c] = RBD_FMA(v[at], j[c], own[0][c]);
                own[1][c] = RBD_FMA(a[at], j[c], own[1][c]);
                own[2][c] = RBD_FMA(m[at], j[c], own[2][c]);
            }
        }
        ROBOT_hold_motion_cross(velocity, own[0], x);
        for (c = 0; c < 6; c++) {
            acceleration[c] += own[1][c] + x[c];
            velocity[c] += own[0][c];
            motion[c] += own[2][c];
        }
        for (; k < end; k++) {
            const int is_after = chain->reversed[k];
            const REAL *const j = chain->j[k];
            const REAL *const of_velocity = is_after ? velocity : before[0];
            ROBOT_hold_motion_cross(is_after ? acceleration : before[1], j, chain->a[k]);
            ROBOT_hold_motion_cross(of_velocity, j, chain->c[k]);
            ROBOT_hold_motion_cross(is_after ? motion : before[2], j, chain->m[k]);
            ROBOT_hold_motion_cross(before[0], j, chain->d[k]);
            for (c = 0; c < 6; c++) chain->rest[k][c] = -of_velocity[c], through[k][c] = velocity[c];
        }
    }
    for (k = 0; k < n; k++) {
        for (c = 0; c < 6; c++) chain->rest[k][c] += velocity[c], apart[c] = velocity[c] - through[k][c];
        ROBOT_hold_motion_cross(chain->c[k], chain->rest[k], x);
        for (c = 0; c < 6; c++) chain->a[k][c] += x[c] + kd * chain->c[k][c];
        ROBOT_hold_motion_cross(chain->j[k], apart, x);
        for (c = 0; c < 6; c++) chain->d[k][c] += x[c] + kd * chain->j[k][c];
    }
}

/* Adds the products of all pairs of coordinates of a chain. The first of a pair carries the second, or is of the same joint. */
static void ROBOT_hold_add_pairs(const ROBOT_hold_chain *chain, const ROBOT_hold_weights *weights, ROBOT_rnea_hessian_t *to)
{
    const int n = chain->count;
    /* The products of a column with the weights, with those of second derivatives, with the forces, and with those of the
     * centripetal acceleration: component by component. */
    REAL f[6][SIZE], g[6][SIZE], h[6][SIZE], t[6][SIZE], of_velocity[6], x[6], y[6];
    int k, l, c, from = 0;
    ROBOT_hold_centripetal_force(weights->rows, chain->velocity, of_velocity);
    for (k = 0; k < n; k++) {
        const REAL *const j = chain->j[k];
        ROBOT_hold_force_cross(j, weights->rows, x);
        for (c = 0; c < 6; c++) f[c][k] = x[c];
        ROBOT_hold_force_cross(j, weights->forces, x);
        for (c = 0; c < 6; c++) h[c][k] = x[c];
        ROBOT_hold_motion_cross(j, chain->rest[k], y);
        ROBOT_hold_force_cross(y, weights->rows, x);
        for (c = 0; c < 6; c++) g[c][k] = x[c], t[c][k] = 0;
        if (!weights->is_point) continue;
        ROBOT_hold_force_cross(j, of_velocity, x);
        ROBOT_hold_centripetal_force(weights->rows, chain->c[k], y);
        for (c = 0; c < 6; c++) g[c][k] += x[c] + y[c];
        ROBOT_hold_centripetal_force(weights->rows, j, x);
        for (c = 0; c < 6; c++) t[c][k] = x[c];
    }
    for (k = 0; k < n; k++) {
        const int first = chain->at[k], is_reversed = chain->reversed[k];
        REAL qq[SIZE], qv[SIZE], vq[SIZE], qa[SIZE], within[SIZE];
        /* The first coordinate of the same joint. */
        if (chain->order[from] < chain->order[k]) from = k;
        for (l = from; l < n; l++) qq[l] = qv[l] = vq[l] = qa[l] = within[l] = 0;
        for (c = 0; c < 6; c++) {
            const REAL a = chain->a[k][c], w = chain->c[k][c], m = -chain->m[k][c], d = chain->d[k][c], j = chain->j[k][c];
            for (l = from; l < n; l++) {
                qq[l] = RBD_FMA(w, g[c][l], RBD_FMA(m, h[c][l], RBD_FMA(a, f[c][l], qq[l])));
                qv[l] = RBD_FMA(j, g[c][l], RBD_FMA(d, f[c][l], qv[l]));
                vq[l] = RBD_FMA(w, t[c][l], RBD_FMA(w, f[c][l], vq[l]));
                qa[l] = RBD_FMA(j, f[c][l], qa[l]);
                within[l] = RBD_FMA(j, t[c][l], within[l]);
            }
        }
        for (l = from; l < n; l++) {
            /* By columns: second derivatives along the one coordinate and then the other, and the other way round. */
            const int one = SIZE * first + chain->at[l], other = SIZE * chain->at[l] + first;
            if (chain->order[l] > chain->order[k]) {
                to->dqdq[one] += qq[l], to->dqdq[other] += qq[l];
                to->dqdv[one] += qv[l], to->dqdv[other] += vq[l];
                to->dvdv[one] += qa[l] + within[l], to->dvdv[other] += qa[l] + within[l];
                to->dqda[one] += qa[l];
                continue;
            }
            /* Within a joint the column's coordinate comes first if it is passed from child to parent, and else the row's. */
            to->dvdv[one] += within[l];
            if (is_reversed) {
                to->dqdq[other] += qq[l], to->dqdv[one] += qv[l], to->dqda[one] += qa[l];
            } else {
                to->dqdq[one] += qq[l], to->dqdv[other] += vq[l];
            }
        }
    }
}

/* Adds the second derivatives of kp times the position error. */
static void ROBOT_hold_add_error(const ROBOT_hold_chain *chain, const ROBOT_hold_weights *weights,
                                 const ROBOT_hold_error *error, REAL *qq)
{
    const REAL *const e = error->turned, trace = e[0] + e[4] + e[8];
    REAL linear[3], angular[3], sine[3], of_motion[6], x[3], y[3], z[3];
    int j, k, c;
    for (c = 0; c < 3; c++) linear[c] = weights->rows[c] * weights->kp, angular[c] = weights->rows[3 + c] * weights->kp;
    /* The force whose power on the frame's motion is the change of the weighted error. */
    ROBOT_hold_cross(linear, error->linear, x);
    ROBOT_hold_turn(e, angular, y);
    for (c = 0; c < 3; c++) of_motion[c] = linear[c], of_motion[3 + c] = x[c] + (trace * angular[c] - y[c]) / 2;
    ROBOT_hold_angular(error, sine);
    for (k = 0; k < chain->count; k++) {
        const REAL *const turn = chain->j[k] + 3;
        const REAL along = ROBOT_hold_dot(sine, turn);
        REAL moved[3], carried[6];
        ROBOT_hold_cross(error->linear, turn, x);
        for (c = 0; c < 3; c++) x[c] += chain->j[k][c];
        ROBOT_hold_cross(linear, x, moved);
        ROBOT_hold_cross(turn, angular, y);
        ROBOT_hold_turn(e, y, z);
        for (c = 0; c < 3; c++) moved[c] -= along * angular[c] + z[c] / 2;
        ROBOT_hold_force_cross(chain->j[k], of_motion, carried);
        for (j = 0; j < chain->count; j++) {
            REAL sum = ROBOT_hold_dot(moved, chain->j[j] + 3);
            if (ROBOT_hold_turns_with(chain, j, k)) sum += ROBOT_hold_power(chain->j[j], carried);
            qq[SIZE * chain->at[k] + chain->at[j]] += sum;
        }
    }
}

/* Minus how J m of a contact changes with q, by its rows. */
static void ROBOT_hold_subtract_moved(int k, const ROBOT_hold_chain *chain, REAL *by_forces)
{
    int l, c;
    for (l = 0; l < chain->count; l++) {
        for (c = 0; c < ROBOT_hold_rows(k); c++) by_forces[SIZE * (ROBOT_hold_row[k] + c) + chain->at[l]] -= chain->m[l][c];
    }
}
