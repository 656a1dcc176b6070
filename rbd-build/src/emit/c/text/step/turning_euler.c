
/* The terms of second order of integrate(q, dt v), under a fixed weight. */
static void ROBOT_joining_along_velocity(const REAL *u, const REAL *lambda, REAL dt, ROBOT_step_hessian_t *out)
{
    ROBOT_joining_second second = {{0}, {0}, {0}};
    int k;
    for (k = 0; k < ROBOT_joining_turns; k++) {
        const ROBOT_joining_group *const group = ROBOT_joining_turning[k].group;
        const int at = ROBOT_joining_turning[k].at;
        ROBOT_joining_second_of(group, u + at, lambda + at, &second);
        ROBOT_joining_fix(&second, group->n);
        ROBOT_joining_add_block(out->dqdq, second.qq, 1, at, group->n);
        ROBOT_joining_add_block(out->dqdv, second.qu, dt, at, group->n);
        ROBOT_joining_add_block(out->dvdv, second.uu, dt * dt, at, group->n);
    }
}
