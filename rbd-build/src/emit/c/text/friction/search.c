
/* Computes velocities and the residual: how far a fixed-point step moves the impulses. The best impulses are kept. */
static REAL ROBOT_cones_look(ROBOT_cones *of)
{
    REAL residual = 0, c[3], to[3];
    int k, r;
    ROBOT_cones_velocities(of, 0, of->rows, of->c);
    for (k = 0; k < of->count; k++) {
        const REAL *const f = of->f + 3 * k;
        ROBOT_cones_copy(of->c + 3 * k, c, 3);
        ROBOT_cones_correct(c, of->friction[k]);
        for (r = 0; r < 3; r++) to[r] = f[r] - c[r];
        ROBOT_cones_project(to, of->friction[k]);
        for (r = 0; r < 3; r++) residual = ROBOT_cones_worse(residual, ROBOT_cones_abs(f[r] - to[r]));
    }
    for (k = 0; k < of->joints; k++) {
        const REAL f = of->f[3 * of->count + k], c = of->c[3 * of->count + k];
        to[0] = ROBOT_cones_project_joint(of->scaled + 3 * k, f - c, 1);
        residual = ROBOT_cones_worse(residual, ROBOT_cones_abs(f - to[0]));
    }
    if (residual < of->residual) {
        of->residual = residual;
        ROBOT_cones_copy(of->f, of->best, of->rows);
    }
    return residual;
}

/* Forgets the residual of the best impulses, as that of another problem. */
static void ROBOT_cones_forget(ROBOT_cones *of)
{
    of->residual = ROBOT_cones_largest;
}

static int ROBOT_cones_is_done(const ROBOT_cones *of)
{
    return of->residual <= of->target;
}

/* Goes to these impulses. */
static void ROBOT_cones_go_to(ROBOT_cones *of, const REAL *f)
{
    ROBOT_cones_copy(f, of->f, of->rows);
}

/* Goes back by halves of the last step until the residual is below `before`. */
static REAL ROBOT_cones_halve(ROBOT_cones *of, REAL before, REAL residual)
{
    const int n = of->rows;
    REAL share = (REAL)0.5;
    int i, time;
    for (time = 0; time < 5 && !(residual < before); time++) {
        for (i = 0; i < n; i++) of->f[i] = RBD_FMA(of->ab[i * (n + 1) + n], -share, of->f[i]);
        residual = ROBOT_cones_look(of);
        share *= (REAL)0.5;
    }
    return residual;
}

/* Takes Newton's steps until the residual is small or does not fall any more. Whole steps leave wrong modes faster;
 * others are halved until the residual falls. Gives their number. */
static int ROBOT_cones_newton(ROBOT_cones *of, int most, int is_halved)
{
    REAL residual = ROBOT_cones_look(of);
    int taken = 0, in_vain = 0;
    while (taken < most && in_vain <= most / 2 && residual > of->target && ROBOT_cones_is_finite(residual)) {
        const REAL before = residual, best = of->residual;
        ROBOT_cones_newton_step(of);
        taken++;
        residual = ROBOT_cones_look(of);
        if (is_halved) residual = ROBOT_cones_halve(of, before, residual);
        in_vain = residual < best ? 0 : in_vain + 1;
    }
    return taken;
}
