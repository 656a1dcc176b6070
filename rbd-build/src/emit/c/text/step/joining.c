
/* Steps join forward dynamics and `integrate` (docs/math.md#discrete-step). Matrices are by columns of SIZE numbers. */
static void ROBOT_joining_scale(REAL *RBD_RESTRICT to, const REAL *RBD_RESTRICT from, REAL s, int n)
{
    int k;
    for (k = 0; k < n; k++) to[k] = from[k] * s;
}

static void ROBOT_joining_add_scaled(REAL *RBD_RESTRICT to, const REAL *RBD_RESTRICT from, REAL s, int n)
{
    int k;
    for (k = 0; k < n; k++) to[k] = RBD_FMA(from[k], s, to[k]);
}

static void ROBOT_joining_add_diagonal(REAL *to, REAL x)
{
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) to[(SIZE + 1) * k] += x;
}

/* lambda_q . q of joints of one coordinate, and lambda_v . v */
static REAL ROBOT_joining_weighted(const REAL *q, const REAL *v, const REAL *lambda_q, const REAL *lambda_v)
{
    REAL sum = ROBOT_joining_value(q, lambda_q);
    int k;
    for (k = 0; k < ROBOT_joining_nv; k++) sum = RBD_FMA(v[k], lambda_v[k], sum);
    return sum;
}
