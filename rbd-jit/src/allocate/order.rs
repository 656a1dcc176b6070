//! Another order of a straight line, in which fewer values are alive at once.
//!
//! Instructions are chosen from the last one on, among those whose result no other one still needs (list
//! scheduling from below): the last one of the order that there was, unless another one makes fewer values
//! alive. Rules that go further, and choose what was found last or what ends the most lives, move as many
//! values or more, since they break up what belongs together.

use super::{Inst, Program, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl<O: Clone, H: Clone> Program<O, H> {
    /// The program in the other order. Nothing is moved past an instruction that `stays`.
    pub fn ordered(&self, stays: impl Fn(&Inst<O>) -> bool) -> Self {
        let mut lines = Lines {
            program: self,
            alive: vec![false; self.values.len()],
            left: vec![0; self.values.len()],
            maker: vec![None; self.values.len()],
            readers: vec![Vec::new(); self.values.len()],
        };
        for value in self.body.iter().flat_map(Inst::operands) {
            lines.left[value.index()] += 1;
        }
        // From the last line to the first, each from below.
        let mut order = Vec::with_capacity(self.body.len());
        let mut end = self.body.len();
        while end > 0 {
            let begin = self.body[..end].iter().rposition(&stays).map_or(0, |k| k + 1);
            lines.order(begin, end, &mut order);
            if begin > 0 {
                let _ = lines.pass(begin - 1);
                order.push(begin - 1);
            }
            end = begin.saturating_sub(1);
        }
        let body = order.iter().rev().map(|k| self.body[*k].clone()).collect();
        Self { values: self.values.clone(), body }
    }
}

struct Lines<'p, O, H> {
    program: &'p Program<O, H>,
    /// True for each value that a chosen instruction reads.
    alive: Vec<bool>,
    /// Number of reads of each value by instructions that are not chosen yet.
    left: Vec<usize>,
    /// Instruction of the current line that makes each value.
    maker: Vec<Option<usize>>,
    /// Instructions of the current line that read each value.
    readers: Vec<Vec<usize>>,
}

/// Number of values that an instruction adds to the live ones (at most one), and its place.
type Key = (isize, Reverse<usize>);

/// Instructions that can be chosen.
struct Ready {
    begin: usize,
    /// Key of each instruction of the line.
    keys: Vec<Option<Key>>,
    all: BTreeSet<Key>,
}

impl<O, H> Lines<'_, O, H> {
    /// True if a value takes a register. Values with a home in memory can be read there.
    fn counts(&self, value: Value) -> bool {
        self.program.values[value.index()].home.is_none()
    }

    /// The instructions from `begin` to `end`, from the last to the first.
    fn order(&mut self, begin: usize, end: usize, order: &mut Vec<usize>) {
        let program = self.program;
        for k in begin..end {
            if let Some(result) = program.body[k].result {
                self.maker[result.index()] = Some(k);
            }
            for value in program.body[k].operands() {
                let readers = &mut self.readers[value.index()];
                if readers.last() != Some(&k) {
                    readers.push(k);
                }
            }
        }
        let mut ready = Ready { begin, keys: vec![None; end - begin], all: BTreeSet::new() };
        for k in begin..end {
            if program.body[k].result.is_none_or(|result| self.left[result.index()] == 0) {
                self.enter(&mut ready, k);
            }
        }
        while let Some((_, Reverse(chosen))) = ready.all.pop_first() {
            ready.keys[chosen - begin] = None;
            order.push(chosen);
            for value in self.pass(chosen) {
                if self.left[value.index()] == 0 {
                    if let Some(maker) = self.maker[value.index()] {
                        self.enter(&mut ready, maker);
                    }
                    continue;
                }
                // Other readers of this value have become cheaper.
                for k in 0..self.readers[value.index()].len() {
                    let reader = self.readers[value.index()][k];
                    if ready.keys[reader - begin].is_some() {
                        self.enter(&mut ready, reader);
                    }
                }
            }
        }
        for k in begin..end {
            if let Some(result) = program.body[k].result {
                self.maker[result.index()] = None;
            }
            for value in program.body[k].operands() {
                self.readers[value.index()].clear();
            }
        }
    }

    /// Goes past an instruction. The values that are alive before it for the first time, or that nobody else
    /// reads.
    fn pass(&mut self, k: usize) -> impl Iterator<Item = Value> + use<O, H> {
        let inst = &self.program.body[k];
        if let Some(result) = inst.result {
            self.alive[result.index()] = false;
        }
        let mut changed = [None; 3];
        for (value, changed) in inst.operands().zip(&mut changed) {
            self.left[value.index()] -= 1;
            let was_alive = std::mem::replace(&mut self.alive[value.index()], true);
            if !was_alive || self.left[value.index()] == 0 {
                *changed = Some(value);
            }
        }
        changed.into_iter().flatten()
    }

    /// Number of values by which more are live before an instruction than after it.
    fn asks(&self, k: usize) -> isize {
        let inst = &self.program.body[k];
        let mut more = 0;
        for (at, value) in inst.operands().enumerate() {
            let is_again = inst.operands().take(at).any(|other| other == value);
            if self.counts(value) && !self.alive[value.index()] && !is_again {
                more += 1;
            }
        }
        let ends = inst.result.is_some_and(|result| self.alive[result.index()]);
        more - isize::from(ends)
    }

    fn enter(&self, ready: &mut Ready, k: usize) {
        let key = (self.asks(k).clamp(0, 1), Reverse(k));
        if let Some(old) = ready.keys[k - ready.begin].replace(key) {
            ready.all.remove(&old);
        }
        ready.all.insert(key);
    }
}
