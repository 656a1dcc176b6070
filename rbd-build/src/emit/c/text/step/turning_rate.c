
/* The rate of u under the velocity v at integrate(q, u): v + [u, v]/2 + [u, [u, v]]/12. */
static void ROBOT_joining_rate(const REAL *u, const REAL *v, REAL *out)
{
    REAL ad[6 * SIZE] = {0}, once[6], twice[6];
    int k, i;
    for (k = 0; k < ROBOT_joining_nv; k++) out[k] = v[k];
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at;
        group->ad(u + at, ad);
        ROBOT_joining_times(ad, v + at, group->n, once);
        ROBOT_joining_times(ad, once, group->n, twice);
        for (i = 0; i < group->n; i++) out[at + i] += once[i] * (REAL)0.5 + twice[i] / 12;
    }
}

/* to += a b s, of a joint's matrices */
static void ROBOT_joining_add_small(REAL *to, const REAL *a, const REAL *b, REAL s, int n)
{
    REAL t[6];
    int i, j;
    for (j = 0; j < n; j++) {
        ROBOT_joining_times(a, b + SIZE * j, n, t);
        for (i = 0; i < n; i++) to[SIZE * j + i] = RBD_FMA(t[i], s, to[SIZE * j + i]);
    }
}

/* Derivatives of one joint's rate by u and by v. */
static void ROBOT_joining_rate_jacobians(const ROBOT_joining_group *group, const REAL *u, const REAL *v, REAL *by_u,
                                         REAL *by_v)
{
    const REAL twelfth = (REAL)1 / 12;
    const int n = group->n;
    REAL of_u[6 * SIZE] = {0}, of_v[6 * SIZE] = {0}, of_both[6 * SIZE] = {0}, both[6];
    int i, j;
    group->ad(u, of_u);
    group->ad(v, of_v);
    ROBOT_joining_times(of_u, v, n, both);
    group->ad(both, of_both);
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) {
            const int k = SIZE * j + i;
            by_u[k] = of_v[k] * (REAL)-0.5 - of_both[k] * twelfth;
            by_v[k] = of_u[k] * (REAL)0.5 + (i == j ? (REAL)1 : (REAL)0);
        }
    }
    ROBOT_joining_add_small(by_u, of_u, of_v, -twelfth, n);
    ROBOT_joining_add_small(by_v, of_u, of_u, twelfth, n);
}

/* The rate's derivatives, from those of u and v. */
static void ROBOT_joining_rate_moved(const REAL *u, const REAL *v, const REAL *by_u, const REAL *by_v, REAL *out)
{
    REAL of_u[6 * SIZE] = {0}, of_v[6 * SIZE] = {0}, first[6], second[6];
    int k, c, i;
    for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) out[k] = by_v[k];
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at, n = group->n;
        ROBOT_joining_rate_jacobians(group, u + at, v + at, of_u, of_v);
        for (c = 0; c < ROBOT_joining_nv; c++) {
            ROBOT_joining_times(of_u, by_u + SIZE * c + at, n, first);
            ROBOT_joining_times(of_v, by_v + SIZE * c + at, n, second);
            for (i = 0; i < n; i++) out[SIZE * c + at + i] = first[i] + second[i];
        }
    }
}

/* Gradients of the weighted rate by u and v; adds its Hessian. */
static void ROBOT_joining_rate_back(const REAL *weight, const ROBOT_joining_stage *stage, REAL *to_u, REAL *to_v,
                                    ROBOT_step_hessian_t *out)
{
    const REAL twelfth = (REAL)1 / 12;
    REAL *const to[6] = {out->dqdq, out->dqdv, out->dqdtau, out->dvdv, out->dvdtau, out->dtaudtau};
    REAL of_u[6 * SIZE] = {0}, of_v[6 * SIZE] = {0}, w[6 * SIZE] = {0}, once[6 * SIZE], uu[6 * SIZE], uv[6 * SIZE],
        vu[6 * SIZE], moved[6];
    int k, b, i, j;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        to_u[k] = 0;
        to_v[k] = weight[k];
    }
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at, n = group->n;
        const REAL *const u = stage->u + at, *const v = stage->v + at;
        ROBOT_joining_rate_jacobians(group, u, v, of_u, of_v);
        ROBOT_joining_turned_times(of_u, weight + at, n, to_u + at);
        ROBOT_joining_turned_times(of_v, weight + at, n, to_v + at);
        group->ad(u, of_u);
        group->ad(v, of_v);
        ROBOT_joining_turned_times(of_u, weight + at, n, moved);
        /* uu = (W ad_v + (W ad_v)^T) / 12, uv = -W/2 - (W ad_u + W(ad_u^T weight)) / 12 */
        group->bracket(moved, uv);
        group->bracket(weight + at, w);
        for (j = 0; j < n; j++) {
            for (i = 0; i < n; i++) {
                once[SIZE * j + i] = 0;
                uv[SIZE * j + i] = w[SIZE * j + i] * (REAL)-0.5 - uv[SIZE * j + i] * twelfth;
            }
        }
        ROBOT_joining_add_small(once, w, of_v, twelfth, n);
        ROBOT_joining_add_small(uv, w, of_u, -twelfth, n);
        for (j = 0; j < n; j++) {
            for (i = 0; i < n; i++) {
                uu[SIZE * j + i] = once[SIZE * j + i] + once[SIZE * i + j];
                vu[SIZE * j + i] = uv[SIZE * i + j];
            }
        }
        for (b = 0; b < 6; b++) {
            const int x = ROBOT_joining_pairs[b][0], y = ROBOT_joining_pairs[b][1];
            ROBOT_joining_add_sandwich(to[b], stage->by_u[x], uu, stage->by_u[y], at, n);
            ROBOT_joining_add_sandwich(to[b], stage->by_u[x], uv, stage->by_v[y], at, n);
            ROBOT_joining_add_sandwich(to[b], stage->by_v[x], vu, stage->by_u[y], at, n);
        }
    }
}
