
CASADI_SYMBOL_EXPORT int adj1_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const seed = ROBOT_given(arg[4]), *const of_v = seed + ROBOT_casadi_nq;
    double pose[ROBOT_casadi_nq], of_q[ROBOT_casadi_nv], by[ROBOT_casadi_nv], ddq[ROBOT_casadi_nv];
    ROBOT_step_derivatives_t d;
    int k;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_step_derivatives(pose, x + ROBOT_casadi_nq, u, dt, &d);
    ROBOT_casadi_weighted(d.q, seed, of_q);
    ROBOT_casadi_seeded(by, d.dq_dq, of_q, d.dv_dq, of_v);
    ROBOT_casadi_by_coordinates(res[0], by, x, 1);
    ROBOT_casadi_seeded(res[0] ? res[0] + ROBOT_casadi_nq : 0, d.dq_dv, of_q, d.dv_dv, of_v);
    ROBOT_casadi_seeded(res[1], d.dq_dtau, of_q, d.dv_dtau, of_v);
    if (res[2]) {
        double next[ROBOT_casadi_nq + ROBOT_casadi_nv], *only[3] = {0, 0, next};
        ROBOT_aba(pose, x + ROBOT_casadi_nq, u, ddq);
        ROBOT_casadi_next_by(only, &d, x, pose, ddq, dt);
        for (res[2][0] = 0, k = 0; k < ROBOT_casadi_nq + ROBOT_casadi_nv; k++) res[2][0] += next[k] * seed[k];
    }
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_adj1_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    enum { n = ROBOT_casadi_nv, m = ROBOT_casadi_nq, all = ROBOT_casadi_nq + ROBOT_casadi_nv };
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const seed = ROBOT_given(arg[4]);
    double pose[m], of_q[n], by_x[all * all], by_u[all * n], by_time[all], with_u[n], twice[1];
    double *jacobians[3] = {by_x, by_u, by_time};
    ROBOT_step_hessian_t h;
    ROBOT_step_derivatives_t d;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_step_derivatives(pose, x + m, u, dt, &d);
    ROBOT_casadi_weighted(d.q, seed, of_q);
    ROBOT_step_hessian(pose, x + m, u, dt, of_q, seed + m, &h);
    ROBOT_casadi_add_bends(&h, &d, seed);
    ROBOT_casadi_put_blocks(&h, x, res[0], res[1], res[5], res[6]);
    if (res[4] || res[9] || res[14]) {
        double ddq[n];
        ROBOT_aba(pose, x + m, u, ddq);
        ROBOT_casadi_next_by(jacobians, &d, x, pose, ddq, dt);
        ROBOT_casadi_put(res[4], all, by_x, all, all, 1);
        ROBOT_casadi_put(res[9], n, by_u, all, n, 1);
        ROBOT_casadi_put(res[14], 1, by_time, all, 1, 1);
    }
    if (res[2] || res[7] || res[10] || res[11] || res[12]) {
        ROBOT_aba_derivatives_t first;
        const double *const by_state[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
        ROBOT_aba_derivatives(pose, x + m, u, &first);
        ROBOT_casadi_by_time(x, pose, dt, seed, &d, first.ddq, by_state, of_q, by_time, with_u, twice);
        ROBOT_copy(res[2], by_time, all);
        ROBOT_copy(res[7], with_u, n);
        ROBOT_copy(res[10], by_time, all);
        ROBOT_copy(res[11], with_u, n);
        ROBOT_copy(res[12], twice, 1);
    }
    return 0;
}
