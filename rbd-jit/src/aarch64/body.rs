//! The instructions of a kernel.

use super::assembler::{self, Address, Assembler, Jump, Three, Width};
use super::encode::{self, V, X};
use super::sines::Sines;
use super::{
    ARRAY_BASES, CONSTANTS, CONTEXT, Error, FAR, FRAME, FREE, LINK, POINTERS, SCRATCH, SPARE, STACK, WORK,
    is_kept, vector,
};
use crate::allocate::{Allocated, Register, Source, Step, Value};
use crate::arrays::Array;
use crate::constants::Constants;
use crate::lower::{At, Kind, Lowered, Memory, Op, Routine};
use crate::pointers::Pointers;
use rbd_ir::kernel::{ArrayId, Place};

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
    pub sines: Sines,
}

/// A kernel on its way to machine code.
pub struct Body<'a> {
    pub(super) kernel: Unit<'a>,
    pub(super) lowered: &'a Lowered,
    /// The register that has the address of each array, of those that straight lines read or write, and the
    /// pointer that it is read from.
    bases: Vec<Option<(X, usize)>>,
    /// Array whose address is in [`FAR`], if there are more arrays than registers for their addresses.
    far: Option<ArrayId>,
    /// Registers in use that callees preserve.
    kept: (Vec<X>, Vec<V>),
    /// Cold code, placed after the function: a jump leads to a call of this routine, then back to this place.
    /// The routine replaces the code between.
    rare: Vec<(Jump, u32, usize)>,
    pub(super) out: Assembler,
}

/// Offsets in the frame: that of the caller and where to return to, the context and the pointers, and what
/// callees keep.
const CONTEXT_AT: u32 = 16;
pub(super) const POINTERS_AT: u32 = 24;
const KEPT_AT: u32 = 32;

/// Offsets in the context, after the pointers, in bytes.
const CONSTANTS_AT: u32 = 8;
const ROUTINE_AT: u32 = 16;

/// Number of bytes above which a fill is a loop.
const UNROLLED: u32 = 256;

impl<'a> Body<'a> {
    pub fn new(kernel: Unit<'a>) -> Result<Self, Error> {
        let lowered = kernel.lowered;
        let pointers = kernel.arrays.iter().map(|array| Pointers::place(array.location));
        let pointers: Vec<usize> = pointers.collect::<Option<_>>().ok_or(Error::TooManyArrays)?;
        let mut bases = vec![None; lowered.arrays.len()];
        for (array, base) in lowered.most_used().into_iter().zip(ARRAY_BASES) {
            bases[array.index()] = Some((base, pointers[array.index()]));
        }
        let kept = (bases.iter().flatten().map(|(base, _)| *base).filter(|base| base.0 >= 19)).collect();
        let kept = (kept, kept_vectors(kernel.allocated));
        Ok(Self { kernel, lowered, bases, far: None, kept, rare: Vec::new(), out: Assembler::default() })
    }

    /// The words.
    pub fn words(mut self) -> Vec<u32> {
        self.enter();
        for step in &self.kernel.allocated.steps {
            self.step(step);
        }
        self.leave();
        for (jump, routine, back) in std::mem::take(&mut self.rare) {
            let here = self.out.here();
            self.out.land(jump, here);
            self.call(routine);
            self.out.jump_to(back);
        }
        self.out.finish()
    }

    /// Number of bytes of the stack frame.
    fn frame(&self) -> i32 {
        let numbers = self.kept.0.len().next_multiple_of(2) + self.kept.1.len().next_multiple_of(2);
        (KEPT_AT + 8 * numbers as u32) as i32
    }

    fn enter(&mut self) {
        self.out.push(encode::stp_x_pre(FRAME, LINK, STACK, -self.frame()));
        self.out.push(encode::add_immediate(FRAME, STACK, 0, false));
        self.out.push(encode::stp_x(CONTEXT, POINTERS, STACK, CONTEXT_AT as i32));
        self.keep(encode::stp_x, encode::stp_d);
        self.load_bases(|_| true);
    }

    fn leave(&mut self) {
        self.keep(encode::ldp_x, encode::ldp_d);
        self.out.push(encode::ldp_x_post(FRAME, LINK, STACK, self.frame()));
        self.out.push(encode::ret());
    }

    /// Moves what callees keep to the frame or back, two by two, with a register that is free where their
    /// number is odd.
    fn keep(&mut self, general: fn(X, X, X, i32) -> u32, vector: fn(V, V, X, i32) -> u32) {
        let (generals, vectors) = &self.kept;
        let mut at = KEPT_AT as i32;
        for pair in generals.chunks(2) {
            let second = pair.get(1).copied().unwrap_or(FREE[1]);
            self.out.push(general(pair[0], second, STACK, at));
            at += 16;
        }
        for pair in vectors.chunks(2) {
            let second = pair.get(1).copied().unwrap_or(SPARE);
            self.out.push(vector(pair[0], second, STACK, at));
            at += 16;
        }
    }

    /// The addresses of the kernel's own memory, constants and arrays. The context's is in its register.
    fn load_bases(&mut self, which: impl Fn(X) -> bool) {
        self.out.load_general(CONSTANTS, Address { base: CONTEXT, bytes: CONSTANTS_AT });
        let pointer = |place: usize| Address { base: POINTERS, bytes: 8 * place as u32 };
        self.out.load_general(WORK, pointer(Pointers::WORK));
        for (base, place) in self.bases.iter().flatten().filter(|(base, _)| which(*base)) {
            self.out.load_general(*base, pointer(*place));
        }
    }

    /// Loads again the addresses in registers that callees need not keep.
    pub(super) fn load_bases_again(&mut self) {
        self.out.push(encode::ldp_x(CONTEXT, POINTERS, STACK, CONTEXT_AT as i32));
        self.load_bases(|base| base.0 < 19);
    }

    fn bytes_of(&self, numbers: u32) -> u32 {
        numbers * 8 * self.kernel.states as u32
    }

    fn entry(&self, array: ArrayId, index: u32) -> Address {
        match self.lowered.arrays[array.index()] {
            At::Pointer => {
                let base = self.bases[array.index()].map_or(FAR, |(base, _)| base);
                assert!(base != FAR || self.far == Some(array), "its address was loaded");
                Address { base, bytes: self.bytes_of(index) }
            }
            At::Work(begin) => self.work(begin + index),
        }
    }

    pub(super) fn work(&self, number: u32) -> Address {
        Address { base: WORK, bytes: self.bytes_of(number) }
    }

    fn address(&self, at: Memory) -> Address {
        match at {
            Memory::Entry(place) | Memory::Splat(place) => self.entry(place.array, place.index),
            Memory::Constant(k) => Address { base: CONSTANTS, bytes: self.kernel.constants.offset(k) as u32 },
            Memory::Work(number) => self.work(number),
        }
    }

    fn home(&self, value: Value) -> Memory {
        self.lowered.program.values[value.index()].home.expect("it has one").at
    }

    fn width(&self, value: Value) -> Width {
        Width::of(usize::from(self.lowered.program.values[value.index()].lanes) * self.kernel.states)
    }

    fn slot(&self, slot: u32) -> Address {
        self.work(self.lowered.work + slot)
    }

    /// Loads the address of the array that a step reads or writes, if it is in no register.
    fn reach(&mut self, step: &Step) {
        let array = match *step {
            Step::Load { from: Source::Home(value), .. } => self.home(value).array(),
            Step::Do { inst, .. } => self.lowered.written(self.lowered.program.body[inst as usize].op.kind),
            Step::Load { .. } | Step::Save { .. } | Step::Copy { .. } => None,
        };
        let Some(array) = array else { return };
        let k = array.index();
        if self.lowered.arrays[k] != At::Pointer || self.bases[k].is_some() || self.far == Some(array) {
            return;
        }
        let place = Pointers::place(self.kernel.arrays[k].location).expect("looked at when this was made");
        self.out.load_general(FAR, Address { base: POINTERS, bytes: 8 * place as u32 });
        self.far = Some(array);
    }

    fn step(&mut self, step: &Step) {
        self.reach(step);
        match *step {
            Step::Load { to, value, from } => self.load(vector(to), value, from),
            Step::Save { from, value, slot } => {
                self.out.store(self.width(value), self.slot(slot), vector(from));
            }
            Step::Copy { to, value, from } => self.out.copy(self.width(value), vector(to), vector(from)),
            Step::Do { inst, to, from } => {
                let Op { kind, lanes } = self.lowered.program.body[inst as usize].op;
                let width = Width::of(usize::from(lanes) * self.kernel.states);
                match to {
                    Some(to) => self.compute(kind, width, vector(to), from),
                    None => self.effect(kind, width, from[0]),
                }
            }
        }
    }

    fn load(&mut self, to: V, value: Value, from: Source) {
        let width = self.width(value);
        match from {
            Source::Home(value) => match self.home(value) {
                at @ Memory::Splat(_) => self.out.load_splat(width, to, self.address(at)),
                Memory::Constant(k) => self.constant(width, to, k),
                at => self.out.load(width, to, self.address(at)),
            },
            Source::Slot(slot) => self.out.load(width, to, self.slot(slot)),
            Source::Register(_) => unreachable!("it is in a register"),
        }
    }

    /// Loads a constant, by an immediate instruction if there is one.
    fn constant(&mut self, width: Width, to: V, k: u32) {
        if self.kernel.constants.is_zero(k) {
            return self.out.push(encode::movi_2d_zero(to));
        }
        let lanes = &self.lowered.constants[k as usize];
        let is_one_number = lanes.iter().all(|x| x.to_bits() == lanes[0].to_bits());
        match encode::immediate(lanes[0]).filter(|_| is_one_number) {
            Some(immediate) => self.out.push(match width {
                Width::One => encode::fmov_immediate(to, immediate),
                Width::Two => encode::fmov_2d_immediate(to, immediate),
            }),
            None => self.out.load(width, to, self.address(Memory::Constant(k))),
        }
    }

    fn compute(&mut self, kind: Kind, width: Width, to: V, from: [Option<Source>; 3]) {
        let of = |k: usize| register(from[k]);
        let three = |out: &mut Assembler, code: &Three| out.three(code, width, to, of(0), of(1));
        match kind {
            Kind::Add => three(&mut self.out, &assembler::ADD),
            Kind::Sub => three(&mut self.out, &assembler::SUB),
            Kind::Mul => three(&mut self.out, &assembler::MUL),
            Kind::Div => three(&mut self.out, &assembler::DIV),
            Kind::Sqrt => self.out.two(&assembler::SQRT, width, to, of(0)),
            Kind::MulAdd { minus_product, minus_addend } => {
                self.fused(width, minus_product, minus_addend, to, [0, 1, 2].map(of));
            }
            Kind::Flip => self.out.push(encode::eor_16b(to, of(0), of(1))),
            Kind::Splat if width == Width::One => self.out.copy(width, to, of(0)),
            Kind::Splat => self.out.push(encode::dup_2d(to, of(0), 0)),
            Kind::Pair => self.out.push(encode::zip1_2d(to, of(0), of(1))),
            Kind::Second => self.out.push(encode::dup_d(to, of(0), 1)),
            Kind::Join | Kind::High => unreachable!("there are no four lanes"),
            Kind::Store(_) | Kind::StoreSecond(_) | Kind::Fill(_) | Kind::Zeros(..) | Kind::Routine(_) => {
                unreachable!("they have no result")
            }
        }
    }

    /// `a b + c`, with signs.
    fn fused(&mut self, width: Width, minus_product: bool, minus_addend: bool, to: V, [a, b, c]: [V; 3]) {
        if width == Width::One {
            let code = match (minus_product, minus_addend) {
                (false, false) => encode::fmadd,
                (true, false) => encode::fmsub,
                (true, true) => encode::fnmadd,
                (false, true) => encode::fnmsub,
            };
            return self.out.push(code(to, a, b, c));
        }
        assert!(to == c, "the addend is overwritten");
        // The sign of what is added to: that of the result would be another one where it is zero.
        let is_apart = minus_addend && (c == a || c == b);
        let sum = if is_apart { SPARE } else { to };
        if minus_addend {
            self.out.push(encode::fneg_2d(sum, c));
        }
        let code = if minus_product { encode::fmls_2d } else { encode::fmla_2d };
        self.out.push(code(sum, a, b));
        if is_apart {
            self.out.copy(width, to, sum);
        }
    }

    fn effect(&mut self, kind: Kind, width: Width, from: Option<Source>) {
        match kind {
            Kind::Store(to) => self.out.store(width, self.address(to), register(from)),
            Kind::StoreSecond(to) => {
                self.out.push(encode::dup_d(SPARE, register(from), 1));
                self.out.store(Width::One, self.address(to), SPARE);
            }
            Kind::Fill(array) => {
                let numbers = self.lowered.lengths[array.index()] as u32;
                self.fill(self.entry(array, 0), self.bytes_of(numbers), register(from));
            }
            Kind::Zeros(Place { array, index }, count) => {
                self.fill(self.entry(array, index), self.bytes_of(count), register(from));
            }
            Kind::Routine(k) => self.routine(k),
            _ => unreachable!("{kind:?} has a result"),
        }
    }

    /// Both numbers of a register, over and over.
    fn fill(&mut self, mut to: Address, mut bytes: u32, from: V) {
        if bytes > UNROLLED {
            let [counter, _] = FREE;
            self.out.address(SCRATCH, to);
            self.out.number(counter, bytes / 32);
            let again = self.out.here();
            self.out.push(encode::stp_q_post(from, from, SCRATCH, 32));
            self.out.push(encode::sub_immediate(counter, counter, 1));
            self.out.push(encode::cbnz(counter, self.out.distance(again)));
            (to, bytes) = (to.plus(bytes & !31), bytes & 31);
        }
        for at in (0..bytes).step_by(16) {
            let width = if bytes - at < 16 { Width::One } else { Width::Two };
            self.out.store(width, to.plus(at), from);
        }
    }

    fn routine(&mut self, k: u32) {
        let lowered = self.lowered;
        match &lowered.routines[k as usize] {
            Routine::Sines { count, angles, sin, cos } => {
                let numbers = count * self.kernel.states as u32;
                let rows = [*angles, Memory::Work(*sin), Memory::Work(*cos)].map(|at| self.address(at));
                let beyond = self.kernel.sines.write(&mut self.out, numbers, rows);
                let back = self.out.here();
                self.rare.push((beyond, k, back));
            }
            Routine::Product { product, rows, columns } => self.product(product, *rows, *columns),
            Routine::Call { .. } => self.call(k),
        }
        // Callees do not keep it.
        self.far = None;
    }

    fn call(&mut self, routine: u32) {
        self.out.load_general(CONTEXT, Address { base: STACK, bytes: CONTEXT_AT });
        self.out.number(X(1), routine);
        self.out.load_general(SCRATCH, Address { base: CONTEXT, bytes: ROUTINE_AT });
        self.out.push(encode::blr(SCRATCH));
        self.load_bases_again();
    }
}

fn register(source: Option<Source>) -> V {
    match source {
        Some(Source::Register(register)) => vector(register),
        other => unreachable!("{other:?} is no register"),
    }
}

/// The registers of values that callees keep.
fn kept_vectors(allocated: &Allocated) -> Vec<V> {
    let to = |step: &Step| match *step {
        Step::Load { to, .. } | Step::Copy { to, .. } => Some(to),
        Step::Do { to, .. } => to,
        Step::Save { .. } => None,
    };
    let last = allocated.steps.iter().filter_map(to).map(|register| register.0).max();
    let all = (0..=last.unwrap_or(0)).map(|k| vector(Register(k)));
    all.filter(|register| is_kept(*register)).collect()
}
