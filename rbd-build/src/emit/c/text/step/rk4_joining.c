
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
