
/* How da and db of the right Jacobian change by the square of the length. */
static void ROBOT_joining_right_curvature(const ROBOT_quadratic *f, REAL x2, REAL *dda, REAL *ddb)
{
    /* k (k-1) (-1)^k / (2k+2)! and k (k-1) (-1)^k / (2k+3)!, from k = 2 */
    static const double of_dda[8] = {2.0 / 720, -6.0 / 40320, 12.0 / 3628800, -20.0 / 479001600,
        30.0 / 87178291200.0, -42.0 / 20922789888000.0, 56.0 / 6402373705728000.0, -72.0 / 2432902008176640000.0};
    static const double of_ddb[8] = {2.0 / 5040, -6.0 / 362880, 12.0 / 39916800, -20.0 / 6227020800.0,
        30.0 / 1307674368000.0, -42.0 / 355687428096000.0, 56.0 / 121645100408832000.0, -72.0 / 51090942171709440000.0};
    if (x2 < 1) {
        *dda = -ROBOT_polynomial(x2, of_dda, 8);
        *ddb = ROBOT_polynomial(x2, of_ddb, 8);
    } else {
        REAL sinc, cosine, whole;
        ROBOT_sinc_cos(x2 * (REAL)0.25, &sinc, &cosine);
        whole = 2 * cosine * cosine - 1;
        *dda = -((whole - sinc * cosine) * (REAL)0.5 / x2 + 4 * f->da) * (REAL)0.5 / x2;
        *ddb = (-f->da - 5 * f->db) * (REAL)0.5 / x2;
    }
}

/* Adds the derivative of that of ROBOT_joining_add_change by w, along v. */
static void ROBOT_joining_add_second_change(const ROBOT_quadratic *f, const REAL *v, const REAL *w, const REAL *l, REAL *to)
{
    const REAL vw = 2 * ROBOT_joining_dot(v, w);
    REAL dda, ddb, once[3], twice[3], of_v[3], first[3], second[3];
    int i, j;
    ROBOT_joining_right_curvature(f, ROBOT_square(w), &dda, &ddb);
    ROBOT_joining_cross(w, l, once);
    ROBOT_joining_cross(w, once, twice);
    ROBOT_joining_cross(v, l, of_v);
    ROBOT_joining_cross(v, once, first);
    ROBOT_joining_cross(w, of_v, second);
    for (j = 0; j < 3; j++) {
        for (i = 0; i < 3; i++) {
            const REAL by_w = (twice[i] * ddb - once[i] * dda) * vw + (first[i] + second[i]) * f->db - of_v[i] * f->da;
            const REAL by_v = twice[i] * f->db - once[i] * f->da;
            const REAL turned = ROBOT_skew(l, i, j) * f->da + ROBOT_joining_twice_crossed(w, l, i, j) * f->db;
            to[SIZE * j + i] += 2 * (by_w * w[j] + by_v * v[j]) + turned * vw
                + ROBOT_joining_twice_crossed(v, l, i, j) * f->b;
        }
    }
}

/* Motions and weights are [linear; angular]. */
static void ROBOT_joining_curvature_floating(const REAL *u, const REAL *lambda, REAL *to)
{
    const ROBOT_quadratic f = ROBOT_right_jacobian(ROBOT_square(u + 3));
    ROBOT_joining_clear(to, 6);
    ROBOT_joining_add_change(&f, u + 3, lambda, to + 3 * SIZE);
    ROBOT_joining_add_change(&f, u + 3, lambda, to + 3);
    ROBOT_joining_add_change(&f, u + 3, lambda + 3, to + 3 * SIZE + 3);
    ROBOT_joining_add_second_change(&f, u, u + 3, lambda, to + 3 * SIZE + 3);
}

static void ROBOT_joining_bracket_floating(const REAL *lambda, REAL *to)
{
    ROBOT_joining_clear(to, 6);
    ROBOT_joining_skew(lambda, to + 3 * SIZE);
    ROBOT_joining_skew(lambda, to + 3);
    ROBOT_joining_skew(lambda + 3, to + 3 * SIZE + 3);
}

static void ROBOT_joining_ad_floating(const REAL *x, REAL *to)
{
    ROBOT_joining_clear(to, 6);
    ROBOT_joining_skew(x + 3, to);
    ROBOT_joining_skew(x, to + 3 * SIZE);
    ROBOT_joining_skew(x + 3, to + 3 * SIZE + 3);
}

static const ROBOT_joining_group ROBOT_joining_floating = {6, ROBOT_integrate_jacobians_floating,
    ROBOT_joining_curvature_floating, ROBOT_joining_bracket_floating, ROBOT_joining_ad_floating};
