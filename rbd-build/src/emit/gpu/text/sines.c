
RBD_PERHAPS_UNUSED
static void ROBOT_sin_cos(int n, const REAL *q, REAL *s, REAL *c)
{
    for (int i = 0; i < n; i++) {
#ifdef RBD_SINCOS
        RBD_SINCOS(q[i], &s[i], &c[i]);
#else
        ROBOT_sin_cos_one(q[i], &s[i], &c[i]);
#endif
    }
}

