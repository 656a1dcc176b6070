
/* The alternating direction method of multipliers (Carpentier and others, RSS 2024, arXiv 2405.17020). */
#define ROBOT_cones_eta ((REAL)1e-6)

static void ROBOT_cones_factor_shifted(ROBOT_cones *of)
{
    const int n = of->rows;
    int i;
    ROBOT_cones_copy(of->g, of->factors, n * n);
    for (i = 0; i < n; i++) of->factors[i * (n + 1)] += of->rho + ROBOT_cones_eta;
    ROBOT_cones_factor(of->factors, n);
}

/* Begins at the impulses f and their velocities. */
static void ROBOT_cones_begin_multipliers(ROBOT_cones *of)
{
    int k, i;
    for (k = 0; k < of->count; k++) {
        REAL *const z = of->z + 3 * k;
        ROBOT_cones_copy(of->f + 3 * k, of->x + 3 * k, 3);
        ROBOT_cones_copy(of->f + 3 * k, of->y + 3 * k, 3);
        ROBOT_cones_project(of->y + 3 * k, of->friction[k]);
        ROBOT_cones_copy(of->c + 3 * k, z, 3);
        ROBOT_cones_correct(z, of->friction[k]);
        /* Only the normal's part may be outside of the dual cone. */
        z[2] = ROBOT_cones_max(z[2], 0);
    }
    for (k = 0; k < of->joints; k++) {
        i = 3 * of->count + k;
        of->x[i] = of->f[i];
        of->y[i] = ROBOT_cones_project_joint(of->scaled + 3 * k, of->f[i] - of->c[i], 1);
        of->z[i] = of->c[i];
    }
    of->rho = (REAL)0.1;
    ROBOT_cones_factor_shifted(of);
}

/* Iterates until the residuals are below the target. Gives the number of iterations. */
static int ROBOT_cones_multiply(ROBOT_cones *of, int most)
{
    REAL *const x = of->x, *const y = of->y, *const z = of->z;
    int i, k, r, taken;
    for (taken = 1; taken <= most; taken++) {
        const REAL rho = of->rho;
        REAL primal = 0, dual = 0, to[3];
        for (k = 0; k < of->count; k++) {
            REAL more[3] = {z[3 * k], z[3 * k + 1], 0};
            ROBOT_cones_correct(more, of->friction[k]);
            more[0] = more[1] = 0;
            for (r = 0; r < 3; r++) {
                i = 3 * k + r;
                x[i] = ROBOT_cones_eta * x[i] + rho * y[i] + z[i] - of->free[i] - more[r];
            }
        }
        for (i = 3 * of->count; i < of->rows; i++) x[i] = ROBOT_cones_eta * x[i] + rho * y[i] + z[i] - of->free[i];
        ROBOT_cones_solve_factored(of->factors, x, of->rows);
        for (k = 0; k < of->count; k++) {
            for (r = 0; r < 3; r++) to[r] = x[3 * k + r] - z[3 * k + r] / rho;
            ROBOT_cones_project(to, of->friction[k]);
            for (r = 0; r < 3; r++) {
                i = 3 * k + r;
                dual = ROBOT_cones_max(dual, rho * ROBOT_cones_abs(to[r] - y[i]));
                primal = ROBOT_cones_max(primal, ROBOT_cones_abs(x[i] - to[r]));
                z[i] -= rho * (x[i] - to[r]);
                y[i] = to[r];
            }
        }
        for (k = 0; k < of->joints; k++) {
            i = 3 * of->count + k;
            to[0] = ROBOT_cones_project_joint(of->scaled + 3 * k, x[i] - z[i] / rho, rho);
            dual = ROBOT_cones_max(dual, rho * ROBOT_cones_abs(to[0] - y[i]));
            primal = ROBOT_cones_max(primal, ROBOT_cones_abs(x[i] - to[0]));
            z[i] -= rho * (x[i] - to[0]);
            y[i] = to[0];
        }
        if (primal <= of->target && dual <= of->target) return taken;
        if (taken % 10 == 0 && (primal > 10 * dual || dual > 10 * primal)) {
            of->rho = primal > dual ? rho * 3 : rho / 3;
            ROBOT_cones_factor_shifted(of);
        }
    }
    return most > 0 ? most : 0;
}
