
/* Puts a matrix into a larger one, or transposed. Columns of that are `stride` numbers apart. */
static void ROBOT_casadi_put(double *to, int stride, const double *m, int rows, int columns, int turned)
{
    int i, j;
    for (j = 0; to && j < columns; j++) {
        for (i = 0; i < rows; i++) to[turned ? i * stride + j : j * stride + i] = m[j * rows + i];
    }
}
