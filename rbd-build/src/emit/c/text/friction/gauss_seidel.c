
/* A sweep of projected Gauss-Seidel: contact after contact takes a fixed-point step. Gives the largest change of an
 * impulse. The step is 1/w with w = 3/2: half the trace of a scaled block, and at least half of its largest
 * eigenvalue. */
static REAL ROBOT_cones_sweep(ROBOT_cones *of)
{
    const REAL step = (REAL)(1.0 / 1.5);
    REAL change = 0, c[3], to[3];
    int k, r;
    for (k = 0; k < of->count; k++) {
        REAL *const own = of->f + 3 * k;
        ROBOT_cones_velocities(of, 3 * k, 3, c);
        ROBOT_cones_correct(c, of->friction[k]);
        for (r = 0; r < 3; r++) to[r] = own[r] - c[r] * step;
        ROBOT_cones_project(to, of->friction[k]);
        for (r = 0; r < 3; r++) {
            change = ROBOT_cones_max(change, ROBOT_cones_abs(own[r] - to[r]));
            own[r] = to[r];
        }
    }
    for (k = 0; k < of->joints; k++) {
        REAL *const own = of->f + 3 * of->count + k;
        ROBOT_cones_velocities(of, 3 * of->count + k, 1, c);
        /* The entry of the diagonal is 1. */
        to[0] = ROBOT_cones_project_joint(of->scaled + 3 * k, *own - c[0], 1);
        change = ROBOT_cones_max(change, ROBOT_cones_abs(*own - to[0]));
        *own = to[0];
    }
    return change;
}
