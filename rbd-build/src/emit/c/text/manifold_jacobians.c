/* A function of a rotation vector w, 1 + a [w] + b [w]^2, and the derivatives of a and b by the square of w's length. */
typedef struct {
    REAL a, b, da, db;
} ROBOT_quadratic;

/* The right Jacobian of the exponential: a = -(1 - cos t) / t^2, b = (t - sin t) / t^3. */
static ROBOT_quadratic ROBOT_right_jacobian(REAL x2)
{
    /* (-1)^k / (2k+3)!, from k = 0; k (-1)^k / (2k+2)! and k (-1)^k / (2k+3)!, from k = 1 */
    static const double of_b[9] = {1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800,
        -1.0 / 6227020800.0, 1.0 / 1307674368000.0, -1.0 / 355687428096000.0, 1.0 / 121645100408832000.0};
    static const double of_da[8] = {-1.0 / 24, 2.0 / 720, -3.0 / 40320, 4.0 / 3628800, -5.0 / 479001600,
        6.0 / 87178291200.0, -7.0 / 20922789888000.0, 8.0 / 6402373705728000.0};
    static const double of_db[8] = {-1.0 / 120, 2.0 / 5040, -3.0 / 362880, 4.0 / 39916800, -5.0 / 6227020800.0,
        6.0 / 1307674368000.0, -7.0 / 355687428096000.0, 8.0 / 121645100408832000.0};
    ROBOT_quadratic f;
    REAL sinc, cosine, a;
    ROBOT_sinc_cos(x2 * (REAL)0.25, &sinc, &cosine);
    a = sinc * sinc * (REAL)0.5;
    f.a = -a;
    if (x2 < 1) {
        f.b = ROBOT_polynomial(x2, of_b, 9);
        f.da = -ROBOT_polynomial(x2, of_da, 8);
        f.db = ROBOT_polynomial(x2, of_db, 8);
    } else {
        f.b = (1 - sinc * cosine) / x2;
        f.da = (a + a - sinc * cosine) * (REAL)0.5 / x2;
        f.db = (a - 3 * f.b) * (REAL)0.5 / x2;
    }
    return f;
}

/* Its inverse: a = 1/2, b = (1 - (t/2) cot(t/2)) / t^2. */
static ROBOT_quadratic ROBOT_inverse_right_jacobian(REAL x2)
{
    /* |B_2k| / (2k)! from k = 1, with the Bernoulli numbers, and k |B_2k+2| / (2k+2)! */
    static const double of_b[8] = {1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160,
        691.0 / 1307674368000.0, 1.0 / 74724249600.0, 3617.0 / 10670622842880000.0};
    static const double of_db[7] = {1.0 / 720, 2.0 / 30240, 3.0 / 1209600, 4.0 / 47900160, 5 * 691.0 / 1307674368000.0,
        6.0 / 74724249600.0, 7 * 3617.0 / 10670622842880000.0};
    ROBOT_quadratic f = {(REAL)0.5, 0, 0, 0};
    if (x2 < (REAL)0.25) {
        f.b = ROBOT_polynomial(x2, of_b, 8);
        f.db = ROBOT_polynomial(x2, of_db, 7);
    } else {
        REAL sinc, cosine, half_cot;
        ROBOT_sinc_cos(x2 * (REAL)0.25, &sinc, &cosine);
        half_cot = cosine / sinc;
        f.b = (1 - half_cot) / x2;
        f.db = ((half_cot + 1 / (sinc * sinc)) * (REAL)0.5 - 1) / (x2 * x2);
    }
    return f;
}

