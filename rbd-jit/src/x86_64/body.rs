//! The instructions of a kernel.

use super::assembler::{Address, Assembler, Operand};
use super::codes::{self, Codes, Width};
use super::constants::Constants;
use super::{ARRAY_BASES, CONSTANTS, CONTEXT, Error, SAVED, WORK};
use crate::allocate::{Allocated, Register, Source, Step, Value};
use crate::lower::{At, Kind, Lowered, Memory, Op};
use iced_x86::{Code, Register as General};
use rbd_ir::kernel::ArrayId;

/// A kernel on its way to machine code.
pub struct Body<'a> {
    lowered: &'a Lowered,
    allocated: &'a Allocated,
    constants: &'a Constants,
    states: usize,
    /// The register that has the address of each array, of those that straight lines read or write.
    bases: Vec<Option<General>>,
    /// Whether registers of more than two numbers are used.
    is_wide: bool,
    /// The address of what runs routines.
    routine: u64,
    out: Assembler,
}

impl<'a> Body<'a> {
    pub fn new(
        lowered: &'a Lowered,
        allocated: &'a Allocated,
        constants: &'a Constants,
        states: usize,
        routine: u64,
    ) -> Result<Self, Error> {
        let mut bases = vec![None; lowered.arrays.len()];
        let mut free = ARRAY_BASES.into_iter();
        for place in places(lowered) {
            let k = place.index();
            if lowered.arrays[k] == At::Pointer && bases[k].is_none() {
                bases[k] = Some(free.next().ok_or(Error::TooManyArrays)?);
            }
        }
        let is_wide = states > 1 || lowered.program.values.iter().any(|value| value.lanes > 2);
        let out = Assembler::new();
        Ok(Self { lowered, allocated, constants, states, bases, is_wide, routine, out })
    }

    /// The bytes.
    pub fn bytes(mut self) -> Vec<u8> {
        self.enter();
        for step in &self.allocated.steps {
            self.step(step);
        }
        self.leave();
        self.out.finish()
    }

    fn enter(&mut self) {
        SAVED.iter().for_each(|register| self.out.general(Code::Push_r64, *register));
        // A call leaves the stack eight bytes off a multiple of 16, six registers leave it there, and
        // callees want that multiple.
        self.out.general(Code::Push_r64, General::RAX);
        self.out.move_general(CONTEXT, General::RDI);
        self.out.load_general(WORK, Address { base: CONTEXT, bytes: 0 });
        self.out.number(CONSTANTS, self.constants.address());
        self.load_bases(|_| true);
    }

    fn leave(&mut self) {
        if self.is_wide {
            self.out.plain(Code::VEX_Vzeroupper);
        }
        self.out.general(Code::Pop_r64, General::RAX);
        SAVED.iter().rev().for_each(|register| self.out.general(Code::Pop_r64, *register));
        self.out.plain(Code::Retnq);
    }

    /// The addresses of arrays, from the context: after that of the kernel's own memory.
    fn load_bases(&mut self, which: impl Fn(General) -> bool) {
        for (k, base) in self.bases.iter().enumerate() {
            if let Some(base) = base.filter(|base| which(*base)) {
                self.out.load_general(base, Address { base: CONTEXT, bytes: 8 * (1 + k as i64) });
            }
        }
    }

    fn bytes_of(&self, numbers: u32) -> i64 {
        i64::from(numbers) * 8 * self.states as i64
    }

    fn entry(&self, array: ArrayId, index: u32) -> Address {
        match self.lowered.arrays[array.index()] {
            At::Pointer => {
                let base = self.bases[array.index()].expect("arrays that are used have one");
                Address { base, bytes: self.bytes_of(index) }
            }
            At::Work(begin) => self.work(begin + index),
        }
    }

    fn work(&self, number: u32) -> Address {
        Address { base: WORK, bytes: self.bytes_of(number) }
    }

    fn address(&self, at: Memory) -> Address {
        match at {
            Memory::Entry(place) | Memory::Splat(place) => self.entry(place.array, place.index),
            Memory::Constant(k) => Address { base: CONSTANTS, bytes: self.constants.offset(k) },
            Memory::Work(number) => self.work(number),
        }
    }

    fn home(&self, value: Value) -> Memory {
        self.lowered.program.values[value.index()].home.expect("it has one").at
    }

    /// Where a value is that is not in a register.
    fn in_memory(&self, source: Source) -> Address {
        match source {
            Source::Home(value) => self.address(self.home(value)),
            Source::Slot(slot) => self.work(self.lowered.work + slot),
            Source::Register(_) => unreachable!("it is in a register"),
        }
    }

    fn operand(&self, source: Option<Source>) -> Operand {
        match source.expect("an operand for each that is read") {
            Source::Register(register) => Operand::Register(register),
            other => Operand::Memory(self.in_memory(other)),
        }
    }

    fn width(&self, value: Value) -> Width {
        Width::of(usize::from(self.lowered.program.values[value.index()].lanes) * self.states)
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Load { to, value, from } => self.load(to, value, from),
            Step::Save { from, value, slot } => {
                self.out.store(self.width(value), self.in_memory(Source::Slot(slot)), from);
            }
            Step::Copy { to, value, from } => self.out.copy(self.width(value), to, from),
            Step::Do { inst, to, from } => {
                let Op { kind, lanes } = self.lowered.program.body[inst as usize].op;
                let width = Width::of(usize::from(lanes) * self.states);
                match to {
                    Some(to) => self.compute(kind, width, to, from),
                    None => self.effect(kind, width, from[0]),
                }
            }
        }
    }

    fn load(&mut self, to: Register, value: Value, from: Source) {
        let width = self.width(value);
        let address = self.in_memory(from);
        match from {
            Source::Home(value) => match self.home(value) {
                Memory::Splat(_) => self.out.splat(width, to, Operand::Memory(address)),
                Memory::Constant(k) if self.constants.is_zero(k) => self.out.zero(width, to),
                _ => self.out.load(width, to, address),
            },
            _ => self.out.load(width, to, address),
        }
    }

    fn compute(&mut self, kind: Kind, width: Width, to: Register, from: [Option<Source>; 3]) {
        match kind {
            Kind::Add => self.commutative(&codes::ADD, width, to, from),
            Kind::Mul => self.commutative(&codes::MUL, width, to, from),
            Kind::Sub => self.in_order(&codes::SUB, width, to, from),
            Kind::Div => self.in_order(&codes::DIV, width, to, from),
            Kind::Flip => self.in_order(&codes::XOR, width, to, from),
            Kind::Sqrt if width == Width::One => {
                self.out.three(&codes::SQRT, width, to, register(from[0]), self.operand(from[0]));
            }
            Kind::Sqrt => self.out.two(&codes::SQRT, width, to, self.operand(from[0])),
            Kind::MulAdd { minus_product, minus_addend } => {
                let forms = &codes::FUSED[usize::from(minus_product) + 2 * usize::from(minus_addend)];
                self.fused(forms, width, to, from);
            }
            Kind::Splat => self.out.splat(width, to, self.operand(from[0])),
            Kind::Pair => {
                let high = self.operand(from[1]);
                let shuffle = match high {
                    Operand::Register(_) => codes::LOW_HALVES,
                    Operand::Memory(_) => codes::WITH_HIGH_FROM_MEMORY,
                };
                self.out.shuffle(shuffle, to, register(from[0]), high);
            }
            Kind::Join => self.out.join(to, register(from[0]), self.operand(from[1])),
            Kind::High => self.out.high(to, register(from[0])),
            Kind::Second => {
                let from = register(from[0]);
                self.out.shuffle(codes::HIGH_HALVES, to, from, Operand::Register(from));
            }
            Kind::Store(_) | Kind::Fill(_) | Kind::Routine(_) => unreachable!("they have no result"),
        }
    }

    fn in_order(&mut self, codes: &Codes, width: Width, to: Register, [a, b, _]: [Option<Source>; 3]) {
        self.out.three(codes, width, to, register(a), self.operand(b));
    }

    /// The operand in memory comes last.
    fn commutative(&mut self, codes: &Codes, width: Width, to: Register, [a, b, c]: [Option<Source>; 3]) {
        let from = if matches!(a, Some(Source::Register(_))) { [a, b, c] } else { [b, a, c] };
        self.in_order(codes, width, to, from);
    }

    /// `a b + c` over one of the three, in the form that overwrites this one and has what is in memory last.
    fn fused(&mut self, forms: &[Codes; 3], width: Width, to: Register, [a, b, c]: [Option<Source>; 3]) {
        let is_over = |source: Option<Source>| source == Some(Source::Register(to));
        let is_register = |source: Option<Source>| matches!(source, Some(Source::Register(_)));
        if is_over(c) {
            let (first, last) = if is_register(a) { (a, b) } else { (b, a) };
            return self.out.three(&forms[codes::FORM_231], width, to, register(first), self.operand(last));
        }
        // The other factor.
        let factor = if is_over(a) { b } else { a };
        if is_register(factor) {
            self.out.three(&forms[codes::FORM_213], width, to, register(factor), self.operand(c));
        } else {
            self.out.three(&forms[codes::FORM_132], width, to, register(c), self.operand(factor));
        }
    }

    fn effect(&mut self, kind: Kind, width: Width, from: Option<Source>) {
        match kind {
            Kind::Store(to) => self.out.store(width, self.address(to), register(from)),
            Kind::Fill(array) => self.fill(array, register(from)),
            Kind::Routine(k) => self.call(k),
            _ => unreachable!("{kind:?} has a result"),
        }
    }

    /// As many numbers as a register has, then what is left.
    fn fill(&mut self, array: ArrayId, from: Register) {
        let total = self.lowered.lengths[array.index()] * self.states;
        let mut at = 0;
        for width in [Width::Eight, Width::Four, Width::Two, Width::One] {
            if width.numbers() > self.states.max(4) {
                continue;
            }
            while at + width.numbers() <= total {
                let begin = self.entry(array, 0);
                self.out.store(width, Address { bytes: begin.bytes + 8 * at as i64, ..begin }, from);
                at += width.numbers();
            }
        }
    }

    fn call(&mut self, routine: u32) {
        if self.is_wide {
            // What is compiled for older processors is slow while upper halves are in use.
            self.out.plain(Code::VEX_Vzeroupper);
        }
        self.out.move_general(General::RDI, CONTEXT);
        self.out.number(General::RSI, routine.into());
        self.out.number(General::RAX, self.routine);
        self.out.general(Code::Call_rm64, General::RAX);
        self.load_bases(|base| !SAVED.contains(&base));
    }
}

fn register(source: Option<Source>) -> Register {
    match source {
        Some(Source::Register(register)) => register,
        other => unreachable!("{other:?} is no register"),
    }
}

/// The arrays of all places that straight lines read or write.
fn places(lowered: &Lowered) -> impl Iterator<Item = ArrayId> + '_ {
    let of = |at: Memory| match at {
        Memory::Entry(place) | Memory::Splat(place) => Some(place.array),
        Memory::Constant(_) | Memory::Work(_) => None,
    };
    let read = lowered.program.values.iter().filter_map(move |value| of(value.home?.at));
    let written = lowered.program.body.iter().filter_map(move |inst| match inst.op.kind {
        Kind::Store(at) => of(at),
        Kind::Fill(array) => Some(array),
        _ => None,
    });
    read.chain(written)
}
