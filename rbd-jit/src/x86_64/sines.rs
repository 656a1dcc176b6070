//! Sines and cosines of angles in a row, in machine code.
//!
//! The arithmetic is that of `rbd_runtime::sincos`, operation by operation: an angle's result does not
//! depend on how many others are in its register. Registers overlap where the last one would not be full.
//! Angles that are too large, infinite or not a number are left to the runtime.

use super::assembler::{Address, Assembler, Jump, Operand};
use super::codes::{self, Width};
use super::constants::Constants;
use super::{CONSTANTS, COUNTER, Level};
use crate::allocate::Register;
use crate::lower::{Lowered, Routine};
use iced_x86::Code;

/// More registers of angles than this are a loop.
const UNROLLED: usize = 4;

/// Numbers that are read, each as often as a register has lanes.
const NUMBERS: [u64; 22] = [
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
const NO_SIGN: usize = 0;
const LARGEST: usize = 1;
const TWO_OVER_PI: usize = 2;
const ROUND: usize = 3;
const QUARTER: [usize; 3] = [4, 5, 6];
const HALF: usize = 7;
const ONE: usize = 8;
const SIGN: usize = 9;
const SIN: usize = 10;
const COS: usize = 16;
const TERMS: usize = 6;

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
    /// Of a kernel for so many states side by side.
    pub fn new(lowered: &Lowered, level: Level, states: usize, constants: &mut Constants) -> Self {
        let level = level.widest_beside(states);
        let count = |routine: &Routine| match routine {
            Routine::Sines { count, .. } => Some(width(*count as usize * states, level)),
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
