//! One pass over a program.

use super::slots::Slots;
use super::uses::Uses;
use super::{Allocated, Inst, Program, Register, Rules, Source, Step, Value};

/// An operand in memory that is read again within so many instructions is loaded, so that it is read there
/// once. Measured on the inverse dynamics and derivatives of an arm, a quadruped and a humanoid, where 8 to
/// 50 are alike.
const SOON: u32 = 24;

/// Gives every value of a program a place, with this many registers.
pub fn allocate<O, H: Copy>(
    program: &Program<O, H>,
    registers: u8,
    rules: impl Fn(&Inst<O>) -> Rules,
) -> Allocated {
    assert!(registers >= 4, "three operands and a result");
    let count = program.values.len();
    let mut scan = Scan {
        program,
        uses: Uses::new(program),
        holds: vec![None; registers.into()],
        register: vec![None; count],
        slot: vec![None; count],
        pinned: 0,
        slots: Slots::default(),
        given_up: Vec::new(),
        steps: Vec::with_capacity(program.body.len() * 5 / 4),
        at: 0,
    };
    for (at, inst) in program.body.iter().enumerate() {
        scan.at = at as u32;
        scan.instruction(inst, rules(inst));
    }
    Allocated { steps: scan.steps, slots: scan.slots.len() }
}

struct Scan<'p, O, H> {
    program: &'p Program<O, H>,
    uses: Uses,
    /// Value in each register.
    holds: Vec<Option<Value>>,
    /// Register of each value.
    register: Vec<Option<Register>>,
    /// Slot of each value.
    slot: Vec<Option<u32>>,
    /// Registers that the instruction at hand needs, as bits.
    pinned: u64,
    slots: Slots,
    /// Slots of values that are read for the last time. They are free after the instruction, and not
    /// before: what is saved to make room for its result must not overwrite an operand.
    given_up: Vec<(u32, u8)>,
    steps: Vec<Step>,
    at: u32,
}

impl<O, H: Copy> Scan<'_, O, H> {
    fn instruction(&mut self, inst: &Inst<O>, rules: Rules) {
        let registers = inst.operands().filter_map(|value| self.register_of(value));
        self.pinned = registers.fold(0, |all, register| all | 1 << register.0);
        let mut from = self.operands(inst, rules);
        for value in inst.operands() {
            self.uses.pass(value, self.at);
        }
        let overwritten = inst.result.and_then(|_| self.overwritten(inst, rules, &mut from));
        self.give_up_dead(inst);
        // The register of an operand that is read for the last time may become the result's: it is empty now.
        self.pinned = self.held(&from);
        let to = inst.result.map(|_| overwritten.unwrap_or_else(|| self.free_register()));
        if rules.is_call {
            self.save_all();
        }
        self.steps.push(Step::Do { inst: self.at, to, from });
        for (slot, lanes) in self.given_up.drain(..) {
            self.slots.give(slot, lanes);
        }
        if let (Some(to), Some(result)) = (to, inst.result)
            && self.uses.next(result).is_some()
        {
            self.put(result, to);
        }
    }

    /// Places of the operands. One of them may stay in memory, the others are loaded.
    fn operands(&mut self, inst: &Inst<O>, rules: Rules) -> [Option<Source>; 3] {
        let stays = self.stays_in_memory(inst, rules);
        let mut from = [None; 3];
        for (k, value) in inst.reads.iter().enumerate() {
            let Some(value) = *value else { continue };
            from[k] = Some(match self.register_of(value) {
                Some(register) => Source::Register(register),
                None if stays == Some(k) => self.in_memory(value),
                None => Source::Register(self.load(value)),
            });
        }
        from
    }

    /// The operand that is best left in memory: not in a register, read by nobody soon, and read once here.
    fn stays_in_memory(&self, inst: &Inst<O>, rules: Rules) -> Option<usize> {
        let mut best: Option<(u32, usize)> = None;
        for (k, value) in inst.reads.iter().enumerate() {
            let Some(value) = *value else { continue };
            let is_operand = self.home(value).is_none_or(|home| home.is_operand);
            let is_once = inst.operands().filter(|other| *other == value).count() == 1;
            // Of the operands that the result may overwrite, one is in a register.
            let leaves_one = !rules.overwrites.contains(&true)
                || (0..3).any(|other| other != k && rules.overwrites[other] && inst.reads[other].is_some());
            let may_stay = rules.in_memory[k] && is_operand && is_once && leaves_one;
            if !may_stay || self.register_of(value).is_some() {
                continue;
            }
            let distance = self.distance_after(value);
            if distance > SOON && best.is_none_or(|(other, _)| distance > other) {
                best = Some((distance, k));
            }
        }
        best.map(|(_, k)| k)
    }

    /// The register that the result overwrites, if it overwrites one: that of an operand which is read for
    /// the last time, or a copy's.
    fn overwritten(
        &mut self,
        inst: &Inst<O>,
        rules: Rules,
        from: &mut [Option<Source>; 3],
    ) -> Option<Register> {
        let can = |k: &usize| rules.overwrites[*k] && matches!(from[*k], Some(Source::Register(_)));
        let candidates: Vec<usize> = (0..3).filter(can).collect();
        let is_dead = |k: &usize| inst.reads[*k].is_some_and(|value| self.uses.next(value).is_none());
        if let Some(k) = candidates.iter().copied().find(is_dead) {
            let Some(Source::Register(register)) = from[k] else { unreachable!() };
            return Some(register);
        }
        let k = candidates.first().copied()?;
        let (Some(value), Some(Source::Register(register))) = (inst.reads[k], from[k]) else {
            unreachable!()
        };
        self.pinned = self.held(from);
        let copy = self.free_register();
        self.steps.push(Step::Copy { to: copy, value, from: register });
        from[k] = Some(Source::Register(copy));
        Some(copy)
    }

    /// The registers of operands that live on, as bits.
    fn held(&self, from: &[Option<Source>; 3]) -> u64 {
        let register = |source: &Option<Source>| match source {
            Some(Source::Register(r)) if self.holds[usize::from(r.0)].is_some() => 1 << r.0,
            _ => 0,
        };
        from.iter().map(register).fold(0, |all, bit| all | bit)
    }

    fn home(&self, value: Value) -> Option<super::Home<H>> {
        self.program.values[value.index()].home
    }

    fn lanes(&self, value: Value) -> u8 {
        self.program.values[value.index()].lanes
    }

    fn register_of(&self, value: Value) -> Option<Register> {
        self.register[value.index()]
    }

    fn in_memory(&self, value: Value) -> Source {
        match self.slot[value.index()] {
            Some(slot) => Source::Slot(slot),
            None => {
                assert!(self.home(value).is_some(), "a value is read before it is made");
                Source::Home(value)
            }
        }
    }

    /// Number of instructions from the current one to the next one that reads a value.
    fn distance_after(&self, value: Value) -> u32 {
        self.uses.after(value, self.at).map_or(u32::MAX, |next| next - self.at)
    }

    fn put(&mut self, value: Value, register: Register) {
        self.holds[usize::from(register.0)] = Some(value);
        self.register[value.index()] = Some(register);
    }

    fn load(&mut self, value: Value) -> Register {
        let from = self.in_memory(value);
        let to = self.free_register();
        self.pinned |= 1 << to.0;
        self.steps.push(Step::Load { to, value, from });
        self.put(value, to);
        to
    }

    /// A register that nobody needs now: an empty one, or that of the value which is read last. What is in
    /// memory as well costs no store.
    fn free_register(&mut self) -> Register {
        let mut best: Option<(u64, u8)> = None;
        for (k, held) in self.holds.iter().enumerate() {
            let k = k as u8;
            if self.pinned & 1 << k != 0 {
                continue;
            }
            let Some(value) = *held else { return Register(k) };
            let distance = u64::from(self.uses.next(value).map_or(u32::MAX, |next| next - self.at));
            let is_in_memory = self.slot[value.index()].is_some() || self.home(value).is_some();
            let score = if is_in_memory { 3 * distance } else { 2 * distance };
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, k));
            }
        }
        let (_, register) = best.expect("an instruction needs fewer registers than there are");
        self.empty(Register(register));
        Register(register)
    }

    /// Takes the value out of a register, and saves the value if it is read again.
    fn empty(&mut self, register: Register) {
        let Some(value) = self.holds[usize::from(register.0)].take() else { return };
        self.register[value.index()] = None;
        let is_read = self.uses.next(value).is_some();
        if is_read && self.home(value).is_none() && self.slot[value.index()].is_none() {
            let slot = self.slots.take(self.lanes(value));
            self.slot[value.index()] = Some(slot);
            self.steps.push(Step::Save { from: register, value, slot });
        }
    }

    fn save_all(&mut self) {
        for register in 0..self.holds.len() {
            self.empty(Register(register as u8));
        }
    }

    /// Frees registers and slots of operands that are read for the last time.
    fn give_up_dead(&mut self, inst: &Inst<O>) {
        for value in inst.operands() {
            if self.uses.next(value).is_some() {
                continue;
            }
            if let Some(register) = self.register[value.index()].take() {
                self.holds[usize::from(register.0)] = None;
            }
            if let Some(slot) = self.slot[value.index()].take() {
                self.given_up.push((slot, self.lanes(value)));
            }
        }
    }
}
