
RBD_PERHAPS_UNUSED
static void ROBOT_sin_cos(int n, const REAL *q, REAL *s, REAL *c)
{
    int i;
#if defined(RBD_SINCOS)
    for (i = 0; i < n; i++) {
        RBD_SINCOS(q[i], &s[i], &c[i]);
    }
#elif RBD_VECTORS && !defined(__FAST_MATH__)
    for (i = 0; i < n; i += 4) {
        const int left = n - i < 4 ? n - i : 4;
        int k, within = 1;
        ROBOT_v4 x = RBD_SPLAT4(0), sine, cosine;
        for (k = 0; k < left; k++) {
            x[k] = q[i + k];
            within = within && x[k] >= -RBD_RANGE && x[k] <= RBD_RANGE;
        }
        if (!within) {
            for (k = 0; k < left; k++) {
                ROBOT_sin_cos_one(q[i + k], &s[i + k], &c[i + k]);
            }
            continue;
        }
        /* Adding this leaves the number of quarter turns in the low bits. */
        const ROBOT_v4 shifted = RBD_FMA4(x, RBD_SPLAT4(RBD_TWO_OVER_PI), RBD_SPLAT4(RBD_ROUND));
        const ROBOT_v4 quarters = shifted - RBD_SPLAT4(RBD_ROUND);
        const ROBOT_v4 coarse = RBD_FMA4(quarters, RBD_SPLAT4(RBD_HALF_PI_1), x);
        const ROBOT_v4 r = RBD_FMA4(quarters, RBD_SPLAT4(RBD_HALF_PI_2), coarse);
        const ROBOT_v4 tail = RBD_FMA4(quarters, RBD_SPLAT4(RBD_HALF_PI_3),
                                       RBD_FMA4(quarters, RBD_SPLAT4(RBD_HALF_PI_2), coarse - r));
        const ROBOT_v4 r2 = r * r, half = RBD_SPLAT4((REAL)0.5) * r2, low = RBD_SPLAT4(1) - half;
        const ROBOT_v4 rest = (RBD_SPLAT4(1) - low) - half;
        sine = r + RBD_FMA4(r2 * r, RBD_SIN_POLYNOMIAL(r2, RBD_FMA4, RBD_SPLAT4), tail * low);
        cosine = low + (RBD_FMA4(r2 * r2, RBD_COS_POLYNOMIAL(r2, RBD_FMA4, RBD_SPLAT4), rest) - r * tail);
        /* One or three quarters: swap. Signs of the sine: + + - -, of the cosine: + - - +. */
        const ROBOT_i4 bits = (ROBOT_i4)shifted, odd = -(bits & 1);
        const ROBOT_i4 far = (bits & 2) << RBD_SIGN_SHIFT, near = ((bits + 1) & 2) << RBD_SIGN_SHIFT;
        const ROBOT_i4 a = (ROBOT_i4)sine, b = (ROBOT_i4)cosine;
        sine = (ROBOT_v4)(((b & odd) | (a & ~odd)) ^ far);
        cosine = (ROBOT_v4)(((a & odd) | (b & ~odd)) ^ near);
        for (k = 0; k < left; k++) {
            s[i + k] = sine[k];
            c[i + k] = cosine[k];
        }
    }
#else
    for (i = 0; i < n; i++) {
        ROBOT_sin_cos_one(q[i], &s[i], &c[i]);
    }
#endif
}

