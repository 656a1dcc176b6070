//! The instructions of a kernel.

use super::assembler::{Address, Assembler, Jump, Operand};
use super::codes::{self, Codes, Size, Width};
use super::sines::Sines;
use super::{ARRAY_BASES, CONSTANTS, CONTEXT, Error, FAR, Level, POINTERS, SAVED, WORK};
use crate::allocate::{Allocated, Register, Source, Step, Value};
use crate::arrays::Array;
use crate::constants::Constants;
use crate::lower::{At, Kind, Lowered, Memory, Op, Routine};
use crate::pointers::Pointers;
use iced_x86::{Code, Register as General};
use rbd_ir::kernel::ArrayId;

/// A kernel after lowering and register allocation, ready for code generation.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    pub lowered: &'a Lowered,
    pub allocated: &'a Allocated,
    pub constants: &'a Constants,
    /// Location of each array.
    pub arrays: &'a [Array],
    /// Number of states side by side.
    pub states: usize,
    /// Size of the numbers.
    pub size: Size,
    pub level: Level,
    pub sines: Sines,
}

/// A kernel on its way to machine code.
pub struct Body<'a> {
    pub(super) kernel: Unit<'a>,
    pub(super) lowered: &'a Lowered,
    /// The register that has the address of each array, of those that straight lines read or write, and the
    /// pointer that it is read from.
    bases: Vec<Option<(General, usize)>>,
    /// Array whose address is in [`FAR`], if there are more arrays than registers for their addresses.
    far: Option<ArrayId>,
    /// True if registers of more than two numbers are used.
    is_wide: bool,
    /// Address of the function that runs routines.
    routine: u64,
    /// Cold code, placed after the function: a jump leads to a call of this routine, then back to this place.
    /// The routine replaces the code between.
    rare: Vec<(Jump, u32, usize)>,
    pub(super) out: Assembler,
}

impl<'a> Body<'a> {
    pub fn new(kernel: Unit<'a>, routine: u64) -> Result<Self, Error> {
        let lowered = kernel.lowered;
        let pointers = kernel.arrays.iter().map(|array| Pointers::place(array.location));
        let pointers: Vec<usize> = pointers.collect::<Option<_>>().ok_or(Error::TooManyArrays)?;
        let mut bases = vec![None; lowered.arrays.len()];
        let used = lowered.most_used();
        let near = if used.len() > ARRAY_BASES.len() { ARRAY_BASES.len() - 1 } else { used.len() };
        for (array, base) in used[..near].iter().zip(ARRAY_BASES) {
            let k = array.index();
            bases[k] = Some((base, pointers[k]));
        }
        let has_zeros =
            || lowered.program.body.iter().any(|inst| matches!(inst.op.kind, Kind::Zeros(_, 4..)));
        let has_products =
            || lowered.routines.iter().any(|routine| matches!(routine, Routine::Product { .. }));
        let has_wide_values = || lowered.program.values.iter().any(|value| value.lanes > 2);
        let is_wide = kernel.states > 1
            || has_products()
            || has_zeros()
            || has_wide_values()
            || kernel.sines.are_wide();
        let (rare, out) = (Vec::new(), Assembler::new(kernel.size));
        Ok(Self { kernel, lowered, bases, far: None, is_wide, routine, rare, out })
    }

    /// The bytes.
    pub fn bytes(mut self) -> Vec<u8> {
        self.enter();
        for step in &self.kernel.allocated.steps {
            self.step(step);
        }
        self.leave();
        for (jump, routine, back) in std::mem::take(&mut self.rare) {
            self.out.land(jump, self.out.here());
            self.call(routine);
            let jump = self.out.jump(Code::Jmp_rel32_64);
            self.out.land(jump, back);
        }
        self.out.finish()
    }

    /// Registers in use that callees preserve.
    fn saved(&self) -> impl DoubleEndedIterator<Item = General> + use<> {
        let used: Vec<General> = self.bases.iter().flatten().map(|(base, _)| *base).collect();
        // With all others in use, the last one may be needed for what is far.
        let is_used = |register: &General| {
            used.contains(register) || *register == FAR && used.len() + 1 == ARRAY_BASES.len()
        };
        let saved: Vec<General> = SAVED.into_iter().filter(is_used).collect();
        // A call leaves the stack eight bytes off a multiple of 16, and callees want that multiple: with the
        // context, an odd number of registers.
        let even = (saved.len() % 2 == 1).then_some(General::RAX);
        saved.into_iter().chain(even)
    }

    fn enter(&mut self) {
        self.saved().for_each(|register| self.out.general(Code::Push_r64, register));
        self.out.general(Code::Push_r64, CONTEXT);
        self.load_bases(|_| true);
    }

    fn leave(&mut self) {
        if self.is_wide {
            self.out.plain(Code::VEX_Vzeroupper);
        }
        self.out.general(Code::Pop_r64, CONTEXT);
        self.saved().rev().for_each(|register| self.out.general(Code::Pop_r64, register));
        self.out.plain(Code::Retnq);
    }

    /// The addresses of the kernel's own memory, constants and arrays, from the pointers.
    fn load_bases(&mut self, which: impl Fn(General) -> bool) {
        self.out.number(CONSTANTS, self.kernel.constants.address());
        let pointer = |place: usize| Address::new(POINTERS, 8 * place as i64);
        self.out.load_general(WORK, pointer(Pointers::WORK));
        let mut last = None;
        for (base, place) in self.bases.iter().flatten().filter(|(base, _)| which(*base)) {
            if *base == POINTERS {
                last = Some(*place);
            } else {
                self.out.load_general(*base, pointer(*place));
            }
        }
        if let Some(place) = last {
            self.out.load_general(POINTERS, pointer(place));
        }
    }

    /// Loads again the addresses in registers that callees need not keep.
    pub(super) fn load_bases_again(&mut self) {
        self.out.load_general(POINTERS, Address::new(General::RSP, 0));
        self.out.load_general(POINTERS, Address::new(POINTERS, 0));
        self.load_bases(|base| !SAVED.contains(&base));
    }

    fn bytes_of(&self, numbers: u32) -> i64 {
        i64::from(numbers) * self.kernel.size.bytes() * self.kernel.states as i64
    }

    fn entry(&self, array: ArrayId, index: u32) -> Address {
        match self.lowered.arrays[array.index()] {
            At::Pointer => {
                let base = self.bases[array.index()].map_or(FAR, |(base, _)| base);
                assert!(base != FAR || self.bases[array.index()].is_some() || self.far == Some(array));
                Address::new(base, self.bytes_of(index))
            }
            At::Work(begin) => self.work(begin + index),
        }
    }

    pub(super) fn work(&self, number: u32) -> Address {
        Address::new(WORK, self.bytes_of(number))
    }

    fn address(&self, at: Memory) -> Address {
        match at {
            Memory::Entry(place) | Memory::Splat(place) => self.entry(place.array, place.index),
            Memory::Constant(k) => Address::new(CONSTANTS, self.kernel.constants.offset(k)),
            Memory::Work(number) => self.work(number),
        }
    }

    fn home(&self, value: Value) -> Memory {
        self.lowered.program.values[value.index()].home.expect("it has one").at
    }

    /// Address of a value that is not in a register.
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
        Width::of(usize::from(self.lowered.program.values[value.index()].lanes) * self.kernel.states)
    }

    /// Loads the address of the array that a step reads or writes, if it is in no register. An instruction
    /// has one operand in memory, so one register is enough. Callees keep it.
    fn reach(&mut self, step: &Step) {
        let program = &self.lowered.program;
        let read = |source: Source| match source {
            Source::Home(value) => program.values[value.index()].home?.at.array(),
            _ => None,
        };
        let array = match *step {
            Step::Load { from, .. } => read(from),
            Step::Do { inst, from, .. } => {
                let written = self.lowered.written(program.body[inst as usize].op.kind);
                written.or_else(|| from.into_iter().flatten().find_map(read))
            }
            Step::Save { .. } | Step::Copy { .. } => None,
        };
        let Some(array) = array else { return };
        let k = array.index();
        if self.lowered.arrays[k] != At::Pointer || self.bases[k].is_some() || self.far == Some(array) {
            return;
        }
        let place = Pointers::place(self.kernel.arrays[k].location).expect("checked when this was made");
        self.out.load_general(FAR, Address::new(General::RSP, 0));
        self.out.load_general(FAR, Address::new(FAR, 0));
        self.out.load_general(FAR, Address::new(FAR, 8 * place as i64));
        self.far = Some(array);
    }

    fn step(&mut self, step: &Step) {
        self.reach(step);
        match *step {
            Step::Load { to, value, from } => self.load(to, value, from),
            Step::Save { from, value, slot } => {
                self.out.store(self.width(value), self.in_memory(Source::Slot(slot)), from);
            }
            Step::Copy { to, value, from } => self.out.copy(self.width(value), to, from),
            Step::Do { inst, to, from } => {
                let Op { kind, lanes } = self.lowered.program.body[inst as usize].op;
                let width = Width::of(usize::from(lanes) * self.kernel.states);
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
                Memory::Constant(k) if self.kernel.constants.is_zero(k) => self.out.zero(width, to),
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
            Kind::Store(_) | Kind::StoreSecond(_) | Kind::Fill(_) | Kind::Zeros(..) | Kind::Routine(_) => {
                unreachable!("they have no result")
            }
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
            Kind::StoreSecond(to) => self.out.store_second(self.address(to), register(from)),
            Kind::Fill(array) => {
                let numbers = self.lowered.lengths[array.index()] * self.kernel.states;
                self.fill(
                    self.entry(array, 0),
                    numbers,
                    register(from),
                    Width::of(self.kernel.states.max(4)),
                );
            }
            Kind::Zeros(place, count) => {
                // Where a register is zeroed all of it is, however wide the value was.
                let numbers = count as usize * self.kernel.states;
                self.fill(
                    self.entry(place.array, place.index),
                    numbers,
                    register(from),
                    self.kernel.level.widest_beside(self.kernel.states, self.kernel.size),
                );
            }
            Kind::Routine(k) => self.routine(k),
            _ => unreachable!("{kind:?} has a result"),
        }
    }

    /// Fills memory by the widest register, then by narrower ones for the rest.
    fn fill(&mut self, to: Address, numbers: usize, from: Register, widest: Width) {
        let mut at = 0;
        for width in self.kernel.size.widths(widest) {
            while at + width.numbers() <= numbers {
                self.out.store(width, to.plus(self.kernel.size.bytes() * at as i64), from);
                at += width.numbers();
            }
        }
    }

    fn routine(&mut self, k: u32) {
        let lowered = self.lowered;
        let (count, angles, sin, cos) = match &lowered.routines[k as usize] {
            Routine::Sines { count, angles, sin, cos } => (*count, *angles, *sin, *cos),
            Routine::Product { product, rows, columns } => return self.product(product, *rows, *columns),
            Routine::Call { .. } => return self.call(k),
        };
        let numbers = count as usize * self.kernel.states;
        let rows = [angles, Memory::Work(sin), Memory::Work(cos)].map(|at| self.address(at));
        let beyond = self.kernel.sines.write(&mut self.out, numbers, rows);
        let back = self.out.here();
        self.rare.push((beyond, k, back));
    }

    fn call(&mut self, routine: u32) {
        if self.is_wide {
            // What is compiled for older processors is slow while upper halves are in use.
            self.out.plain(Code::VEX_Vzeroupper);
        }
        self.out.load_general(General::RDI, Address::new(General::RSP, 0));
        self.out.number(General::RSI, routine.into());
        self.out.number(General::RAX, self.routine);
        self.out.general(Code::Call_rm64, General::RAX);
        self.load_bases_again();
    }
}

fn register(source: Option<Source>) -> Register {
    match source {
        Some(Source::Register(register)) => register,
        other => unreachable!("{other:?} is no register"),
    }
}
