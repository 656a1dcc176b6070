
static void ROBOT_joining_clear(REAL *to, int n)
{
    int i, j;
    for (j = 0; j < n; j++) {
        for (i = 0; i < n; i++) to[SIZE * j + i] = 0;
    }
}

static void ROBOT_joining_cross(const REAL *a, const REAL *b, REAL *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static REAL ROBOT_joining_dot(const REAL *a, const REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The matrix of the cross product by x, and of y to y x (v x l) + v x (y x l). */
static void ROBOT_joining_skew(const REAL *x, REAL *to)
{
    int i, j;
    for (j = 0; j < 3; j++) {
        for (i = 0; i < 3; i++) to[SIZE * j + i] = ROBOT_skew(x, i, j);
    }
}

static REAL ROBOT_joining_twice_crossed(const REAL *v, const REAL *l, int i, int j)
{
    return v[i] * l[j] - 2 * l[i] * v[j] + (i == j ? ROBOT_joining_dot(v, l) : 0);
}

/* Adds the derivative by w of (1 + a [w] + b [w]^2)^T l. */
static void ROBOT_joining_add_change(const ROBOT_quadratic *f, const REAL *w, const REAL *l, REAL *to)
{
    REAL once[3], twice[3];
    int i, j;
    ROBOT_joining_cross(w, l, once);
    ROBOT_joining_cross(w, once, twice);
    for (j = 0; j < 3; j++) {
        for (i = 0; i < 3; i++) {
            const REAL along = 2 * (twice[i] * f->db - once[i] * f->da);
            to[SIZE * j + i] += along * w[j] + f->a * ROBOT_skew(l, i, j) + f->b * ROBOT_joining_twice_crossed(w, l, i, j);
        }
    }
}
