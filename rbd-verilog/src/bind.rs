//! Binding: the choice of a unit for each piece of work, so that few wires are needed.
//!
//! Each operand of each unit has a memory, which is written by the units that make its values.
//! The cost is the multiplexer before that memory, over all units that ever write to it.
//! Simulated annealing with a fixed seed reduces it: two units exchange their work over some cycles.
//! No value may be passed on within a unit across the ends of those cycles.

use crate::micro::{Kind, Micro, Source, Work};
use crate::schedule::Schedule;
use rbd_runtime::random::Random;

/// Memories and wires of a schedule.
#[derive(Clone, Debug)]
pub struct Binding {
    /// For each piece of work, true if its factors are swapped.
    pub swapped: Vec<bool>,
    /// For each operand of a unit, as numbered by [`port`], its memory.
    pub ports: Vec<Port>,
}

/// Memory of a unit's operand.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// Banks, each with the numbers of the units that write to it. A bank is written at most once a cycle.
    /// The number after the last unit stands for the input.
    pub banks: Vec<Vec<usize>>,
    /// Constants in the memory.
    pub constants: Vec<i32>,
}

/// Operands of a unit. An adder uses two of them.
pub const OPERANDS: usize = 3;

/// Number of a unit's operand.
pub fn port(unit: usize, operand: usize) -> usize {
    unit * OPERANDS + operand
}

/// Costs in quarters of a wire: of a wire, of a second write to a memory in a cycle, of a further shift in a
/// unit.
const WIRE: i64 = 4;
const TWICE: i64 = 9;
const SHIFT: i64 = 5;

#[derive(Clone, Copy)]
struct Use {
    op: usize,
    operand: usize,
    value: u32,
}

struct Binder<'a> {
    micro: &'a Micro,
    schedule: &'a mut Schedule,
    swapped: Vec<bool>,
    uses: Vec<Use>,
    /// For each value, its uses.
    of_value: Vec<Vec<usize>>,
    /// For each piece of work, its reads from memory.
    of_op: Vec<Vec<usize>>,
    /// For each unit and cycle, the work that starts.
    table: Vec<Vec<Option<usize>>>,
    /// For each port and value, the number of reads.
    reads: Vec<u8>,
    /// For each port and source, the number of values.
    wires: Vec<u16>,
    /// For each port and cycle, the number of writes.
    writes: Vec<u8>,
    /// For each piece of work, its kind: the shift of a product, or a reflection.
    kind: Vec<Option<usize>>,
    /// For each unit and kind of work, the number of pieces.
    kinds: Vec<u16>,
    cost: i64,
    stamps: Vec<u32>,
    stamp: u32,
}

/// Kind of each piece of work that needs hardware of its own in a unit, and the number of kinds.
fn kinds_of_work(micro: &Micro) -> (Vec<Option<usize>>, usize) {
    let mut shifts: Vec<u32> = Vec::new();
    let mut kind_of = |work: &Work| match work {
        Work::Mac(mac) => Some(shifts.iter().position(|s| *s == mac.shift).unwrap_or_else(|| {
            shifts.push(mac.shift);
            shifts.len() - 1
        })),
        Work::Sum { .. } | Work::Recip { .. } => None,
        Work::Fold(_) => Some(usize::MAX),
    };
    let kinds: Vec<Option<usize>> = micro.ops.iter().map(&mut kind_of).collect();
    let fold = shifts.len();
    (kinds.into_iter().map(|kind| kind.map(|k| k.min(fold))).collect(), fold + 1)
}

impl Binding {
    /// Assigns units to the work of a schedule, whose times stay. More tries take longer and save more wires.
    pub fn new(micro: &Micro, schedule: &mut Schedule, tries: usize) -> Self {
        let mut binder = Binder::new(micro, schedule);
        binder.anneal(tries);
        let swapped = std::mem::take(&mut binder.swapped);
        let mut ports = vec![Port::default(); binder.schedule.units.count() * OPERANDS];
        for (p, port) in ports.iter_mut().enumerate() {
            port.banks = binder.banks(p);
        }
        for (k, work) in micro.ops.iter().enumerate() {
            for (operand, (source, _)) in work.reads().enumerate() {
                if let Source::Const(x) = source {
                    let p = port(schedule.unit[k], placed(operand, swapped[k]));
                    if !ports[p].constants.contains(&x) {
                        ports[p].constants.push(x);
                    }
                }
            }
        }
        ports.iter_mut().for_each(|port| port.constants.sort_unstable());
        Self { swapped, ports }
    }

    /// Inputs of all multiplexers before memories. Each is as wide as a number.
    pub fn wires(&self) -> usize {
        self.ports.iter().flat_map(|port| &port.banks).map(Vec::len).sum()
    }

    /// Number of memories.
    pub fn memories(&self) -> usize {
        self.ports.iter().map(|port| port.banks.len()).sum()
    }
}

/// Place of an operand if factors are swapped.
pub fn placed(operand: usize, swapped: bool) -> usize {
    if swapped && operand < 2 { 1 - operand } else { operand }
}

/// Cycle in which a value is written.
pub fn written(micro: &Micro, schedule: &Schedule, value: u32) -> u32 {
    schedule.ready(micro, Source::Value(value)) - 1
}

impl<'a> Binder<'a> {
    fn new(micro: &'a Micro, schedule: &'a mut Schedule) -> Self {
        let (n, units) = (micro.ops.len(), schedule.units.count());
        let cycles = schedule.cycles as usize + 1;
        let values = micro.inputs + n;
        let ports = units * OPERANDS;
        let (kind, number_of_kinds) = kinds_of_work(micro);
        let mut binder = Self {
            micro,
            swapped: vec![false; n],
            uses: Vec::new(),
            of_value: vec![Vec::new(); values],
            of_op: vec![Vec::new(); n],
            table: vec![vec![None; cycles]; units],
            reads: vec![0; ports * values],
            wires: vec![0; ports * (units + 1)],
            writes: vec![0; ports * cycles],
            kind,
            kinds: vec![0; units * number_of_kinds],
            cost: 0,
            stamps: Vec::new(),
            stamp: 0,
            schedule,
        };
        for (k, work) in micro.ops.iter().enumerate() {
            for (operand, (source, _)) in work.reads().enumerate() {
                let Source::Value(value) = source else { continue };
                if operand == 2 && binder.schedule.passed_on[k] {
                    continue;
                }
                binder.of_value[value as usize].push(binder.uses.len());
                binder.of_op[k].push(binder.uses.len());
                binder.uses.push(Use { op: k, operand, value });
            }
            binder.table[binder.schedule.unit[k]][binder.schedule.start[k] as usize] = Some(k);
        }
        binder.stamps = vec![0; binder.uses.len()];
        (0..binder.uses.len()).for_each(|u| binder.count(u, true));
        (0..n).for_each(|k| binder.count_kind(k, true));
        binder
    }

    fn source(&self, value: u32) -> usize {
        match self.micro.maker(Source::Value(value)) {
            Some(maker) => self.schedule.unit[maker],
            None => self.schedule.units.count(),
        }
    }

    /// Adds or removes a use.
    fn count(&mut self, u: usize, add: bool) {
        let Use { op, operand, value } = self.uses[u];
        let p = port(self.schedule.unit[op], placed(operand, self.swapped[op]));
        let reads = &mut self.reads[p * self.of_value.len() + value as usize];
        if add {
            *reads += 1;
            if *reads > 1 {
                return;
            }
        } else {
            *reads -= 1;
            if *reads > 0 {
                return;
            }
        }
        let cycles = self.table[0].len();
        let (source, cycle) = (self.source(value), written(self.micro, self.schedule, value) as usize);
        let wire = &mut self.wires[p * (self.schedule.units.count() + 1) + source];
        let write = &mut self.writes[p * cycles + cycle];
        if add {
            self.cost += if *wire == 0 { WIRE } else { 0 } + i64::from(*write) * TWICE;
            *wire += 1;
            *write += 1;
        } else {
            *wire -= 1;
            *write -= 1;
            self.cost -= if *wire == 0 { WIRE } else { 0 } + i64::from(*write) * TWICE;
        }
    }

    fn count_kind(&mut self, k: usize, add: bool) {
        let Some(kind) = self.kind[k] else { return };
        let number = self.kinds.len() / self.schedule.units.count();
        let kinds = &mut self.kinds[self.schedule.unit[k] * number + kind];
        if add {
            self.cost += if *kinds == 0 { SHIFT } else { 0 };
            *kinds += 1;
        } else {
            *kinds -= 1;
            self.cost -= if *kinds == 0 { SHIFT } else { 0 };
        }
    }

    /// Adds or removes all counts that depend on some pieces of work.
    fn count_all(&mut self, ops: &[usize], add: bool) {
        self.stamp += 1;
        for &k in ops {
            self.count_kind(k, add);
            let value = self.micro.value_of(k) as usize;
            for list in 0..2 {
                let length = if list == 0 { self.of_op[k].len() } else { self.of_value[value].len() };
                for i in 0..length {
                    let u = if list == 0 { self.of_op[k][i] } else { self.of_value[value][i] };
                    if self.stamps[u] != self.stamp {
                        self.stamps[u] = self.stamp;
                        self.count(u, add);
                    }
                }
            }
        }
    }

    fn anneal(&mut self, tries: usize) {
        let mut random = Random::new(1);
        let n = self.micro.ops.len();
        if n == 0 {
            return;
        }
        let (hot, cold) = (8.0_f64, 0.25_f64);
        for k in 0..tries {
            let temperature = hot * (cold / hot).powf(k as f64 / tries as f64);
            let op = random.below(n);
            let before = self.cost;
            let limit = -temperature * random.uniform(1e-9, 1.0).ln();
            let undo = if random.chance(0.25) && self.micro.ops[op].is_mac() {
                self.turn(op);
                Undo::Turn(op)
            } else {
                let Some(exchange) = self.random_exchange(op, &mut random) else { continue };
                self.exchange(exchange);
                Undo::Exchange(exchange)
            };
            if (self.cost - before) as f64 > limit {
                match undo {
                    Undo::Turn(op) => self.turn(op),
                    Undo::Exchange(exchange) => self.exchange(exchange),
                }
            }
        }
    }

    /// Swaps an operation's factors.
    fn turn(&mut self, op: usize) {
        self.count_all(&[op], false);
        self.swapped[op] = !self.swapped[op];
        self.count_all(&[op], true);
    }

    /// Proposes to exchange an operation's unit with another, between cycles across which neither passes a
    /// value on.
    fn random_exchange(&self, op: usize, random: &mut Random) -> Option<Exchange> {
        let units = self.schedule.units;
        let kind = self.micro.ops[op].kind();
        let range = units.of(kind);
        let (a, b) = (self.schedule.unit[op], range.start + random.below(range.len()));
        // A divider is busy for more than a cycle.
        if a == b || kind == Kind::Divider {
            return None;
        }
        let passes =
            |t: usize| [a, b].iter().any(|u| self.table[*u][t].is_some_and(|k| self.schedule.passed_on[k]));
        let t = self.schedule.start[op] as usize;
        let last = self.table[0].len();
        let (mut from, mut to) = (t, t + 1);
        while passes(from) {
            from -= 1;
        }
        while to < last && passes(to) {
            to += 1;
        }
        Some(Exchange { a, b, from, to })
    }

    fn exchange(&mut self, Exchange { a, b, from, to }: Exchange) {
        let mut ops = Vec::with_capacity(8);
        for t in from..to {
            ops.extend(self.table[a][t].into_iter().chain(self.table[b][t]));
        }
        self.count_all(&ops, false);
        for t in from..to {
            let (x, y) = (self.table[a][t], self.table[b][t]);
            (self.table[a][t], self.table[b][t]) = (y, x);
            if let Some(k) = x {
                self.schedule.unit[k] = b;
            }
            if let Some(k) = y {
                self.schedule.unit[k] = a;
            }
        }
        self.count_all(&ops, true);
    }

    /// Distributes the sources of a port to few banks, each written at most once a cycle.
    fn banks(&self, p: usize) -> Vec<Vec<usize>> {
        let sources = self.schedule.units.count() + 1;
        let mut by_source: Vec<Vec<u32>> = vec![Vec::new(); sources];
        for value in 0..self.of_value.len() {
            if self.reads[p * self.of_value.len() + value] > 0 {
                let value = value as u32;
                by_source[self.source(value)].push(written(self.micro, self.schedule, value));
            }
        }
        let mut banks: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
        let mut order: Vec<usize> = (0..sources).filter(|s| !by_source[*s].is_empty()).collect();
        order.sort_by_key(|s| std::cmp::Reverse(by_source[*s].len()));
        for s in order {
            let fits = |cycles: &Vec<u32>| by_source[s].iter().all(|c| !cycles.contains(c));
            match banks.iter_mut().find(|(_, cycles)| fits(cycles)) {
                Some((bank, cycles)) => {
                    bank.push(s);
                    cycles.extend(&by_source[s]);
                }
                None => banks.push((vec![s], by_source[s].clone())),
            }
        }
        banks.iter_mut().for_each(|(bank, _)| bank.sort_unstable());
        banks.into_iter().map(|(bank, _)| bank).collect()
    }
}

#[derive(Clone, Copy)]
struct Exchange {
    a: usize,
    b: usize,
    from: usize,
    to: usize,
}

enum Undo {
    Turn(usize),
    Exchange(Exchange),
}
