
/* The group of a joint of n coordinates, whose motions do not commute. Matrices are n x n, by columns of SIZE numbers. */
typedef struct {
    int n;
    /* Derivatives of integrate(q, u) by q and by u. */
    void (*jacobians)(const REAL *u, REAL *by_q, REAL *by_u);
    /* The derivative of J_u^T lambda by u. */
    void (*curvature)(const REAL *u, const REAL *lambda, REAL *to);
    /* W with x^T W y = lambda . [y, x]. */
    void (*bracket)(const REAL *lambda, REAL *to);
    /* The matrix that maps y to [x, y]. */
    void (*ad)(const REAL *x, REAL *to);
} ROBOT_joining_group;
