//! Schedule of shared units: list scheduling by the longest path to the end.

use crate::micro::{Kind, Mac, Micro, Source, Work};
use std::ops::Range;

/// Numbers of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Multipliers, with an adder each.
    pub multipliers: usize,
    /// Adders.
    pub adders: usize,
    /// Dividers.
    pub dividers: usize,
}

/// Start and unit of each piece of work.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Units, numbered from multipliers over adders to dividers.
    pub units: Units,
    /// For each piece of work, the cycle in which its factors are read, counted from the first input.
    pub start: Vec<u32>,
    /// Unit of each piece of work.
    pub unit: Vec<usize>,
    /// For each piece of work, true if its addend is the value that its unit made a cycle before.
    pub passed_on: Vec<bool>,
    /// Cycles from the first input until all results are stored.
    pub cycles: u32,
}

impl Units {
    /// A number of multipliers, adders in proportion to the work of each, and at most one divider.
    pub fn with_multipliers(multipliers: usize, micro: &Micro) -> Self {
        let (macs, sums) = (micro.number(Kind::Multiplier), micro.number(Kind::Adder));
        // A third more than their share, since sums are often on the longest path.
        let adders = (4 * sums * multipliers).div_ceil(3 * macs.max(1)).max(1);
        // Reciprocals are on the longest path. Work between them keeps a single divider from being the
        // bottleneck.
        Self { multipliers, adders, dividers: micro.number(Kind::Divider).min(1) }
    }

    /// Number of all units.
    pub fn count(self) -> usize {
        self.multipliers + self.adders + self.dividers
    }

    /// Numbers of the units of a kind.
    pub fn of(self, kind: Kind) -> Range<usize> {
        let adders = self.multipliers + self.adders;
        match kind {
            Kind::Multiplier => 0..self.multipliers,
            Kind::Adder => self.multipliers..adders,
            Kind::Divider => adders..self.count(),
        }
    }

    /// Kind of a unit.
    pub fn kind(self, unit: usize) -> Kind {
        let kinds = [Kind::Multiplier, Kind::Adder, Kind::Divider];
        kinds.into_iter().find(|kind| self.of(*kind).contains(&unit)).expect("one of the units")
    }
}

impl Schedule {
    /// Schedules the work on some units. One input arrives in every cycle.
    pub fn new(micro: &Micro, units: Units) -> Self {
        let n = micro.ops.len();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut missing = vec![0_usize; n];
        for (k, work) in micro.ops.iter().enumerate() {
            for maker in work.reads().filter_map(|(x, _)| micro.maker(x)) {
                users[maker].push(k);
                missing[k] += 1;
            }
        }
        let way = longest_ways(micro);
        let mut schedule = Self {
            units,
            start: vec![u32::MAX; n],
            unit: vec![usize::MAX; n],
            passed_on: vec![false; n],
            cycles: micro.inputs as u32,
        };
        // Work whose operands are known, for the unit before (a cycle earlier) or for any unit.
        let mut open: Vec<usize> = (0..n).filter(|k| missing[*k] == 0).collect();
        let (mut t, mut left) = (0, n);
        // For each unit, the first cycle in which it is free.
        let mut idle: Vec<u32> = vec![0; units.count()];
        while left > 0 {
            open.sort_by_key(|&k| (std::cmp::Reverse(way[k]), k));
            let mut free: Vec<bool> = idle.iter().map(|from| *from <= t).collect();
            // Work that continues a unit's previous work comes first: another unit would have to wait.
            let mut now: Vec<(usize, Option<usize>)> = Vec::new();
            let kinds = [Kind::Multiplier, Kind::Adder, Kind::Divider];
            let mut left_of = kinds.map(|kind| units.of(kind).filter(|u| free[*u]).count());
            for &k in &open {
                let left = &mut left_of[micro.ops[k].kind() as usize];
                if *left == 0 {
                    continue;
                }
                let on = match schedule.possible(micro, k, t) {
                    Possible::No => continue,
                    Possible::Anywhere => None,
                    Possible::On(unit) => Some(unit),
                };
                *left -= 1;
                now.push((k, on));
            }
            for &(k, on) in now.iter().filter(|(_, on)| on.is_some()) {
                let unit = on.expect("it is one of those");
                free[unit] = false;
                (schedule.unit[k], schedule.passed_on[k]) = (unit, true);
            }
            for &(k, _) in now.iter().filter(|(_, on)| on.is_none()) {
                let mut range = units.of(micro.ops[k].kind());
                let unit = range.find(|u| free[*u]).expect("no more than there are units");
                idle[unit] = t + micro.interval(micro.ops[k]);
                free[unit] = false;
                schedule.unit[k] = unit;
            }
            for &(k, _) in &now {
                schedule.start[k] = t;
                schedule.cycles = schedule.cycles.max(t + micro.latency(micro.ops[k]));
                for &user in &users[k] {
                    missing[user] -= 1;
                    if missing[user] == 0 {
                        open.push(user);
                    }
                }
            }
            open.retain(|k| schedule.start[*k] == u32::MAX);
            left -= now.len();
            t += 1;
        }
        schedule
    }

    /// First cycle in which a value can be read from memory.
    pub fn ready(&self, micro: &Micro, source: Source) -> u32 {
        match (source, micro.maker(source)) {
            (Source::Const(_), _) => 0,
            (_, Some(maker)) => self.start[maker] + micro.latency(micro.ops[maker]),
            (Source::Value(input), None) => input + 1,
        }
    }

    fn possible(&self, micro: &Micro, k: usize, t: u32) -> Possible {
        let work = micro.ops[k];
        if work.reads().all(|(x, later)| self.ready(micro, x) <= t + later) {
            return Possible::Anywhere;
        }
        let Work::Mac(Mac { a, b, c, chained: true, .. }) = work else { return Possible::No };
        let before = micro.maker(c).expect("it goes on with something");
        let factors = [a, b].into_iter().all(|x| self.ready(micro, x) <= t);
        if factors && self.start[before] + 1 == t { Possible::On(self.unit[before]) } else { Possible::No }
    }
}

enum Possible {
    No,
    Anywhere,
    On(usize),
}

/// For each piece of work, cycles from its start to the end with unlimited units.
fn longest_ways(micro: &Micro) -> Vec<u32> {
    let mut way: Vec<u32> = micro.ops.iter().map(|work| micro.latency(*work)).collect();
    for k in (0..micro.ops.len()).rev() {
        let work = micro.ops[k];
        for (source, later) in work.reads() {
            if let Some(maker) = micro.maker(source) {
                let chained = matches!(work, Work::Mac(mac) if mac.chained && mac.c == source && later > 0);
                let between = if chained { 1 } else { micro.latency(micro.ops[maker]) - later };
                way[maker] = way[maker].max(way[k] + between);
            }
        }
    }
    way
}

/// Cycles of a circuit with unlimited units.
pub fn longest_way(micro: &Micro) -> u32 {
    longest_ways(micro).into_iter().max().unwrap_or(0)
}
