/* The sum of (-1)^k y^k / (2 k + m)! over all k, of m from 1 to 3, and its two derivatives. */
static void ROBOT_casadi_series(double y, int m, double *to)
{
    double sinc[3], c = 1, power = 1, before = 0, twice_before = 0;
    int k;
    to[0] = to[1] = to[2] = 0;
    if (y < 1) {
        for (k = 2; k <= m; k++) c /= k;
        for (k = 0; k < 12; k++) {
            to[0] += c * power;
            to[1] += k * c * before;
            to[2] += k * (k - 1) * c * twice_before;
            c /= -(double)((2 * k + m + 1) * (2 * k + m + 2));
            twice_before = before;
            before = power;
            power *= y;
        }
        return;
    }
    c = cos(sqrt(y));
    sinc[0] = sin(sqrt(y)) / sqrt(y);
    sinc[1] = (c - sinc[0]) / (2 * y);
    sinc[2] = -(sinc[0] / 2 + 3 * sinc[1]) / (2 * y);
    if (m == 1) {
        for (k = 0; k < 3; k++) to[k] = sinc[k];
    } else if (m == 2) {
        to[0] = (1 - c) / y;
        to[1] = (sinc[0] / 2 - to[0]) / y;
        to[2] = (sinc[1] / 2 - 2 * to[1]) / y;
    } else {
        to[0] = (1 - sinc[0]) / y;
        to[1] = -(sinc[1] + to[0]) / y;
        to[2] = -(sinc[2] + 2 * to[1]) / y;
    }
}

static double ROBOT_casadi_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void ROBOT_casadi_cross(const double *a, const double *b, double *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* The way x + b w x x + c w x (w x x) of a body with velocity x that turns by w: how the way changes along d = [linear; angular]. */
static void ROBOT_casadi_way(const double *u, const double *d, double *to)
{
    const double *const w = u + 3, *const turn = d + 3;
    double b[3], c[3], once[3], twice[3], moved[3], again[3], other[3], along;
    int i;
    ROBOT_casadi_series(ROBOT_casadi_dot(w, w), 2, b);
    ROBOT_casadi_series(ROBOT_casadi_dot(w, w), 3, c);
    along = 2 * ROBOT_casadi_dot(w, turn);
    ROBOT_casadi_cross(w, u, once);
    ROBOT_casadi_cross(w, once, twice);
    for (i = 0; i < 3; i++) to[i] = d[i] + along * (b[1] * once[i] + c[1] * twice[i]);
    /* d(w x x), and d(w x (w x x)) = turn x (w x x) + w x d(w x x) */
    ROBOT_casadi_cross(turn, u, moved);
    ROBOT_casadi_cross(w, d, other);
    for (i = 0; i < 3; i++) moved[i] += other[i];
    ROBOT_casadi_cross(turn, once, again);
    ROBOT_casadi_cross(w, moved, other);
    for (i = 0; i < 3; i++) to[i] += b[0] * moved[i] + c[0] * (again[i] + other[i]);
}

/* Adds the derivative along d of the gradient by u of mu . way. */
static void ROBOT_casadi_add_way(const double *mu, const double *u, const double *d, double *to)
{
    const double *const w = u + 3, *const turn = d + 3;
    const double x = ROBOT_casadi_dot(w, w), mw = ROBOT_casadi_dot(mu, w), mu_u = ROBOT_casadi_dot(mu, u);
    const double wu = ROBOT_casadi_dot(w, u), mt = ROBOT_casadi_dot(mu, turn), along = 2 * ROBOT_casadi_dot(w, turn);
    const double tu = ROBOT_casadi_dot(turn, u), md = ROBOT_casadi_dot(mu, d), wd = ROBOT_casadi_dot(w, d);
    double b[3], c[3], of_w[3], of_turn[3], of_u[3], of_d[3], alpha, beta, by_w, by_turn;
    int i;
    ROBOT_casadi_series(x, 2, b);
    ROBOT_casadi_series(x, 3, c);
    ROBOT_casadi_cross(mu, w, of_w);
    ROBOT_casadi_cross(mu, turn, of_turn);
    ROBOT_casadi_cross(u, mu, of_u);
    ROBOT_casadi_cross(d, mu, of_d);
    alpha = ROBOT_casadi_dot(w, of_u);
    beta = mw * wu - x * mu_u;
    /* Along w: what b, c and their derivatives change by. */
    by_w = 2 * along * (b[2] * alpha + c[2] * beta) + 2 * b[1] * (ROBOT_casadi_dot(turn, of_u) + ROBOT_casadi_dot(w, of_d))
        + 2 * c[1] * (mt * wu + mw * tu - along * mu_u + mw * wd - x * md) - 2 * c[1] * along * mu_u - 2 * c[0] * md;
    by_turn = 2 * b[1] * alpha + 2 * c[1] * beta - 2 * c[0] * mu_u;
    for (i = 0; i < 3; i++) {
        to[i] += along * (b[1] * of_w[i] + c[1] * (mw * w[i] - x * mu[i])) + b[0] * of_turn[i]
            + c[0] * (mt * w[i] + mw * turn[i] - along * mu[i]);
        to[3 + i] += along * (b[1] * of_u[i] + c[1] * (wu * mu[i] + mw * u[i])) + b[0] * of_d[i]
            + c[0] * ((tu + wd) * mu[i] + mt * u[i] + mw * d[i]) + by_w * w[i] + by_turn * turn[i];
    }
}

/* The product conj(a) b of quaternions. */
static void ROBOT_casadi_beside(const double *a, const double *b, double *to)
{
    int i;
    ROBOT_casadi_cross(b, a, to);
    for (i = 0; i < 3; i++) to[i] += a[3] * b[i] - b[3] * a[i];
    to[3] = ROBOT_casadi_dot(a, b) + a[3] * b[3];
}

/* With the weight mu of exp(w/2) in the quaternion's own axes: adds the derivative along d of its gradient by w, and by turns of the
 * quaternion before it the gradient of its derivative along d. */
static void ROBOT_casadi_add_turn(const double *mu, const double *w, const double *d, double *by_u, double *by_q)
{
    const double x = ROBOT_casadi_dot(w, w), along = 2 * ROBOT_casadi_dot(w, d);
    const double mw = ROBOT_casadi_dot(mu, w), md = ROBOT_casadi_dot(mu, d);
    double s[3], rate[4], of_rate[3];
    int i;
    ROBOT_casadi_series(x / 4, 1, s);
    s[0] /= 2, s[1] /= 8, s[2] /= 32;
    for (i = 0; i < 3; i++) {
        rate[i] = s[0] * d[i] + s[1] * along * w[i];
        by_u[i] += s[1] * (2 * md * w[i] + along * mu[i] + 2 * mw * d[i]) + 2 * s[2] * along * mw * w[i]
            - mu[3] * (s[0] * d[i] + s[1] * along * w[i]) / 2;
    }
    rate[3] = -s[0] * along / 4;
    /* The vector part of mu conj(rate), and half of it. */
    ROBOT_casadi_cross(rate, mu, of_rate);
    for (i = 0; i < 3; i++) by_q[i] += (rate[3] * mu[i] - mu[3] * rate[i] + of_rate[i]) / 2;
}

/* A joint's coordinates as a twist in space, and the weight of its position in its own axes. */
static void ROBOT_casadi_in_space(int kind, const double *q, const double *v, const double *lambda, double *twist, double *mu)
{
    double e[42];
    int i, j;
    for (i = 0; i < 6; i++) twist[i] = 0;
    for (i = 0; i < 3; i++) mu[i] = 0;
    for (i = 0; i < ROBOT_casadi_velocities[kind]; i++) twist[kind == 1 && i == 2 ? 5 : kind == 2 ? 3 + i : i] = v[i];
    if (kind == 2) return;
    ROBOT_casadi_rates(kind, q, e);
    for (j = 0; j < (kind == 1 ? 2 : 3); j++) {
        for (i = 0; i < (kind == 1 ? 2 : 3); i++) mu[j] += e[j * ROBOT_casadi_coordinates[kind] + i] * lambda[i];
    }
}

/* Of lambda . integrate(q, u): the derivative along d of the gradient by u, and the gradient by q of the derivative along d. */
static void ROBOT_casadi_bend(const double *q, const double *u, const double *d, const double *lambda, double *by_u, double *by_q)
{
    int k, i;
    for (k = 0; k < ROBOT_casadi_nv; k++) by_u[k] = by_q[k] = 0;
    for (k = 0; k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, at = ROBOT_casadi_joint[k].v;
        const double *const own = q + ROBOT_casadi_joint[k].q, *const weight = lambda + ROBOT_casadi_joint[k].q;
        const double *const a = ROBOT_casadi_quaternion_of(kind, own);
        double twist[6], along[6], mu[3], way[3], turned[3], of_u[6] = {0}, of_q[6] = {0};
        if (kind == 0) continue;
        ROBOT_casadi_in_space(kind, own, u + at, weight, twist, mu);
        ROBOT_casadi_in_space(kind, own, d + at, weight, along, mu);
        if (kind != 2) {
            ROBOT_casadi_add_way(mu, twist, along, of_u);
            ROBOT_casadi_way(twist, along, way);
            ROBOT_casadi_cross(way, mu, turned);
            for (i = 0; i < 3; i++) of_q[3 + i] = turned[i];
        }
        if (a) {
            double unit[4], in_place[4];
            ROBOT_casadi_direction(a, unit);
            ROBOT_casadi_beside(unit, weight + (a - own), in_place);
            ROBOT_casadi_add_turn(in_place, twist + 3, along + 3, of_u + 3, of_q + 3);
        }
        for (i = 0; i < ROBOT_casadi_velocities[kind]; i++) {
            const int from = kind == 1 && i == 2 ? 5 : kind == 2 ? 3 + i : i;
            by_u[at + i] = of_u[from];
            by_q[at + i] = of_q[from];
        }
    }
}

/* E^T lambda */
static void ROBOT_casadi_weighted(const double *q, const double *lambda, double *to)
{
    int k, i, j;
    for (k = 0; k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, rows = ROBOT_casadi_coordinates[kind];
        double e[42];
        ROBOT_casadi_rates(kind, q + ROBOT_casadi_joint[k].q, e);
        for (j = 0; j < ROBOT_casadi_velocities[kind]; j++) {
            double sum = 0;
            for (i = 0; i < rows; i++) sum += e[j * rows + i] * lambda[ROBOT_casadi_joint[k].q + i];
            to[ROBOT_casadi_joint[k].v + j] = sum;
        }
    }
}

/* Adds a^T C b, C being the second derivatives of lambda . integrate(q, dv) by dv where dv is zero. */
static void ROBOT_casadi_add_bent(double *to, const double *a, const double *b, const double *q, const double *lambda)
{
    int k, i, j, r, s;
    for (k = 0; k < ROBOT_casadi_joints; k++) {
        const int kind = ROBOT_casadi_joint[k].kind, n = ROBOT_casadi_velocities[kind], at = ROBOT_casadi_joint[k].v;
        double c[6][6], zero[ROBOT_casadi_nv] = {0}, unit[ROBOT_casadi_nv] = {0}, by_u[ROBOT_casadi_nv], by_q[ROBOT_casadi_nv];
        if (kind == 0) continue;
        for (s = 0; s < n; s++) {
            unit[at + s] = 1;
            ROBOT_casadi_bend(q, zero, unit, lambda, by_u, by_q);
            unit[at + s] = 0;
            for (r = 0; r < n; r++) c[s][r] = by_u[at + r];
        }
        for (j = 0; j < ROBOT_casadi_nv; j++) {
            double cb[6] = {0};
            for (s = 0; s < n; s++) {
                for (r = 0; r < n; r++) cb[r] += c[s][r] * b[j * ROBOT_casadi_nv + at + s];
            }
            for (i = 0; i < ROBOT_casadi_nv; i++) {
                for (r = 0; r < n; r++) to[j * ROBOT_casadi_nv + i] += a[i * ROBOT_casadi_nv + at + r] * cb[r];
            }
        }
    }
}
