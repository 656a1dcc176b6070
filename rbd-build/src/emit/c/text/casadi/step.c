/* The step for CasADi: x = [q; v] after the time dt under the torques u. */
CASADI_SYMBOL_EXPORT int ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]);
    double pose[ROBOT_casadi_nq];
    ROBOT_step_t out;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_step(pose, x + ROBOT_casadi_nq, ROBOT_given(arg[1]), ROBOT_given(arg[2])[0], &out);
    ROBOT_copy(res[0], out.q, ROBOT_casadi_nq);
    ROBOT_copy(res[0] ? res[0] + ROBOT_casadi_nq : 0, out.v, ROBOT_casadi_nv);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_step(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const x = ROBOT_given(arg[0]), *const u = ROBOT_given(arg[1]), dt = ROBOT_given(arg[2])[0];
    double pose[ROBOT_casadi_nq], ddq[ROBOT_casadi_nv];
    ROBOT_step_derivatives_t d;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(x, pose);
    ROBOT_step_derivatives(pose, x + ROBOT_casadi_nq, u, dt, &d);
    if (res[2]) ROBOT_aba(pose, x + ROBOT_casadi_nq, u, ddq);
    ROBOT_casadi_next_by(res, &d, x, pose, ddq, dt);
    return 0;
}
