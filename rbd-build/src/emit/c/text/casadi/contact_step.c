/* The step under contacts for CasADi: x = [q; v] after the time dt under the torques u, and the contacts' forces. */
CASADI_SYMBOL_EXPORT int ROBOT_casadi_contact_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]);
    double pose[ROBOT_casadi_nq];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_t out;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_step(pose, x + ROBOT_casadi_nq, ROBOT_given(arg[1]), ROBOT_given(arg[2])[0], active, &settings, &out);
    ROBOT_copy(res[0], out.q, ROBOT_casadi_nq);
    ROBOT_copy(res[0] ? res[0] + ROBOT_casadi_nq : 0, out.v, ROBOT_casadi_nv);
    ROBOT_copy(res[1], out.dynamics.forces, ROBOT_casadi_nr);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_contact_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), dt = ROBOT_given(arg[2])[0];
    double pose[ROBOT_casadi_nq];
    int active[ROBOT_casadi_nc];
    ROBOT_contact_settings_t settings;
    ROBOT_contact_step_derivatives_t d;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_casadi_chosen(ROBOT_given(arg[3]), active);
    ROBOT_casadi_set(ROBOT_given(arg[4]), ROBOT_given(arg[5]), &settings);
    ROBOT_contact_step_derivatives(pose, x + ROBOT_casadi_nq, ROBOT_given(arg[1]), dt, active, &settings, &d);
    ROBOT_casadi_next_by(res, &d.step, x, pose, d.dynamics.ddq, dt);
    ROBOT_casadi_by_coordinates(res[6], d.dynamics.forces_dq, x, ROBOT_casadi_nr);
    ROBOT_copy(res[6] ? res[6] + ROBOT_casadi_nr * ROBOT_casadi_nq : 0, d.dynamics.forces_dv, ROBOT_casadi_nr * ROBOT_casadi_nv);
    ROBOT_copy(res[7], d.dynamics.forces_dtau, ROBOT_casadi_nr * ROBOT_casadi_nv);
    return 0;
}
