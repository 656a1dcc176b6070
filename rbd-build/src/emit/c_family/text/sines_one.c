
/* Sine and cosine of an angle: less a whole number of quarter turns (pi / 2 in three parts, after Cody and Waite), by
 * polynomials. RBD_SINCOS(x, &s, &c) takes the place of this. */
#ifndef RBD_SINCOS
#define RBD_SAME(x) (x)
RBD_PERHAPS_UNUSED
static void ROBOT_sin_cos_one(REAL q, REAL *s, REAL *c)
{
    if (!(q >= -RBD_RANGE && q <= RBD_RANGE)) {
        *s = RBD_SIN(q);
        *c = RBD_COS(q);
        return;
    }
    const REAL turns = q * RBD_TWO_OVER_PI;
    const WHOLE number = (WHOLE)(turns < 0 ? turns - (REAL)0.5 : turns + (REAL)0.5);
    const REAL quarters = (REAL)number;
    const REAL coarse = RBD_FMA(quarters, RBD_HALF_PI_1, q);
    const REAL r = RBD_FMA(quarters, RBD_HALF_PI_2, coarse);
    const REAL tail = RBD_FMA(quarters, RBD_HALF_PI_3, RBD_FMA(quarters, RBD_HALF_PI_2, coarse - r));
    const REAL r2 = r * r, halved = (REAL)0.5 * r2, low = 1 - halved;
    const REAL sine = r + RBD_FMA(r2 * r, RBD_SIN_POLYNOMIAL(r2, RBD_FMA, RBD_SAME), tail * low);
    const REAL rest = (1 - low) - halved;
    const REAL cosine = low + (RBD_FMA(r2 * r2, RBD_COS_POLYNOMIAL(r2, RBD_FMA, RBD_SAME), rest) - r * tail);
    const REAL of_odd = number & 1 ? cosine : sine, of_even = number & 1 ? sine : cosine;
    *s = number & 2 ? -of_odd : of_odd;
    *c = (number + 1) & 2 ? -of_even : of_even;
}
#endif
