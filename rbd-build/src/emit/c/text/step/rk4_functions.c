
/* to += a b, or a^T b */
static void ROBOT_joining_add_product(REAL *RBD_RESTRICT to, const REAL *RBD_RESTRICT a, const REAL *RBD_RESTRICT b)
{
    int c, k;
    for (c = 0; c < ROBOT_joining_nv; c++) {
        for (k = 0; k < ROBOT_joining_nv; k++) {
            ROBOT_joining_add_scaled(to + SIZE * c, a + SIZE * k, b[SIZE * c + k], ROBOT_joining_nv);
        }
    }
}

static void ROBOT_joining_add_turned_product(REAL *RBD_RESTRICT to, const REAL *RBD_RESTRICT a, const REAL *RBD_RESTRICT b)
{
    int c, r, k;
    for (c = 0; c < ROBOT_joining_nv; c++) {
        for (r = 0; r < ROBOT_joining_nv; r++) {
            REAL sum = to[SIZE * c + r];
            for (k = 0; k < ROBOT_joining_nv; k++) sum = RBD_FMA(a[SIZE * r + k], b[SIZE * c + k], sum);
            to[SIZE * c + r] = sum;
        }
    }
}

/* The motion that leads to a stage, its velocity and its configuration, by the rate and the acceleration before it. */
static void ROBOT_joining_reach(const REAL *q, const REAL *v, REAL time, const REAL *rate, const REAL *ddq, REAL *u, REAL *now,
                                REAL *place)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) {
        u[k] = rate[k] * time;
        now[k] = RBD_FMA(ddq[k], time, v[k]);
    }
    ROBOT_integrate(q, u, place);
}

/* Computes where a stage is, with derivatives. */
static void ROBOT_joining_begin_stage(const REAL *q, const REAL *v, REAL time, ROBOT_joining_stage *stage,
                                      ROBOT_joining_sums *sums)
{
    int m;
    ROBOT_joining_reach(q, v, time, sums->rate, sums->acceleration, stage->u, stage->v, sums->place);
    for (m = 0; m < 3; m++) {
        ROBOT_joining_scale(stage->by_u[m], sums->by_rate[m], time, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_scale(stage->by_v[m], sums->by_acceleration[m], time, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_scale(sums->by_place[m], stage->by_u[m], 1, ROBOT_joining_nv * ROBOT_joining_nv);
    }
    ROBOT_joining_add_diagonal(stage->by_v[1], 1);
    ROBOT_joining_through(stage->u, sums->by_place[0], sums->by_place[1], sums->by_place[2]);
}

/* Adds what a stage has, by the accelerations there and their derivatives by place, velocity and torques. */
static void ROBOT_joining_end_stage(REAL weight, const REAL *ddq, const REAL *const by[3], const ROBOT_joining_stage *stage,
                                    ROBOT_joining_sums *sums)
{
    int k, m;
    ROBOT_joining_scale(sums->acceleration, ddq, 1, ROBOT_joining_nv);
    ROBOT_joining_rate(stage->u, stage->v, sums->rate);
    for (m = 0; m < 3; m++) {
        REAL *const to = sums->by_acceleration[m];
        for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) to[k] = m == 2 ? by[2][k] : 0;
        ROBOT_joining_add_product(to, by[0], sums->by_place[m]);
        ROBOT_joining_add_product(to, by[1], stage->by_v[m]);
        ROBOT_joining_rate_moved(stage->u, stage->v, stage->by_u[m], stage->by_v[m], sums->by_rate[m]);
        ROBOT_joining_add_scaled(sums->by_along[m], sums->by_rate[m], weight, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_add_scaled(sums->by_gained[m], to, weight, ROBOT_joining_nv * ROBOT_joining_nv);
    }
    ROBOT_joining_add_scaled(sums->along, sums->rate, weight, ROBOT_joining_nv);
    ROBOT_joining_add_scaled(sums->gained, sums->acceleration, weight, ROBOT_joining_nv);
}

/* Computes a stage, and adds what it has. */
static void ROBOT_joining_add_stage(const REAL *q, const REAL *v, const REAL *tau, REAL time, REAL weight,
                                    ROBOT_joining_stage *stage, ROBOT_joining_sums *sums)
{
    ROBOT_aba_derivatives_t first;
    const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
    ROBOT_joining_begin_stage(q, v, time, stage, sums);
    ROBOT_aba_derivatives(sums->place, stage->v, tau, &first);
    ROBOT_joining_end_stage(weight, first.ddq, by, stage, sums);
}

static void ROBOT_joining_begin(ROBOT_joining_sums *sums)
{
    int k, m;
    for (k = 0; k < SIZE; k++) sums->along[k] = sums->gained[k] = sums->rate[k] = sums->acceleration[k] = 0;
    for (m = 0; m < 3; m++) {
        for (k = 0; k < SIZE * SIZE; k++) {
            sums->by_along[m][k] = sums->by_gained[m][k] = sums->by_rate[m][k] = sums->by_acceleration[m][k] = 0;
        }
    }
}

/* The next state and its derivatives, by the sums of all stages. */
static void ROBOT_joining_end(const REAL *q, const REAL *v, const ROBOT_joining_sums *sums, ROBOT_step_derivatives_t *out)
{
    REAL *const by_q[3] = {out->dq_dq, out->dq_dv, out->dq_dtau}, *const by_v[3] = {out->dv_dq, out->dv_dv, out->dv_dtau};
    int k;
    ROBOT_integrate(q, sums->along, out->q);
    for (k = 0; k < ROBOT_joining_nv; k++) out->v[k] = v[k] + sums->gained[k];
    for (k = 0; k < 3; k++) {
        ROBOT_joining_scale(by_q[k], sums->by_along[k], 1, ROBOT_joining_nv * ROBOT_joining_nv);
        ROBOT_joining_scale(by_v[k], sums->by_gained[k], 1, ROBOT_joining_nv * ROBOT_joining_nv);
    }
    ROBOT_joining_through(sums->along, out->dq_dq, out->dq_dv, out->dq_dtau);
    ROBOT_joining_add_diagonal(out->dv_dv, 1);
}

HEAD(step)
{
    REAL rate[SIZE] = {0}, ddq[SIZE] = {0}, along[SIZE] = {0}, gained[SIZE] = {0}, u[SIZE], now[SIZE],
        place[ROBOT_joining_nq];
    int k, stage;
    for (stage = 0; stage < 4; stage++) {
        const REAL time = ROBOT_joining_stages[stage][0] * dt, weight = ROBOT_joining_stages[stage][1] * dt;
        ROBOT_joining_reach(q, v, time, rate, ddq, u, now, place);
        ROBOT_aba(place, now, tau, ddq);
        ROBOT_joining_rate(u, now, rate);
        ROBOT_joining_add_scaled(along, rate, weight, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(gained, ddq, weight, ROBOT_joining_nv);
    }
    ROBOT_integrate(q, along, out->q);
    for (k = 0; k < ROBOT_joining_nv; k++) out->v[k] = v[k] + gained[k];
}

HEAD(step_derivatives)
{
    ROBOT_joining_stage stage;
    ROBOT_joining_sums sums;
    int k;
    ROBOT_joining_begin(&sums);
    for (k = 0; k < 4; k++) {
        const REAL time = ROBOT_joining_stages[k][0] * dt, weight = ROBOT_joining_stages[k][1] * dt;
        ROBOT_joining_add_stage(q, v, tau, time, weight, &stage, &sums);
    }
    ROBOT_joining_end(q, v, &sums, out);
}

/* Adds the Hessian of weighted accelerations, by derivatives of the place and of the velocity. */
static void ROBOT_joining_add_accelerations(const ROBOT_aba_hessian_t *of, REAL place[3][SIZE * SIZE],
                                            REAL velocity[3][SIZE * SIZE], ROBOT_step_hessian_t *out)
{
    REAL *const to[3][3] = {{out->dqdq, 0, 0}, {out->dqdv, out->dvdv, 0}, {out->dqdtau, out->dvdtau, out->dtaudtau}};
    REAL by_place[SIZE * SIZE], by_velocity[SIZE * SIZE];
    int x, y, k;
    for (y = 0; y < 3; y++) {
        for (k = 0; k < ROBOT_joining_nv * ROBOT_joining_nv; k++) {
            by_place[k] = y == 2 ? of->dqdtau[k] : 0;
            by_velocity[k] = 0;
        }
        ROBOT_joining_add_product(by_place, of->dqdq, place[y]);
        ROBOT_joining_add_product(by_place, of->dqdv, velocity[y]);
        ROBOT_joining_add_turned_product(by_velocity, of->dqdv, place[y]);
        ROBOT_joining_add_product(by_velocity, of->dvdv, velocity[y]);
        for (x = 0; x <= y; x++) {
            ROBOT_joining_add_turned_product(to[y][x], place[x], by_place);
            ROBOT_joining_add_turned_product(to[y][x], velocity[x], by_velocity);
            if (x == 2) ROBOT_joining_add_turned_product(to[y][x], of->dqdtau, place[y]);
        }
    }
}

HEAD(step_hessian)
{
    ROBOT_joining_stage stages[4];
    ROBOT_joining_sums sums;
    ROBOT_aba_derivatives_t first;
    ROBOT_aba_hessian_t second;
    const REAL *by[3];
    REAL next_q[ROBOT_joining_nq], next[SIZE], by_q[SIZE], along_weight[SIZE], of_u[SIZE], of_v[SIZE], more_q[SIZE],
        more_u[SIZE], of_rate[SIZE] = {0}, of_acceleration[SIZE] = {0};
    int k, m, stage;
    ROBOT_joining_begin(&sums);
    for (k = 0; k < 4; k++) {
        const REAL time = ROBOT_joining_stages[k][0] * dt, weight = ROBOT_joining_stages[k][1] * dt;
        ROBOT_joining_add_stage(q, v, tau, time, weight, &stages[k], &sums);
    }
    for (k = 0; k < ROBOT_joining_nv; k++) next[k] = v[k] + sums.gained[k];
    ROBOT_integrate(q, sums.along, next_q);
    out->value[0] = ROBOT_joining_weighted(next_q, next, lambda_q, lambda_v);
    for (k = 0; k < SIZE * SIZE; k++) {
        out->dqdq[k] = out->dqdv[k] = out->dvdv[k] = out->dqdtau[k] = out->dvdtau[k] = out->dtaudtau[k] = 0;
    }
    for (m = 0; m < 3; m++) by[m] = sums.by_along[m];
    ROBOT_joining_curvature(sums.along, lambda_q, by, 1, out);
    ROBOT_joining_gradients(sums.along, lambda_q, by_q, along_weight);
    for (k = 0; k < ROBOT_joining_nv; k++) {
        out->dq[k] = by_q[k];
        out->dv[k] = lambda_v[k];
        out->dtau[k] = 0;
    }
    /* Weights of a stage's rate and acceleration come from the stage after it. */
    for (stage = 3; stage >= 0; stage--) {
        ROBOT_joining_stage *const at = &stages[stage];
        const REAL time = ROBOT_joining_stages[stage][0] * dt, weight = ROBOT_joining_stages[stage][1] * dt;
        ROBOT_joining_add_scaled(of_rate, along_weight, weight, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(of_acceleration, lambda_v, weight, ROBOT_joining_nv);
        ROBOT_joining_rate_back(of_rate, at, of_u, of_v, out);
        for (m = 0; m < 3; m++) {
            ROBOT_joining_scale(sums.by_place[m], at->by_u[m], 1, ROBOT_joining_nv * ROBOT_joining_nv);
            by[m] = at->by_u[m];
        }
        ROBOT_joining_through(at->u, sums.by_place[0], sums.by_place[1], sums.by_place[2]);
        ROBOT_integrate(q, at->u, sums.place);
        ROBOT_aba_hessian_with_first(sums.place, at->v, tau, of_acceleration, &first, &second);
        ROBOT_joining_add_accelerations(&second, sums.by_place, at->by_v, out);
        ROBOT_joining_curvature(at->u, second.dq, by, 0, out);
        ROBOT_joining_gradients(at->u, second.dq, more_q, more_u);
        for (k = 0; k < ROBOT_joining_nv; k++) {
            of_v[k] += second.dv[k];
            out->dtau[k] += second.dtau[k];
            out->dq[k] += more_q[k];
            out->dv[k] += of_v[k];
            of_rate[k] = (of_u[k] + more_u[k]) * time;
            of_acceleration[k] = of_v[k] * time;
        }
    }
}
