/* The configuration reached from q by the tangent vector dv, and the tangent vector from q0 to q1. */
CASADI_SYMBOL_EXPORT int ROBOT_casadi_integrate(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    double pose[ROBOT_casadi_nq];
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(ROBOT_given(arg[0]), pose);
    if (res[0]) ROBOT_integrate(pose, ROBOT_given(arg[1]), res[0]);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_integrate(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q = ROBOT_given(arg[0]), *const dv = ROBOT_given(arg[1]);
    double pose[ROBOT_casadi_nq], next[ROBOT_casadi_nq], by_q[ROBOT_casadi_nv * ROBOT_casadi_nq];
    ROBOT_integrate_jacobians_t j;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(q, pose);
    ROBOT_integrate(pose, dv, next);
    ROBOT_integrate_jacobians(pose, dv, &j);
    if (res[0]) {
        ROBOT_casadi_by_coordinates(by_q, j.dq, q, ROBOT_casadi_nv);
        ROBOT_casadi_in_coordinates(res[0], ROBOT_casadi_nq, by_q, next, ROBOT_casadi_nq);
    }
    if (res[1]) ROBOT_casadi_in_coordinates(res[1], ROBOT_casadi_nq, j.dv, next, ROBOT_casadi_nv);
    return 0;
}

CASADI_SYMBOL_EXPORT int ROBOT_casadi_difference(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    double from[ROBOT_casadi_nq], to[ROBOT_casadi_nq];
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(ROBOT_given(arg[0]), from);
    ROBOT_casadi_posed(ROBOT_given(arg[1]), to);
    if (res[0]) ROBOT_difference(from, to, res[0]);
    return 0;
}

CASADI_SYMBOL_EXPORT int jac_ROBOT_casadi_difference(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    const double *const q0 = ROBOT_given(arg[0]), *const q1 = ROBOT_given(arg[1]);
    double from[ROBOT_casadi_nq], to[ROBOT_casadi_nq];
    ROBOT_difference_jacobians_t j;
    (void)iw;
    (void)w;
    (void)mem;
    ROBOT_casadi_posed(q0, from);
    ROBOT_casadi_posed(q1, to);
    ROBOT_difference_jacobians(from, to, &j);
    ROBOT_casadi_by_coordinates(res[0], j.dq0, q0, ROBOT_casadi_nv);
    ROBOT_casadi_by_coordinates(res[1], j.dq1, q1, ROBOT_casadi_nv);
    return 0;
}

