//! Words in the making: places, jumps, and addresses at any distance.

use super::encode::{self, V, X};

/// Number of lanes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    One,
    Two,
}

impl Width {
    /// Returns the width of this many lanes.
    pub fn of(numbers: usize) -> Self {
        match numbers {
            1 => Self::One,
            2 => Self::Two,
            _ => unreachable!("registers have two numbers"),
        }
    }

    pub fn numbers(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    pub fn bytes(self) -> u32 {
        8 * self.numbers() as u32
    }
}

/// An instruction of three registers, for one number and for two.
pub type Three = [fn(V, V, V) -> u32; 2];
/// An instruction of two registers.
pub type Two = [fn(V, V) -> u32; 2];

pub const ADD: Three = [encode::fadd, encode::fadd_2d];
pub const SUB: Three = [encode::fsub, encode::fsub_2d];
pub const MUL: Three = [encode::fmul, encode::fmul_2d];
pub const DIV: Three = [encode::fdiv, encode::fdiv_2d];
pub const SQRT: Two = [encode::fsqrt, encode::fsqrt_2d];

/// A register, and a distance in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: X,
    pub bytes: u32,
}

impl Address {
    /// Address that is `bytes` further.
    pub fn plus(self, bytes: u32) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }
}

/// A jump that goes nowhere yet.
#[derive(Clone, Copy, Debug)]
pub struct Jump(usize);

/// Scratch register for addresses that are out of an instruction's reach.
const SCRATCH: X = super::SCRATCH;

/// The last word, if it is a load or a store of this many numbers.
#[derive(Clone, Copy)]
struct Move {
    is_load: bool,
    width: Width,
    register: V,
    at: Address,
    /// Place after the load or store.
    end: usize,
}

/// Machine code in the making.
#[derive(Default)]
pub struct Assembler {
    words: Vec<u32>,
    last: Option<Move>,
}

impl Assembler {
    pub fn finish(self) -> Vec<u32> {
        self.words
    }

    pub fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Returns the place of the next word. The word before it keeps its meaning, since a jump may lead here.
    pub fn here(&mut self) -> usize {
        self.last = None;
        self.words.len()
    }

    /// Distance from the next word to a place.
    pub fn distance(&self, to: usize) -> i32 {
        distance(self.words.len(), to)
    }

    /// A jump to a place that is known later.
    pub fn jump(&mut self) -> Jump {
        self.push(encode::b(0));
        Jump(self.words.len() - 1)
    }

    /// Lets a jump go to a place.
    pub fn land(&mut self, jump: Jump, to: usize) {
        self.words[jump.0] = encode::b(distance(jump.0, to));
    }

    /// A jump to a place that is behind.
    pub fn jump_to(&mut self, to: usize) {
        self.push(encode::b(self.distance(to)));
    }

    pub fn three(&mut self, code: &Three, width: Width, d: V, n: V, m: V) {
        self.push(code[width as usize](d, n, m));
    }

    pub fn two(&mut self, code: &Two, width: Width, d: V, n: V) {
        self.push(code[width as usize](d, n));
    }

    /// A number into a general register.
    pub fn number(&mut self, to: X, number: u32) {
        self.push(encode::movz(to, number & 0xffff, 0));
        if number > 0xffff {
            self.push(encode::movk(to, number >> 16, 1));
        }
    }

    /// Writes an address to a general register.
    pub fn address(&mut self, to: X, Address { base, bytes }: Address) {
        let (high, low) = (bytes >> 12, bytes & 0xfff);
        if high > 0xfff {
            // Never the base: that is read afterwards.
            assert!(to != base, "a far address needs another register");
            self.number(to, bytes);
            return self.push(encode::add_x(to, to, base));
        }
        if high > 0 {
            self.push(encode::add_immediate(to, base, high, true));
        }
        if low > 0 || high == 0 {
            self.push(encode::add_immediate(to, if high > 0 { to } else { base }, low, false));
        }
    }

    /// An address in reach of an instruction whose distances are up to `4095 unit`, in units.
    fn near(&mut self, address: Address, unit: u32) -> Address {
        let Address { base, bytes } = address;
        if bytes.is_multiple_of(unit) && bytes / unit < 1 << 12 {
            return address;
        }
        if bytes.is_multiple_of(unit) && bytes < 1 << 24 {
            self.push(encode::add_immediate(SCRATCH, base, bytes >> 12, true));
            return Address { base: SCRATCH, bytes: bytes & 0xfff };
        }
        self.address(SCRATCH, address);
        Address { base: SCRATCH, bytes: 0 }
    }

    pub fn load(&mut self, width: Width, to: V, from: Address) {
        if width == Width::Two && !from.bytes.is_multiple_of(16) && from.bytes < 256 {
            return self.push(encode::ldur_q(to, from.base, from.bytes as i32));
        }
        self.near_move(true, width, to, from);
    }

    pub fn store(&mut self, width: Width, to: Address, from: V) {
        if width == Width::Two && !to.bytes.is_multiple_of(16) && to.bytes < 256 {
            return self.push(encode::stur_q(from, to.base, to.bytes as i32));
        }
        self.near_move(false, width, from, to);
    }

    /// A load or a store, together with the one before if their places are neighbours.
    fn near_move(&mut self, is_load: bool, width: Width, register: V, at: Address) {
        let at = self.near(at, width.bytes());
        if let Some(last) = self.last
            && last.end == self.words.len()
            && (last.is_load, last.width, last.at.base) == (is_load, width, at.base)
            && last.at.bytes.abs_diff(at.bytes) == width.bytes()
            && last.at.bytes.min(at.bytes) < 64 * width.bytes()
            && !(is_load && last.register == register)
        {
            let is_before = at.bytes < last.at.bytes;
            let (first, second) =
                if is_before { (register, last.register) } else { (last.register, register) };
            let code = match (is_load, width) {
                (true, Width::One) => encode::ldp_d,
                (true, Width::Two) => encode::ldp_q,
                (false, Width::One) => encode::stp_d,
                (false, Width::Two) => encode::stp_q,
            };
            let bytes = at.bytes.min(last.at.bytes) as i32;
            self.words[last.end - 1] = code(first, second, at.base, bytes);
            self.last = None;
            return;
        }
        let code = match (is_load, width) {
            (true, Width::One) => encode::ldr_d,
            (true, Width::Two) => encode::ldr_q,
            (false, Width::One) => encode::str_d,
            (false, Width::Two) => encode::str_q,
        };
        self.push(code(register, at.base, at.bytes));
        self.last = Some(Move { is_load, width, register, at, end: self.words.len() });
    }

    /// One number of memory in as many as a register has.
    pub fn load_splat(&mut self, width: Width, to: V, from: Address) {
        if width == Width::One {
            return self.load(width, to, from);
        }
        let base = if from.bytes == 0 {
            from.base
        } else {
            self.address(SCRATCH, from);
            SCRATCH
        };
        self.push(encode::ld1r_2d(to, base));
    }

    /// Eight bytes of memory into a general register.
    pub fn load_general(&mut self, to: X, from: Address) {
        let Address { base, bytes } = self.near(from, 8);
        self.push(encode::ldr_x(to, base, bytes));
    }

    pub fn copy(&mut self, width: Width, to: V, from: V) {
        self.push(match width {
            Width::One => encode::fmov(to, from),
            Width::Two => encode::mov_16b(to, from),
        });
    }
}

fn distance(from: usize, to: usize) -> i32 {
    (to as i64 - from as i64) as i32
}
