//! Instructions and operands, in the encoder's terms.

use super::codes::{self, Codes, Pair, Width};
use crate::allocate::Register as Allocated;
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// Machine code in the making.
pub struct Assembler {
    encoder: Encoder,
}

/// An address: a register and a distance in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Register,
    pub bytes: i64,
}

/// A second or third operand.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Register(Allocated),
    Memory(Address),
}

impl Operand {
    fn is_high(self) -> bool {
        matches!(self, Self::Register(register) if is_high(register))
    }
}

fn is_high(register: Allocated) -> bool {
    register.0 >= 16
}

fn vector(register: Allocated, width: Width) -> Register {
    let first = match width {
        Width::One | Width::Two => Register::XMM0,
        Width::Four => Register::YMM0,
        Width::Eight => Register::ZMM0,
    };
    first + u32::from(register.0)
}

fn memory(address: Address) -> MemoryOperand {
    MemoryOperand::with_base_displ(address.base, address.bytes)
}

/// What the encoder cannot refuse: operands are of the kinds that a code is named after.
const FITS: &str = "the operands are those of the code";

impl Assembler {
    pub fn new() -> Self {
        Self { encoder: Encoder::new(64) }
    }

    /// The bytes of all instructions.
    pub fn finish(mut self) -> Vec<u8> {
        self.encoder.take_buffer()
    }

    pub fn push(&mut self, instruction: &Instruction) {
        // Nothing depends on where the code is: what is called has an absolute address.
        self.encoder.encode(instruction, 0).expect(FITS);
    }

    /// An instruction without operands.
    pub fn plain(&mut self, code: Code) {
        self.push(&Instruction::with(code));
    }

    /// An instruction on one general register.
    pub fn general(&mut self, code: Code, register: Register) {
        self.push(&Instruction::with1(code, register).expect(FITS));
    }

    /// A number into a general register.
    pub fn number(&mut self, to: Register, number: u64) {
        self.push(&Instruction::with2(Code::Mov_r64_imm64, to, number).expect(FITS));
    }

    /// One general register into another.
    pub fn move_general(&mut self, to: Register, from: Register) {
        self.push(&Instruction::with2(Code::Mov_r64_rm64, to, from).expect(FITS));
    }

    /// Eight bytes of memory into a general register.
    pub fn load_general(&mut self, to: Register, from: Address) {
        self.push(&Instruction::with2(Code::Mov_r64_rm64, to, memory(from)).expect(FITS));
    }

    pub fn load(&mut self, width: Width, to: Allocated, from: Address) {
        let code = codes::LOAD.of(width, is_high(to));
        self.push(&Instruction::with2(code, vector(to, width), memory(from)).expect(FITS));
    }

    pub fn store(&mut self, width: Width, to: Address, from: Allocated) {
        let code = codes::STORE.of(width, is_high(from));
        self.push(&Instruction::with2(code, memory(to), vector(from, width)).expect(FITS));
    }

    pub fn copy(&mut self, width: Width, to: Allocated, from: Allocated) {
        let code = codes::COPY.of(width, is_high(to) || is_high(from));
        self.push(&Instruction::with2(code, vector(to, width), vector(from, width)).expect(FITS));
    }

    /// `to = a op b`; a fused product and sum reads `to` as well.
    pub fn three(&mut self, codes: &Codes, width: Width, to: Allocated, a: Allocated, b: Operand) {
        let code = codes.of(width, is_high(to) || is_high(a) || b.is_high());
        let (to, a) = (vector(to, width), vector(a, width));
        let instruction = match b {
            Operand::Register(b) => Instruction::with3(code, to, a, vector(b, width)),
            Operand::Memory(b) => Instruction::with3(code, to, a, memory(b)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// `to = op a`.
    pub fn two(&mut self, codes: &Codes, width: Width, to: Allocated, a: Operand) {
        let code = codes.of(width, is_high(to) || a.is_high());
        let to = vector(to, width);
        let instruction = match a {
            Operand::Register(a) => Instruction::with2(code, to, vector(a, width)),
            Operand::Memory(a) => Instruction::with2(code, to, memory(a)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// `to`, of so many numbers, from one number.
    pub fn splat(&mut self, width: Width, to: Allocated, a: Operand) {
        let pair = match (width, a) {
            (Width::Two, _) => codes::TWICE,
            (_, Operand::Register(_)) => codes::FOUR_TIMES,
            (_, Operand::Memory(_)) => codes::FOUR_TIMES_FROM_MEMORY,
        };
        let code = pair.of(is_high(to) || a.is_high());
        let to = vector(to, width);
        let instruction = match a {
            Operand::Register(a) => Instruction::with2(code, to, vector(a, Width::One)),
            Operand::Memory(a) => Instruction::with2(code, to, memory(a)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// Numbers of two registers in another order, two numbers.
    pub fn shuffle(&mut self, pair: Pair, to: Allocated, a: Allocated, b: Operand) {
        let code = pair.of(is_high(to) || is_high(a) || b.is_high());
        let [to, a] = [to, a].map(|r| vector(r, Width::Two));
        let instruction = match b {
            Operand::Register(b) => Instruction::with3(code, to, a, vector(b, Width::Two)),
            Operand::Memory(b) => Instruction::with3(code, to, a, memory(b)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// Two pairs side by side.
    pub fn join(&mut self, to: Allocated, low: Allocated, high: Operand) {
        let code = codes::INSERT.of(is_high(to) || is_high(low) || high.is_high());
        let [to, low] = [to, low].map(|r| vector(r, Width::Four));
        let instruction = match high {
            Operand::Register(high) => Instruction::with4(code, to, low, vector(high, Width::Two), 1u32),
            Operand::Memory(high) => Instruction::with4(code, to, low, memory(high), 1u32),
        };
        self.push(&instruction.expect(FITS));
    }

    /// The upper two of four.
    pub fn high(&mut self, to: Allocated, from: Allocated) {
        let code = codes::EXTRACT.of(is_high(to) || is_high(from));
        let (to, from) = (vector(to, Width::Two), vector(from, Width::Four));
        self.push(&Instruction::with3(code, to, from, 1u32).expect(FITS));
    }

    /// Zeros.
    pub fn zero(&mut self, width: Width, to: Allocated) {
        // Without the upper registers, two numbers are enough: the rest of the register becomes zero as well.
        let width = if is_high(to) { width } else { Width::Two };
        self.three(&codes::XOR, width, to, to, Operand::Register(to));
    }
}
