
/* Contacts: the same text for every robot. Frames are asked for by number: those of contacts, and after all of them the second
 * ones, of closed loops. Motions are in the frames' own axes, [linear; angular]; a placement is the three columns of a
 * rotation, and a translation. `at` is q with its sines and cosines. */

/* J M^-1 J^T, and its factors L D L^T. */
typedef struct {
    REAL matrix[ROBOT_hold_nr * ROBOT_hold_nr], factors[ROBOT_hold_nr * ROBOT_hold_nr];
    int iterations;
} ROBOT_hold_delassus;

/* J^T and M^-1 J^T of the active contacts, a column for each row, with the matrix of both. */
typedef struct {
    REAL jt[ROBOT_hold_nr * SIZE], minv_jt[ROBOT_hold_nr * SIZE];
    ROBOT_hold_delassus delassus;
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

static void ROBOT_hold_clear(REAL *x, int n)
{
    int k;
    for (k = 0; k < n; k++) x[k] = 0;
}

/* Clears the rows of inactive contacts in columns of all rows. */
static void ROBOT_hold_clear_inactive(const int *active, int columns, REAL *rows)
{
    int k, j, r;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        if (active[k]) continue;
        for (j = 0; j < columns; j++) {
            for (r = ROBOT_hold_row[k]; r < ROBOT_hold_row[k + 1]; r++) rows[j * ROBOT_hold_nr + r] = 0;
        }
    }
}

/* A column for each row of the active contacts' Jacobian; zero of the others. */
static void ROBOT_hold_jacobian_transpose(const REAL *const at[3], const int *active, REAL *jt)
{
    int k;
    ROBOT_hold_clear(jt, ROBOT_hold_nr * SIZE);
    ROBOT_hold_kernel_rows(at[0], at[1], at[2], jt);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        if (!active[k]) ROBOT_hold_clear(jt + ROBOT_hold_row[k] * SIZE, ROBOT_hold_rows(k) * SIZE);
    }
}

/* Adds Baumgarte's pull to accelerations of the active contacts' rows. */
static void ROBOT_hold_add_pulls(const REAL *const at[3], const int *active, const ROBOT_contact_settings_t *settings, REAL *to)
{
    const REAL kp = settings ? settings->kp : 0;
    int k, c;
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_second second;
        ROBOT_hold_error error;
        REAL both[6];
        if (!active[k] || kp == 0) continue;
        if (!ROBOT_hold_error_of(at, k, ROBOT_hold_second_of(at, k, &second) ? &second : 0, settings, &error)) continue;
        for (c = 0; c < 3; c++) both[c] = error.linear[c];
        ROBOT_hold_angular(&error, both + 3);
        for (c = 0; c < ROBOT_hold_rows(k); c++) {
            REAL *const row = to + ROBOT_hold_row[k] + c;
            *row = RBD_FMA(both[c], kp, *row);
        }
    }
}

/* Adds Baumgarte's terms to accelerations of the rows. Rows of inactive contacts become zero. */
static void ROBOT_hold_add_baumgarte(const REAL *const at[3], const int *active, const ROBOT_contact_settings_t *settings,
                                     const REAL *velocities, REAL *to)
{
    const REAL kd = settings ? settings->kd : 0;
    int k;
    for (k = 0; k < ROBOT_hold_nr; k++) to[k] = RBD_FMA(velocities[k], kd, to[k]);
    ROBOT_hold_add_pulls(at, active, settings, to);
    ROBOT_hold_clear_inactive(active, 1, to);
}

/* Adds kp times how a contact's error changes with q to its rows, by columns. */
static void ROBOT_hold_add_pull(const REAL *const at[3], int k, const ROBOT_hold_second *second,
                                const ROBOT_hold_error *error, REAL kp, REAL *by_q)
{
    REAL own[6 * SIZE], other[6 * SIZE];
    int j, c;
    ROBOT_hold_jacobian(at, k, own);
    if (second) ROBOT_hold_jacobian(at, second->frame, other);
    for (j = 0; j < SIZE; j++) {
        REAL *const to = by_q + j * ROBOT_hold_nr + ROBOT_hold_row[k];
        REAL apart[6], moved[6] = {0, 0, 0, 0, 0, 0};
        for (c = 0; c < 6; c++) apart[c] = own[6 * j + c];
        if (second) {
            REAL seen[6];
            ROBOT_hold_motion(second->seen, other + 6 * j, seen);
            /* A point's distance is seen in axes that turn with the first frame, and not relative to the second. */
            for (c = 0; c < (second->is_point ? 3 : 6); c++) apart[c] -= seen[c];
        }
        ROBOT_hold_add_moved(error, apart, kp, moved);
        for (c = 0; c < ROBOT_hold_rows(k); c++) to[c] += moved[c];
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

/* Multiples of columns. */
typedef struct {
    int count, of[SIZE + ROBOT_hold_nr];
    REAL times[SIZE + ROBOT_hold_nr];
} ROBOT_hold_multiples;

#if RBD_VECTORS
/* Adds to so many registers of a column from number i on, at most four, and with `has_last` to its last four numbers. */
static RBD_COPIED void ROBOT_hold_add_block(const REAL *columns, int n, int i, int registers, int has_last,
                                            const ROBOT_hold_multiples *by, REAL *to)
{
    ROBOT_v4 a = *(const ROBOT_u4 *)(to + i), b = a, c = a, d = a, last = a;
    int k;
    if (registers > 1) b = *(const ROBOT_u4 *)(to + i + 4);
    if (registers > 2) c = *(const ROBOT_u4 *)(to + i + 8);
    if (registers > 3) d = *(const ROBOT_u4 *)(to + i + 12);
    if (has_last) last = *(const ROBOT_u4 *)(to + n - 4);
    for (k = 0; k < by->count; k++) {
        const REAL *const column = columns + by->of[k] * n;
        const ROBOT_v4 x = RBD_SPLAT4(by->times[k]);
        a = RBD_FMA4(*(const ROBOT_u4 *)(column + i), x, a);
        if (registers > 1) b = RBD_FMA4(*(const ROBOT_u4 *)(column + i + 4), x, b);
        if (registers > 2) c = RBD_FMA4(*(const ROBOT_u4 *)(column + i + 8), x, c);
        if (registers > 3) d = RBD_FMA4(*(const ROBOT_u4 *)(column + i + 12), x, d);
        if (has_last) last = RBD_FMA4(*(const ROBOT_u4 *)(column + n - 4), x, last);
    }
    *(ROBOT_u4 *)(to + i) = a;
    if (registers > 1) *(ROBOT_u4 *)(to + i + 4) = b;
    if (registers > 2) *(ROBOT_u4 *)(to + i + 8) = c;
    if (registers > 3) *(ROBOT_u4 *)(to + i + 12) = d;
    if (has_last) *(ROBOT_u4 *)(to + n - 4) = last;
}
#endif

/* Adds multiples of columns of n numbers to a column. One, two or three numbers at the end are made with some before them, which
 * are the same numbers again. */
static RBD_COPIED void ROBOT_hold_add_multiples(const REAL *columns, int n, const ROBOT_hold_multiples *by, REAL *to)
{
    int k, i = 0;
#if RBD_VECTORS
    const int has_last = n % 4 > 0;
    for (; i + 20 <= n; i += 16) ROBOT_hold_add_block(columns, n, i, 4, 0, by, to);
    switch ((n - i) / 4) {
    case 4: ROBOT_hold_add_block(columns, n, i, 4, has_last, by, to); return;
    case 3: ROBOT_hold_add_block(columns, n, i, 3, has_last, by, to); return;
    case 2: ROBOT_hold_add_block(columns, n, i, 2, has_last, by, to); return;
    case 1: ROBOT_hold_add_block(columns, n, i, 1, has_last, by, to); return;
    default: break;
    }
#endif
    for (; i < n; i++) {
        REAL sum = to[i];
        for (k = 0; k < by->count; k++) sum = RBD_FMA(columns[by->of[k] * n + i], by->times[k], sum);
        to[i] = sum;
    }
}

/* Lists the coordinates that can move a contact. What each is multiplied by is the caller's. */
static void ROBOT_hold_list_moved(int contact, ROBOT_hold_multiples *to)
{
    int run, j;
    to->count = 0;
    for (run = ROBOT_hold_moved_from[contact]; run < ROBOT_hold_moved_from[contact + 1]; run++) {
        for (j = ROBOT_hold_moved[run][0]; j < ROBOT_hold_moved[run][1]; j++) to->of[to->count++] = j;
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
    REAL limits[ROBOT_hold_nr], reciprocals[ROBOT_hold_nr];
    int i, j, k;
    for (j = 0; j < n; j++) {
        REAL largest = f[j * n + j];
        for (i = j / 3 * 3; i < j / 3 * 3 + 3; i++) {
            if (f[i * n + i] > largest) largest = f[i * n + i];
        }
        limits[j] = f[j * n + j] * least;
        if (limits[j] < largest * rounding) limits[j] = largest * rounding;
    }
    for (k = 0; k < n; k++) {
        ROBOT_hold_multiples by;
        REAL pivot;
        /* Columns before are L D, and have the reciprocals of D apart. Entries above the diagonal are not read. */
        for (by.count = 0; by.count < k; by.count++) {
            by.of[by.count] = by.count;
            by.times[by.count] = -(f[by.count * n + k] * reciprocals[by.count]);
        }
        ROBOT_hold_add_multiples(f, n, &by, f + k * n);
        pivot = f[k * n + k];
        reciprocals[k] = pivot - limits[k] < (REAL)1e-30 ? 0 : 1 / pivot;
    }
    for (j = 0; j < n; j++) {
        for (i = j + 1; i < n; i++) f[j * n + i] *= reciprocals[j];
        f[j * n + j] = reciprocals[j];
    }
}

/* rhs - G x */
static void ROBOT_hold_left(const ROBOT_hold_delassus *of, const REAL *rhs, const REAL *x, REAL *to)
{
    const int n = ROBOT_hold_nr;
    int i, k;
    for (i = 0; i < n; i++) to[i] = rhs[i];
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) to[i] = RBD_FMA(-of->matrix[k * n + i], x[k], to[i]);
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
static void ROBOT_hold_solve(const ROBOT_hold_delassus *of, REAL *x)
{
    REAL rhs[ROBOT_hold_nr], rest[ROBOT_hold_nr];
    int i, time;
    for (i = 0; i < ROBOT_hold_nr; i++) rhs[i] = x[i];
    ROBOT_hold_solve_once(of->factors, x);
    for (time = 1; time < of->iterations; time++) {
        ROBOT_hold_left(of, rhs, x, rest);
        ROBOT_hold_solve_once(of->factors, rest);
        for (i = 0; i < ROBOT_hold_nr; i++) x[i] += rest[i];
    }
}

/* Factors of a matrix that is there. Rows that are not active are zero in it, and stay so. */
static void ROBOT_hold_factor_delassus(const int *active, const ROBOT_contact_settings_t *settings, ROBOT_hold_delassus *of)
{
    const int n = ROBOT_hold_nr;
    int i, k, r;
    for (i = 0; i < n * n; i++) of->factors[i] = of->matrix[i];
    for (k = 0; k < ROBOT_hold_nc; k++) {
        for (r = ROBOT_hold_row[k]; active[k] && settings && r < ROBOT_hold_row[k + 1]; r++) {
            of->factors[r * n + r] += settings->mu;
        }
    }
    ROBOT_hold_factor(of->factors);
    of->iterations = settings ? settings->iterations : 1;
}

/* J^T and M^-1 J^T of the active contacts. */
static void ROBOT_hold_fill_rows(const REAL *const at[3], const REAL *minv, const int *active, ROBOT_hold_held *held)
{
    ROBOT_hold_multiples by;
    int i, k, r;
    ROBOT_hold_jacobian_transpose(at, active, held->jt);
    ROBOT_hold_clear(held->minv_jt, ROBOT_hold_nr * SIZE);
    for (k = 0; k < ROBOT_hold_nc; k++) {
        ROBOT_hold_list_moved(k, &by);
        for (r = ROBOT_hold_row[k]; active[k] && r < ROBOT_hold_row[k + 1]; r++) {
            for (i = 0; i < by.count; i++) by.times[i] = held->jt[r * SIZE + by.of[i]];
            ROBOT_hold_add_multiples(minv, SIZE, &by, held->minv_jt + r * SIZE);
        }
    }
}

/* All terms, by the inverse of the mass matrix. */
RBD_PERHAPS_UNUSED
static void ROBOT_hold_contacts(const REAL *const at[3], const REAL *minv, const int *active,
                                const ROBOT_contact_settings_t *settings, ROBOT_hold_held *held)
{
    const int n = ROBOT_hold_nr;
    int i, k, r;
    ROBOT_hold_fill_rows(at, minv, active, held);
    for (r = 0; r < n; r++) {
        for (k = 0; k <= r; k++) {
            REAL sum = 0;
            for (i = 0; i < SIZE; i++) sum = RBD_FMA(held->jt[k * SIZE + i], held->minv_jt[r * SIZE + i], sum);
            held->delassus.matrix[r * n + k] = held->delassus.matrix[k * n + r] = sum;
        }
    }
    ROBOT_hold_factor_delassus(active, settings, &held->delassus);
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
    ROBOT_hold_solve(&held->delassus, forces);
    ROBOT_hold_left(&held->delassus, rhs, forces, residual);
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
        ROBOT_hold_solve(&held->delassus, forces);
        for (i = 0; i < SIZE; i++) to[i] = free[i];
        ROBOT_hold_add_forces(held, forces, to);
    }
}
