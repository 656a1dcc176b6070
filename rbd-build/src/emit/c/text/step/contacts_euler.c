
HEAD(contact_step)
{
    REAL along[SIZE];
    ROBOT_contact_dynamics(q, v, tau, active, settings, &out->dynamics);
    ROBOT_joining_move(q, v, dt, out->dynamics.ddq, along, out->q, out->v);
}

HEAD(contact_step_derivatives)
{
    const REAL *const by[3] = {out->dynamics.ddq_dq, out->dynamics.ddq_dv, out->dynamics.ddq_dtau};
    ROBOT_contact_dynamics_derivatives(q, v, tau, active, settings, &out->dynamics);
    ROBOT_joining_moved(q, v, dt, out->dynamics.ddq, by, &out->step);
}
