CASADI_SYMBOL_EXPORT int ROBOT_casadi_contact_dynamics(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    double pose[ROBOT_casadi_nq];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_dynamics_t out;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(ROBOT_given(arg[0]), pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_dynamics(pose, ROBOT_given(arg[1]), ROBOT_given(arg[2]), active, &settings, &out);
    ROBOT_copy(res[0], out.ddq, ROBOT_casadi_nv);
    ROBOT_copy(res[1], out.forces, ROBOT_casadi_nr);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_contact_dynamics(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q = ROBOT_given(arg[0]);
    double pose[ROBOT_casadi_nq];
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
    ROBOT_casadi_by_coordinates(res[0], d.ddq_dq, q, ROBOT_casadi_nv);
    ROBOT_copy(res[1], d.ddq_dv, ROBOT_casadi_nv * ROBOT_casadi_nv);
    ROBOT_copy(res[2], d.ddq_dtau, ROBOT_casadi_nv * ROBOT_casadi_nv);
    ROBOT_casadi_by_coordinates(res[6], d.forces_dq, q, ROBOT_casadi_nr);
    ROBOT_copy(res[7], d.forces_dv, ROBOT_casadi_nr * ROBOT_casadi_nv);
    ROBOT_copy(res[8], d.forces_dtau, ROBOT_casadi_nr * ROBOT_casadi_nv);
    return 0;
}

CASADI_SYMBOL_EXPORT int ROBOT_casadi_contact_impulse(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    double pose[ROBOT_casadi_nq];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_impulse_t out;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(ROBOT_given(arg[0]), pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[2]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_zeros, &settings);
    ROBOT_contact_impulse(pose, ROBOT_given(arg[1]), active, ROBOT_given(arg[3])[0], &settings, &out);
    ROBOT_copy(res[0], out.v_plus, ROBOT_casadi_nv);
    ROBOT_copy(res[1], out.impulses, ROBOT_casadi_nr);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_contact_impulse(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q = ROBOT_given(arg[0]);
    double pose[ROBOT_casadi_nq];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_impulse_derivatives_t d;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(q, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[2]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_zeros, &settings);
    ROBOT_contact_impulse_derivatives(pose, ROBOT_given(arg[1]), active, ROBOT_given(arg[3])[0], &settings, &d);
    ROBOT_casadi_by_coordinates(res[0], d.v_plus_dq, q, ROBOT_casadi_nv);
    ROBOT_copy(res[1], d.v_plus_dv, ROBOT_casadi_nv * ROBOT_casadi_nv);
    ROBOT_copy(res[3], d.v_plus_drestitution, ROBOT_casadi_nv);
    ROBOT_casadi_by_coordinates(res[5], d.impulses_dq, q, ROBOT_casadi_nr);
    ROBOT_copy(res[6], d.impulses_dv, ROBOT_casadi_nr * ROBOT_casadi_nv);
    ROBOT_copy(res[8], d.impulses_drestitution, ROBOT_casadi_nr);
    return 0;
}
