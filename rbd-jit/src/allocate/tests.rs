//! Allocated code of random programs, run on names: every operand is where it was put, whatever the
//! processor allows.

use super::*;
use crate::random::Random;

/// A program of instructions with rules of their own, some of which read the same value twice.
fn program(random: &mut Random, length: usize) -> Program<Rules, ()> {
    let home = |is_operand| Some(Home { at: (), is_operand });
    let mut values: Vec<ValueInfo<()>> =
        (0..10).map(|k| ValueInfo { lanes: 1 << (k % 3), home: home(k % 4 != 0) }).collect();
    let mut body = Vec::new();
    for _ in 0..length {
        let count = 1 + random.below(3);
        let reads = [0, 1, 2].map(|k| (k < count).then(|| Value(random.recent(values.len()) as u32)));
        let is_call = random.below(40) == 0;
        let overwrites = [0, 1, 2].map(|k| !is_call && k < count && random.below(2) == 0);
        let op = Rules { in_memory: [0; 3].map(|_| random.below(2) == 0), overwrites, is_call };
        let reads = if is_call { [None; 3] } else { reads };
        let result = (!is_call && random.below(8) != 0).then(|| {
            values.push(ValueInfo { lanes: 1 << random.below(3), home: None });
            Value(values.len() as u32 - 1)
        });
        let op = if result.is_none() { Rules { overwrites: [false; 3], ..op } } else { op };
        body.push(Inst { op, result, reads });
    }
    Program { values, body }
}

/// Contents of registers and slots, by value.
struct Names<'p> {
    program: &'p Program<Rules, ()>,
    registers: Vec<Option<Value>>,
    slots: Vec<Option<(Value, u8)>>,
}

impl Names<'_> {
    fn lanes(&self, value: Value) -> u8 {
        self.program.values[value.index()].lanes
    }

    /// The value at a source, if all of it is there.
    fn at(&self, source: Source) -> Option<Value> {
        match source {
            Source::Register(register) => self.registers[usize::from(register.0)],
            Source::Home(value) => self.program.values[value.index()].home.map(|_| value),
            Source::Slot(slot) => {
                let (value, _) = self.slots[slot as usize]?;
                let whole = (0..self.lanes(value))
                    .all(|lane| self.slots[slot as usize + usize::from(lane)] == Some((value, lane)));
                whole.then_some(value)
            }
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Load { to, value, from } => {
                assert!(!matches!(from, Source::Register(_)));
                assert_eq!(self.at(from), Some(value));
                self.registers[usize::from(to.0)] = Some(value);
            }
            Step::Save { from, value, slot } => {
                assert_eq!(self.at(Source::Register(from)), Some(value));
                assert_eq!(slot % u32::from(self.lanes(value)), 0, "slots are aligned");
                for lane in 0..self.lanes(value) {
                    self.slots[slot as usize + usize::from(lane)] = Some((value, lane));
                }
            }
            Step::Copy { to, value, from } => {
                assert_eq!(self.at(Source::Register(from)), Some(value));
                self.registers[usize::from(to.0)] = Some(value);
            }
            Step::Do { inst, to, from } => self.instruction(inst, to, from),
        }
    }

    fn instruction(&mut self, inst: u32, to: Option<Register>, from: [Option<Source>; 3]) {
        let Inst { op: rules, result, reads } = &self.program.body[inst as usize];
        for (read, source) in reads.iter().zip(from) {
            assert_eq!(source.and_then(|s| self.at(s)), *read);
        }
        let is_in_memory = |k: &usize| from[*k].is_some_and(|s| !matches!(s, Source::Register(_)));
        let in_memory: Vec<usize> = (0..3).filter(is_in_memory).collect();
        assert!(in_memory.len() <= 1 && in_memory.iter().all(|k| rules.in_memory[*k]));
        assert!(in_memory.iter().all(|k| match from[*k] {
            Some(Source::Home(value)) => self.program.values[value.index()].home.unwrap().is_operand,
            _ => true,
        }));
        if rules.is_call {
            self.registers.fill(None);
        }
        assert_eq!(to.is_some(), result.is_some());
        if let (Some(to), Some(result)) = (to, result) {
            let is_over = |k: usize| rules.overwrites[k] && from[k] == Some(Source::Register(to));
            assert!(rules.overwrites == [false; 3] || (0..3).any(is_over), "an operand is overwritten");
            self.registers[usize::from(to.0)] = Some(*result);
        }
    }
}

#[test]
fn every_value_that_is_read_is_the_one_that_was_made() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let program = program(random, 20 + 10 * (seed as usize % 40));
        let registers = [4, 5, 8, 16, 32][seed as usize % 5];
        check(&program, registers);
        check(&program.ordered(|inst| inst.op.is_call), registers);
    }
}

fn check(program: &Program<Rules, ()>, registers: u8) {
    let allocated = allocate(program, registers, |inst| inst.op);
    let mut names = Names {
        program,
        registers: vec![None; registers.into()],
        slots: vec![None; allocated.slots as usize],
    };
    allocated.steps.iter().for_each(|step| names.step(*step));
    let done = allocated.steps.iter().filter(|step| matches!(step, Step::Do { .. })).count();
    assert_eq!(done, program.body.len());
}

/// The other order has the same instructions, each after those that it reads, and as many of them before
/// each that stays.
#[test]
fn orders_are_permutations() {
    for seed in 0..100 {
        let program = program(&mut Random::new(seed), 20 + 10 * (seed as usize % 40));
        let stays = |inst: &Inst<Rules>| inst.op.is_call;
        let other = program.ordered(stays);
        let lines = |program: &Program<Rules, ()>| {
            let line = |line: &[Inst<Rules>]| {
                let key = |inst: &Inst<Rules>| format!("{:?} {:?} {:?}", inst.result, inst.reads, inst.op);
                let mut all: Vec<String> = line.iter().map(key).collect();
                all.sort();
                all
            };
            program.body.split_inclusive(stays).map(line).collect::<Vec<_>>()
        };
        assert_eq!(lines(&other), lines(&program), "{seed}");
        let mut made: Vec<bool> = program.values.iter().map(|value| value.home.is_some()).collect();
        for inst in &other.body {
            assert!(inst.operands().all(|value| made[value.index()]), "{seed}");
            inst.result.into_iter().for_each(|value| made[value.index()] = true);
        }
    }
}

/// Values that fit into registers are never saved. An operand that is read once is read where it lies.
#[test]
fn nothing_moves_without_need() {
    let home = Some(Home { at: (), is_operand: true });
    let values = vec![
        ValueInfo { lanes: 1, home },
        ValueInfo { lanes: 1, home },
        ValueInfo { lanes: 1, home: None },
        ValueInfo { lanes: 1, home: None },
    ];
    let op = Rules { in_memory: [true; 3], ..Rules::default() };
    let inst = |result, a, b| Inst {
        op,
        result: Some(Value(result)),
        reads: [Some(Value(a)), Some(Value(b)), None],
    };
    let program = Program { values, body: vec![inst(2, 0, 1), inst(3, 2, 2)] };
    let allocated = allocate(&program, 4, |inst| inst.op);
    let is_load = |step: &&Step| matches!(step, Step::Load { .. });
    assert_eq!(allocated.steps.iter().filter(is_load).count(), 1);
    assert_eq!((allocated.steps.len(), allocated.slots), (3, 0));
}
