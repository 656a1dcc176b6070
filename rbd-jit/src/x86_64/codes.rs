//! The processor's instructions for each operation, by how many numbers there are.

use crate::Number;
use iced_x86::Code::{self, *};

/// Number of lanes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    One,
    Two,
    Four,
    Eight,
    Sixteen,
}

/// The size of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Eight bytes.
    Double,
    /// Four bytes.
    Single,
}

impl Size {
    /// Size of a type's numbers.
    pub fn of<T: Number>() -> Self {
        if T::IS_DOUBLE { Self::Double } else { Self::Single }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> i64 {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }

    /// The widths that are moved in one go, up to this one, the widest first. Two numbers of single precision
    /// are not.
    pub fn widths(self, widest: Width) -> impl DoubleEndedIterator<Item = Width> {
        let all = [Width::Sixteen, Width::Eight, Width::Four, Width::Two, Width::One];
        let is_there = move |width: &Width| *width <= widest && (self, *width) != (Self::Single, Width::Two);
        all.into_iter().filter(is_there)
    }

    /// Index of the register that a width takes: the lowest number of one, all of it, or one of twice or four
    /// times the size.
    fn register(self, width: Width) -> usize {
        match self {
            Self::Double => width as usize,
            Self::Single => (width as usize).saturating_sub(1).max(usize::from(width != Width::One)),
        }
    }

    /// Number of register bytes that a width needs: 16, 32 or 64.
    pub fn register_bytes(self, width: Width) -> usize {
        [16, 16, 32, 64][self.register(width)]
    }
}

impl Width {
    /// Width of this many numbers.
    pub fn of(numbers: usize) -> Self {
        match numbers {
            1 => Self::One,
            2 => Self::Two,
            4 => Self::Four,
            8 => Self::Eight,
            16 => Self::Sixteen,
            _ => unreachable!("there is no register of {numbers}"),
        }
    }

    /// Number of lanes.
    pub fn numbers(self) -> usize {
        1 << self as usize
    }
}

/// The instructions of one operation: those of AVX2 and FMA, and those of AVX-512, which have 32 registers.
/// Each for doubles and in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    double: OfSize,
    single: OfSize,
}

/// The instructions for numbers of one size, by the size of the register.
#[derive(Clone, Copy, Debug)]
struct OfSize {
    vex: [Code; 3],
    evex: [Code; 4],
}

impl Codes {
    /// The instruction of this width. `is_high` says whether it names one of the upper 16 registers.
    pub fn of(&self, size: Size, width: Width, is_high: bool) -> Code {
        let of = match size {
            Size::Double => &self.double,
            Size::Single => &self.single,
        };
        let register = size.register(width);
        match of.vex.get(register) {
            Some(code) if !is_high => *code,
            _ => of.evex[register],
        }
    }
}

const fn codes(double: ([Code; 3], [Code; 4]), single: ([Code; 3], [Code; 4])) -> Codes {
    Codes {
        double: OfSize { vex: double.0, evex: double.1 },
        single: OfSize { vex: single.0, evex: single.1 },
    }
}

/// Sums.
pub const ADD: Codes = codes(
    (
        [VEX_Vaddsd_xmm_xmm_xmmm64, VEX_Vaddpd_xmm_xmm_xmmm128, VEX_Vaddpd_ymm_ymm_ymmm256],
        [
            EVEX_Vaddsd_xmm_k1z_xmm_xmmm64_er,
            EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
        ],
    ),
    (
        [VEX_Vaddss_xmm_xmm_xmmm32, VEX_Vaddps_xmm_xmm_xmmm128, VEX_Vaddps_ymm_ymm_ymmm256],
        [
            EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er,
            EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    ),
);
/// Differences.
pub const SUB: Codes = codes(
    (
        [VEX_Vsubsd_xmm_xmm_xmmm64, VEX_Vsubpd_xmm_xmm_xmmm128, VEX_Vsubpd_ymm_ymm_ymmm256],
        [
            EVEX_Vsubsd_xmm_k1z_xmm_xmmm64_er,
            EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vsubpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
        ],
    ),
    (
        [VEX_Vsubss_xmm_xmm_xmmm32, VEX_Vsubps_xmm_xmm_xmmm128, VEX_Vsubps_ymm_ymm_ymmm256],
        [
            EVEX_Vsubss_xmm_k1z_xmm_xmmm32_er,
            EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    ),
);
/// Products.
pub const MUL: Codes = codes(
    (
        [VEX_Vmulsd_xmm_xmm_xmmm64, VEX_Vmulpd_xmm_xmm_xmmm128, VEX_Vmulpd_ymm_ymm_ymmm256],
        [
            EVEX_Vmulsd_xmm_k1z_xmm_xmmm64_er,
            EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
        ],
    ),
    (
        [VEX_Vmulss_xmm_xmm_xmmm32, VEX_Vmulps_xmm_xmm_xmmm128, VEX_Vmulps_ymm_ymm_ymmm256],
        [
            EVEX_Vmulss_xmm_k1z_xmm_xmmm32_er,
            EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    ),
);
/// Quotients.
pub const DIV: Codes = codes(
    (
        [VEX_Vdivsd_xmm_xmm_xmmm64, VEX_Vdivpd_xmm_xmm_xmmm128, VEX_Vdivpd_ymm_ymm_ymmm256],
        [
            EVEX_Vdivsd_xmm_k1z_xmm_xmmm64_er,
            EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
        ],
    ),
    (
        [VEX_Vdivss_xmm_xmm_xmmm32, VEX_Vdivps_xmm_xmm_xmmm128, VEX_Vdivps_ymm_ymm_ymmm256],
        [
            EVEX_Vdivss_xmm_k1z_xmm_xmmm32_er,
            EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    ),
);
/// Square roots.
pub const SQRT: Codes = codes(
    (
        [VEX_Vsqrtsd_xmm_xmm_xmmm64, VEX_Vsqrtpd_xmm_xmmm128, VEX_Vsqrtpd_ymm_ymmm256],
        [
            EVEX_Vsqrtsd_xmm_k1z_xmm_xmmm64_er,
            EVEX_Vsqrtpd_xmm_k1z_xmmm128b64,
            EVEX_Vsqrtpd_ymm_k1z_ymmm256b64,
            EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
        ],
    ),
    (
        [VEX_Vsqrtss_xmm_xmm_xmmm32, VEX_Vsqrtps_xmm_xmmm128, VEX_Vsqrtps_ymm_ymmm256],
        [
            EVEX_Vsqrtss_xmm_k1z_xmm_xmmm32_er,
            EVEX_Vsqrtps_xmm_k1z_xmmm128b32,
            EVEX_Vsqrtps_ymm_k1z_ymmm256b32,
            EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        ],
    ),
);
/// Bits that differ.
pub const XOR: Codes = codes(
    (
        [VEX_Vxorpd_xmm_xmm_xmmm128, VEX_Vxorpd_xmm_xmm_xmmm128, VEX_Vxorpd_ymm_ymm_ymmm256],
        [
            EVEX_Vxorpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vxorpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vxorpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vxorpd_zmm_k1z_zmm_zmmm512b64,
        ],
    ),
    (
        [VEX_Vxorps_xmm_xmm_xmmm128, VEX_Vxorps_xmm_xmm_xmmm128, VEX_Vxorps_ymm_ymm_ymmm256],
        [
            EVEX_Vxorps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vxorps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vxorps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32,
        ],
    ),
);
/// Bits that both have.
pub const AND: Codes = codes(
    (
        [VEX_Vandpd_xmm_xmm_xmmm128, VEX_Vandpd_xmm_xmm_xmmm128, VEX_Vandpd_ymm_ymm_ymmm256],
        [
            EVEX_Vandpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vandpd_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vandpd_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64,
        ],
    ),
    (
        [VEX_Vandps_xmm_xmm_xmmm128, VEX_Vandps_xmm_xmm_xmmm128, VEX_Vandps_ymm_ymm_ymmm256],
        [
            EVEX_Vandps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vandps_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vandps_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vandps_zmm_k1z_zmm_zmmm512b32,
        ],
    ),
);
/// Bits that one has. Of no more than four numbers, in the lower 16 registers.
pub const OR: Codes = codes(
    ([VEX_Vorpd_xmm_xmm_xmmm128, VEX_Vorpd_xmm_xmm_xmmm128, VEX_Vorpd_ymm_ymm_ymmm256], [INVALID; 4]),
    ([VEX_Vorps_xmm_xmm_xmmm128, VEX_Vorps_xmm_xmm_xmmm128, VEX_Vorps_ymm_ymm_ymmm256], [INVALID; 4]),
);
/// Asks for bits that both have. Of no more than four numbers, in the lower 16 registers.
pub const TEST: Codes = codes(
    ([VEX_Vptest_xmm_xmmm128, VEX_Vptest_xmm_xmmm128, VEX_Vptest_ymm_ymmm256], [INVALID; 4]),
    ([VEX_Vptest_xmm_xmmm128, VEX_Vptest_xmm_xmmm128, VEX_Vptest_ymm_ymmm256], [INVALID; 4]),
);
/// Loads from memory.
pub const LOAD: Codes = codes(
    (
        [VEX_Vmovsd_xmm_m64, VEX_Vmovupd_xmm_xmmm128, VEX_Vmovupd_ymm_ymmm256],
        [
            EVEX_Vmovsd_xmm_k1z_m64,
            EVEX_Vmovupd_xmm_k1z_xmmm128,
            EVEX_Vmovupd_ymm_k1z_ymmm256,
            EVEX_Vmovupd_zmm_k1z_zmmm512,
        ],
    ),
    (
        [VEX_Vmovss_xmm_m32, VEX_Vmovups_xmm_xmmm128, VEX_Vmovups_ymm_ymmm256],
        [
            EVEX_Vmovss_xmm_k1z_m32,
            EVEX_Vmovups_xmm_k1z_xmmm128,
            EVEX_Vmovups_ymm_k1z_ymmm256,
            EVEX_Vmovups_zmm_k1z_zmmm512,
        ],
    ),
);
/// Stores to memory.
pub const STORE: Codes = codes(
    (
        [VEX_Vmovsd_m64_xmm, VEX_Vmovupd_xmmm128_xmm, VEX_Vmovupd_ymmm256_ymm],
        [
            EVEX_Vmovsd_m64_k1_xmm,
            EVEX_Vmovupd_xmmm128_k1z_xmm,
            EVEX_Vmovupd_ymmm256_k1z_ymm,
            EVEX_Vmovupd_zmmm512_k1z_zmm,
        ],
    ),
    (
        [VEX_Vmovss_m32_xmm, VEX_Vmovups_xmmm128_xmm, VEX_Vmovups_ymmm256_ymm],
        [
            EVEX_Vmovss_m32_k1_xmm,
            EVEX_Vmovups_xmmm128_k1z_xmm,
            EVEX_Vmovups_ymmm256_k1z_ymm,
            EVEX_Vmovups_zmmm512_k1z_zmm,
        ],
    ),
);
/// Copies from register to register.
pub const COPY: Codes = codes(
    (
        [VEX_Vmovapd_xmm_xmmm128, VEX_Vmovapd_xmm_xmmm128, VEX_Vmovapd_ymm_ymmm256],
        [
            EVEX_Vmovapd_xmm_k1z_xmmm128,
            EVEX_Vmovapd_xmm_k1z_xmmm128,
            EVEX_Vmovapd_ymm_k1z_ymmm256,
            EVEX_Vmovapd_zmm_k1z_zmmm512,
        ],
    ),
    (
        [VEX_Vmovaps_xmm_xmmm128, VEX_Vmovaps_xmm_xmmm128, VEX_Vmovaps_ymm_ymmm256],
        [
            EVEX_Vmovaps_xmm_k1z_xmmm128,
            EVEX_Vmovaps_xmm_k1z_xmmm128,
            EVEX_Vmovaps_ymm_k1z_ymmm256,
            EVEX_Vmovaps_zmm_k1z_zmmm512,
        ],
    ),
);

/// Fused products and sums: by the signs of product and addend, whether each is subtracted, and by the form.
pub const FUSED: [[Codes; 3]; 4] = [
    [
        codes(
            (
                [
                    VEX_Vfmadd132sd_xmm_xmm_xmmm64,
                    VEX_Vfmadd132pd_xmm_xmm_xmmm128,
                    VEX_Vfmadd132pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd132sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmadd132pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmadd132pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmadd132ss_xmm_xmm_xmmm32,
                    VEX_Vfmadd132ps_xmm_xmm_xmmm128,
                    VEX_Vfmadd132ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd132ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmadd132ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmadd132ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfmadd213sd_xmm_xmm_xmmm64,
                    VEX_Vfmadd213pd_xmm_xmm_xmmm128,
                    VEX_Vfmadd213pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd213sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmadd213pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmadd213pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmadd213ss_xmm_xmm_xmmm32,
                    VEX_Vfmadd213ps_xmm_xmm_xmmm128,
                    VEX_Vfmadd213ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd213ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmadd213ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmadd213ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfmadd231sd_xmm_xmm_xmmm64,
                    VEX_Vfmadd231pd_xmm_xmm_xmmm128,
                    VEX_Vfmadd231pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd231sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmadd231pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmadd231pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmadd231ss_xmm_xmm_xmmm32,
                    VEX_Vfmadd231ps_xmm_xmm_xmmm128,
                    VEX_Vfmadd231ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmadd231ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmadd231ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
    ],
    [
        codes(
            (
                [
                    VEX_Vfnmadd132sd_xmm_xmm_xmmm64,
                    VEX_Vfnmadd132pd_xmm_xmm_xmmm128,
                    VEX_Vfnmadd132pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd132sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmadd132pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmadd132pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmadd132pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmadd132ss_xmm_xmm_xmmm32,
                    VEX_Vfnmadd132ps_xmm_xmm_xmmm128,
                    VEX_Vfnmadd132ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd132ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmadd132ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmadd132ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfnmadd213sd_xmm_xmm_xmmm64,
                    VEX_Vfnmadd213pd_xmm_xmm_xmmm128,
                    VEX_Vfnmadd213pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd213sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmadd213pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmadd213pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmadd213ss_xmm_xmm_xmmm32,
                    VEX_Vfnmadd213ps_xmm_xmm_xmmm128,
                    VEX_Vfnmadd213ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd213ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmadd213ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmadd213ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfnmadd231sd_xmm_xmm_xmmm64,
                    VEX_Vfnmadd231pd_xmm_xmm_xmmm128,
                    VEX_Vfnmadd231pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd231sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmadd231pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmadd231pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmadd231ss_xmm_xmm_xmmm32,
                    VEX_Vfnmadd231ps_xmm_xmm_xmmm128,
                    VEX_Vfnmadd231ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmadd231ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmadd231ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmadd231ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
    ],
    [
        codes(
            (
                [
                    VEX_Vfmsub132sd_xmm_xmm_xmmm64,
                    VEX_Vfmsub132pd_xmm_xmm_xmmm128,
                    VEX_Vfmsub132pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub132sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmsub132pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmsub132pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmsub132pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmsub132ss_xmm_xmm_xmmm32,
                    VEX_Vfmsub132ps_xmm_xmm_xmmm128,
                    VEX_Vfmsub132ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub132ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmsub132ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmsub132ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfmsub213sd_xmm_xmm_xmmm64,
                    VEX_Vfmsub213pd_xmm_xmm_xmmm128,
                    VEX_Vfmsub213pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub213sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmsub213pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmsub213pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmsub213ss_xmm_xmm_xmmm32,
                    VEX_Vfmsub213ps_xmm_xmm_xmmm128,
                    VEX_Vfmsub213ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub213ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmsub213ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmsub213ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfmsub231sd_xmm_xmm_xmmm64,
                    VEX_Vfmsub231pd_xmm_xmm_xmmm128,
                    VEX_Vfmsub231pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub231sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfmsub231pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfmsub231pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfmsub231pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfmsub231ss_xmm_xmm_xmmm32,
                    VEX_Vfmsub231ps_xmm_xmm_xmmm128,
                    VEX_Vfmsub231ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfmsub231ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfmsub231ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfmsub231ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
    ],
    [
        codes(
            (
                [
                    VEX_Vfnmsub132sd_xmm_xmm_xmmm64,
                    VEX_Vfnmsub132pd_xmm_xmm_xmmm128,
                    VEX_Vfnmsub132pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub132sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmsub132pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmsub132pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmsub132pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmsub132ss_xmm_xmm_xmmm32,
                    VEX_Vfnmsub132ps_xmm_xmm_xmmm128,
                    VEX_Vfnmsub132ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub132ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmsub132ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmsub132ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfnmsub213sd_xmm_xmm_xmmm64,
                    VEX_Vfnmsub213pd_xmm_xmm_xmmm128,
                    VEX_Vfnmsub213pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub213sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmsub213pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmsub213pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmsub213pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmsub213ss_xmm_xmm_xmmm32,
                    VEX_Vfnmsub213ps_xmm_xmm_xmmm128,
                    VEX_Vfnmsub213ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub213ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmsub213ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmsub213ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
        codes(
            (
                [
                    VEX_Vfnmsub231sd_xmm_xmm_xmmm64,
                    VEX_Vfnmsub231pd_xmm_xmm_xmmm128,
                    VEX_Vfnmsub231pd_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub231sd_xmm_k1z_xmm_xmmm64_er,
                    EVEX_Vfnmsub231pd_xmm_k1z_xmm_xmmm128b64,
                    EVEX_Vfnmsub231pd_ymm_k1z_ymm_ymmm256b64,
                    EVEX_Vfnmsub231pd_zmm_k1z_zmm_zmmm512b64_er,
                ],
            ),
            (
                [
                    VEX_Vfnmsub231ss_xmm_xmm_xmmm32,
                    VEX_Vfnmsub231ps_xmm_xmm_xmmm128,
                    VEX_Vfnmsub231ps_ymm_ymm_ymmm256,
                ],
                [
                    EVEX_Vfnmsub231ss_xmm_k1z_xmm_xmmm32_er,
                    EVEX_Vfnmsub231ps_xmm_k1z_xmm_xmmm128b32,
                    EVEX_Vfnmsub231ps_ymm_k1z_ymm_ymmm256b32,
                    EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
                ],
            ),
        ),
    ],
];

/// The first operand, which the result overwrites, times the third, plus the second.
pub const FORM_132: usize = 0;
/// The second operand times the first, which the result overwrites, plus the third.
pub const FORM_213: usize = 1;
/// The second operand times the third, plus the first, which the result overwrites.
pub const FORM_231: usize = 2;

/// An instruction with and without the upper 16 registers.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    vex: Code,
    evex: Code,
}

impl Pair {
    /// The instruction. `is_high` says whether it names one of the upper 16 registers.
    pub fn of(self, is_high: bool) -> Code {
        if is_high { self.evex } else { self.vex }
    }
}

const fn pair(vex: Code, evex: Code) -> Pair {
    Pair { vex, evex }
}

/// The first number of each of two.
pub const LOW_HALVES: Pair = pair(VEX_Vunpcklpd_xmm_xmm_xmmm128, EVEX_Vunpcklpd_xmm_k1z_xmm_xmmm128b64);
/// The second number of each of two.
pub const HIGH_HALVES: Pair = pair(VEX_Vunpckhpd_xmm_xmm_xmmm128, EVEX_Vunpckhpd_xmm_k1z_xmm_xmmm128b64);
/// The first number, and one in memory.
pub const WITH_HIGH_FROM_MEMORY: Pair = pair(VEX_Vmovhpd_xmm_xmm_m64, EVEX_Vmovhpd_xmm_xmm_m64);
/// Inserts two other numbers as the upper half.
pub const INSERT: Pair =
    pair(VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, EVEX_Vinsertf64x2_ymm_k1z_ymm_xmmm128_imm8);
/// Extracts the upper half.
pub const EXTRACT: Pair = pair(VEX_Vextractf128_xmmm128_ymm_imm8, EVEX_Vextractf64x2_xmmm128_k1z_ymm_imm8);
/// One number in two lanes.
pub const TWICE: Pair = pair(VEX_Vmovddup_xmm_xmmm64, EVEX_Vmovddup_xmm_k1z_xmmm64);
/// One number of a register in four lanes.
pub const FOUR_TIMES: Pair = pair(VEX_Vbroadcastsd_ymm_xmm, EVEX_Vbroadcastsd_ymm_k1z_xmmm64);
/// One number in memory in four lanes.
pub const FOUR_TIMES_FROM_MEMORY: Pair = pair(VEX_Vbroadcastsd_ymm_m64, EVEX_Vbroadcastsd_ymm_k1z_xmmm64);
/// The second of two numbers, to memory.
pub const STORE_SECOND: Pair = pair(VEX_Vmovhpd_m64_xmm, EVEX_Vmovhpd_m64_xmm);
/// One number of single precision in as many lanes as the register has: from a register, and from memory.
pub const SPLAT_OF_REGISTER: Codes = codes(
    ([INVALID; 3], [INVALID; 4]),
    (
        [VEX_Vbroadcastss_xmm_xmm, VEX_Vbroadcastss_xmm_xmm, VEX_Vbroadcastss_ymm_xmm],
        [
            EVEX_Vbroadcastss_xmm_k1z_xmmm32,
            EVEX_Vbroadcastss_xmm_k1z_xmmm32,
            EVEX_Vbroadcastss_ymm_k1z_xmmm32,
            EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        ],
    ),
);
/// One number of single precision in memory, in as many lanes as the register has.
pub const SPLAT_OF_MEMORY: Codes = codes(
    ([INVALID; 3], [INVALID; 4]),
    (
        [VEX_Vbroadcastss_xmm_m32, VEX_Vbroadcastss_xmm_m32, VEX_Vbroadcastss_ymm_m32],
        [
            EVEX_Vbroadcastss_xmm_k1z_xmmm32,
            EVEX_Vbroadcastss_xmm_k1z_xmmm32,
            EVEX_Vbroadcastss_ymm_k1z_xmmm32,
            EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        ],
    ),
);
/// One number in eight lanes.
pub const EIGHT_TIMES: Pair = pair(EVEX_Vbroadcastsd_zmm_k1z_xmmm64, EVEX_Vbroadcastsd_zmm_k1z_xmmm64);

/// Bits of integers further up, by the size of numbers and of registers.
pub const SHIFT_LEFT: [[Code; 3]; 2] = [
    [VEX_Vpsllq_xmm_xmm_imm8, VEX_Vpsllq_ymm_ymm_imm8, EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8],
    [VEX_Vpslld_xmm_xmm_imm8, VEX_Vpslld_ymm_ymm_imm8, EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8],
];
/// One of two by the sign of a third, or, of the largest registers, by a mask.
pub const CHOOSE: [[Code; 3]; 2] = [
    [
        VEX_Vblendvpd_xmm_xmm_xmmm128_xmm,
        VEX_Vblendvpd_ymm_ymm_ymmm256_ymm,
        EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64,
    ],
    [
        VEX_Vblendvps_xmm_xmm_xmmm128_xmm,
        VEX_Vblendvps_ymm_ymm_ymmm256_ymm,
        EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
    ],
];
/// The mask of signs of the largest registers.
pub const SIGNS: [Code; 2] = [EVEX_Vpmovq2m_kr_zmm, EVEX_Vpmovd2m_kr_zmm];
/// Compares, by the size of numbers and of registers.
pub const COMPARE: [[Code; 3]; 2] = [
    [
        VEX_Vcmppd_xmm_xmm_xmmm128_imm8,
        VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
        EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
    ],
    [
        VEX_Vcmpps_xmm_xmm_xmmm128_imm8,
        VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
        EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
    ],
];
