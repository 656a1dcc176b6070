//! Sines, cosines and arc tangents of integers.

use super::{product, wrap};

/// Constants of [`sine`] for one format. Hardware that uses them takes the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SineSteps {
    /// Bits of every number.
    pub bits: u32,
    /// The angle times this, less [`Self::turn_shift`] bits, is its part of a turn: a turn is 2^bits.
    pub turn: i32,
    /// See [`Self::turn`].
    pub turn_shift: u32,
    /// Bits behind the point in the polynomial.
    pub shift: u32,
    /// Coefficients of the polynomial in the square, from the constant on.
    pub coefficients: [i32; 5],
    /// Number of coefficients in use.
    pub terms: usize,
    /// Bits that the last product loses.
    pub last_shift: u32,
}

/// `sin(pi/2 y) = y p(y^2)` for y from -1 to 1 with the least error (Remez's exchange): 5.9e-7 by
/// four coefficients and 3.4e-9 by five; in steps of 2^-60.
const FOUR: [i64; 4] =
    [1_810_998_735_914_099_914, -744_663_755_946_360_325, 91_581_564_159_610_841, -4_995_718_760_808_102];
const FIVE: [i64; 5] = [
    1_811_004_822_123_532_081,
    -744_745_048_778_775_930,
    91_874_562_889_183_676,
    -5_386_712_053_608_238,
    173_884_275_084_774,
];
/// 2^60 / pi.
const OVER_PI: i64 = 366_986_312_910_250_153;
/// Most fractional bits for which four coefficients suffice: their error is then 0.04 steps.
const FOUR_SUFFICE: u32 = 16;

/// A number in steps of 2^-60 in coarser ones.
const fn coarser(x: i64, frac: u32) -> i64 {
    (x + (1 << (59 - frac))) >> (60 - frac)
}

impl SineSteps {
    /// Constants for a format of `bits` bits with `frac` fractional bits.
    #[must_use]
    pub const fn new(frac: u32, bits: u32) -> Self {
        let shift = bits - 2;
        let mut coefficients = [0; 5];
        let terms = if frac <= FOUR_SUFFICE { 4 } else { 5 };
        let mut k = 0;
        while k < terms {
            coefficients[k] = coarser(if terms == 4 { FOUR[k] } else { FIVE[k] }, shift) as i32;
            k += 1;
        }
        Self {
            bits,
            turn: coarser(OVER_PI, bits) as i32,
            turn_shift: frac + 1,
            shift,
            coefficients,
            terms,
            last_shift: 2 * shift - frac,
        }
    }
}

/// Reflects a part of a turn into a quarter turn with the same sine.
#[inline(always)]
#[must_use]
pub const fn fold(turns: i32, bits: u32) -> i32 {
    let beyond = ((turns >> (bits - 1)) ^ (turns >> (bits - 2))) & 1 == 1;
    if beyond { wrap((1 << (bits - 1)) - turns as i64, bits) } else { turns }
}

/// Sine of a part of a turn, in integers only.
///
/// The angle is folded into a quarter turn; then an odd polynomial follows. With `y` the folded
/// angle in quarter turns and `z = y^2`, the sine is `y (c0 + z (c1 + z (c2 + ..)))`. Each product
/// is rounded as [`product`] does.
#[inline]
#[must_use]
pub const fn sine(turns: i32, steps: &SineSteps) -> i32 {
    let SineSteps { bits, shift, .. } = *steps;
    let y = fold(turns, bits);
    let z = product(y, y, shift, bits);
    let mut k = steps.terms - 1;
    let mut sum = steps.coefficients[k];
    while k > 0 {
        k -= 1;
        sum = wrap(steps.coefficients[k] as i64 + product(z, sum, shift, bits) as i64, bits);
    }
    product(y, sum, steps.last_shift, bits)
}

/// Sine and cosine of an angle in radians.
#[inline]
pub(super) const fn sin_cos(angle: i32, frac: u32, bits: u32) -> (i32, i32) {
    let steps = SineSteps::new(frac, bits);
    let turns = product(angle, steps.turn, steps.turn_shift, bits);
    let quarter_on = wrap(turns as i64 + (1 << (bits - 2)), bits);
    (sine(turns, &steps), sine(quarter_on, &steps))
}

/// Arc tangents of 2^-k in steps of 2^-60.
const ARC_TANGENTS: [i64; 34] = [
    905_502_432_259_640_355,
    534_549_298_976_576_474,
    282_441_168_888_798_124,
    143_371_547_418_228_444,
    71_963_988_336_308_046,
    36_017_075_762_092_179,
    18_012_932_708_689_205,
    9_007_016_009_513_623,
    4_503_576_721_087_964,
    2_251_796_950_380_271,
    1_125_899_548_928_887,
    562_949_908_682_076,
    281_474_971_118_251,
    140_737_487_656_277,
    70_368_744_090_283,
    35_184_372_077_909,
    17_592_186_043_051,
    8_796_093_022_037,
    4_398_046_511_083,
    2_199_023_255_549,
    1_099_511_627_776,
    549_755_813_888,
    274_877_906_944,
    137_438_953_472,
    68_719_476_736,
    34_359_738_368,
    17_179_869_184,
    8_589_934_592,
    4_294_967_296,
    2_147_483_648,
    1_073_741_824,
    536_870_912,
    268_435_456,
    134_217_728,
];
const PI: i64 = 3_622_009_729_038_561_421;

/// Angle of the point `(x, y)`, by CORDIC: turns the point to the axis by ever smaller known
/// angles.
#[inline]
pub(super) const fn atan2(y: i32, x: i32, frac: u32) -> i64 {
    if x == 0 && y == 0 {
        return 0;
    }
    let (mut x, mut y) = (x as i64, y as i64);
    let mut angle = 0;
    if x < 0 {
        angle = if y < 0 { -PI } else { PI };
        (x, y) = (-x, -y);
    }
    // Scales up to the full word, less the factor 1.65 by which the turns lengthen the vector.
    let largest = if x.unsigned_abs() > y.unsigned_abs() { x.unsigned_abs() } else { y.unsigned_abs() };
    let room = largest.leading_zeros() - 4;
    (x, y) = (x << room, y << room);
    let mut k = 0;
    while k < ARC_TANGENTS.len() {
        let turned = (y >> k, x >> k);
        if y < 0 {
            (x, y, angle) = (x - turned.0, y + turned.1, angle - ARC_TANGENTS[k]);
        } else if y > 0 {
            (x, y, angle) = (x + turned.0, y - turned.1, angle + ARC_TANGENTS[k]);
        }
        k += 1;
    }
    coarser(angle, frac)
}
