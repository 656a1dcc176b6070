
/* What the acceleration of a point has beside the linear part of the spatial one. */
static void ROBOT_hold_add_centripetal(const REAL *velocity, REAL *acceleration)
{
    REAL a[3];
    int k;
    ROBOT_hold_cross(velocity + 3, velocity, a);
    for (k = 0; k < 3; k++) acceleration[k] += a[k];
}

/* How that changes with the velocity. */
static void ROBOT_hold_add_centripetal_moved(const REAL *velocity, const REAL *d, REAL *to)
{
    REAL a[3], b[3];
    int k;
    ROBOT_hold_cross(d + 3, velocity, a);
    ROBOT_hold_cross(velocity + 3, d, b);
    for (k = 0; k < 3; k++) to[k] += a[k] + b[k];
}

/* Changes along a coordinate, in the axes of a closed loop's first frame: turns of both frames, and of the first against the
 * second; of the second point the row by q, v and the acceleration, and J m; the position error. */
typedef struct {
    int numbers[2];
    REAL first[3], second[3], apart[3], row[3][3], motion[3], error[3];
} ROBOT_hold_change;

/* Changes along each coordinate of a closed loop of points, from the chains to its first and its second frame. */
static void ROBOT_hold_changes(const ROBOT_hold_chain *first, const ROBOT_hold_chain *second, const REAL *seen,
                               ROBOT_hold_change *changes)
{
    REAL x[3];
    int k, c;
    for (k = 0; k < SIZE; k++) {
        ROBOT_hold_change *const to = &changes[k];
        to->numbers[0] = to->numbers[1] = -1;
        for (c = 0; c < 3; c++) {
            to->first[c] = to->second[c] = to->apart[c] = to->motion[c] = to->error[c] = 0;
            to->row[0][c] = to->row[1][c] = to->row[2][c] = 0;
        }
    }
    for (k = 0; k < first->count; k++) {
        ROBOT_hold_change *const to = &changes[first->at[k]];
        to->numbers[0] = k;
        for (c = 0; c < 3; c++) to->first[c] = to->apart[c] = first->j[k][3 + c], to->error[c] = first->j[k][c];
    }
    for (k = 0; k < second->count; k++) {
        ROBOT_hold_change *const to = &changes[second->at[k]];
        to->numbers[1] = k;
        ROBOT_hold_turn(seen, second->j[k] + 3, to->second);
        for (c = 0; c < 3; c++) x[c] = second->a[k][c];
        ROBOT_hold_add_centripetal_moved(second->velocity, second->c[k], x);
        ROBOT_hold_turn(seen, x, to->row[0]);
        for (c = 0; c < 3; c++) x[c] = second->d[k][c];
        ROBOT_hold_add_centripetal_moved(second->velocity, second->j[k], x);
        ROBOT_hold_turn(seen, x, to->row[1]);
        ROBOT_hold_turn(seen, second->j[k], to->row[2]);
        ROBOT_hold_turn(seen, second->m[k], to->motion);
        for (c = 0; c < 3; c++) to->apart[c] -= to->second[c], to->error[c] -= to->row[2][c];
    }
}

/* The number of column j if it changes along the coordinate of column k, both of the same chain; else -1. */
static int ROBOT_hold_turning(const ROBOT_hold_chain *chain, int j, int k)
{
    return j >= 0 && k >= 0 && ROBOT_hold_turns_with(chain, j, k) ? j : -1;
}

/* Adds the second derivatives of a closed loop of points: those of both points, and of the first one's axes, which turn as the
 * second frame sees them. */
static void ROBOT_hold_add_closed_points(int contact, const ROBOT_hold_second *second, const ROBOT_hold_error *error,
                                         const REAL *const jacobians[2], const REAL *const given[3],
                                         const ROBOT_hold_weights *weights, ROBOT_rnea_hessian_t *to, REAL *by_forces)
{
    ROBOT_hold_chain chains[2];
    ROBOT_hold_change changes[SIZE];
    ROBOT_hold_weights reaction = *weights;
    const REAL *const weight = weights->rows, *const force = weights->forces;
    REAL row[3], motion[3], of_points[2][6], x[3], y[3], z[6];
    int j, k, c;
    ROBOT_hold_reach(contact, jacobians[0], &chains[0]);
    ROBOT_hold_reach(second->frame, jacobians[1], &chains[1]);
    for (k = 0; k < 2; k++) ROBOT_hold_follow(&chains[k], given[0], given[1], given[2], weights->kd);
    ROBOT_hold_add_pairs(&chains[0], weights, to);
    ROBOT_hold_reaction(second->seen, weights->rows, reaction.rows);
    ROBOT_hold_reaction(second->seen, weights->forces, reaction.forces);
    ROBOT_hold_add_pairs(&chains[1], &reaction, to);

    /* The second point's row, and its motion, as the first frame sees them. */
    for (c = 0; c < 3; c++) x[c] = chains[1].acceleration[c] + weights->kd * chains[1].velocity[c];
    ROBOT_hold_add_centripetal(chains[1].velocity, x);
    ROBOT_hold_turn(second->seen, x, row);
    ROBOT_hold_turn(second->seen, chains[1].motion, motion);
    ROBOT_hold_changes(&chains[0], &chains[1], second->seen, changes);
    /* Forces whose power on the motions of both points is the change of the weighted error. */
    ROBOT_hold_cross(weight, error->linear, of_points[0] + 3);
    for (c = 0; c < 3; c++) of_points[0][c] = weight[c];
    for (c = 0; c < 6; c++) of_points[1][c] = reaction.rows[c];
    for (k = 0; k < SIZE; k++) {
        const ROBOT_hold_change *const of_k = &changes[k];
        REAL error_k[3], weight_k[3], force_k[3];
        if (of_k->numbers[0] < 0 && of_k->numbers[1] < 0) continue;
        ROBOT_hold_cross(error->linear, of_k->first, error_k);
        for (c = 0; c < 3; c++) error_k[c] += of_k->error[c];
        ROBOT_hold_cross(of_k->apart, weight, weight_k);
        ROBOT_hold_cross(of_k->apart, force, force_k);
        for (j = 0; j < SIZE; j++) {
            const ROBOT_hold_change *const of_j = &changes[j];
            const int first = ROBOT_hold_turning(&chains[0], of_j->numbers[0], of_k->numbers[0]);
            const int other = ROBOT_hold_turning(&chains[1], of_j->numbers[1], of_k->numbers[1]);
            REAL turned[3], weight_j[3], force_j[3], sum, of_error;
            if (of_j->numbers[0] < 0 && of_j->numbers[1] < 0) continue;
            /* How the relative turn along j changes along k. */
            ROBOT_hold_cross(of_k->apart, of_j->second, turned);
            if (first >= 0) {
                ROBOT_hold_cross(of_j->first, of_k->first, x);
                for (c = 0; c < 3; c++) turned[c] += x[c];
            }
            if (other >= 0) {
                ROBOT_hold_cross(of_j->second, of_k->second, x);
                for (c = 0; c < 3; c++) turned[c] -= x[c];
            }
            ROBOT_hold_cross(of_j->apart, weight, weight_j);
            ROBOT_hold_cross(of_j->apart, force, force_j);
            /* The force turned twice, and the weights. */
            ROBOT_hold_cross(of_k->apart, force_j, x);
            ROBOT_hold_cross(turned, force, y);
            sum = ROBOT_hold_dot(x, motion) + ROBOT_hold_dot(y, motion);
            sum += ROBOT_hold_dot(force_j, of_k->motion) + ROBOT_hold_dot(force_k, of_j->motion);
            ROBOT_hold_cross(of_k->apart, weight_j, x);
            ROBOT_hold_cross(turned, weight, y);
            sum -= ROBOT_hold_dot(x, row) + ROBOT_hold_dot(y, row);
            sum -= ROBOT_hold_dot(weight_j, of_k->row[0]) + ROBOT_hold_dot(weight_k, of_j->row[0]);
            ROBOT_hold_cross(weight, error_k, x);
            of_error = ROBOT_hold_dot(x, of_j->first) - ROBOT_hold_dot(weight_k, of_j->row[2]);
            if (first >= 0) {
                ROBOT_hold_force_cross(chains[0].j[of_k->numbers[0]], of_points[0], z);
                of_error += ROBOT_hold_power(chains[0].j[first], z);
            }
            if (other >= 0) {
                ROBOT_hold_force_cross(chains[1].j[of_k->numbers[1]], of_points[1], z);
                of_error += ROBOT_hold_power(chains[1].j[other], z);
            }
            to->dqdq[SIZE * k + j] += sum + weights->kp * of_error;
            to->dqdv[SIZE * k + j] -= ROBOT_hold_dot(weight_j, of_k->row[1]);
            to->dqda[SIZE * k + j] -= ROBOT_hold_dot(weight_j, of_k->row[2]);
        }
        ROBOT_hold_cross(of_k->apart, motion, x);
        for (c = 0; c < 3; c++) {
            if (of_k->numbers[0] >= 0) x[c] += chains[0].m[of_k->numbers[0]][c];
            by_forces[SIZE * (ROBOT_hold_row[contact] + c) + k] -= x[c] - of_k->motion[c];
        }
    }
}
