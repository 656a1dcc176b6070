
/* to = m x, of a joint's n coordinates */
static void ROBOT_joining_times(const REAL *m, const REAL *x, int n, REAL *to)
{
    int i, j;
    for (i = 0; i < n; i++) to[i] = 0;
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) to[i] = RBD_FMA(m[SIZE * j + i], x[j], to[i]);
    }
}

/* to = m^T x */
static void ROBOT_joining_turned_times(const REAL *m, const REAL *x, int n, REAL *to)
{
    int i, j;
    for (j = 0; j < n; j++) {
        to[j] = 0;
        for (i = 0; i < n; i++) to[j] = RBD_FMA(m[SIZE * j + i], x[i], to[j]);
    }
}

static void ROBOT_joining_add_block(REAL *to, const REAL *block, REAL s, int at, int n)
{
    int i, j;
    to += (SIZE + 1) * at;
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) to[SIZE * j + i] = RBD_FMA(block[SIZE * j + i], s, to[SIZE * j + i]);
    }
}

/* Multiplies a joint's rows by its matrix. Each number of coordinates has loops of its own, since compilers unroll these. */
static void ROBOT_joining_rows(REAL *m, const REAL *by, int at, int n)
{
    REAL moved[6];
    int c, i, j;
    for (c = 0, m += at; c < ROBOT_joining_nv; c++, m += SIZE) {
        for (i = 0; i < n; i++) moved[i] = 0;
        for (j = 0; j < n; j++) {
            for (i = 0; i < n; i++) moved[i] = RBD_FMA(by[SIZE * j + i], m[j], moved[i]);
        }
        for (i = 0; i < n; i++) m[i] = moved[i];
    }
}

/* Derivatives of u become those of integrate(q, u). */
static void ROBOT_joining_through(const REAL *u, REAL *by_q, REAL *by_v, REAL *by_tau)
{
    REAL *const all[3] = {by_q, by_v, by_tau};
    int k, m;
    ROBOT_joining_ones(by_q);
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at, n = group->n;
        REAL of_q[6 * SIZE] = {0}, of_u[6 * SIZE] = {0};
        group->jacobians(u + at, of_q, of_u);
        for (m = 0; m < 3 && all[m]; m++) {
            if (n == 6) {
                ROBOT_joining_rows(all[m], of_u, at, 6);
            } else {
                ROBOT_joining_rows(all[m], of_u, at, 3);
            }
        }
        ROBOT_joining_add_block(by_q, of_q, 1, at, n);
    }
}

/* J_q^T lambda and J_u^T lambda, J being the Jacobians of integrate(q, u) */
static void ROBOT_joining_gradients(const REAL *u, const REAL *lambda, REAL *by_q, REAL *by_u)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) by_q[k] = by_u[k] = lambda[k];
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at;
        REAL of_q[6 * SIZE] = {0}, of_u[6 * SIZE] = {0};
        group->jacobians(u + at, of_q, of_u);
        ROBOT_joining_turned_times(of_q, lambda + at, group->n, by_q + at);
        ROBOT_joining_turned_times(of_u, lambda + at, group->n, by_u + at);
    }
}

/* What a joint's weighted integrate(q, u) has of second order: antisymmetric qq, where the weight is fixed, and the derivatives
 * of J_q^T lambda and of J_u^T lambda by u. */
typedef struct {
    REAL qq[6 * SIZE], qu[6 * SIZE], uu[6 * SIZE];
} ROBOT_joining_second;

static void ROBOT_joining_second_of(const ROBOT_joining_group *group, const REAL *u, const REAL *lambda,
                                    ROBOT_joining_second *to)
{
    REAL of_q[6 * SIZE] = {0}, of_u[6 * SIZE] = {0}, w[6 * SIZE] = {0}, weight[6], t[6];
    const int n = group->n;
    int i, j;
    group->jacobians(u, of_q, of_u);
    group->bracket(lambda, w);
    for (j = 0; j < n; j++) {
        ROBOT_joining_times(w, of_u + SIZE * j, n, t);
        ROBOT_joining_turned_times(of_q, t, n, to->qu + SIZE * j);
    }
    ROBOT_joining_turned_times(of_q, lambda, n, weight);
    group->bracket(weight, to->qq);
    group->curvature(u, lambda, to->uu);
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) {
            to->qq[SIZE * j + i] *= (REAL)0.5;
            to->qu[SIZE * j + i] *= (REAL)-1;
        }
    }
}

/* What a fixed function, difference(at, ..), has instead of the weight that moves with the result. */
static void ROBOT_joining_fix(ROBOT_joining_second *second, int n)
{
    int i, j;
    for (j = 0; j < n; j++) {
        for (i = 0; i <= j; i++) {
            const REAL both = (second->uu[SIZE * j + i] + second->uu[SIZE * i + j]) * (REAL)0.5;
            second->uu[SIZE * j + i] = second->uu[SIZE * i + j] = both;
        }
        for (i = 0; i < n; i++) second->qu[SIZE * j + i] *= (REAL)0.5;
    }
}

/* to += left^T middle right, by the n rows of a joint */
static void ROBOT_joining_add_rows(REAL *to, const REAL *left, const REAL *middle, const REAL *right, int at, int n)
{
    REAL t[6];
    int r, c, i, j;
    for (c = 0; c < ROBOT_joining_nv; c++) {
        for (i = 0; i < n; i++) t[i] = 0;
        for (j = 0; j < n; j++) {
            for (i = 0; i < n; i++) t[i] = RBD_FMA(middle[SIZE * j + i], right[SIZE * c + at + j], t[i]);
        }
        for (r = 0; r < ROBOT_joining_nv; r++) {
            REAL sum = to[SIZE * c + r];
            for (i = 0; i < n; i++) sum = RBD_FMA(left[SIZE * r + at + i], t[i], sum);
            to[SIZE * c + r] = sum;
        }
    }
}

static void ROBOT_joining_add_sandwich(REAL *to, const REAL *left, const REAL *middle, const REAL *right, int at, int n)
{
    if (n == 6) {
        ROBOT_joining_add_rows(to, left, middle, right, at, 6);
    } else {
        ROBOT_joining_add_rows(to, left, middle, right, at, 3);
    }
}

/* Variables of each block: q, v and tau are 0, 1 and 2. */
static const signed char ROBOT_joining_pairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

/* Adds what a weight of integrate(q, u) has of second order, from derivatives of u by q, v and tau. */
static void ROBOT_joining_curvature(const REAL *u, const REAL *lambda, const REAL *const by[3], int is_fixed,
                                    ROBOT_step_hessian_t *out)
{
    REAL *const to[6] = {out->dqdq, out->dqdv, out->dqdtau, out->dvdv, out->dvdtau, out->dtaudtau};
    ROBOT_joining_second second = {{0}, {0}, {0}};
    REAL t[6];
    int k, b, c, i;
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at, n = group->n;
        ROBOT_joining_second_of(group, u + at, lambda + at, &second);
        if (is_fixed) ROBOT_joining_fix(&second, n);
        for (b = 0; b < 6; b++) {
            const signed char *const pair = ROBOT_joining_pairs[b];
            ROBOT_joining_add_sandwich(to[b], by[pair[0]], second.uu, by[pair[1]], at, n);
        }
        for (b = 0; b < 3; b++) {
            for (c = 0; c < ROBOT_joining_nv; c++) {
                ROBOT_joining_times(second.qu, by[b] + SIZE * c + at, n, t);
                for (i = 0; i < n; i++) {
                    to[b][SIZE * c + at + i] += t[i];
                    if (is_fixed && b == 0) out->dqdq[SIZE * (at + i) + c] += t[i];
                }
            }
        }
        if (is_fixed) ROBOT_joining_add_block(out->dqdq, second.qq, 1, at, n);
    }
}
