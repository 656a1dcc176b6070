//! The numbers of `rbd_runtime::sincos`, as machine code reads them.

/// Numbers that are read, each as often as a register has lanes.
pub const NUMBERS: [u64; 22] = [
    !(1 << 63),        // All bits but the sign.
    1e5_f64.to_bits(), // The largest angle.
    std::f64::consts::FRAC_2_PI.to_bits(),
    6_755_399_441_055_744.0_f64.to_bits(), // Rounds to an integer, in the low bits.
    (-1.570_796_326_734_125_6_f64).to_bits(), // Half a turn's half in three parts.
    (-6.077_100_506_303_966e-11_f64).to_bits(),
    (-2.022_266_248_795_950_6e-21_f64).to_bits(),
    0.5_f64.to_bits(),
    1.0_f64.to_bits(),
    1 << 63, // The sign.
    // Sine, the highest power first.
    1.589_690_995_211_55e-10_f64.to_bits(),
    (-2.505_076_025_340_686_3e-8_f64).to_bits(),
    2.755_731_370_707_006_8e-6_f64.to_bits(),
    (-1.984_126_982_985_795e-4_f64).to_bits(),
    8.333_333_333_322_49e-3_f64.to_bits(),
    (-1.666_666_666_666_663_2e-1_f64).to_bits(),
    // Cosine.
    (-1.135_964_755_778_819_5e-11_f64).to_bits(),
    2.087_572_321_298_175e-9_f64.to_bits(),
    (-2.755_731_435_139_066_3e-7_f64).to_bits(),
    2.480_158_728_947_673e-5_f64.to_bits(),
    (-1.388_888_888_887_411e-3_f64).to_bits(),
    4.166_666_666_666_66e-2_f64.to_bits(),
];
/// Numbers that are read in single precision.
#[cfg(target_arch = "x86_64")]
pub const SINGLE: [u32; 16] = [
    !(1 << 31),
    400.0_f32.to_bits(),
    std::f32::consts::FRAC_2_PI.to_bits(),
    12_582_912.0_f32.to_bits(),
    (-1.570_770_3_f32).to_bits(),
    (-2.606_306_2e-5_f32).to_bits(),
    (-6.077_100_5e-11_f32).to_bits(),
    0.5_f32.to_bits(),
    1.0_f32.to_bits(),
    1 << 31,
    (-1.951_495_8e-4_f32).to_bits(),
    8.332_158e-3_f32.to_bits(),
    (-1.666_665_5e-1_f32).to_bits(),
    2.443_278_5e-5_f32.to_bits(),
    (-1.388_731_3e-3_f32).to_bits(),
    4.166_664_6e-2_f32.to_bits(),
];
/// The places of numbers. `SIN` and `COS` are those of the first of so many `TERMS`.
#[cfg(target_arch = "x86_64")]
pub const NO_SIGN: usize = 0;
pub const LARGEST: usize = 1;
pub const TWO_OVER_PI: usize = 2;
pub const ROUND: usize = 3;
pub const QUARTER: [usize; 3] = [4, 5, 6];
pub const HALF: usize = 7;
pub const ONE: usize = 8;
pub const SIGN: usize = 9;
pub const SIN: usize = 10;
pub const COS: usize = 16;
pub const TERMS: usize = 6;
/// The place of the cosine's first one in single precision, and how many terms there are.
#[cfg(target_arch = "x86_64")]
pub const COS_SINGLE: usize = 13;
#[cfg(target_arch = "x86_64")]
pub const TERMS_SINGLE: usize = 3;
