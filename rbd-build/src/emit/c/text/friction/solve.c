
/* The order of methods: sweeps, Newton's steps, and where these do not do, compliance that falls, the method of
 * multipliers and less friction at first. The settings bound the number of operations. Impulses are finite and in their
 * cones. */

/* A round of the method of multipliers, and Newton's steps from where it leads. */
static void ROBOT_cones_round(ROBOT_cones *of, const ROBOT_friction_settings_t *settings,
                              ROBOT_friction_iterations_t *iterations)
{
    int is_halved;
    iterations->admm += (unsigned long)ROBOT_cones_multiply(of, settings->admm_iterations);
    for (is_halved = 0; is_halved < 2 && !ROBOT_cones_is_done(of); is_halved++) {
        ROBOT_cones_go_to(of, of->y);
        iterations->newton += (unsigned long)ROBOT_cones_newton(of, settings->newton_steps, is_halved);
    }
}

/* From the best impulses on. */
static void ROBOT_cones_begin_rounds(ROBOT_cones *of)
{
    ROBOT_cones_go_to(of, of->best);
    ROBOT_cones_look(of);
    ROBOT_cones_begin_multipliers(of);
}

/* Compliance that falls to none, with Newton's steps at each level. Redundant contacts may ask for velocities that no
 * motion has: then some carry no impulse, and Newton's steps do not find which. With compliance all share the impulses,
 * and they open one by one as it falls. */
static void ROBOT_cones_harden(ROBOT_cones *of, const ROBOT_friction_settings_t *settings,
                               ROBOT_friction_iterations_t *iterations)
{
    const REAL least = ROBOT_cones_epsilon * 4096;
    REAL compliance = (REAL)0.3;
    ROBOT_cones_copy(of->best, of->kept, of->rows);
    ROBOT_cones_go_to(of, of->best);
    for (;;) {
        ROBOT_cones_soften(of, compliance);
        ROBOT_cones_forget(of);
        iterations->newton += (unsigned long)ROBOT_cones_newton(of, settings->newton_steps, 0);
        if (!ROBOT_cones_is_done(of)) {
            ROBOT_cones_begin_rounds(of);
            ROBOT_cones_round(of, settings, iterations);
        }
        ROBOT_cones_go_to(of, of->best);
        if (compliance <= 0) break;
        compliance = compliance > least ? compliance * (REAL)0.25 : 0;
    }
    if (!ROBOT_cones_is_done(of)) {
        /* Those of the last level may be no numbers. */
        ROBOT_cones_copy(of->kept, of->best, of->rows);
        ROBOT_cones_forget(of);
        ROBOT_cones_go_to(of, of->best);
        ROBOT_cones_look(of);
    }
}

/* Compliance that falls; rounds of the method of multipliers; then friction of a problem that is easier grows to that
 * of the problem. */
static void ROBOT_cones_insist(ROBOT_cones *of, const ROBOT_friction_settings_t *settings,
                               ROBOT_friction_iterations_t *iterations)
{
    const int n = of->rows;
    REAL share = 1;
    long level, levels = 2;
    int k, time;
    if (settings->rounds > 0) {
        ROBOT_cones_harden(of, settings, iterations);
        if (ROBOT_cones_is_done(of)) return;
    }
    ROBOT_cones_begin_rounds(of);
    for (time = 0; time < settings->rounds; time++) {
        ROBOT_cones_round(of, settings, iterations);
        if (ROBOT_cones_is_done(of)) return;
    }
    ROBOT_cones_copy(of->best, of->kept, n);
    for (time = 0; time < settings->continuations; time++) {
        levels = 2 * (levels < 1048576L ? levels : 1048576L);
        ROBOT_hold_clear(of->f, n);
        for (level = 1; level <= levels; level++) {
            const REAL next = (REAL)((double)level / (double)levels), change = next / share;
            share = next;
            for (k = 0; k < of->count; k++) of->friction[k] *= change;
            ROBOT_cones_forget(of);
            iterations->newton += (unsigned long)ROBOT_cones_newton(of, settings->newton_steps, 0);
            if (!ROBOT_cones_is_done(of)) {
                ROBOT_cones_begin_rounds(of);
                ROBOT_cones_round(of, settings, iterations);
            }
            ROBOT_cones_go_to(of, of->best);
        }
        if (ROBOT_cones_is_done(of)) return;
    }
    ROBOT_cones_go_to(of, of->kept);
    ROBOT_cones_look(of);
}

/* Goes to impulses to begin with, projected onto the cones, if they are finite and not all zero. Whether they are. */
static int ROBOT_cones_start(ROBOT_cones *of)
{
    int i, k, are_some = 0;
    for (i = 0; i < of->rows; i++) {
        if (!ROBOT_cones_is_finite(of->impulses[i])) return 0;
        are_some |= of->impulses[i] != 0;
    }
    for (k = 0; k < of->count && are_some; k++) {
        const REAL by = 1 / (of->scale[3 * k] * of->fastest);
        for (i = 3 * k; i < 3 * k + 3; i++) of->f[i] = of->impulses[i] * by;
        ROBOT_cones_project(of->f + 3 * k, of->friction[k]);
    }
    for (i = 3 * of->count; i < of->rows && are_some; i++) of->f[i] = of->impulses[i] / (of->scale[i] * of->fastest);
    return are_some;
}

/* Writes the best impulses and their modes, in the units of the problem, and how far they are from the laws of contact. */
static void ROBOT_cones_finish(ROBOT_cones *of, REAL tolerance, ROBOT_friction_residuals_t *residuals, int *converged)
{
    REAL fastest = 0, exchanged = 1, energy, known;
    int k, r, i;
    ROBOT_cones_go_to(of, of->best);
    ROBOT_cones_look(of);
    for (k = 0; k < of->count; k++) {
        REAL *const f = of->f + 3 * k;
        of->modes[k] = ROBOT_cones_mode(f, of->c + 3 * k, of->friction[k]);
        if (of->modes[k] == ROBOT_cones_open) {
            ROBOT_hold_clear(f, 3);
        } else {
            ROBOT_cones_project(f, of->friction[k]);
        }
    }
    for (k = 0; k < of->joints; k++) {
        i = 3 * of->count + k;
        /* Impulses of dry friction are exact. */
        if (ROBOT_cones_joint_mode(of->scaled + 3 * k, of->f[i], of->c[i], &known) == ROBOT_cones_moves) of->f[i] = known;
    }
    ROBOT_cones_forget(of);
    residuals->natural = ROBOT_cones_look(of);
    for (k = 0; k < of->count; k++) {
        const REAL s = of->scale[3 * k], mu = of->friction[k];
        REAL *const impulse = of->impulses + 3 * k;
        REAL c[3], own[3], free[3], dissipated, outside;
        for (r = 0; r < 3; r++) {
            const REAL g = of->velocity[3 * k + r];
            impulse[r] = of->f[3 * k + r] * (s * of->fastest);
            c[r] = s > 0 ? of->c[3 * k + r] * (of->fastest / s) : g;
            fastest = ROBOT_cones_max(fastest, ROBOT_cones_abs(g));
            own[r] = ROBOT_cones_abs(of->f[3 * k + r]), free[r] = ROBOT_cones_abs(of->free[3 * k + r]);
        }
        dissipated = RBD_FMA(impulse[0], c[0], impulse[1] * c[1]) + mu * impulse[2] * ROBOT_cones_norm(c[0], c[1]);
        outside = ROBOT_cones_norm(impulse[0], impulse[1]) - mu * impulse[2];
        outside = ROBOT_cones_max(ROBOT_cones_max(-c[2], -impulse[2]), outside);
        residuals->signorini = ROBOT_cones_worse(residuals->signorini, ROBOT_cones_abs(impulse[2] * c[2]));
        residuals->coulomb = ROBOT_cones_worse(residuals->coulomb, ROBOT_cones_abs(dissipated));
        residuals->feasibility = ROBOT_cones_worse(residuals->feasibility, ROBOT_cones_max(outside, 0));
        /* The largest energy that impulses exchange with the contacts' free motion. */
        exchanged = ROBOT_cones_max(exchanged, ROBOT_cones_dot(own, free, 3));
    }
    for (k = 0; k < of->joints; k++) {
        const REAL s = of->scale[3 * of->count + k], *const law = of->laws + 3 * k;
        REAL c;
        i = 3 * of->count + k;
        of->impulses[i] = of->f[i] * s * of->fastest;
        c = s > 0 ? of->c[i] * of->fastest / s : of->velocity[i];
        /* A limit that is no number is none. A velocity must be one. */
        residuals->feasibility = ROBOT_cones_worse(residuals->feasibility, ROBOT_cones_max(law[1] - c, 0));
        residuals->feasibility = ROBOT_cones_worse(residuals->feasibility, ROBOT_cones_max(c - law[2], 0));
        residuals->feasibility = ROBOT_cones_worse(residuals->feasibility, ROBOT_cones_abs(c * 0));
        fastest = ROBOT_cones_max(fastest, ROBOT_cones_abs(of->velocity[i]));
    }
    energy = exchanged * of->fastest * of->fastest;
    fastest = ROBOT_cones_max(fastest, 1), energy = ROBOT_cones_max(energy, 1);
    /* NaN is never within. */
    *converged = residuals->signorini <= tolerance * energy && residuals->coulomb <= tolerance * energy &&
                 residuals->feasibility <= tolerance * fastest && residuals->natural <= tolerance;
}

/* Solves a problem that is laid, of which g, velocity, friction, compliance, laws and impulses are given. */
static void ROBOT_cones_solve(ROBOT_cones *of, const ROBOT_friction_settings_t *settings,
                              ROBOT_friction_residuals_t *residuals, ROBOT_friction_iterations_t *iterations,
                              int *converged)
{
    const int n = of->rows;
    const REAL rounded = ROBOT_cones_epsilon * 64, target = settings->tolerance * (REAL)1e-3;
    int most = settings->newton_steps, taken;
    residuals->signorini = residuals->coulomb = residuals->feasibility = residuals->natural = 0;
    iterations->sweeps = iterations->newton = iterations->admm = 0;
    *converged = 1;
    if (n == 0) return;
    of->target = target > rounded ? target : rounded;
    ROBOT_cones_scale(of);
    ROBOT_cones_forget(of);
    /* First no impulses: they are finite, whatever the caller's are. */
    ROBOT_hold_clear(of->f, n);
    ROBOT_hold_clear(of->best, n);
    ROBOT_cones_look(of);
    if (ROBOT_cones_start(of)) {
        iterations->newton += (unsigned long)ROBOT_cones_newton(of, most < 4 ? most : 4, 0);
        ROBOT_cones_go_to(of, of->best);
    }
    if (!ROBOT_cones_is_done(of)) {
        for (taken = 0; taken < settings->sweeps;) {
            taken++;
            if (ROBOT_cones_sweep(of) <= of->target) break;
        }
        iterations->sweeps += (unsigned long)taken;
        iterations->newton += (unsigned long)ROBOT_cones_newton(of, most, 0);
    }
    if (!ROBOT_cones_is_done(of)) ROBOT_cones_insist(of, settings, iterations);
    ROBOT_cones_finish(of, settings->tolerance, residuals, converged);
}
