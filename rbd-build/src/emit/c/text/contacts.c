
/* Contacts: the same text for every robot. Frames are asked for by number: those of contacts, and after all of them the second
 * ones, of closed loops. Motions are in the frames' own axes, [linear; angular]; a placement is the three columns of a
 * rotation, and a translation. `at` is q with its sines and cosines. */
typedef struct {
    REAL jt[ROBOT_hold_nr * SIZE], minv_jt[ROBOT_hold_nr * SIZE];
    /* J M^-1 J^T, and its factors L D L^T. */
    REAL matrix[ROBOT_hold_nr * ROBOT_hold_nr], factors[ROBOT_hold_nr * ROBOT_hold_nr];
    int iterations;
} ROBOT_hold_held;

/* The second frame of a closed loop: where it is, and where as the first sees it; of points, how it is turned. */
typedef struct {
    int frame, is_point;
    REAL at[12], seen[12];
} ROBOT_hold_second;

/* How far a frame is from where it is to be: in its own axes, and the rotation from there. */
typedef struct {
    REAL linear[3], turned[9];
} ROBOT_hold_error;

static void ROBOT_hold_cross(const REAL *a, const REAL *b, REAL *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static void ROBOT_hold_turn(const REAL *r, const REAL *x, REAL *to)
{
    int k;
    for (k = 0; k < 3; k++) to[k] = r[k] * x[0] + r[3 + k] * x[1] + r[6 + k] * x[2];
}

static void ROBOT_hold_turn_back(const REAL *r, const REAL *x, REAL *to)
{
    int k;
    for (k = 0; k < 3; k++) to[k] = r[3 * k] * x[0] + r[3 * k + 1] * x[1] + r[3 * k + 2] * x[2];
}

/* A motion, or a force, in the frame that the placement is in. */
static void ROBOT_hold_motion(const REAL *place, const REAL *m, REAL *to)
{
    REAL lever[3];
    int k;
    ROBOT_hold_turn(place, m, to);
    ROBOT_hold_turn(place, m + 3, to + 3);
    ROBOT_hold_cross(place + 9, to + 3, lever);
    for (k = 0; k < 3; k++) to[k] += lever[k];
}

static void ROBOT_hold_force(const REAL *place, const REAL *f, REAL *to)
{
    REAL lever[3];
    int k;
    ROBOT_hold_turn(place, f, to);
    ROBOT_hold_turn(place, f + 3, to + 3);
    ROBOT_hold_cross(place + 9, to, lever);
    for (k = 0; k < 3; k++) to[3 + k] += lever[k];
}

/* Minus a force, in the frame that is placed. */
static void ROBOT_hold_reaction(const REAL *place, const REAL *f, REAL *to)
{
    REAL moment[3];
    int k;
    ROBOT_hold_cross(place + 9, f, moment);
    for (k = 0; k < 3; k++) moment[k] = f[3 + k] - moment[k];
    ROBOT_hold_turn_back(place, f, to);
    ROBOT_hold_turn_back(place, moment, to + 3);
    for (k = 0; k < 6; k++) to[k] = -to[k];
}

/* m x s */
static void ROBOT_hold_motion_cross(const REAL *m, const REAL *s, REAL *to)
{
    REAL a[3];
    int k;
    ROBOT_hold_cross(m + 3, s, to);
    ROBOT_hold_cross(m, s + 3, a);
    for (k = 0; k < 3; k++) to[k] += a[k];
    ROBOT_hold_cross(m + 3, s + 3, to + 3);
}

static int ROBOT_hold_rows(int k)
{
    return ROBOT_hold_row[k + 1] - ROBOT_hold_row[k];
}

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

/* Whether contact k is a closed loop, and then its second frame. */
static int ROBOT_hold_second_of(const REAL *const at[3], int k, ROBOT_hold_second *second)
{
    REAL first[12], apart[3];
    int c;
    if (!ROBOT_hold_is_loop[k]) return 0;
    second->frame = ROBOT_hold_nc + k;
    second->is_point = ROBOT_hold_rows(k) == 3;
    ROBOT_hold_placement(at, k, first);
    ROBOT_hold_placement(at, second->frame, second->at);
    for (c = 0; c < 3; c++) {
        apart[c] = second->at[9 + c] - first[9 + c];
        ROBOT_hold_turn_back(first, second->at + 3 * c, second->seen + 3 * c);
    }
    ROBOT_hold_turn_back(first, apart, second->seen + 9);
    for (c = 0; c < 3 && second->is_point; c++) second->seen[9 + c] = 0;
    return 1;
}

/* Whether contact k is to be somewhere, and how far from there it is. */
static int ROBOT_hold_error_of(const REAL *const at[3], int k, const ROBOT_hold_second *second,
                               const ROBOT_contact_settings_t *settings, ROBOT_hold_error *error)
{
    const REAL *const anchor = second ? second->at : settings ? settings->anchors[k] : 0;
    REAL here[12], apart[3];
    int c;
    if (!anchor) return 0;
    ROBOT_hold_placement(at, k, here);
    for (c = 0; c < 3; c++) {
        apart[c] = here[9 + c] - anchor[9 + c];
        ROBOT_hold_turn_back(anchor, here + 3 * c, error->turned + 3 * c);
    }
    ROBOT_hold_turn_back(here, apart, error->linear);
    return 1;
}

/* The sine of the angle times the axis. */
static void ROBOT_hold_angular(const ROBOT_hold_error *error, REAL *to)
{
    const REAL *const e = error->turned;
    to[0] = (e[5] - e[7]) / 2;
    to[1] = (e[6] - e[2]) / 2;
    to[2] = (e[1] - e[3]) / 2;
}

/* Adds kp times how a distance changes when the frame moves by j, in its own axes. */
static void ROBOT_hold_add_moved(const ROBOT_hold_error *error, const REAL *j, REAL kp, REAL *to)
{
    const REAL *const e = error->turned, trace = e[0] + e[4] + e[8];
    REAL linear[3], angular[3];
    int k;
    ROBOT_hold_cross(error->linear, j + 3, linear);
    ROBOT_hold_turn_back(e, j + 3, angular);
    for (k = 0; k < 3; k++) {
        to[k] += kp * (j[k] + linear[k]);
        to[3 + k] += kp * ((trace * j[3 + k] - angular[k]) / 2);
    }
}

/* A column for each row of the active contacts' Jacobian; zero of the others. */
static void ROBOT_hold_jacobian_transpose(const REAL *const at[3], const int *active, REAL *jt)
{
    int k, j, c;
    for (k = 0; k < ROBOT_hold_nr * SIZE; k++) jt[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL jacobian[6 * SIZE], other[6 * SIZE], seen[6];
        ROBOT_hold_second second;
        if (!active[k]) continue;
        ROBOT_hold_jacobian(at, k, jacobian);
        if (ROBOT_hold_second_of(at, k, &second)) {
            ROBOT_hold_jacobian(at, second.frame, other);
            for (j = 0; j < SIZE; j++) {
                ROBOT_hold_motion(second.seen, other + 6 * j, seen);
                for (c = 0; c < 6; c++) jacobian[6 * j + c] -= seen[c];
            }
        }
        for (c = 0; c < ROBOT_hold_rows(k); c++) {
            for (j = 0; j < SIZE; j++) jt[(ROBOT_hold_row[k] + c) * SIZE + j] = jacobian[6 * j + c];
        }
    }
}

/* What accelerations of the active contacts are at zero joint accelerations, with Baumgarte's terms. */
static void ROBOT_hold_drift(const REAL *const at[3], const REAL *v, const int *active,
                             const ROBOT_contact_settings_t *settings, REAL *drift)
{
    const REAL kp = settings ? settings->kp : 0, kd = settings ? settings->kd : 0;
    int k, c;
    for (k = 0; k < ROBOT_hold_nr; k++) drift[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL velocity[6], acceleration[6];
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        int is_loop;
        if (!active[k]) continue;
        ROBOT_hold_velocity(at, k, v, velocity);
        ROBOT_hold_bias_acceleration(at, k, v, acceleration);
        if (ROBOT_hold_rows(k) == 3) ROBOT_hold_add_centripetal(velocity, acceleration);
        is_loop = ROBOT_hold_second_of(at, k, &second);
        if (is_loop) {
            REAL own[6], bias[6], carried[6], seen[6], more[6];
            ROBOT_hold_velocity(at, second.frame, v, own);
            ROBOT_hold_bias_acceleration(at, second.frame, v, bias);
            if (second.is_point) ROBOT_hold_add_centripetal(own, bias);
            ROBOT_hold_motion(second.seen, own, carried);
            ROBOT_hold_motion(second.seen, bias, seen);
            for (c = 0; c < 6; c++) velocity[c] -= carried[c], acceleration[c] -= seen[c];
            ROBOT_hold_motion_cross(velocity, carried, more);
            for (c = 0; c < 6 && !second.is_point; c++) acceleration[c] += more[c];
        }
        for (c = 0; c < 6; c++) acceleration[c] += velocity[c] * kd;
        if (ROBOT_hold_error_of(at, k, is_loop ? &second : 0, settings, &error)) {
            REAL angular[3];
            ROBOT_hold_angular(&error, angular);
            for (c = 0; c < 3; c++) acceleration[c] += error.linear[c] * kp, acceleration[3 + c] += angular[c] * kp;
        }
        for (c = 0; c < ROBOT_hold_rows(k); c++) drift[ROBOT_hold_row[k] + c] = acceleration[c];
    }
}

/* The forces of contacts on bodies, in the bodies' joint frames. */
static void ROBOT_hold_on_bodies(const REAL *const at[3], const REAL *forces, REAL *fext)
{
    int k, c;
    for (k = 0; k < 6 * ROBOT_hold_nb; k++) fext[k] = 0;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        REAL force[6], other[6], on_body[6];
        ROBOT_hold_second second;
        for (c = 0; c < 6; c++) force[c] = c < ROBOT_hold_rows(k) ? forces[ROBOT_hold_row[k] + c] : 0;
        if (ROBOT_hold_body[k] >= 0) {
            ROBOT_hold_force(ROBOT_hold_carried[k], force, on_body);
            for (c = 0; c < 6; c++) fext[6 * ROBOT_hold_body[k] + c] += on_body[c];
        }
        if (ROBOT_hold_second_of(at, k, &second) && ROBOT_hold_body[second.frame] >= 0) {
            ROBOT_hold_reaction(second.seen, force, other);
            ROBOT_hold_force(ROBOT_hold_carried[second.frame], other, on_body);
            for (c = 0; c < 6; c++) fext[6 * ROBOT_hold_body[second.frame] + c] += on_body[c];
        }
    }
}

/* L D L^T in place: L below the diagonal, the reciprocals of D on it, zero where a pivot is lost in rounding, as of a row that
 * follows from others. */
static void ROBOT_hold_factor(REAL *f)
{
    const REAL least = sizeof(REAL) < 8 ? (REAL)1e-5 : (REAL)1e-12;
    /* What is left of rows that cancel to nothing, beside the two other rows of the same unit. */
    const REAL rounding = sizeof(REAL) < 8 ? (REAL)2e-11 : (REAL)1e-28;
    const int n = ROBOT_hold_nr;
    REAL limits[ROBOT_hold_nr];
    int i, j, k;
    for (j = 0; j < n; j++) {
        REAL largest = f[j * n + j];
        for (i = j / 3 * 3; i < j / 3 * 3 + 3; i++) {
            if (f[i * n + i] > largest) largest = f[i * n + i];
        }
        limits[j] = f[j * n + j] * least;
        if (limits[j] < largest * rounding) limits[j] = largest * rounding;
    }
    for (j = 0; j < n; j++) {
        const REAL pivot = f[j * n + j], reciprocal = pivot - limits[j] < (REAL)1e-30 ? 0 : 1 / pivot;
        for (k = j + 1; k < n; k++) {
            const REAL factor = -(f[j * n + k] * reciprocal);
            for (i = k; i < n; i++) f[k * n + i] = RBD_FMA(f[j * n + i], factor, f[k * n + i]);
        }
        for (i = j + 1; i < n; i++) f[j * n + i] *= reciprocal;
        f[j * n + j] = reciprocal;
    }
}

/* rhs - G x */
static void ROBOT_hold_left(const ROBOT_hold_held *held, const REAL *rhs, const REAL *x, REAL *to)
{
    const int n = ROBOT_hold_nr;
    int i, k;
    for (i = 0; i < n; i++) to[i] = rhs[i];
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) to[i] = RBD_FMA(-held->matrix[k * n + i], x[k], to[i]);
    }
}

static void ROBOT_hold_solve_once(const REAL *f, REAL *x)
{
    const int n = ROBOT_hold_nr;
    int i, k;
    for (k = 0; k < n; k++) {
        for (i = k + 1; i < n; i++) x[i] = RBD_FMA(-f[k * n + i], x[k], x[i]);
    }
    for (k = n - 1; k >= 0; k--) {
        x[k] *= f[k * n + k];
        for (i = k + 1; i < n; i++) x[k] = RBD_FMA(-f[k * n + i], x[i], x[k]);
    }
}

/* The solution of G x = rhs, in its place, as far as the iterations lead. */
static void ROBOT_hold_solve(const ROBOT_hold_held *held, REAL *x)
{
    REAL rhs[ROBOT_hold_nr], rest[ROBOT_hold_nr];
    int i, time;
    for (i = 0; i < ROBOT_hold_nr; i++) rhs[i] = x[i];
    ROBOT_hold_solve_once(held->factors, x);
    for (time = 1; time < held->iterations; time++) {
        ROBOT_hold_left(held, rhs, x, rest);
        ROBOT_hold_solve_once(held->factors, rest);
        for (i = 0; i < ROBOT_hold_nr; i++) x[i] += rest[i];
    }
}

static void ROBOT_hold_contacts(const REAL *const at[3], const REAL *minv, const int *active,
                                const ROBOT_contact_settings_t *settings, ROBOT_hold_held *held)
{
    const int n = ROBOT_hold_nr;
    int i, j, k, r;
    ROBOT_hold_jacobian_transpose(at, active, held->jt);
    for (r = 0; r < n; r++) {
        REAL *const to = held->minv_jt + r * SIZE;
        for (i = 0; i < SIZE; i++) to[i] = 0;
        for (j = 0; j < SIZE; j++) {
            for (i = 0; i < SIZE; i++) to[i] = RBD_FMA(minv[j * SIZE + i], held->jt[r * SIZE + j], to[i]);
        }
        for (k = 0; k <= r; k++) {
            REAL sum = 0;
            for (i = 0; i < SIZE; i++) sum = RBD_FMA(held->jt[k * SIZE + i], to[i], sum);
            held->matrix[r * n + k] = held->matrix[k * n + r] = sum;
        }
    }
    for (i = 0; i < n * n; i++) held->factors[i] = held->matrix[i];
    for (k = 0; k < ROBOT_hold_nc; k++) {
        for (r = ROBOT_hold_row[k]; active[k] && settings && r < ROBOT_hold_row[k + 1]; r++) {
            held->factors[r * n + r] += settings->mu;
        }
    }
    ROBOT_hold_factor(held->factors);
    held->iterations = settings ? settings->iterations : 1;
}

/* J x, added. */
static void ROBOT_hold_add_rows(const ROBOT_hold_held *held, const REAL *x, REAL *to)
{
    int r, i;
    for (r = 0; r < ROBOT_hold_nr; r++) {
        for (i = 0; i < SIZE; i++) to[r] = RBD_FMA(held->jt[r * SIZE + i], x[i], to[r]);
    }
}

/* M^-1 J^T forces, added. */
static void ROBOT_hold_add_forces(const ROBOT_hold_held *held, const REAL *forces, REAL *to)
{
    int r, i;
    for (r = 0; r < ROBOT_hold_nr; r++) {
        for (i = 0; i < SIZE; i++) to[i] = RBD_FMA(held->minv_jt[r * SIZE + i], forces[r], to[i]);
    }
}

/* Adds to `free` what makes the rows J free + offset vanish: the forces, and what they leave. */
static void ROBOT_hold_now(const ROBOT_hold_held *held, const REAL *offset, REAL *free, REAL *forces, REAL *residual)
{
    REAL rhs[ROBOT_hold_nr];
    int r;
    for (r = 0; r < ROBOT_hold_nr; r++) rhs[r] = offset[r];
    ROBOT_hold_add_rows(held, free, rhs);
    for (r = 0; r < ROBOT_hold_nr; r++) rhs[r] = forces[r] = -rhs[r];
    ROBOT_hold_solve(held, forces);
    ROBOT_hold_left(held, rhs, forces, residual);
    for (r = 0; r < ROBOT_hold_nr; r++) residual[r] = -residual[r];
    ROBOT_hold_add_forces(held, forces, free);
}

/* The same of each column; forces take the place of offsets. */
static void ROBOT_hold_columns(const ROBOT_hold_held *held, const REAL *free, REAL *forces, REAL *to)
{
    int c, i;
    for (c = 0; c < SIZE; c++, free += SIZE, forces += ROBOT_hold_nr, to += SIZE) {
        ROBOT_hold_add_rows(held, free, forces);
        for (i = 0; i < ROBOT_hold_nr; i++) forces[i] = -forces[i];
        ROBOT_hold_solve(held, forces);
        for (i = 0; i < SIZE; i++) to[i] = free[i];
        ROBOT_hold_add_forces(held, forces, to);
    }
}
