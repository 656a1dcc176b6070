//! Instructions as words: a function for each.
//!
//! All words are 32 bits, with operands in fields of fixed places (Arm Architecture Reference Manual for
//! A-profile, chapter C). Names are those of the manual; `_2d` works on two doubles. Tests compare each with
//! GNU's assembler.

/// A general register; 31 is the stack pointer in addresses, and zero elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X(pub u8);

/// A vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V(pub u8);

impl X {
    fn at(self, bit: u32) -> u32 {
        field(self.0.into(), 5, bit)
    }
}

impl V {
    fn at(self, bit: u32) -> u32 {
        field(self.0.into(), 5, bit)
    }
}

/// A number in a field of `bits` bits.
fn field(number: u32, bits: u32, at: u32) -> u32 {
    assert!(number >> bits == 0, "{number} has more than {bits} bits");
    number << at
}

/// A number with a sign in a field of `bits` bits.
fn signed(number: i32, bits: u32, at: u32) -> u32 {
    let half = 1 << (bits - 1);
    assert!((-half..half).contains(&number), "{number} has more than {bits} bits");
    (number as u32 & ((1 << bits) - 1)) << at
}

/// A number of bytes in units of `unit`.
fn scaled(bytes: u32, unit: u32) -> u32 {
    assert!(bytes.is_multiple_of(unit), "{bytes} is no multiple of {unit}");
    bytes / unit
}

/// A signed number of bytes in units of `unit`, in a field of seven bits.
fn scaled_pair(bytes: i32, unit: i32) -> u32 {
    assert!(bytes % unit == 0, "{bytes} is no multiple of {unit}");
    signed(bytes / unit, 7, 15)
}

macro_rules! three {
    ($($name:ident $word:literal,)*) => {
        $(pub fn $name(d: V, n: V, m: V) -> u32 {
            $word | m.at(16) | n.at(5) | d.at(0)
        })*
    };
}

three! {
    fadd 0x1e60_2800,
    fsub 0x1e60_3800,
    fmul 0x1e60_0800,
    fdiv 0x1e60_1800,
    fadd_2d 0x4e60_d400,
    fsub_2d 0x4ee0_d400,
    fmul_2d 0x6e60_dc00,
    fdiv_2d 0x6e60_fc00,
    fmla_2d 0x4e60_cc00,
    fmls_2d 0x4ee0_cc00,
    facge_2d 0x6e60_ec00,
    and_16b 0x4e20_1c00,
    eor_16b 0x6e20_1c00,
    bsl_16b 0x6e60_1c00,
    zip1_2d 0x4ec0_3800,
}

macro_rules! two {
    ($($name:ident $word:literal,)*) => {
        $(pub fn $name(d: V, n: V) -> u32 {
            $word | n.at(5) | d.at(0)
        })*
    };
}

two! {
    fmov 0x1e60_4000,
    fsqrt 0x1e61_c000,
    fneg_2d 0x6ee0_f800,
    fsqrt_2d 0x6ee1_f800,
    addp_d 0x5ef1_b800,
}

macro_rules! four {
    ($($name:ident $word:literal,)*) => {
        $(pub fn $name(d: V, n: V, m: V, a: V) -> u32 {
            $word | m.at(16) | a.at(10) | n.at(5) | d.at(0)
        })*
    };
}

four! {
    fmadd 0x1f40_0000,
    fmsub 0x1f40_8000,
    fnmadd 0x1f60_0000,
    fnmsub 0x1f60_8000,
}

/// All 128 bits.
pub fn mov_16b(d: V, n: V) -> u32 {
    0x4ea0_1c00 | n.at(16) | n.at(5) | d.at(0)
}

/// `d += n m[element]`.
pub fn fmla_2d_element(d: V, n: V, m: V, element: u32) -> u32 {
    0x4fc0_1000 | field(element, 1, 11) | m.at(16) | n.at(5) | d.at(0)
}

/// `d -= n m[element]`.
pub fn fmls_2d_element(d: V, n: V, m: V, element: u32) -> u32 {
    0x4fc0_5000 | field(element, 1, 11) | m.at(16) | n.at(5) | d.at(0)
}

/// One element in both.
pub fn dup_2d(d: V, n: V, element: u32) -> u32 {
    0x4e08_0400 | field(element, 1, 20) | n.at(5) | d.at(0)
}

/// One element, the other one of the result zero.
pub fn dup_d(d: V, n: V, element: u32) -> u32 {
    0x5e08_0400 | field(element, 1, 20) | n.at(5) | d.at(0)
}

pub fn shl_2d(d: V, n: V, by: u32) -> u32 {
    0x4f40_5400 | field(by, 6, 16) | n.at(5) | d.at(0)
}

pub fn sshr_2d(d: V, n: V, by: u32) -> u32 {
    0x4f00_0400 | field(128 - by, 7, 16) | n.at(5) | d.at(0)
}

pub fn movi_2d_zero(d: V) -> u32 {
    0x6f00_e400 | d.at(0)
}

/// The eight bits that stand for a number in [`fmov_immediate`] and [`fmov_2d_immediate`], if it is one of
/// those: from 16 to 31 sixteenths, times a power of two from -3 to 4, with a sign.
pub fn immediate(number: f64) -> Option<u32> {
    let bits = number.to_bits();
    let (high, low) = (bits >> 48, bits & ((1 << 48) - 1));
    let exponent = (high >> 6) & 0x1ff;
    // The upper bit is the complement of the eight below it, which are equal.
    let is_small = match exponent {
        0x100 => 0,
        0x0ff => 1,
        _ => return None,
    };
    (low == 0).then_some(((high >> 15) << 7 | is_small << 6 | (high & 0x3f)) as u32)
}

pub fn fmov_immediate(d: V, immediate: u32) -> u32 {
    0x1e60_1000 | field(immediate, 8, 13) | d.at(0)
}

pub fn fmov_2d_immediate(d: V, immediate: u32) -> u32 {
    0x6f00_f400 | field(immediate >> 5, 3, 16) | field(immediate & 0x1f, 5, 5) | d.at(0)
}

/// The bits of a double.
pub fn fmov_to_x(d: X, n: V) -> u32 {
    0x9e66_0000 | n.at(5) | d.at(0)
}

macro_rules! memory {
    ($($name:ident $word:literal $register:ident $unit:literal,)*) => {
        $(pub fn $name(t: $register, n: X, bytes: u32) -> u32 {
            $word | field(scaled(bytes, $unit), 12, 10) | n.at(5) | t.at(0)
        })*
    };
}

memory! {
    ldr_d 0xfd40_0000 V 8,
    str_d 0xfd00_0000 V 8,
    ldr_q 0x3dc0_0000 V 16,
    str_q 0x3d80_0000 V 16,
    ldr_x 0xf940_0000 X 8,
}

macro_rules! memory_near {
    ($($name:ident $word:literal,)*) => {
        $(pub fn $name(t: V, n: X, bytes: i32) -> u32 {
            $word | signed(bytes, 9, 12) | n.at(5) | t.at(0)
        })*
    };
}

memory_near! {
    ldur_q 0x3cc0_0000,
    stur_q 0x3c80_0000,
    ldr_d_post 0xfc40_0400,
    ldr_q_post 0x3cc0_0400,
    str_q_post 0x3c80_0400,
}

macro_rules! pair {
    ($($name:ident $word:literal $register:ident $unit:literal,)*) => {
        $(pub fn $name(t: $register, second: $register, n: X, bytes: i32) -> u32 {
            $word | scaled_pair(bytes, $unit) | second.at(10) | n.at(5) | t.at(0)
        })*
    };
}

pair! {
    stp_x 0xa900_0000 X 8,
    ldp_x 0xa940_0000 X 8,
    stp_x_pre 0xa980_0000 X 8,
    ldp_x_post 0xa8c0_0000 X 8,
    stp_d 0x6d00_0000 V 8,
    ldp_d 0x6d40_0000 V 8,
    stp_q 0xad00_0000 V 16,
    ldp_q 0xad40_0000 V 16,
    stp_q_post 0xac80_0000 V 16,
}

/// A double of memory in both.
pub fn ld1r_2d(t: V, n: X) -> u32 {
    0x4d40_cc00 | n.at(5) | t.at(0)
}

/// Twelve bits, shifted up by twelve if so said. Register 31 is the stack pointer.
pub fn add_immediate(d: X, n: X, number: u32, is_shifted: bool) -> u32 {
    0x9100_0000 | field(is_shifted.into(), 1, 22) | field(number, 12, 10) | n.at(5) | d.at(0)
}

pub fn sub_immediate(d: X, n: X, number: u32) -> u32 {
    0xd100_0000 | field(number, 12, 10) | n.at(5) | d.at(0)
}

/// Compares with a negative number.
pub fn cmn_immediate(n: X, number: u32) -> u32 {
    0xb100_001f | field(number, 12, 10) | n.at(5)
}

pub fn add_x(d: X, n: X, m: X) -> u32 {
    0x8b00_0000 | m.at(16) | n.at(5) | d.at(0)
}

/// Sixteen bits of a number, from bit `16 part` on, the others zero.
pub fn movz(d: X, number: u32, part: u32) -> u32 {
    0xd280_0000 | field(part, 2, 21) | field(number, 16, 5) | d.at(0)
}

/// Writes sixteen bits of a number, and keeps the other bits.
pub fn movk(d: X, number: u32, part: u32) -> u32 {
    0xf280_0000 | field(part, 2, 21) | field(number, 16, 5) | d.at(0)
}

/// Jumps this many words further.
pub fn b(words: i32) -> u32 {
    0x1400_0000 | signed(words, 26, 0)
}

/// Jumps if the last comparison found equality.
pub fn b_eq(words: i32) -> u32 {
    0x5400_0000 | signed(words, 19, 5)
}

/// Jumps if a register is not zero.
pub fn cbnz(t: X, words: i32) -> u32 {
    0xb500_0000 | signed(words, 19, 5) | t.at(0)
}

/// Calls the code at the address in a register.
pub fn blr(n: X) -> u32 {
    0xd63f_0000 | n.at(5)
}

pub fn ret() -> u32 {
    0xd65f_03c0
}
