
/* For second derivatives as tensors. Of a row c, numbers over the rows that are on a path with it: those above its joint, then
 * its subtree's. They are multiplied with s, p, r and x of each row d of the path. */
typedef struct {
    /* Changes s o I of the subtrees' inertias: of the first moment, and of the rotational inertia. */
    REAL change[12][ROBOT_table_padded];
    /* s of the path; what is multiplied with s, r and x; with p and s; with s and p. */
    REAL s[6][ROBOT_table_padded], a[6][ROBOT_table_padded], b[3][ROBOT_table_padded], k[3][ROBOT_table_padded];
    /* Entries by q_c and q_d, q_c and v_d, v_c and v_d, q_c and a_d; q_d and v_c, q_d and a_c. */
    REAL qq[ROBOT_table_padded], qv[ROBOT_table_padded], vv[ROBOT_table_padded], qa[ROBOT_table_padded];
    REAL vq[ROBOT_table_padded], aq[ROBOT_table_padded];
    /* The rows, and how many of them are above. */
    short row[ROBOT_table_padded];
    int above;
} ROBOT_table_lanes;

/* a b - c d */
#define RBD_MINOR(a, b, c, d) RBD_FMA(a, b, -((c) * (d)))

/* B(I, x) of a row's subtree, as in `drift`. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_coriolis(const ROBOT_table_work *w, int i, const REAL *x, REAL *to)
{
    static const unsigned char moment[3][3] = {{3, 4, 5}, {4, 6, 7}, {5, 7, 8}};
    const REAL m = ROBOT_table_subtree_mass[i];
    REAL h[3];
    int r, c;
    for (r = 0; r < 3; r++) h[r] = w->inertia[r][i];
    for (r = 0; r < 3; r++) {
        const int f = (r + 1) % 3, g = (r + 2) % 3;
        to[r] = 2 * (m * x[r] + x[3 + f] * h[g] - x[3 + g] * h[f]);
        for (c = 0; c < 3; c++) {
            const REAL turned = x[3 + f] * w->inertia[moment[g][c]][i] - x[3 + g] * w->inertia[moment[f][c]][i];
            to[3 + 3 * r + c] = 2 * (turned + x[r] * h[c]);
        }
        to[3 + 4 * r] -= 2 * (h[0] * x[0] + h[1] * x[1] + h[2] * x[2]);
    }
}

/* s o B + B(I, p) of row i, as in `drift`. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_carried(const ROBOT_table_work *w, int i, const REAL *s, const REAL *p, REAL *to)
{
    const REAL *const o = s + 3;
    REAL l[3], m[3][3];
    int r, c;
    for (r = 0; r < 3; r++) {
        l[r] = w->drift[r][i];
        for (c = 0; c < 3; c++) m[r][c] = w->drift[3 + 3 * r + c][i];
    }
    ROBOT_table_coriolis(w, i, p, to);
    for (r = 0; r < 3; r++) {
        const int f = (r + 1) % 3, g = (r + 2) % 3;
        to[r] += o[f] * l[g] - o[g] * l[f];
        for (c = 0; c < 3; c++) {
            const int u = (c + 1) % 3, v = (c + 2) % 3;
            to[3 + 3 * r + c] += l[r] * s[c] + (o[f] * m[g][c] - o[g] * m[f][c]) - (m[r][u] * o[v] - m[r][v] * o[u]);
        }
        to[3 + 4 * r] -= l[0] * s[0] + l[1] * s[1] + l[2] * s[2];
    }
}

/* m x* f of a motion and the force of row i. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_force_cross(const REAL *m, const REAL (*f)[ROBOT_table_padded], int i, REAL *to)
{
    int k;
    for (k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        to[k] = m[3 + a] * f[b][i] - m[3 + b] * f[a][i];
        to[3 + k] = m[a] * f[b][i] - m[b] * f[a][i] + m[3 + a] * f[3 + b][i] - m[3 + b] * f[3 + a][i];
    }
}

/* Changes of all rows; what is read beyond the rows of one is zero. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_changes(const ROBOT_table_work *RBD_RESTRICT w, ROBOT_table_lanes *RBD_RESTRICT x)
{
    int i, k, c;
    for (i = 0; i < ROBOT_table_padded; i++) {
        for (k = 0; k < 6; k++) x->s[k][i] = x->a[k][i] = 0;
        for (k = 0; k < 3; k++) x->b[k][i] = x->k[k][i] = 0;
    }
    for (i = 0; i < ROBOT_table_rows; i++) {
        REAL s[6], own[12];
        for (k = 0; k < 6; k++) s[k] = w->s[k][i];
        ROBOT_table_coriolis(w, i, s, own);
        /* s o I = (B(I, s) + B(I, s)^T) / 2 */
        for (k = 0; k < 3; k++) {
            x->change[k][i] = own[k] / 2;
            for (c = 0; c < 3; c++) x->change[3 + 3 * k + c][i] = -(own[3 + 3 * k + c] + own[3 + 3 * c + k]) / 2;
        }
    }
}

/* The rows on a path with a joint's, and s of those above. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_related(const ROBOT_table_work *RBD_RESTRICT w, int first, ROBOT_table_lanes *RBD_RESTRICT x)
{
    int i, k, n = 0;
    for (i = ROBOT_table_above[first]; i >= 0; i = ROBOT_table_above[i]) n++;
    x->above = n;
    for (i = ROBOT_table_above[first]; i >= 0; i = ROBOT_table_above[i]) {
        x->row[--n] = (short)i;
        for (k = 0; k < 6; k++) x->s[k][n] = w->s[k][i];
    }
    for (i = first; i < ROBOT_table_end[first]; i++) x->row[x->above + i - first] = (short)i;
}

/* What row c has for its rows. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_of_row(const ROBOT_table_work *RBD_RESTRICT w, int c, ROBOT_table_lanes *RBD_RESTRICT x)
{
    const int above = x->above, first = ROBOT_table_first[c], below = ROBOT_table_end[c] - first;
    REAL s[6], p[6], change[12], own[12], carried[12];
    int i, k;
    for (k = 0; k < 6; k++) s[k] = w->s[k][c], p[k] = w->p[k][c];
    for (k = 0; k < 12; k++) change[k] = x->change[k][c];
    ROBOT_table_coriolis(w, c, s, own);
    ROBOT_table_carried(w, c, s, p, carried);
/* Three components of what turns row i of x, and of the moment of B^T times row i of s. */
#define RBD_TURNED(m, x) RBD_FMA((m)[0], (x)[3][i], RBD_FMA((m)[1], (x)[4][i], (m)[2] * (x)[5][i]))
#define RBD_TRANSPOSED(m, x)                                                                           \
    (RBD_MINOR((m)[f], (x)[g][i], (m)[g], (x)[f][i]) -                                                 \
     RBD_FMA((m)[3 + k], (x)[3][i], RBD_FMA((m)[6 + k], (x)[4][i], (m)[9 + k] * (x)[5][i])))
    for (k = 0; k < 3; k++) {
        const int f = (k + 1) % 3, g = (k + 2) % 3;
        const REAL *const turn = change + 3 + 3 * k;
        for (i = 0; i < above; i++) {
            x->a[k][i] = RBD_MINOR(x->s[3 + f][i], change[g], x->s[3 + g][i], change[f]);
            x->a[3 + k][i] = RBD_MINOR(change[f], x->s[g][i], change[g], x->s[f][i]) + RBD_TURNED(turn, x->s);
            x->b[k][i] = RBD_TRANSPOSED(carried, x->s);
            x->k[k][i] = RBD_TRANSPOSED(own, x->s);
        }
    }
/* The moments of m x* t1, and of the change times m. */
#define RBD_PUSHED(m)                                              \
    (RBD_MINOR((m)[f], w->t1[g][j], (m)[g], w->t1[f][j]) +         \
     RBD_MINOR((m)[3 + f], w->t1[3 + g][j], (m)[3 + g], w->t1[3 + f][j]))
#define RBD_CHANGED(m)                                                                                       \
    (RBD_MINOR((m)[g], x->change[f][j], (m)[f], x->change[g][j]) +                                           \
     RBD_FMA((m)[3], turn[0][j], RBD_FMA((m)[4], turn[1][j], (m)[5] * turn[2][j])))
    for (k = 0; k < 3; k++) {
        const int f = (k + 1) % 3, g = (k + 2) % 3;
        REAL (*const turn)[ROBOT_table_padded] = x->change + 3 + 3 * k;
        for (i = 0; i < below; i++) {
            const int j = first + i, to = above + i;
            const REAL moment = RBD_PUSHED(s);
            x->a[k][to] = RBD_MINOR(s[3 + f], w->t1[g][j], s[3 + g], w->t1[f][j]);
            x->a[3 + k][to] = moment;
            x->b[k][to] = RBD_MINOR(s[3 + f], w->t4[g][j], s[3 + g], w->t4[f][j]) + RBD_PUSHED(p) - RBD_CHANGED(p);
            x->k[k][to] = moment - RBD_CHANGED(s);
        }
    }
}

/* So many entries to a column. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_column(const ROBOT_table_lanes *RBD_RESTRICT x, const REAL *RBD_RESTRICT of, int count,
                               REAL *RBD_RESTRICT to)
{
    const int above = count < x->above ? count : x->above;
    int j;
    if (ROBOT_table_merges) {
        for (j = 0; j < count; j++) to[ROBOT_table_coordinate[x->row[j]]] += of[j];
        return;
    }
    for (j = 0; j < above; j++) to[x->row[j]] = of[j];
    if (j < count) to += x->row[j], of += j;
    for (j = 0; j < count - above; j++) to[j] = of[j];
}

/* All entries of the tensors by q and q, q and v, v and v, q and a. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_tensors(const ROBOT_table_work *RBD_RESTRICT w, REAL *RBD_RESTRICT qq, REAL *RBD_RESTRICT qv,
                                REAL *RBD_RESTRICT vv, REAL *RBD_RESTRICT qa)
{
    const WHOLE square = (WHOLE)SIZE * SIZE;
    ROBOT_table_lanes x;
    WHOLE at;
    int c, j, k, t;
    for (at = 0; at < square * SIZE; at++) qq[at] = qv[at] = vv[at] = qa[at] = 0;
    ROBOT_table_changes(w, &x);
    for (c = 0; c < ROBOT_table_rows; c++) {
        const int first = ROBOT_table_first[c], joint = ROBOT_table_joint_end[c] - first;
        int count, whole;
        if (c == first) ROBOT_table_related(w, c, &x);
        /* Where a floating base is does not matter. */
        if (ROBOT_table_floats && c < 3) continue;
        ROBOT_table_of_row(w, c, &x);
        count = x.above + ROBOT_table_end[c] - first;
        whole = (count + 3) / 4 * 4;
        for (t = 0; t < x.above + joint; t++) {
            const int d = x.row[t], own = t >= x.above, start = t - (d - ROBOT_table_first[d]);
            /* Of a floating base p is zero, and along translations r, and the angular components of s. */
            const int moves = !ROBOT_table_floats || d >= 6, turns = !ROBOT_table_floats || d >= 3;
            const WHOLE by_c = ROBOT_table_coordinate[c], by_d = ROBOT_table_coordinate[d];
            const WHOLE down = by_d * square + by_c * SIZE, up = by_c * square + by_d * SIZE;
            REAL s[6], p[6], r[6], v[6], f[6], g[6], e[6];
            for (k = 0; k < 6; k++) s[k] = w->s[k][d], p[k] = w->p[k][d], r[k] = w->r[k][d], v[k] = w->x[k][d];
            for (j = 0; j < whole; j++) {
                x.qv[j] = RBD_TIMES(v, x.a) + RBD_MOMENT_TIMES(s, x.b);
                x.qa[j] = RBD_TIMES(s, x.a);
            }
            if (turns || own) {
                for (j = 0; j < whole; j++) {
                    x.qq[j] = RBD_TIMES(r, x.a) + RBD_MOMENT_TIMES(p, x.b);
                    x.vq[j] = RBD_MOMENT_TIMES(p, x.k);
                    x.vv[j] = RBD_MOMENT_TIMES(s, x.k);
                }
            }
            ROBOT_table_force_cross(s, w->t1, c, f);
            if (start > 0) {
                /* For rows above the joint of d: s_d x* t3, t2 and t1 of c. */
                ROBOT_table_force_cross(s, w->t3, c, g);
                ROBOT_table_force_cross(s, w->t2, c, e);
                for (j = 0; j < start; j++) {
                    x.qq[j] += RBD_TIMES(g, x.s);
                    x.vq[j] += RBD_TIMES(e, x.s);
                    x.aq[j] = RBD_TIMES(f, x.s);
                }
                ROBOT_table_column(&x, x.aq, start, qa + up);
            }
            if (moves) ROBOT_table_column(&x, x.vq, count, qv + up);
            if (own) {
                /* Within a joint each ordered pair is on its own; what is symmetric is made once. */
                ROBOT_table_column(&x, x.qq, count, qq + down);
                if (d > c) continue;
                for (k = 0; k < 6; k++) s[k] = w->s[k][c];
                ROBOT_table_force_cross(s, w->t1, d, e);
                for (k = 0; k < 6; k++) e[k] += f[k];
                for (j = 0; j < start; j++) x.vv[j] = RBD_TIMES(e, x.s);
                for (; j < count; j++) x.vv[j] -= x.qa[j];
            } else {
                ROBOT_table_column(&x, x.qv, count, qv + down);
                ROBOT_table_column(&x, x.qa, count, qa + down);
                if (!turns) continue;
                ROBOT_table_column(&x, x.qq, count, qq + down);
                ROBOT_table_column(&x, x.qq, count, qq + up);
            }
            ROBOT_table_column(&x, x.vv, count, vv + down);
            if (d != c) ROBOT_table_column(&x, x.vv, count, vv + up);
        }
    }
}

/* Second derivatives of torques; `fext` may be null. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_rnea_tensors(const REAL *q, const REAL *sin_q, const REAL *cos_q, const REAL *v, const REAL *a,
                                     const REAL *fext, REAL *qq, REAL *qv, REAL *vv, REAL *qa)
{
    ROBOT_table_work w;
    ROBOT_table_about_one_point(&w, q, sin_q, cos_q, v, a, fext);
    ROBOT_table_moments_of_subtrees(&w, 1);
    ROBOT_table_forces_of_subtrees(&w);
    ROBOT_table_of_subtrees(&w, 1);
    ROBOT_table_tensors(&w, qq, qv, vv, qa);
    FRICTION ROBOT_table_friction(&w, 2, 0, vv, (WHOLE)SIZE * SIZE + SIZE + 1);
}
