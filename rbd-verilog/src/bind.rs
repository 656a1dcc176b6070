//! Which unit does what, so that few wires are needed.
//!
//! Every operand of every unit has memory of its own, which whatever unit makes a value for it writes to. What costs is
//! the choice before that memory, between as many units as ever write to it: so units are exchanged, over the cycles
//! between which nothing is passed on, as long as that saves wires (simulated annealing, with a fixed seed).

use crate::micro::{Kind, Micro, Source, Work};
use crate::schedule::Schedule;
use rbd_runtime::random::Random;

/// Memories and wires of a schedule.
#[derive(Clone, Debug)]
pub struct Binding {
    /// By piece of work, whether its factors change places.
    pub swapped: Vec<bool>,
    /// By operand of a unit, as [`port`] numbers them.
    pub ports: Vec<Port>,
}

/// The memory of an operand of a unit.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// Its banks: each is written once a cycle at most, and has the units that write to it, by number; the number after the
    /// last unit's is the input.
    pub banks: Vec<Vec<usize>>,
    /// Constants that are read here.
    pub constants: Vec<i32>,
}

/// Operands that a unit has; an adder uses two.
pub const OPERANDS: usize = 3;

/// The number of a unit's operand.
pub fn port(unit: usize, operand: usize) -> usize {
    unit * OPERANDS + operand
}

/// What a wire costs, in quarters; what it costs that a memory is written twice in a cycle; what another shift of a
/// unit costs.
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
    /// By value, the uses of it.
    of_value: Vec<Vec<usize>>,
    /// By piece of work, what it reads from memory.
    of_op: Vec<Vec<usize>>,
    /// By unit and cycle, what starts there.
    table: Vec<Vec<Option<usize>>>,
    /// By port and value, how often it is read there.
    reads: Vec<u8>,
    /// By port and source, how many values come.
    wires: Vec<u16>,
    /// By port and cycle, how many values are written.
    writes: Vec<u8>,
    /// By piece of work, its kind: the shift of a product, or that it is a reflection.
    kind: Vec<Option<usize>>,
    /// By unit and kind of work, how much of it.
    kinds: Vec<u16>,
    cost: i64,
    stamps: Vec<u32>,
    stamp: u32,
}

/// The kind of each piece of work for which a unit needs something of its own, and how many kinds there are.
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
    /// Units for the work of a schedule; it keeps its times. More tries take longer and save more.
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

    /// Choices between units, over all memories: each is as wide as a number.
    pub fn wires(&self) -> usize {
        self.ports.iter().flat_map(|port| &port.banks).map(Vec::len).sum()
    }

    /// Memories.
    pub fn memories(&self) -> usize {
        self.ports.iter().map(|port| port.banks.len()).sum()
    }
}

/// Where an operand goes, if factors change places.
pub fn placed(operand: usize, swapped: bool) -> usize {
    if swapped && operand < 2 { 1 - operand } else { operand }
}

/// The cycle in which a value is written.
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

    /// Adds a use, or takes it away.
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

    /// Takes away, or adds again, all that changes with this work.
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

    /// Exchanges an operation's factors.
    fn turn(&mut self, op: usize) {
        self.count_all(&[op], false);
        self.swapped[op] = !self.swapped[op];
        self.count_all(&[op], true);
    }

    /// The unit of an operation and another, and the cycles around it between which neither passes anything on.
    fn random_exchange(&self, op: usize, random: &mut Random) -> Option<Exchange> {
        let units = self.schedule.units;
        let kind = self.micro.ops[op].kind();
        let range = units.of(kind);
        let (a, b) = (self.schedule.unit[op], range.start + random.below(range.len()));
        // A divider is busy for longer than a cycle.
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

    /// The sources of a port, dealt to as few banks as it takes that each is written once a cycle.
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
