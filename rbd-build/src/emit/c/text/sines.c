
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
        const int left = n - i;
        int k;
        ROBOT_v4 x = RBD_SPLAT4(0), sine, cosine;
        if (left >= 4) {
            x = *(const ROBOT_u4 *)(q + i);
        } else {
            x[0] = q[i];
            if (left > 1) x[1] = q[i + 1];
            if (left > 2) x[2] = q[i + 2];
        }
        const ROBOT_i4 within = (ROBOT_i4)((x >= RBD_SPLAT4(-RBD_RANGE)) & (x <= RBD_SPLAT4(RBD_RANGE)));
        if (!(within[0] & within[1] & within[2] & within[3])) {
            for (k = 0; k < left && k < 4; k++) {
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
        if (left >= 4) {
            *(ROBOT_u4 *)(s + i) = sine;
            *(ROBOT_u4 *)(c + i) = cosine;
            continue;
        }
        s[i] = sine[0];
        c[i] = cosine[0];
        if (left > 1) s[i + 1] = sine[1];
        if (left > 1) c[i + 1] = cosine[1];
        if (left > 2) s[i + 2] = sine[2];
        if (left > 2) c[i + 2] = cosine[2];
    }
#else
    for (i = 0; i < n; i++) {
        ROBOT_sin_cos_one(q[i], &s[i], &c[i]);
    }
#endif
}

