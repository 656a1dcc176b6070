//! Schedule of a pipeline: the start of each operation, so that few registers delay values.

use crate::micro::{Micro, Source};

/// Cycles in which each piece of work reads its factors, counted from the entry of its state.
#[derive(Clone, Debug)]
pub struct PipelineSchedule {
    /// Start of each piece of work.
    pub start: Vec<u32>,
    /// Cycle in which all results are available.
    pub depth: u32,
    /// For each value, the delays that its readers need, in order.
    pub delays: Vec<Vec<u32>>,
}

/// Most passes over all operations. A pass that changes nothing is the last.
const PASSES: usize = 12;

struct Balance<'a> {
    micro: &'a Micro,
    start: Vec<u32>,
    depth: u32,
    /// For each value, its readers, and how long after their start they read it.
    readers: Vec<Vec<(usize, u32)>>,
    /// For each value, true if it is a result.
    given: Vec<bool>,
}

impl PipelineSchedule {
    /// Starts operations on the longest path as early as possible, and others where registers are fewest.
    pub fn new(micro: &Micro) -> Self {
        let values = micro.inputs + micro.ops.len();
        let mut readers = vec![Vec::new(); values];
        for (k, work) in micro.ops.iter().enumerate() {
            for (source, later) in work.reads_in(micro.timing) {
                if let Source::Value(v) = source {
                    readers[v as usize].push((k, later));
                }
            }
        }
        let mut given = vec![false; values];
        for source in &micro.results {
            if let Source::Value(v) = source {
                given[*v as usize] = true;
            }
        }
        let mut balance = Balance { micro, start: vec![0; micro.ops.len()], depth: 0, readers, given };
        for k in 0..micro.ops.len() {
            balance.start[k] = balance.earliest(k);
        }
        let ends = (0..values).filter(|v| balance.given[*v]).map(|v| balance.ready(v));
        balance.depth = ends.max().unwrap_or(0).max(1);
        for _ in 0..PASSES {
            let order = (0..micro.ops.len()).rev().chain(0..micro.ops.len());
            let moved = order.filter(|k| balance.place(*k)).count();
            if moved == 0 {
                break;
            }
        }
        let delays = (0..values).map(|v| balance.delays(v)).collect();
        Self { start: balance.start, depth: balance.depth, delays }
    }

    /// Registers that only delay values, in numbers.
    pub fn registers(&self) -> usize {
        self.delays.iter().filter_map(|delays| delays.last()).map(|last| *last as usize).sum()
    }
}

impl Balance<'_> {
    fn ready(&self, value: usize) -> u32 {
        match value.checked_sub(self.micro.inputs) {
            Some(k) => self.start[k] + self.micro.latency(self.micro.ops[k]),
            None => 0,
        }
    }

    fn reads(&self, k: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let reads: [Option<(usize, u32)>; 3] = {
            let mut found = [None; 3];
            for (place, (source, later)) in
                found.iter_mut().zip(self.micro.ops[k].reads_in(self.micro.timing))
            {
                if let Source::Value(v) = source {
                    *place = Some((v as usize, later));
                }
            }
            found
        };
        reads.into_iter().flatten()
    }

    fn earliest(&self, k: usize) -> u32 {
        self.reads(k).map(|(v, later)| self.ready(v).saturating_sub(later)).max().unwrap_or(0)
    }

    /// Cycle of the last read of a value.
    fn last_read(&self, value: usize) -> u32 {
        let reads = self.readers[value].iter().map(|(k, later)| self.start[*k] + later);
        reads.chain(self.given[value].then_some(self.depth)).max().unwrap_or(0)
    }

    /// Registers of the values around an operation.
    fn cost(&self, k: usize) -> u32 {
        let value = self.micro.inputs + k;
        let mut cost = self.last_read(value) - self.ready(value);
        let mut seen = [usize::MAX; 3];
        for (n, (v, _)) in self.reads(k).enumerate() {
            if !seen.contains(&v) {
                seen[n] = v;
                cost += self.last_read(v) - self.ready(v);
            }
        }
        cost
    }

    /// Moves an operation to its cheapest cycle. Returns true if it moved.
    fn place(&mut self, k: usize) -> bool {
        let (before, value) = (self.start[k], self.micro.inputs + k);
        let latency = self.micro.latency(self.micro.ops[k]);
        let reads = self.readers[value].iter().map(|(k, later)| self.start[*k] + later);
        let latest =
            reads.chain(self.given[value].then_some(self.depth)).min().unwrap_or(self.depth) - latency;
        let mut best = (self.cost(k), before);
        for start in self.earliest(k)..=latest {
            self.start[k] = start;
            let cost = self.cost(k);
            if cost < best.0 {
                best = (cost, start);
            }
        }
        self.start[k] = best.1;
        best.1 != before
    }

    fn delays(&self, value: usize) -> Vec<u32> {
        let ready = self.ready(value);
        let reads = self.readers[value].iter().map(|(k, later)| self.start[*k] + later);
        let mut delays: Vec<u32> = reads
            .chain(self.given[value].then_some(self.depth))
            .map(|t| t - ready)
            .filter(|d| *d > 0)
            .collect();
        delays.sort_unstable();
        delays.dedup();
        delays
    }
}
