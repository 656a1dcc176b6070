
/* Loops over tables: the same text for every robot. A row is a degree of freedom, whose frame has its z axis along it; those
 * of mimic joints have rows of their own, and a body's frame is its joint's last row. Spatial vectors are [linear; angular],
 * in the axes of a floating base or else the world's, at the point of the row's segment. Arrays are over rows, each component
 * by itself, so that compilers put neighbouring rows side by side. */
typedef struct {
    REAL v[ROBOT_table_padded], a[ROBOT_table_padded];
    REAL sine[ROBOT_table_padded], cosine[ROBOT_table_padded], length[ROBOT_table_padded];
    /* In the parent's frame: three columns of the rotation, and the translation. */
    REAL relative[12][ROBOT_table_padded];
    /* In the common axes, at the segment's point. */
    REAL frame[12][ROBOT_table_padded];
    /* A segment's point, from that of the segment which carries it. */
    REAL hop[ROBOT_table_segments][3];
    /* Axes, and p = v_parent x s, x = v_parent x s + v x s, r = a_parent x s + v_parent x p. */
    REAL s[6][ROBOT_table_padded], p[6][ROBOT_table_padded], x[6][ROBOT_table_padded], r[6][ROBOT_table_padded];
    REAL velocity[6][ROBOT_table_padded], acceleration[6][ROBOT_table_padded];
    /* Of bodies, then of subtrees: first and second moments; twice the momentum, and the angular block of the Coriolis
     * operator; forces. */
    REAL inertia[9][ROBOT_table_padded], drift[12][ROBOT_table_padded], force[6][ROBOT_table_padded];
    REAL t1[6][ROBOT_table_padded], t2[6][ROBOT_table_padded], t3[6][ROBOT_table_padded];
    REAL t4[3][ROBOT_table_padded];
    REAL tau[ROBOT_table_padded];
    /* Columns of the rotation from the world's axes, and the acceleration that stands for gravity. */
    REAL world[9], start[6];
} ROBOT_table_work;

/* Three components of row i. */
#define RBD_GET3(n, from, k) const REAL n##0 = (from)[k][i], n##1 = (from)[(k) + 1][i], n##2 = (from)[(k) + 2][i]
#define RBD_PUT3(to, k, n) (to)[k][i] = n##0, (to)[(k) + 1][i] = n##1, (to)[(k) + 2][i] = n##2
#define RBD_CROSS(n, a, b)                                     \
    const REAL n##0 = RBD_FMA(a##1, b##2, -(a##2 * b##1));     \
    const REAL n##1 = RBD_FMA(a##2, b##0, -(a##0 * b##2));     \
    const REAL n##2 = RBD_FMA(a##0, b##1, -(a##1 * b##0))
/* a x b + c */
#define RBD_CROSS_ADD(n, a, b, c)                                        \
    const REAL n##0 = RBD_FMA(a##1, b##2, RBD_FMA(-a##2, b##1, c##0));   \
    const REAL n##1 = RBD_FMA(a##2, b##0, RBD_FMA(-a##0, b##2, c##1));   \
    const REAL n##2 = RBD_FMA(a##0, b##1, RBD_FMA(-a##1, b##0, c##2))
/* k a + c */
#define RBD_SCALE_ADD(n, a, k, c) \
    const REAL n##0 = RBD_FMA(a##0, k, c##0), n##1 = RBD_FMA(a##1, k, c##1), n##2 = RBD_FMA(a##2, k, c##2)
#define RBD_DOT(a, b) RBD_FMA(a##0, b##0, RBD_FMA(a##1, b##1, a##2 * b##2))

#ifndef RBD_COPIED
#if RBD_VECTORS
#define RBD_COPIED inline __attribute__((always_inline))
#else
#define RBD_COPIED
#endif
#endif

/* The rotation of a unit quaternion [x, y, z, w], by columns. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_rotation(const REAL *q, REAL *m)
{
    const REAL x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
    const REAL xx = q[0] * x2, yy = q[1] * y2, zz = q[2] * z2, xy = q[0] * y2, xz = q[0] * z2, yz = q[1] * z2;
    const REAL wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
    m[0] = 1 - (yy + zz), m[1] = xy + wz, m[2] = xz - wy;
    m[3] = xy - wz, m[4] = 1 - (xx + zz), m[5] = yz + wx;
    m[6] = xz + wy, m[7] = yz - wx, m[8] = 1 - (xx + yy);
}

/* The placement of a joint of several degrees of freedom; that of a planar one is given as if it only turned. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_place(int joint, int row, const REAL *q, REAL *place)
{
    const REAL *const at = q + ROBOT_table_joint_position[joint];
    const int turns = ROBOT_table_joint_kind[joint] != 1;
    REAL m[12], turn[9] = {0}, shift[3] = {0};
    int c, k;
    for (k = 0; k < 12; k++) m[k] = ROBOT_table_placement[k][row];
    switch (ROBOT_table_joint_kind[joint]) {
    case 1: shift[0] = at[0], shift[1] = at[1]; break;
    case 2: ROBOT_table_rotation(at, turn); break;
    default: shift[0] = at[0], shift[1] = at[1], shift[2] = at[2], ROBOT_table_rotation(at + 3, turn); break;
    }
    for (k = 0; k < 3; k++) {
        for (c = 0; turns && c < 3; c++) {
            place[3 * c + k] = RBD_FMA(m[k], turn[3 * c], RBD_FMA(m[3 + k], turn[3 * c + 1], m[6 + k] * turn[3 * c + 2]));
        }
        place[9 + k] = m[9 + k] + RBD_FMA(m[k], shift[0], RBD_FMA(m[3 + k], shift[1], m[6 + k] * shift[2]));
    }
}

/* Coordinates of rows; what turns as a coordinate does has its sine and cosine. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_gather(ROBOT_table_work *w, const REAL *q, const REAL *sin_q, const REAL *cos_q, const REAL *v)
{
    int i, k;
    for (i = 0; i < ROBOT_table_padded; i++) {
        w->v[i] = w->a[i] = w->sine[i] = w->cosine[i] = w->length[i] = w->tau[i] = 0;
        for (k = 0; k < 12; k++) w->frame[k][i] = 0;
    }
    /* What is read beyond the last vector. */
    for (i = ROBOT_table_vectors; i < ROBOT_table_padded; i++) {
        for (k = 0; k < 6; k++) w->t1[k][i] = w->t2[k][i] = w->t3[k][i] = 0;
        for (k = 0; k < 3; k++) w->t4[k][i] = 0;
    }
    for (i = 0; i < ROBOT_table_rows; i++) {
        const int at = ROBOT_table_position[i];
        const REAL ratio = ROBOT_table_ratio[i], x = RBD_FMA(q[at], ratio, ROBOT_table_offset[i]);
        w->v[i] = v ? v[ROBOT_table_coordinate[i]] : 0;
        w->cosine[i] = 1;
        switch (ROBOT_table_angle[i]) {
        case 0: w->length[i] = x; break;
        case 1: {
            const REAL s = sin_q[at] * ratio, c = cos_q[at];
            const REAL by_s = ROBOT_table_offset_sine[i], by_c = ROBOT_table_offset_cosine[i];
            w->sine[i] = RBD_FMA(s, by_c, c * by_s);
            w->cosine[i] = RBD_FMA(c, by_c, -(s * by_s));
            break;
        }
        case 2: ROBOT_sin_cos(1, &x, &w->sine[i], &w->cosine[i]); break;
        default: break;
        }
    }
}

/* Where every row is. */
RBD_PERHAPS_UNUSED
static void ROBOT_table_placements(ROBOT_table_work *RBD_RESTRICT w, const REAL *q)
{
    int i, j, k, c;
    for (i = 0; i < ROBOT_table_vectors; i++) {
        const REAL s = w->sine[i], cosine = w->cosine[i], length = w->length[i], minus = -s;
        RBD_GET3(x, ROBOT_table_placement, 0);
        RBD_GET3(y, ROBOT_table_placement, 3);
        RBD_GET3(z, ROBOT_table_placement, 6);
        RBD_GET3(d, ROBOT_table_placement, 9);
        const REAL xs0 = x0 * minus, xs1 = x1 * minus, xs2 = x2 * minus, ys0 = y0 * s, ys1 = y1 * s, ys2 = y2 * s;
        RBD_SCALE_ADD(a, x, cosine, ys);
        RBD_SCALE_ADD(b, y, cosine, xs);
        RBD_SCALE_ADD(p, z, length, d);
        RBD_PUT3(w->relative, 0, a);
        RBD_PUT3(w->relative, 3, b);
        RBD_PUT3(w->relative, 6, z);
        RBD_PUT3(w->relative, 9, p);
    }
    for (k = 0; k < 9; k++) w->world[k] = k % 4 == 0 ? (REAL)1 : (REAL)0;
    if (ROBOT_table_floats) {
        REAL place[12];
        ROBOT_table_place(0, 5, q, place);
        for (k = 0; k < 9; k++) w->world[k] = place[3 * (k % 3) + k / 3];
    }
    for (k = 0; k < 3; k++) {
        w->start[k] = -RBD_FMA(w->world[k], ROBOT_table_gravity[0], RBD_FMA(w->world[3 + k], ROBOT_table_gravity[1],
                                                                             w->world[6 + k] * ROBOT_table_gravity[2]));
        w->start[3 + k] = 0;
    }
    for (j = 0; j < ROBOT_table_joints; j++) {
        const int first = ROBOT_table_joint_first[j], last = ROBOT_table_joint_last[j], parent = ROBOT_table_above[first];
        const int segment = ROBOT_table_segment[first];
        REAL place[12], r[12], m[12];
        for (k = 0; k < 12; k++) {
            place[k] = w->relative[k][last];
            r[k] = parent >= 0 ? w->frame[k][parent] : k < 9 ? w->world[k] : 0;
        }
        if (first < last) ROBOT_table_place(j, last, q, place);
        for (c = 0; c < 12; c += 3) {
            for (k = 0; k < 3; k++) {
                const REAL sum = c < 9 ? place[c] * r[k] : RBD_FMA(place[c], r[k], r[9 + k]);
                m[c + k] = RBD_FMA(place[c + 2], r[6 + k], RBD_FMA(place[c + 1], r[3 + k], sum));
            }
        }
        if (parent < 0 || ROBOT_table_segment[parent] != segment) {
            if (ROBOT_table_segment_first[segment] == first) {
                const int rides = ROBOT_table_segment_rides[segment];
                for (k = 0; k < 3; k++) {
                    const REAL still = RBD_FMA(ROBOT_table_placement[9][last], r[k], r[9 + k]);
                    w->hop[segment][k] = rides ? m[9 + k] : RBD_FMA(ROBOT_table_placement[11][last], r[6 + k],
                                                        RBD_FMA(ROBOT_table_placement[10][last], r[3 + k], still));
                }
            }
            for (k = 0; k < 3; k++) m[9 + k] -= w->hop[segment][k];
        }
        if (ROBOT_table_floats && j == 0) {
            for (k = 0; k < 9; k++) m[k] = k % 4 == 0 ? (REAL)1 : (REAL)0;
        }
        /* The z axis of a row is along its degree of freedom: x, y, z in turn. */
        for (i = first; i <= last; i++) {
            const int turned = last - i;
            for (c = 0; c < 3; c++) {
                for (k = 0; k < 3; k++) w->frame[3 * ((c + turned) % 3) + k][i] = m[3 * c + k];
            }
            for (k = 0; k < 3; k++) w->frame[9 + k][i] = m[9 + k];
        }
    }
}
