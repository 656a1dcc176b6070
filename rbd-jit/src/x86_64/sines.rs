//! Sines and cosines of angles in a row, in machine code.
//!
//! The arithmetic is that of `rbd_runtime::sincos`, operation by operation: an angle's result does not
//! depend on how many others are in its register. Registers overlap where the last one would not be full.
//! Angles that are too large, infinite or not a number are left to the runtime.

use super::assembler::{Address, Assembler, Jump, Operand};
use super::codes::{self, Size, Width};
use super::{CONSTANTS, COUNTER, Level};
use crate::allocate::Register;
use crate::constants::Constants;
use crate::lower::{Lowered, Routine};
use crate::polynomials::{
    COS, COS_SINGLE, HALF, LARGEST, NO_SIGN, NUMBERS, ONE, QUARTER, ROUND, SIGN, SIN, SINGLE, TERMS,
    TERMS_SINGLE, TWO_OVER_PI,
};
use iced_x86::Code;

/// Number of registers of angles above which the code is a loop.
const UNROLLED: usize = 4;

/// Code generation of sines and cosines.
#[derive(Clone, Copy, Debug)]
pub struct Sines {
    /// The widest register of angles, of any row of the kernel.
    widest: Width,
    /// The size of angles.
    size: Size,
    /// Beginning of the polynomials' numbers among the constants.
    begin: i64,
}

/// The widest register that a row of so many angles fills.
fn width(numbers: usize, level: Width, size: Size) -> Width {
    size.widths(level).find(|width| width.numbers() <= numbers).unwrap_or(Width::One)
}

/// The numbers of a width in a register of at least 16 bytes.
fn in_register(width: Width, size: Size) -> Width {
    match size {
        Size::Double => width.max(Width::Two),
        Size::Single => width.max(Width::Four),
    }
}

impl Sines {
    /// Code generation for a kernel, for this many states side by side.
    pub fn new(
        lowered: &Lowered,
        level: Level,
        (states, size): (usize, Size),
        constants: &mut Constants,
    ) -> Self {
        let level = level.widest_beside(states, size);
        let count = |routine: &Routine| match routine {
            Routine::Sines { count, .. } => Some(width(*count as usize * states, level, size)),
            _ => None,
        };
        let Some(widest) = lowered.routines.iter().filter_map(count).max() else {
            return Self { widest: Width::One, size, begin: 0 };
        };
        // Two of single precision are as many bits as one double.
        let words: Vec<u64> = match size {
            Size::Double => NUMBERS.to_vec(),
            Size::Single => SINGLE.iter().map(|bits| u64::from(*bits) << 32 | u64::from(*bits)).collect(),
        };
        let each = |bits: &u64| std::iter::repeat_n(f64::from_bits(*bits), size.register_bytes(widest) / 8);
        let begin = constants.append(&words.iter().flat_map(each).collect::<Vec<f64>>());
        Self { widest, size, begin }
    }

    /// True if registers of more than 16 bytes are used.
    pub fn are_wide(self) -> bool {
        self.size.register_bytes(self.widest) > 16
    }

    fn number(self, k: usize) -> Operand {
        let each = self.size.register_bytes(self.widest);
        Operand::Memory(Address::new(CONSTANTS, self.begin + (k * each) as i64))
    }

    /// Writes the sines and cosines of a row of angles to two other rows. No register keeps its value. Jumps
    /// away at the end if an angle is too large, or none at all.
    pub fn write(self, out: &mut Assembler, numbers: usize, rows: [Address; 3]) -> Jump {
        let width = width(numbers, self.widest, self.size);
        let bytes = self.size.bytes();
        let (full, step) = (numbers / width.numbers(), bytes * width.numbers() as i64);
        let mut is_first = true;
        if full > UNROLLED {
            out.note_nothing(width);
            let distance = full as i64 * step;
            out.number(COUNTER, (-distance) as u64);
            let again = out.here();
            self.register(out, width, rows.map(|row| row.plus(distance).indexed(COUNTER)), false);
            out.add_general(COUNTER, step as i32);
            let jump = out.jump(Code::Jne_rel32_64);
            out.land(jump, again);
            is_first = false;
        } else {
            for k in 0..full as i64 {
                self.register(out, width, rows.map(|row| row.plus(k * step)), is_first);
                is_first = false;
            }
        }
        if !numbers.is_multiple_of(width.numbers()) {
            let last = bytes * (numbers - width.numbers()) as i64;
            self.register(out, width, rows.map(|row| row.plus(last)), is_first);
        }
        out.jump_if_noted(in_register(width, self.size))
    }

    /// One register of angles.
    fn register(self, out: &mut Assembler, memory: Width, [angles, sin, cos]: [Address; 3], is_first: bool) {
        // The rest of 16 bytes is zero, where one is read.
        let width = in_register(memory, self.size);
        let (terms, first_of_cos) = match self.size {
            Size::Double => (TERMS, COS),
            Size::Single => (TERMS_SINGLE, COS_SINGLE),
        };
        let [q, shifted, quarters, coarse, r, tail, square, half, low, s, c, x, y] = REGISTERS;
        let number = |k: usize| self.number(k);
        let register = Operand::Register;
        out.load(memory, q, angles);
        out.three(&codes::AND, width, x, q, number(NO_SIGN));
        out.note_beyond(width, x, number(LARGEST), is_first);

        let load = |out: &mut Assembler, to: Register, k: usize| {
            let Operand::Memory(address) = number(k) else { unreachable!("numbers are in memory") };
            out.load(width, to, address);
        };
        let [_, multiplied, added] = &codes::FUSED[0];
        load(out, shifted, TWO_OVER_PI);
        out.three(multiplied, width, shifted, q, number(ROUND));
        out.three(&codes::SUB, width, quarters, shifted, number(ROUND));
        load(out, coarse, QUARTER[0]);
        out.three(multiplied, width, coarse, quarters, register(q));
        load(out, r, QUARTER[1]);
        out.three(multiplied, width, r, quarters, register(coarse));
        out.three(&codes::SUB, width, x, coarse, register(r));
        out.three(added, width, x, quarters, number(QUARTER[1]));
        load(out, tail, QUARTER[2]);
        out.three(multiplied, width, tail, quarters, register(x));

        out.three(&codes::MUL, width, square, r, register(r));
        out.three(&codes::MUL, width, half, square, number(HALF));
        load(out, y, ONE);
        out.three(&codes::SUB, width, low, y, register(half));
        out.three(&codes::SUB, width, y, y, register(low));
        out.three(&codes::SUB, width, y, y, register(half));
        load(out, s, SIN);
        load(out, c, first_of_cos);
        for k in 1..terms {
            out.three(multiplied, width, s, square, number(SIN + k));
            out.three(multiplied, width, c, square, number(first_of_cos + k));
        }
        out.three(&codes::MUL, width, x, square, register(r));
        out.three(&codes::MUL, width, half, tail, register(low));
        out.three(multiplied, width, s, x, register(half));
        out.three(&codes::ADD, width, s, r, register(s));
        out.three(&codes::MUL, width, x, square, register(square));
        out.three(multiplied, width, c, x, register(y));
        out.three(&codes::MUL, width, half, r, register(tail));
        out.three(&codes::SUB, width, c, c, register(half));
        out.three(&codes::ADD, width, c, low, register(c));

        // Of an odd quarter they change places; the second bit is a sign.
        let (odd, far) = (coarse, quarters);
        let sign = 8 * self.size.bytes() as u32 - 1;
        out.shift_left(width, odd, shifted, sign);
        out.shift_left(width, far, shifted, sign - 1);
        out.three(&codes::AND, width, far, far, number(SIGN));
        out.choose(width, x, [s, c], odd);
        out.choose(width, y, [c, s], odd);
        out.three(&codes::XOR, width, x, x, register(far));
        out.three(&codes::XOR, width, far, far, register(odd));
        out.three(&codes::XOR, width, y, y, register(far));
        out.store(memory, sin, x);
        out.store(memory, cos, y);
    }
}

/// The registers of a register of angles.
const REGISTERS: [Register; 13] = {
    let mut all = [Register(0); 13];
    let mut k = 0;
    while k < all.len() {
        all[k] = Register(k as u8);
        k += 1;
    }
    all
};
