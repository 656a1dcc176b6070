
HEAD(rollout)
{
    const REAL *now_q = q, *now_v = v;
    int k;
    for (k = 0; k < steps; k++) {
        ROBOT_FORMstep(now_q, now_v, CONTROLS + COUNT * k, dt, states + k);
        now_q = states[k].q;
        now_v = states[k].v;
    }
}

HEAD(rollout_sensitivity)
{
    ROBOT_FORMstep_derivatives_t d;
    const REAL *now_q = q, *now_v = v;
    ROBOT_tangent_t now = *direction;
    int k, i;
    for (k = 0; k < steps; k++) {
        const REAL *const by = CONTROLS_direction + COUNT * k;
        ROBOT_FORMstep_derivatives(now_q, now_v, CONTROLS + COUNT * k, dt, &d);
        ROBOT_joining_scale(states[k].q, d.q, 1, ROBOT_joining_nq);
        ROBOT_joining_scale(states[k].v, d.v, 1, ROBOT_joining_nv);
        for (i = 0; i < ROBOT_joining_nv; i++) changes[k].q[i] = changes[k].v[i] = 0;
        ROBOT_joining_add_times(d.dq_dq, now.q, ROBOT_joining_nv, changes[k].q);
        ROBOT_joining_add_times(d.dq_dv, now.v, ROBOT_joining_nv, changes[k].q);
        ROBOT_joining_add_times(d.dq_dCONTROLS, by, COUNT, changes[k].q);
        ROBOT_joining_add_times(d.dv_dq, now.q, ROBOT_joining_nv, changes[k].v);
        ROBOT_joining_add_times(d.dv_dv, now.v, ROBOT_joining_nv, changes[k].v);
        ROBOT_joining_add_times(d.dv_dCONTROLS, by, COUNT, changes[k].v);
        now = changes[k];
        now_q = states[k].q;
        now_v = states[k].v;
    }
}

HEAD(rollout_adjoint)
{
    ROBOT_FORMstep_derivatives_t d;
    int k, i;
    for (i = 0; i < ROBOT_joining_nv; i++) by_first->q[i] = by_first->v[i] = 0;
    for (k = steps - 1; k >= 0; k--) {
        ROBOT_tangent_t *const own = gradient + k;
        ROBOT_joining_add_scaled(own->q, by_first->q, 1, ROBOT_joining_nv);
        ROBOT_joining_add_scaled(own->v, by_first->v, 1, ROBOT_joining_nv);
        ROBOT_FORMstep_derivatives(k ? states[k - 1].q : q, k ? states[k - 1].v : v, CONTROLS + COUNT * k, dt, &d);
        ROBOT_joining_back(d.dq_dq, d.dv_dq, own, ROBOT_joining_nv, by_first->q);
        ROBOT_joining_back(d.dq_dv, d.dv_dv, own, ROBOT_joining_nv, by_first->v);
        ROBOT_joining_back(d.dq_dCONTROLS, d.dv_dCONTROLS, own, COUNT, by_CONTROLS + COUNT * k);
    }
}
