//! Control words: instructions to all units for one cycle, in a memory.

use super::module::operands;
use super::width;
use crate::Circuit;
use crate::bind::{placed, port, written};
use crate::micro::{Kind, Mac, Source, Work};
use std::collections::BTreeMap;

/// Fields of a control word, by name.
pub(super) struct Control {
    /// First bit and width of each field.
    pub fields: BTreeMap<String, (usize, usize)>,
    /// Width of a word.
    pub width: usize,
    /// Bits of the word of each cycle.
    pub words: Vec<Vec<bool>>,
}

/// Width of an address. A value's address is the cycle in which it is written. Constants follow.
pub(super) fn address_width(circuit: &Circuit, p: usize) -> usize {
    width(circuit.schedule.cycles as usize + circuit.binding.ports[p].constants.len())
}

/// Address of a constant.
fn constant_address(circuit: &Circuit, p: usize, x: i32) -> usize {
    let known = circuit.binding.ports[p].constants.iter().position(|c| *c == x);
    circuit.schedule.cycles as usize + known.expect("constants that are read are kept")
}

/// Shifts of a unit's products, in order.
pub(super) fn shifts(circuit: &Circuit, unit: usize) -> Vec<u32> {
    let mut shifts: Vec<u32> = Vec::new();
    for (k, work) in circuit.micro.ops.iter().enumerate() {
        if let Work::Mac(mac) = work
            && circuit.schedule.unit[k] == unit
            && !shifts.contains(&mac.shift)
        {
            shifts.push(mac.shift);
        }
    }
    shifts.sort_unstable();
    shifts
}

/// Exponents of dividers' numerators, in order.
pub(super) fn exponents(circuit: &Circuit) -> Vec<u32> {
    let mut exponents: Vec<u32> = Vec::new();
    for work in &circuit.micro.ops {
        if let Work::Recip { exponent, .. } = work
            && !exponents.contains(exponent)
        {
            exponents.push(*exponent);
        }
    }
    exponents.sort_unstable();
    exponents
}

/// All work of a unit.
pub(super) fn works(circuit: &Circuit, unit: usize) -> impl Iterator<Item = (usize, Work)> + '_ {
    let ops = circuit.micro.ops.iter().copied().enumerate();
    ops.filter(move |(k, _)| circuit.schedule.unit[*k] == unit)
}

impl Control {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let cycles = circuit.schedule.cycles as usize;
        let mut control = Self { fields: BTreeMap::new(), width: 0, words: vec![Vec::new(); cycles + 1] };
        let units = circuit.schedule.units;
        for unit in 0..units.count() {
            let kind = units.kind(unit);
            for operand in 0..operands(kind) {
                let p = port(unit, operand);
                control.field(format!("at{p}"), address_width(circuit, p));
                let banks = circuit.binding.ports[p].banks.len();
                if banks > 1 {
                    control.field(format!("bank{p}"), width(banks));
                }
                for (b, bank) in circuit.binding.ports[p].banks.iter().enumerate() {
                    for source in bank.iter().filter(|_| bank.len() > 1) {
                        control.field(format!("to{p}_{b}_{source}"), 1);
                    }
                }
            }
            match kind {
                Kind::Multiplier => {
                    for name in ["minus", "ties", "minusc", "pass"] {
                        control.field(format!("{name}{unit}"), 1);
                    }
                    let shifts = shifts(circuit, unit).len();
                    if shifts > 1 {
                        control.field(format!("shift{unit}"), width(shifts));
                    }
                }
                Kind::Adder => {
                    control.field(format!("minus{unit}"), 1);
                    control.field(format!("fold{unit}"), 1);
                }
                Kind::Divider => {
                    control.field(format!("load{unit}"), 1);
                    let exponents = exponents(circuit).len();
                    if exponents > 1 {
                        control.field(format!("exponent{unit}"), width(exponents));
                    }
                }
            }
            control.field(format!("keep{unit}"), 1);
        }
        let width = control.width;
        control.words.iter_mut().for_each(|word| word.resize(width, false));
        control.fill(circuit);
        control
    }

    fn field(&mut self, name: String, bits: usize) {
        self.fields.insert(name, (self.width, bits));
        self.width += bits;
    }

    /// Sets a field. A choice without alternatives has no field.
    fn set(&mut self, cycle: u32, name: &str, value: usize) {
        let Some(&(first, bits)) = self.fields.get(name) else {
            assert_eq!(value, 0, "{name} has no field");
            return;
        };
        for bit in 0..bits {
            self.words[cycle as usize][first + bit] = value >> bit & 1 == 1;
        }
        assert!(value >> bits == 0, "{name} has {bits} bits, and {value} has more");
    }

    fn fill(&mut self, circuit: &Circuit) {
        let (micro, schedule) = (&circuit.micro, &circuit.schedule);
        for (k, work) in micro.ops.iter().enumerate() {
            let (unit, start) = (schedule.unit[k], schedule.start[k]);
            for (operand, (source, later)) in work.reads().enumerate() {
                if operand == 2 && schedule.passed_on[k] {
                    continue;
                }
                let operand = placed(operand, circuit.binding.swapped[k]);
                self.read(circuit, port(unit, operand), start + later, source);
            }
            match *work {
                Work::Mac(Mac { minus_c, minus, ties_down, shift, .. }) => {
                    let known = shifts(circuit, unit);
                    let place = known.iter().position(|s| *s == shift).expect("its unit has this shift");
                    let cycle = start + 2;
                    self.set(cycle, &format!("minus{unit}"), minus.into());
                    self.set(cycle, &format!("ties{unit}"), ties_down.into());
                    self.set(cycle, &format!("minusc{unit}"), minus_c.into());
                    self.set(cycle, &format!("pass{unit}"), schedule.passed_on[k].into());
                    self.set(cycle, &format!("shift{unit}"), place);
                }
                Work::Sum { minus, .. } => self.set(start + 1, &format!("minus{unit}"), minus.into()),
                Work::Fold(_) => self.set(start + 1, &format!("fold{unit}"), 1),
                Work::Recip { exponent, .. } => {
                    let known = exponents(circuit);
                    let place = known.iter().position(|e| *e == exponent).expect("it is one of them");
                    self.set(start + 1, &format!("load{unit}"), 1);
                    self.set(start + 1, &format!("exponent{unit}"), place);
                }
            }
        }
        for value in 0..(micro.inputs + micro.ops.len()) as u32 {
            self.write(circuit, value);
        }
        for source in &micro.results {
            if let (Source::Value(value), Some(maker)) = (*source, micro.maker(*source)) {
                let cycle = written(micro, schedule, value);
                self.set(cycle, &format!("keep{}", schedule.unit[maker]), 1);
            }
        }
    }

    fn read(&mut self, circuit: &Circuit, p: usize, cycle: u32, source: Source) {
        let (address, bank) = match source {
            // Constants are in the first bank.
            Source::Const(x) => (constant_address(circuit, p, x), 0),
            Source::Value(value) => {
                let from = maker(circuit, value);
                let banks = &circuit.binding.ports[p].banks;
                let bank = banks.iter().position(|bank| bank.contains(&from)).expect("it is written here");
                (written(&circuit.micro, &circuit.schedule, value) as usize, bank)
            }
        };
        self.set(cycle, &format!("at{p}"), address);
        self.set(cycle + 1, &format!("bank{p}"), bank);
    }

    /// Enables the write of a value to each memory from which it is read.
    fn write(&mut self, circuit: &Circuit, value: u32) {
        let from = maker(circuit, value);
        let cycle = written(&circuit.micro, &circuit.schedule, value);
        for p in readers(circuit, value) {
            for (b, bank) in circuit.binding.ports[p].banks.iter().enumerate() {
                if bank.len() > 1 && bank.contains(&from) {
                    self.set(cycle, &format!("to{p}_{b}_{from}"), 1);
                }
            }
        }
    }
}

/// Unit that makes a value. The number after the last unit stands for the input.
fn maker(circuit: &Circuit, value: u32) -> usize {
    let maker = circuit.micro.maker(Source::Value(value));
    maker.map_or(circuit.schedule.units.count(), |k| circuit.schedule.unit[k])
}

/// Ports from which a value is read.
fn readers(circuit: &Circuit, value: u32) -> Vec<usize> {
    let mut ports = Vec::new();
    for (k, work) in circuit.micro.ops.iter().enumerate() {
        for (operand, (source, _)) in work.reads().enumerate() {
            if source == Source::Value(value) && !(operand == 2 && circuit.schedule.passed_on[k]) {
                ports.push(port(circuit.schedule.unit[k], placed(operand, circuit.binding.swapped[k])));
            }
        }
    }
    ports
}
