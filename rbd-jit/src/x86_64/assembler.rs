//! Instructions and operands, in the encoder's terms.

use super::codes::{self, Codes, Pair, Size, Width};
use crate::allocate::Register as Allocated;
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// Machine code in the making.
pub struct Assembler {
    encoder: Encoder,
    /// Size of the numbers in registers.
    size: Size,
    /// Number of bytes so far.
    length: usize,
    /// Jumps, by the byte after each, and the bytes that they go to.
    jumps: Vec<(usize, usize)>,
}

/// An address: a register, perhaps another one, and a distance in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Register,
    pub index: Option<(Register, u32)>,
    pub bytes: i64,
}

impl Address {
    /// Address that is `bytes` after the one in a register.
    pub fn new(base: Register, bytes: i64) -> Self {
        Self { base, index: None, bytes }
    }

    /// Address that is `bytes` further.
    pub fn plus(self, bytes: i64) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }

    /// Address that is further by the bytes in a register.
    pub fn indexed(self, index: Register) -> Self {
        self.scaled(index, 1)
    }

    /// One, two, four or eight times as many bytes further as a register says.
    pub fn scaled(self, index: Register, times: u32) -> Self {
        Self { index: Some((index, times)), ..self }
    }
}

/// A jump that goes nowhere yet.
#[derive(Clone, Copy, Debug)]
pub struct Jump(usize);

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

/// A register of doubles.
fn vector(register: Allocated, width: Width) -> Register {
    sized(Size::Double, register, width)
}

fn sized(size: Size, register: Allocated, width: Width) -> Register {
    let first = match size.register_bytes(width) {
        16 => Register::XMM0,
        32 => Register::YMM0,
        _ => Register::ZMM0,
    };
    first + u32::from(register.0)
}

/// The lower 32 bits of a general register.
fn lower_half(register: Register) -> Register {
    Register::EAX + (register as u32 - Register::RAX as u32)
}

fn memory(address: Address) -> MemoryOperand {
    let Address { base, index, bytes } = address;
    match index {
        None => MemoryOperand::with_base_displ(base, bytes),
        Some((index, times)) => MemoryOperand::with_base_index_scale_displ_size(base, index, times, bytes, 1),
    }
}

/// Register that notes lanes, where registers have at most 32 bytes.
const NOTED: Allocated = Allocated(15);

/// Reason why the encoder cannot refuse: operands are of the kinds that a code is named after.
const FITS: &str = "the operands are those of the code";

impl Assembler {
    pub fn new(size: Size) -> Self {
        Self { encoder: Encoder::new(64), size, length: 0, jumps: Vec::new() }
    }

    /// The bytes of all instructions.
    pub fn finish(mut self) -> Vec<u8> {
        let mut bytes = self.encoder.take_buffer();
        for (after, to) in self.jumps {
            // A jump ends with how far it goes.
            let distance = to as i32 - after as i32;
            bytes[after - 4..after].copy_from_slice(&distance.to_le_bytes());
        }
        bytes
    }

    /// The place where the next instruction will be.
    pub fn here(&self) -> usize {
        self.length
    }

    /// A jump to a place that is known later.
    pub fn jump(&mut self, code: Code) -> Jump {
        // Four bytes for the distance, however short this one is.
        self.push(&Instruction::with_branch(code, self.length as u64).expect(FITS));
        Jump(self.length)
    }

    /// Lets a jump go to a place.
    pub fn land(&mut self, jump: Jump, to: usize) {
        self.jumps.push((jump.0, to));
    }

    pub fn push(&mut self, instruction: &Instruction) {
        // Nothing depends on where the code is: what is called has an absolute address.
        self.length += self.encoder.encode(instruction, self.length as u64).expect(FITS);
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

    /// A small number into a general register.
    pub fn small_number(&mut self, to: Register, number: i32) {
        self.push(&Instruction::with2(Code::Mov_rm64_imm32, to, number).expect(FITS));
    }

    /// Adds a number to a general register.
    pub fn add_general(&mut self, to: Register, number: i32) {
        self.push(&Instruction::with2(Code::Add_rm64_imm32, to, number).expect(FITS));
    }

    /// Eight bytes of memory into a general register.
    pub fn load_general(&mut self, to: Register, from: Address) {
        self.push(&Instruction::with2(Code::Mov_r64_rm64, to, memory(from)).expect(FITS));
    }

    pub fn load(&mut self, width: Width, to: Allocated, from: Address) {
        let code = codes::LOAD.of(self.size, width, is_high(to));
        self.push(&Instruction::with2(code, sized(self.size, to, width), memory(from)).expect(FITS));
    }

    pub fn store(&mut self, width: Width, to: Address, from: Allocated) {
        let code = codes::STORE.of(self.size, width, is_high(from));
        self.push(&Instruction::with2(code, memory(to), sized(self.size, from, width)).expect(FITS));
    }

    /// The second of two numbers to memory.
    pub fn store_second(&mut self, to: Address, from: Allocated) {
        let code = codes::STORE_SECOND.of(is_high(from));
        self.push(&Instruction::with2(code, memory(to), vector(from, Width::Two)).expect(FITS));
    }

    pub fn copy(&mut self, width: Width, to: Allocated, from: Allocated) {
        let code = codes::COPY.of(self.size, width, is_high(to) || is_high(from));
        self.push(
            &Instruction::with2(code, sized(self.size, to, width), sized(self.size, from, width))
                .expect(FITS),
        );
    }

    /// `to = a op b`; a fused product and sum reads `to` as well.
    pub fn three(&mut self, codes: &Codes, width: Width, to: Allocated, a: Allocated, b: Operand) {
        let code = codes.of(self.size, width, is_high(to) || is_high(a) || b.is_high());
        let (to, a) = (sized(self.size, to, width), sized(self.size, a, width));
        let instruction = match b {
            Operand::Register(b) => Instruction::with3(code, to, a, sized(self.size, b, width)),
            Operand::Memory(b) => Instruction::with3(code, to, a, memory(b)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// `to = op a`.
    pub fn two(&mut self, codes: &Codes, width: Width, to: Allocated, a: Operand) {
        let code = codes.of(self.size, width, is_high(to) || a.is_high());
        let to = sized(self.size, to, width);
        let instruction = match a {
            Operand::Register(a) => Instruction::with2(code, to, sized(self.size, a, width)),
            Operand::Memory(a) => Instruction::with2(code, to, memory(a)),
        };
        self.push(&instruction.expect(FITS));
    }

    /// Copies one number to all lanes of `to`.
    pub fn splat(&mut self, width: Width, to: Allocated, a: Operand) {
        if self.size == Size::Single {
            return match a {
                Operand::Memory(a) if width == Width::One => self.load(width, to, a),
                Operand::Memory(_) => self.two(&codes::SPLAT_OF_MEMORY, width, to, a),
                Operand::Register(a) => {
                    let code = codes::SPLAT_OF_REGISTER.of(self.size, width, is_high(to) || is_high(a));
                    let (to, a) = (sized(self.size, to, width), sized(self.size, a, Width::One));
                    self.push(&Instruction::with2(code, to, a).expect(FITS));
                }
            };
        }
        let pair = match (width, a) {
            (Width::One, Operand::Memory(a)) => return self.load(width, to, a),
            (Width::Eight | Width::Sixteen, _) => codes::EIGHT_TIMES,
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

    /// The vector registers of these, and which of three kinds they are: of 16, 32 or 64 bytes.
    fn of_width<const N: usize>(&self, width: Width, all: [Allocated; N]) -> ([Register; N], usize) {
        let kind = match self.size.register_bytes(width) {
            16 => 0,
            32 => 1,
            _ => 2,
        };
        (all.map(|register| sized(self.size, register, width)), kind)
    }

    /// True if lanes of this width are noted in a mask.
    fn has_mask(&self, width: Width) -> bool {
        self.size.register_bytes(width) == 64
    }

    /// Shifts bits of integers up by `by`.
    pub fn shift_left(&mut self, width: Width, to: Allocated, from: Allocated, by: u32) {
        let ([to, from], kind) = self.of_width(width, [to, from]);
        let code = codes::SHIFT_LEFT[self.size as usize][kind];
        self.push(&Instruction::with3(code, to, from, by).expect(FITS));
    }

    /// The second of two in lanes where a sign is set, else the first. The sign's register is lost.
    pub fn choose(&mut self, width: Width, to: Allocated, of: [Allocated; 2], sign: Allocated) {
        let ([to, first, second, sign], kind) = self.of_width(width, [to, of[0], of[1], sign]);
        let code = codes::CHOOSE[self.size as usize][kind];
        if self.has_mask(width) {
            let mask = Instruction::with2(codes::SIGNS[self.size as usize], Register::K2, sign);
            self.push(&mask.expect(FITS));
            let mut blend = Instruction::with3(code, to, first, second).expect(FITS);
            blend.set_op_mask(Register::K2);
            return self.push(&blend);
        }
        self.push(&Instruction::with4(code, to, first, second, sign).expect(FITS));
    }

    /// Takes note of lanes with more than `largest`, or that are not numbers: beside what is noted already,
    /// if this is not the first note. [`Self::jump_if_noted`] asks for it.
    pub fn note_beyond(&mut self, width: Width, x: Allocated, largest: Operand, is_first: bool) {
        /// Not less, and not equal.
        const BEYOND: u32 = 6;
        let Operand::Memory(largest) = largest else { unreachable!("it is in memory") };
        let ([x_register, noted], kind) = self.of_width(width, [x, NOTED]);
        let code = codes::COMPARE[self.size as usize][kind];
        if self.has_mask(width) {
            let to = if is_first { Register::K1 } else { Register::K2 };
            let compared = Instruction::with4(code, to, x_register, memory(largest), BEYOND);
            self.push(&compared.expect(FITS));
            if !is_first {
                let or = Code::VEX_Korw_kr_kr_kr;
                self.push(&Instruction::with3(or, Register::K1, Register::K1, to).expect(FITS));
            }
            return;
        }
        let to = if is_first { noted } else { x_register };
        self.push(&Instruction::with4(code, to, x_register, memory(largest), BEYOND).expect(FITS));
        if !is_first {
            self.three(&codes::OR, width, NOTED, NOTED, Operand::Register(x));
        }
    }

    /// Takes note of nothing.
    pub fn note_nothing(&mut self, width: Width) {
        if self.has_mask(width) {
            let k = Register::K1;
            self.push(&Instruction::with3(Code::VEX_Kxorw_kr_kr_kr, k, k, k).expect(FITS));
        } else {
            self.zero(width, NOTED);
        }
    }

    /// Jumps if a lane was noted.
    pub fn jump_if_noted(&mut self, width: Width) -> Jump {
        if self.has_mask(width) {
            let k = Register::K1;
            self.push(&Instruction::with2(Code::VEX_Kortestw_kr_kr, k, k).expect(FITS));
        } else {
            self.two(&codes::TEST, width, NOTED, Operand::Register(NOTED));
        }
        self.jump(Code::Jne_rel32_64)
    }

    /// A mask of eight lanes, by way of a general register.
    pub fn mask(&mut self, to: Register, lanes: u32, by: Register) {
        self.small_number(by, lanes as i32);
        let by = lower_half(by);
        self.push(&Instruction::with2(Code::VEX_Kmovw_kr_r32, to, by).expect(FITS));
    }

    /// Lanes of a mask, the rest zero; all lanes without a mask.
    pub fn load_masked(&mut self, width: Width, to: Allocated, from: Address, mask: Option<Register>) {
        let Some(mask) = mask else { return self.load(width, to, from) };
        let code = codes::LOAD.of(self.size, width, true);
        let mut load = Instruction::with2(code, sized(self.size, to, width), memory(from)).expect(FITS);
        load.set_op_mask(mask);
        load.set_zeroing_masking(true);
        self.push(&load);
    }

    /// Lanes of a mask; all lanes without one.
    pub fn store_masked(&mut self, width: Width, to: Address, from: Allocated, mask: Option<Register>) {
        let Some(mask) = mask else { return self.store(width, to, from) };
        let code = codes::STORE.of(self.size, width, true);
        let mut store = Instruction::with2(code, memory(to), sized(self.size, from, width)).expect(FITS);
        store.set_op_mask(mask);
        self.push(&store);
    }

    /// The first numbers of each half of `a` and `b`, of which there are four, then the second ones, then the
    /// same of `c` and `d`.
    pub fn interleave(&mut self, to: [Allocated; 4], [a, b, c, d]: [Allocated; 4]) {
        let codes = [Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256];
        for (k, to) in to.into_iter().enumerate() {
            let (x, y) = if k < 2 { (a, b) } else { (c, d) };
            let [to, x, y] = [to, x, y].map(|r| vector(r, Width::Four));
            self.push(&Instruction::with3(codes[k % 2], to, x, y).expect(FITS));
        }
    }

    /// A half of each of two: the lower ones by 0x20, the upper ones by 0x31.
    pub fn halves(&mut self, to: Allocated, a: Allocated, b: Allocated, which: u32) {
        let [to, a, b] = [to, a, b].map(|r| vector(r, Width::Four));
        let code = Code::VEX_Vperm2f128_ymm_ymm_ymmm256_imm8;
        self.push(&Instruction::with4(code, to, a, b, which).expect(FITS));
    }

    /// Four numbers of memory as the upper half of eight.
    pub fn insert_upper(&mut self, to: Allocated, from: Address) {
        let code = Code::EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8;
        let to = vector(to, Width::Eight);
        self.push(&Instruction::with4(code, to, to, memory(from), 1u32).expect(FITS));
    }

    /// The upper half of eight numbers to memory.
    pub fn store_upper(&mut self, to: Address, from: Allocated) {
        let code = Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8;
        let from = vector(from, Width::Eight);
        self.push(&Instruction::with3(code, memory(to), from, 1u32).expect(FITS));
    }

    /// The first numbers of each pair of two registers of eight, and the second ones.
    pub fn unpack_pairs(&mut self, to: [Allocated; 2], a: Allocated, b: Allocated) {
        self.unpack_halves(64, to, a, b);
    }

    /// Interleaves the first halves of each 16 bytes of two registers of `bytes` bytes, then the second ones.
    pub fn unpack_halves(&mut self, bytes: usize, to: [Allocated; 2], a: Allocated, b: Allocated) {
        let wide = [Code::EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64];
        let half = [Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256];
        self.unpack(bytes, [half, wide], to, a, b);
    }

    /// Interleaves the first two numbers of single precision of each 16 bytes of two registers of `bytes`
    /// bytes, then the second two.
    pub fn unpack_singles(&mut self, bytes: usize, to: [Allocated; 2], a: Allocated, b: Allocated) {
        let wide = [Code::EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32];
        let half = [Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpckhps_ymm_ymm_ymmm256];
        self.unpack(bytes, [half, wide], to, a, b);
    }

    fn unpack(
        &mut self,
        bytes: usize,
        [half, wide]: [[Code; 2]; 2],
        to: [Allocated; 2],
        a: Allocated,
        b: Allocated,
    ) {
        let (codes, width) = if bytes == 64 { (wide, Width::Eight) } else { (half, Width::Four) };
        for (code, to) in codes.into_iter().zip(to) {
            let [to, a, b] = [to, a, b].map(|r| vector(r, width));
            self.push(&Instruction::with3(code, to, a, b).expect(FITS));
        }
    }

    /// Loads 16 bytes of memory as one part of a register of this many bytes.
    pub fn insert_part(&mut self, bytes: usize, to: Allocated, from: Address, part: u32) {
        let (code, width) = match bytes {
            64 => (Code::EVEX_Vinsertf32x4_zmm_k1z_zmm_xmmm128_imm8, Width::Eight),
            _ => (Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, Width::Four),
        };
        let to = vector(to, width);
        self.push(&Instruction::with4(code, to, to, memory(from), part).expect(FITS));
    }

    /// Stores one part, 16 bytes, of a register of this many bytes.
    pub fn store_part(&mut self, bytes: usize, to: Address, from: Allocated, part: u32) {
        let (code, width) = match bytes {
            64 => (Code::EVEX_Vextractf32x4_xmmm128_k1z_zmm_imm8, Width::Eight),
            _ => (Code::VEX_Vextractf128_xmmm128_ymm_imm8, Width::Four),
        };
        self.push(&Instruction::with3(code, memory(to), vector(from, width), part).expect(FITS));
    }

    /// Two pairs of each of two registers of eight, by two bits for each.
    pub fn shuffle_pairs(&mut self, to: Allocated, a: Allocated, b: Allocated, pairs: u32) {
        let [to, a, b] = [to, a, b].map(|r| vector(r, Width::Eight));
        let code = Code::EVEX_Vshuff64x2_zmm_k1z_zmm_zmmm512b64_imm8;
        self.push(&Instruction::with4(code, to, a, b, pairs).expect(FITS));
    }

    /// Asks whether a general register is zero.
    pub fn test(&mut self, register: Register) {
        self.push(&Instruction::with2(Code::Test_rm64_r64, register, register).expect(FITS));
    }

    /// An address into a general register.
    pub fn lea(&mut self, to: Register, from: Address) {
        self.push(&Instruction::with2(Code::Lea_r64_m, to, memory(from)).expect(FITS));
    }

    /// Four bytes of memory into a general register.
    pub fn load_index(&mut self, to: Register, from: Address) {
        let code = Code::Mov_r32_rm32;
        self.push(&Instruction::with2(code, lower_half(to), memory(from)).expect(FITS));
    }

    /// Multiplies a general register by a constant.
    pub fn multiply(&mut self, to: Register, from: Register, by: i32) {
        self.push(&Instruction::with3(Code::Imul_r64_rm64_imm32, to, from, by).expect(FITS));
    }

    /// Writes zeros to a register.
    pub fn zero(&mut self, width: Width, to: Allocated) {
        // Without the upper registers, two numbers are enough: the rest of the register becomes zero as well.
        let width = if is_high(to) { width } else { Width::Two };
        self.three(&codes::XOR, width, to, to, Operand::Register(to));
    }
}
