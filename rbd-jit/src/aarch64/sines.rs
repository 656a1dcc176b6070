//! Sines and cosines of angles in a row, in machine code.
//!
//! The arithmetic is that of `rbd_runtime::sincos`, operation by operation: an angle's result does not
//! depend on the one beside it. The last register is one angle where their number is odd. Angles that are
//! too large, infinite or not a number are left to the runtime.

use super::assembler::{ADD, Address, Assembler, Jump, MUL, SUB, Width};
use super::encode::{self, V};
use super::{CONSTANTS, FREE, LINK, POINTERS, SCRATCH, STACK};
use crate::constants::Constants;
use crate::lower::{Lowered, Routine};
use crate::polynomials::{COS, HALF, LARGEST, NUMBERS, ONE, QUARTER, ROUND, SIGN, SIN, TERMS, TWO_OVER_PI};

/// Number of registers of angles above which the code is a loop.
const UNROLLED: u32 = 6;

/// Register that notes lanes whose angles are within range.
const NOTED: V = V(30);

/// Code generation of sines and cosines.
#[derive(Clone, Copy, Debug)]
pub struct Sines {
    /// Beginning of the polynomials' numbers among the constants.
    begin: u32,
}

impl Sines {
    /// Code generation for a kernel. Appends the polynomials' numbers to the constants.
    pub fn new(lowered: &Lowered, constants: &mut Constants) -> Self {
        if !lowered.routines.iter().any(|routine| matches!(routine, Routine::Sines { .. })) {
            return Self { begin: 0 };
        }
        let each = |bits: &u64| [f64::from_bits(*bits); 2];
        Self { begin: constants.append(&NUMBERS.iter().flat_map(each).collect::<Vec<f64>>()) as u32 }
    }

    fn load(self, out: &mut Assembler, to: V, k: usize) {
        out.load(Width::Two, to, Address { base: CONSTANTS, bytes: self.begin + 16 * k as u32 });
    }

    /// Writes the sines and cosines of a row of angles to two other rows. No register keeps its value but
    /// those of addresses. Jumps away at the end if an angle is too large.
    pub fn write(self, out: &mut Assembler, numbers: u32, rows: [Address; 3]) -> Jump {
        let (full, is_odd) = (numbers / 2, numbers % 2 == 1);
        let mut is_first = true;
        if full > UNROLLED {
            self.in_a_loop(out, full, rows);
            is_first = false;
        } else {
            for k in 0..full {
                let [angles, sin, cos] = rows.map(|row| row.plus(16 * k));
                out.load(Width::Two, ANGLE, angles);
                let [s, c] = self.register(out, is_first);
                out.store(Width::Two, sin, s);
                out.store(Width::Two, cos, c);
                is_first = false;
            }
        }
        if is_odd {
            let [angles, sin, cos] = rows.map(|row| row.plus(8 * (numbers - 1)));
            // The upper half becomes zero, which is within range.
            out.load(Width::One, ANGLE, angles);
            let [s, c] = self.register(out, is_first);
            out.store(Width::One, sin, s);
            out.store(Width::One, cos, c);
        }
        // Minus one for each lane within range.
        out.push(encode::addp_d(NOTED, NOTED));
        out.push(encode::fmov_to_x(SCRATCH, NOTED));
        out.push(encode::cmn_immediate(SCRATCH, 2));
        out.push(encode::b_eq(2));
        out.jump()
    }

    /// Loops over `full` registers of angles.
    fn in_a_loop(self, out: &mut Assembler, full: u32, rows: [Address; 3]) {
        let [angles, sin] = FREE;
        let (cos, counter) = (POINTERS, LINK);
        for (to, row) in [angles, sin, cos].into_iter().zip(rows) {
            out.address(to, row);
        }
        out.number(counter, full);
        // All bits set: nothing is beyond yet.
        out.push(encode::movi_2d_zero(NOTED));
        out.push(encode::facge_2d(NOTED, NOTED, NOTED));
        let again = out.here();
        out.push(encode::ldr_q_post(ANGLE, angles, 16));
        let [s, c] = self.register(out, false);
        out.push(encode::str_q_post(s, sin, 16));
        out.push(encode::str_q_post(c, cos, 16));
        out.push(encode::sub_immediate(counter, counter, 1));
        out.push(encode::cbnz(counter, out.distance(again)));
        let frame = Address { base: STACK, bytes: super::body::POINTERS_AT };
        out.load_general(POINTERS, frame);
    }

    /// Sines and cosines of the two angles in [`ANGLE`]. Takes note of those within range, beside what is
    /// noted already if these are not the first.
    fn register(self, out: &mut Assembler, is_first: bool) -> [V; 2] {
        let [q, shifted, quarters, coarse, r, tail, square, half, low, y, s, c, t, u] = REGISTERS;
        let two = Width::Two;
        let within = if is_first { NOTED } else { t };
        self.load(out, u, LARGEST);
        out.push(encode::facge_2d(within, u, q));
        if !is_first {
            out.push(encode::and_16b(NOTED, NOTED, t));
        }

        self.load(out, t, TWO_OVER_PI);
        self.load(out, u, ROUND);
        out.copy(two, shifted, u);
        out.push(encode::fmla_2d(shifted, q, t));
        out.three(&SUB, two, quarters, shifted, u);
        self.load(out, t, QUARTER[0]);
        out.copy(two, coarse, q);
        out.push(encode::fmla_2d(coarse, quarters, t));
        self.load(out, t, QUARTER[1]);
        out.copy(two, r, coarse);
        out.push(encode::fmla_2d(r, quarters, t));
        out.three(&SUB, two, tail, coarse, r);
        out.push(encode::fmla_2d(tail, quarters, t));
        self.load(out, t, QUARTER[2]);
        out.push(encode::fmla_2d(tail, quarters, t));

        out.three(&MUL, two, square, r, r);
        self.load(out, t, HALF);
        out.three(&MUL, two, half, square, t);
        self.load(out, t, ONE);
        out.three(&SUB, two, low, t, half);
        out.three(&SUB, two, y, t, low);
        out.three(&SUB, two, y, y, half);
        let (s, t) = self.polynomial(out, [s, t], SIN, square);
        let (c, u) = self.polynomial(out, [c, u], COS, square);
        let x = quarters;
        out.three(&MUL, two, x, square, r);
        out.three(&MUL, two, half, tail, low);
        out.push(encode::fmla_2d(half, x, s));
        out.three(&ADD, two, s, r, half);
        out.three(&MUL, two, x, square, square);
        out.push(encode::fmla_2d(y, x, c));
        out.three(&MUL, two, half, r, tail);
        out.three(&SUB, two, c, y, half);
        out.three(&ADD, two, c, low, c);

        // Of an odd quarter they change places; the second bit is a sign.
        let (odd, far, mask) = (coarse, quarters, t);
        out.push(encode::shl_2d(odd, shifted, 63));
        out.push(encode::shl_2d(far, shifted, 62));
        self.load(out, u, SIGN);
        out.push(encode::and_16b(far, far, u));
        out.push(encode::sshr_2d(mask, odd, 63));
        out.copy(two, u, mask);
        out.push(encode::bsl_16b(mask, c, s));
        out.push(encode::bsl_16b(u, s, c));
        out.push(encode::eor_16b(mask, mask, far));
        out.push(encode::eor_16b(far, far, odd));
        out.push(encode::eor_16b(u, u, far));
        [mask, u]
    }

    /// The value of a polynomial, by two registers in turn: which of them has it, and which is free.
    fn polynomial(self, out: &mut Assembler, [mut sum, mut next]: [V; 2], first: usize, x: V) -> (V, V) {
        self.load(out, sum, first);
        for k in 1..TERMS {
            self.load(out, next, first + k);
            out.push(encode::fmla_2d(next, sum, x));
            (sum, next) = (next, sum);
        }
        (sum, next)
    }
}

/// The registers of two angles; none that callees keep, nor [`NOTED`].
const REGISTERS: [V; 14] =
    [V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(16), V(17), V(18), V(19), V(20), V(21)];
const ANGLE: V = REGISTERS[0];
