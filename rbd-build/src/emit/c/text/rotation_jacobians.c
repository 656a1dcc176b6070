/* Entry (i, j) of the matrix of the cross product by w. */
static REAL ROBOT_skew(const REAL *w, int i, int j)
{
    return i == j ? 0 : (j - i + 3) % 3 == 1 ? -w[3 - i - j] : w[3 - i - j];
}

/* 1 + a [w] + b [w]^2, or of -w if `sign` is -1; all times `scale`. Columns of `to` are SIZE numbers apart. */
static void ROBOT_of_rotation(const ROBOT_quadratic *f, REAL sign, REAL scale, const REAL *w, REAL *to)
{
    const REAL w2 = ROBOT_square(w);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            const REAL square = w[i] * w[j] - (i == j ? w2 : 0), one = i == j ? (REAL)1 : (REAL)0;
            to[SIZE * j + i] = scale * (one + sign * f->a * ROBOT_skew(w, i, j) + f->b * square);
        }
    }
}

/* The rotation of a unit quaternion, transposed. */
static void ROBOT_rotation_back(const REAL *q, REAL *to)
{
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            const REAL product = q[i] * q[j] - q[3] * ROBOT_skew(q, i, j);
            to[SIZE * j + i] = i == j ? 1 - 2 * (ROBOT_square(q) - q[i] * q[i]) : 2 * product;
        }
    }
}

