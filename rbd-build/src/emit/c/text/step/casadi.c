/* The step for CasADi: x = [q; v] after the time dt under the torques u. */
static void ROBOT_put(double *to, int rows, int row, int column, const double *m, int turned)
{
    int i, j;
    for (j = 0; to && j < SIZE; j++) {
        for (i = 0; i < SIZE; i++) to[(column + j) * rows + row + i] = turned ? m[i * SIZE + j] : m[j * SIZE + i];
    }
}

/* to = a^T x + b^T y */
static void ROBOT_seeded_both(double *to, const double *a, const double *x, const double *b, const double *y)
{
    int i, j;
    for (j = 0; to && j < SIZE; j++) {
        to[j] = 0;
        for (i = 0; i < SIZE; i++) to[j] += a[j * SIZE + i] * x[i] + b[j * SIZE + i] * y[i];
    }
}

/* The derivative of the next state by dt. */
static void ROBOT_by_time(double *to, const double *v, const double *ddq, double dt)
{
    int k;
    for (k = 0; k < SIZE; k++) {
        to[k] = SEMI ? v[k] + 2 * dt * ddq[k] : v[k];
        to[SIZE + k] = ddq[k];
    }
}

CASADI_SYMBOL_EXPORT int ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]);
    ROBOT_step_t out;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step(x, x + SIZE, ROBOT_given(arg[1]), ROBOT_given(arg[2])[0], &out);
    ROBOT_copy(res[0], out.q, SIZE);
    ROBOT_copy(res[0] ? res[0] + SIZE : 0, out.v, SIZE);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    ROBOT_step_derivatives_t d;
    double ddq[SIZE];
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step_derivatives(x, x + SIZE, u, dt, &d);
    ROBOT_put(res[0], 2 * SIZE, 0, 0, d.dq_dq, 0);
    ROBOT_put(res[0], 2 * SIZE, 0, SIZE, d.dq_dv, 0);
    ROBOT_put(res[0], 2 * SIZE, SIZE, 0, d.dv_dq, 0);
    ROBOT_put(res[0], 2 * SIZE, SIZE, SIZE, d.dv_dv, 0);
    ROBOT_put(res[1], 2 * SIZE, 0, 0, d.dq_dtau, 0);
    ROBOT_put(res[1], 2 * SIZE, SIZE, 0, d.dv_dtau, 0);
    if (res[2]) {
        ROBOT_aba(x, x + SIZE, u, ddq);
        ROBOT_by_time(res[2], x + SIZE, ddq, dt);
    }
    return 0;
}

CASADI_SYMBOL_EXPORT int adj1_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const of_q = ROBOT_given(arg[4]), *const of_v = of_q + SIZE;
    ROBOT_step_derivatives_t d;
    double ddq[SIZE], by_time[2 * SIZE];
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step_derivatives(x, x + SIZE, u, dt, &d);
    ROBOT_seeded_both(res[0], d.dq_dq, of_q, d.dv_dq, of_v);
    ROBOT_seeded_both(res[0] ? res[0] + SIZE : 0, d.dq_dv, of_q, d.dv_dv, of_v);
    ROBOT_seeded_both(res[1], d.dq_dtau, of_q, d.dv_dtau, of_v);
    if (res[2]) {
        ROBOT_aba(x, x + SIZE, u, ddq);
        ROBOT_by_time(by_time, x + SIZE, ddq, dt);
        for (res[2][0] = 0, k = 0; k < 2 * SIZE; k++) res[2][0] += by_time[k] * of_q[k];
    }
    return 0;
}

/* The mixed derivatives of the seeded sum by dt and by x, by u, and twice by dt; and by the seed. */
static void ROBOT_time_blocks(const double *x, const double *u, double dt, const double *seed, double *with_x, double *with_u,
                              double *twice, double *by_seed)
{
    ROBOT_aba_derivatives_t first;
    double of_ddq[SIZE], none[SIZE] = {0};
    int k;
    ROBOT_aba_derivatives(x, x + SIZE, u, &first);
    for (k = 0; k < SIZE; k++) of_ddq[k] = seed[SIZE + k] + (SEMI ? 2 * dt * seed[k] : 0);
    ROBOT_seeded_both(with_x, first.ddq_dq, of_ddq, first.ddq_dq, none);
    ROBOT_seeded_both(with_x + SIZE, first.ddq_dv, of_ddq, first.ddq_dv, none);
    ROBOT_seeded_both(with_u, first.ddq_dtau, of_ddq, first.ddq_dtau, none);
    twice[0] = 0;
    for (k = 0; k < SIZE; k++) {
        with_x[SIZE + k] += seed[k];
        twice[0] += SEMI ? 2 * seed[k] * first.ddq[k] : 0;
    }
    ROBOT_by_time(by_seed, x + SIZE, first.ddq, dt);
}

CASADI_SYMBOL_EXPORT int jac_adj1_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const seed = ROBOT_given(arg[4]);
    ROBOT_step_hessian_t h;
    ROBOT_step_derivatives_t d;
    double with_x[2 * SIZE], with_u[SIZE], twice[1], by_seed[2 * SIZE];
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_step_hessian(x, x + SIZE, u, dt, seed, seed + SIZE, &h);
    ROBOT_put(res[0], 2 * SIZE, 0, 0, h.dqdq, 0);
    ROBOT_put(res[0], 2 * SIZE, 0, SIZE, h.dqdv, 0);
    ROBOT_put(res[0], 2 * SIZE, SIZE, 0, h.dqdv, 1);
    ROBOT_put(res[0], 2 * SIZE, SIZE, SIZE, h.dvdv, 0);
    ROBOT_put(res[1], 2 * SIZE, 0, 0, h.dqdtau, 0);
    ROBOT_put(res[1], 2 * SIZE, SIZE, 0, h.dvdtau, 0);
    ROBOT_put(res[5], SIZE, 0, 0, h.dqdtau, 1);
    ROBOT_put(res[5], SIZE, 0, SIZE, h.dvdtau, 1);
    if (res[4] || res[9]) {
        ROBOT_step_derivatives(x, x + SIZE, u, dt, &d);
        ROBOT_put(res[4], 2 * SIZE, 0, 0, d.dq_dq, 1);
        ROBOT_put(res[4], 2 * SIZE, 0, SIZE, d.dv_dq, 1);
        ROBOT_put(res[4], 2 * SIZE, SIZE, 0, d.dq_dv, 1);
        ROBOT_put(res[4], 2 * SIZE, SIZE, SIZE, d.dv_dv, 1);
        ROBOT_put(res[9], SIZE, 0, 0, d.dq_dtau, 1);
        ROBOT_put(res[9], SIZE, 0, SIZE, d.dv_dtau, 1);
    }
    if (res[2] || res[7] || res[10] || res[11] || res[12] || res[14]) {
        ROBOT_time_blocks(x, u, dt, seed, with_x, with_u, twice, by_seed);
        ROBOT_copy(res[2], with_x, 2 * SIZE);
        ROBOT_copy(res[7], with_u, SIZE);
        ROBOT_copy(res[10], with_x, 2 * SIZE);
        ROBOT_copy(res[11], with_u, SIZE);
        ROBOT_copy(res[12], twice, 1);
        ROBOT_copy(res[14], by_seed, 2 * SIZE);
    }
    return 0;
}
