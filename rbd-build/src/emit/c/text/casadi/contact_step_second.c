
CASADI_SYMBOL_EXPORT int adj1_ROBOT_casadi_contact_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const seed = ROBOT_given(arg[8]), *const of_v = seed + ROBOT_casadi_nq, *const kappa = ROBOT_given(arg[9]);
    double pose[ROBOT_casadi_nq], of_q[ROBOT_casadi_nv], by[ROBOT_casadi_nv], more[ROBOT_casadi_nv];
    int active[ROBOT_casadi_nc], k;
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_derivatives_t d;
    const double *const zeros = ROBOT_zeros;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_step_derivatives(pose, x + ROBOT_casadi_nq, u, dt, active, &settings, &d);
    ROBOT_casadi_weighted(d.step.q, seed, of_q);
    ROBOT_casadi_seeded(by, d.step.dq_dq, of_q, d.step.dv_dq, of_v);
    ROBOT_casadi_of_both(more, d.dynamics.ddq_dq, zeros, d.dynamics.forces_dq, kappa);
    for (k = 0; k < ROBOT_casadi_nv; k++) by[k] += more[k];
    ROBOT_casadi_by_coordinates(res[0], by, x, 1);
    ROBOT_casadi_seeded(by, d.step.dq_dv, of_q, d.step.dv_dv, of_v);
    ROBOT_casadi_of_both(more, d.dynamics.ddq_dv, zeros, d.dynamics.forces_dv, kappa);
    for (k = 0; res[0] && k < ROBOT_casadi_nv; k++) res[0][ROBOT_casadi_nq + k] = by[k] + more[k];
    ROBOT_casadi_seeded(by, d.step.dq_dtau, of_q, d.step.dv_dtau, of_v);
    ROBOT_casadi_of_both(more, d.dynamics.ddq_dtau, zeros, d.dynamics.forces_dtau, kappa);
    for (k = 0; res[1] && k < ROBOT_casadi_nv; k++) res[1][k] = by[k] + more[k];
    if (res[2]) {
        double next[ROBOT_casadi_nq + ROBOT_casadi_nv], *only[3] = {0, 0, next};
        ROBOT_casadi_next_by(only, &d.step, x, pose, d.dynamics.ddq, dt);
        for (res[2][0] = 0, k = 0; k < ROBOT_casadi_nq + ROBOT_casadi_nv; k++) res[2][0] += next[k] * seed[k];
    }
    return 0;
}

/* A row of blocks for each argument, with a column for each argument, result and seed. */
CASADI_SYMBOL_EXPORT int jac_adj1_ROBOT_casadi_contact_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    enum { n = ROBOT_casadi_nv, m = ROBOT_casadi_nq, all = ROBOT_casadi_nq + ROBOT_casadi_nv, rows = ROBOT_casadi_nr };
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    const double *const seed = ROBOT_given(arg[8]), *const kappa = ROBOT_given(arg[9]);
    double pose[m], of_q[n], by_x[all * all], by_u[all * n], by_time[all], with_u[n], twice[1], of_forces[rows * m];
    double *jacobians[3] = {by_x, by_u, by_time};
    int active[ROBOT_casadi_nc], k;
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_derivatives_t d;
    ROBOT_contact_dynamics_hessian_t f;
    ROBOT_step_hessian_t h;
    const double *const by[3] = {d.dynamics.ddq_dq, d.dynamics.ddq_dv, d.dynamics.ddq_dtau};
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_step_derivatives(pose, x + m, u, dt, active, &settings, &d);
    ROBOT_casadi_weighted(d.step.q, seed, of_q);
    ROBOT_contact_step_hessian(pose, x + m, u, dt, active, &settings, of_q, seed + m, &h);
    ROBOT_contact_dynamics_hessian(pose, x + m, u, active, &settings, ROBOT_zeros, kappa, &f);
    ROBOT_casadi_add_bends(&h, &d.step, seed);
    for (k = 0; k < n; k++) h.dq[k] += f.dq[k];
    for (k = 0; k < n * n; k++) {
        h.dqdq[k] += f.dqdq[k], h.dqdv[k] += f.dqdv[k], h.dvdv[k] += f.dvdv[k], h.dqdtau[k] += f.dqdtau[k];
    }
    ROBOT_casadi_put_blocks(&h, x, res[0], res[1], res[10], res[11]);
    ROBOT_casadi_next_by(jacobians, &d.step, x, pose, d.dynamics.ddq, dt);
    ROBOT_casadi_put(res[8], all, by_x, all, all, 1);
    ROBOT_casadi_put(res[18], n, by_u, all, n, 1);
    ROBOT_casadi_put(res[28], 1, by_time, all, 1, 1);
    ROBOT_casadi_by_coordinates(of_forces, d.dynamics.forces_dq, x, rows);
    ROBOT_casadi_put(res[9], all, of_forces, rows, m, 1);
    ROBOT_casadi_put(res[9] ? res[9] + m : 0, all, d.dynamics.forces_dv, rows, n, 1);
    ROBOT_casadi_put(res[19], n, d.dynamics.forces_dtau, rows, n, 1);
    ROBOT_casadi_by_time(x, pose, dt, seed, &d.step, d.dynamics.ddq, by, of_q, by_time, with_u, twice);
    ROBOT_copy(res[2], by_time, all);
    ROBOT_copy(res[12], with_u, n);
    ROBOT_copy(res[20], by_time, all);
    ROBOT_copy(res[21], with_u, n);
    ROBOT_copy(res[22], twice, 1);
    return 0;
}
