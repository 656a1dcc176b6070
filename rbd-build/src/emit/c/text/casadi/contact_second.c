
/* to = m^T */
static void ROBOT_casadi_turned(double *to, const double *m, int rows, int columns)
{
    int i, j;
    for (j = 0; to && j < columns; j++) {
        for (i = 0; i < rows; i++) to[i * columns + j] = m[j * rows + i];
    }
}

/* to = a^T x + b^T y, of derivatives of accelerations and of forces. */
static void ROBOT_casadi_of_both(double *to, const double *a, const double *x, const double *b, const double *y)
{
    int i, j;
    for (j = 0; to && j < ROBOT_casadi_nv; j++) {
        to[j] = 0;
        for (i = 0; i < ROBOT_casadi_nv; i++) to[j] += a[j * ROBOT_casadi_nv + i] * x[i];
        for (i = 0; i < ROBOT_casadi_nr; i++) to[j] += b[j * ROBOT_casadi_nr + i] * y[i];
    }
}

CASADI_SYMBOL_EXPORT int adj1_ROBOT_casadi_contact_dynamics(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q = ROBOT_given(arg[0]), *const lambda = ROBOT_given(arg[8]), *const kappa = ROBOT_given(arg[9]);
    double pose[ROBOT_casadi_nq], by[ROBOT_casadi_nv];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_dynamics_derivatives_t d;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(q, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_dynamics_derivatives(pose, ROBOT_given(arg[1]), ROBOT_given(arg[2]), active, &settings, &d);
    ROBOT_casadi_of_both(by, d.ddq_dq, lambda, d.forces_dq, kappa);
    ROBOT_casadi_by_coordinates(res[0], by, q, 1);
    ROBOT_casadi_of_both(res[1], d.ddq_dv, lambda, d.forces_dv, kappa);
    ROBOT_casadi_of_both(res[2], d.ddq_dtau, lambda, d.forces_dtau, kappa);
    return 0;
}

/* A row of blocks for each argument, with a column for each argument, result and seed. */
CASADI_SYMBOL_EXPORT int jac_adj1_ROBOT_casadi_contact_dynamics(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q = ROBOT_given(arg[0]);
    double pose[ROBOT_casadi_nq], by[ROBOT_casadi_nq * (ROBOT_casadi_nv + ROBOT_casadi_nr)];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_dynamics_derivatives_t d;
    ROBOT_contact_dynamics_hessian_t h;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(q, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_dynamics_hessian_with_first(pose, ROBOT_given(arg[1]), ROBOT_given(arg[2]), active, &settings,
                                              ROBOT_given(arg[8]), ROBOT_given(arg[9]), &d, &h);
    ROBOT_casadi_block(res[0], h.dqdq, 0, q, q);
    ROBOT_casadi_add_turning(res[0], h.dq, q);
    ROBOT_casadi_block(res[1], h.dqdv, 0, q, 0);
    ROBOT_casadi_block(res[2], h.dqdtau, 0, q, 0);
    ROBOT_casadi_by_coordinates(by, d.ddq_dq, q, ROBOT_casadi_nv);
    ROBOT_casadi_turned(res[8], by, ROBOT_casadi_nv, ROBOT_casadi_nq);
    ROBOT_casadi_by_coordinates(by, d.forces_dq, q, ROBOT_casadi_nr);
    ROBOT_casadi_turned(res[9], by, ROBOT_casadi_nr, ROBOT_casadi_nq);
    ROBOT_casadi_block(res[10], h.dqdv, 1, 0, q);
    ROBOT_casadi_block(res[11], h.dvdv, 0, 0, 0);
    ROBOT_casadi_turned(res[18], d.ddq_dv, ROBOT_casadi_nv, ROBOT_casadi_nv);
    ROBOT_casadi_turned(res[19], d.forces_dv, ROBOT_casadi_nr, ROBOT_casadi_nv);
    ROBOT_casadi_block(res[20], h.dqdtau, 1, 0, q);
    ROBOT_casadi_turned(res[28], d.ddq_dtau, ROBOT_casadi_nv, ROBOT_casadi_nv);
    ROBOT_casadi_turned(res[29], d.forces_dtau, ROBOT_casadi_nr, ROBOT_casadi_nv);
    return 0;
}
