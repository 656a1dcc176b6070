
/* to = of_q^T by.q + of_v^T by.v, of so many columns */
static void ROBOT_joining_back(const REAL *of_q, const REAL *of_v, const ROBOT_tangent_t *by, int columns, REAL *to)
{
    int c, i;
    for (c = 0; c < columns; c++) {
        REAL sum = 0;
        for (i = 0; i < ROBOT_joining_nv; i++) {
            sum = RBD_FMA(of_q[SIZE * c + i], by->q[i], sum);
            sum = RBD_FMA(of_v[SIZE * c + i], by->v[i], sum);
        }
        to[c] = sum;
    }
}

/* to += m x, of so many columns */
static void ROBOT_joining_add_times(const REAL *m, const REAL *x, int columns, REAL *to)
{
    int c;
    for (c = 0; c < columns; c++) ROBOT_joining_add_scaled(to, m + SIZE * c, x[c], ROBOT_joining_nv);
}
