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
    COS, HALF, LARGEST, NO_SIGN, NUMBERS, ONE, QUARTER, ROUND, SIGN, SIN, TERMS, TWO_OVER_PI,
};
use iced_x86::Code;

/// More registers of angles than this are a loop.
const UNROLLED: usize = 4;

/// How sines are written.
#[derive(Clone, Copy, Debug)]
pub struct Sines {
    /// The widest register of angles, of any row of the kernel.
    widest: Width,
    /// Where the numbers begin among the constants.
    begin: i64,
}

/// The widest register that a row of so many angles fills.
fn width(numbers: usize, level: Width) -> Width {
    let fits = |width: &Width| width.numbers() <= numbers;
    [Width::Eight, Width::Four, Width::Two]
        .into_iter()
        .filter(|w| *w <= level)
        .find(fits)
        .unwrap_or(Width::One)
}

impl Sines {
    /// Of a kernel for so many states side by side. Those in single precision are calls of the runtime.
    pub fn new(
        lowered: &Lowered,
        level: Level,
        (states, size): (usize, Size),
        constants: &mut Constants,
    ) -> Self {
        let level = level.widest_beside(states, size);
        let count = |routine: &Routine| match routine {
            Routine::Sines { count, .. } if size == Size::Double => {
                Some(width(*count as usize * states, level))
            }
            _ => None,
        };
        let Some(widest) = lowered.routines.iter().filter_map(count).max() else {
            return Self { widest: Width::One, begin: 0 };
        };
        let each = |bits: &u64| std::iter::repeat_n(f64::from_bits(*bits), widest.numbers().max(2));
        let begin = constants.append(&NUMBERS.iter().flat_map(each).collect::<Vec<f64>>());
        Self { widest, begin }
    }

    /// Whether registers of more than two numbers are used.
    pub fn are_wide(self) -> bool {
        self.widest > Width::Two
    }

    fn number(self, k: usize) -> Operand {
        let each = 8 * self.widest.numbers().max(2);
        Operand::Memory(Address::new(CONSTANTS, self.begin + (k * each) as i64))
    }

    /// Writes the sines and cosines of a row of angles to two other rows. No register keeps its value. Jumps
    /// away at the end if an angle is too large, or none at all.
    pub fn write(self, out: &mut Assembler, numbers: usize, rows: [Address; 3]) -> Jump {
        let width = width(numbers, self.widest);
        let (full, step) = (numbers / width.numbers(), 8 * width.numbers() as i64);
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
            let last = 8 * (numbers - width.numbers()) as i64;
            self.register(out, width, rows.map(|row| row.plus(last)), is_first);
        }
        out.jump_if_noted(width.max(Width::Two))
    }

    /// One register of angles.
    fn register(self, out: &mut Assembler, memory: Width, [angles, sin, cos]: [Address; 3], is_first: bool) {
        // The upper half of two is zero, where one is read.
        let width = memory.max(Width::Two);
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
        load(out, c, COS);
        for k in 1..TERMS {
            out.three(multiplied, width, s, square, number(SIN + k));
            out.three(multiplied, width, c, square, number(COS + k));
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
        out.shift_left(width, odd, shifted, 63);
        out.shift_left(width, far, shifted, 62);
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
