//! Reordering of straight-line code so that fewer values are alive at once.
//!
//! Statements are chosen from the last one on, among those whose result no other statement still
//! needs. (List scheduling from below; the best order is hard to find, so several rules are tried.)

use super::alive::{Value, each_value};
use super::{Kernel, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Rule to choose the next statement if several can be chosen.
///
/// Of equals, the one found last is chosen, so that the operands of a result come right before it.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The statement after which the fewest values are alive.
    Fewest,
    /// Any statement after which no more values are alive than before, else the one with the
    /// fewest.
    NoMore,
    /// The one that was found last.
    Depth,
    /// The last one of the order that there was, where not even one more becomes alive.
    AsBefore,
}

const RULES: [Rule; 4] = [Rule::Fewest, Rule::NoMore, Rule::Depth, Rule::AsBefore];

/// Statements of a straight line, with the readers of each value.
struct Line {
    /// Values that each statement reads, each once; the first numbers are those of the statements'
    /// own values.
    reads: Vec<Vec<usize>>,
    /// Statements that read each value.
    readers: Vec<Vec<usize>>,
}

impl Kernel {
    /// The kernel with its statements, if all are straight-line, in an order with fewer values
    /// alive, if one is found.
    ///
    /// Sines and cosines come first, with the values that their angles are computed from.
    #[must_use]
    pub fn lean(&self) -> Self {
        self.lean_within(0)
    }

    /// [`Self::lean`], satisfied with an order that has at most `enough` values alive.
    #[must_use]
    pub fn lean_within(&self, enough: usize) -> Self {
        let is_plain = |stmt: &Stmt| !matches!(stmt, Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_));
        if !self.body.iter().all(is_plain) {
            return self.clone();
        }
        let early = self.before_angles();
        let is_early = |stmt: &Stmt| match stmt {
            Stmt::SinCos(_) => true,
            Stmt::Let { reg, .. } => early.contains(&reg.number),
            _ => false,
        };
        let (first, line): (Vec<&Stmt>, Vec<&Stmt>) = self.body.iter().partition(|stmt| is_early(stmt));
        let graph = Line::new(&line);
        let mut best = (self.most_alive(), None);
        for rule in RULES {
            if best.0 <= enough {
                break;
            }
            let order = graph.order(rule);
            let body =
                first.iter().copied().chain(order.into_iter().rev().map(|k| line[k])).cloned().collect();
            let other =
                Self { arrays: self.arrays.clone(), lane_constants: self.lane_constants.clone(), body };
            let alive = other.most_alive();
            if alive < best.0 {
                best = (alive, Some(other));
            }
        }
        best.1.unwrap_or_else(|| self.clone())
    }

    /// The variables that angles are computed of.
    fn before_angles(&self) -> FxHashSet<u32> {
        let mut early = FxHashSet::default();
        for stmt in self.body.iter().rev() {
            let is_early = match stmt {
                Stmt::SinCos(_) => true,
                Stmt::Let { reg, .. } => early.contains(&reg.number),
                _ => false,
            };
            if is_early {
                each_value(stmt, |value| {
                    if let Value::Reg(number) = value {
                        early.insert(number);
                    }
                });
            }
        }
        early
    }
}

impl Line {
    fn new(line: &[&Stmt]) -> Self {
        let mut numbers: FxHashMap<Value, usize> = FxHashMap::default();
        for (k, stmt) in line.iter().enumerate() {
            if let Stmt::Let { reg, .. } = stmt {
                numbers.insert(Value::Reg(reg.number), k);
            }
        }
        let (mut reads, mut next) = (Vec::with_capacity(line.len()), line.len());
        for stmt in line {
            let mut read: Vec<usize> = Vec::new();
            each_value(stmt, |value| {
                let number = *numbers.entry(value).or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                if !read.contains(&number) {
                    read.push(number);
                }
            });
            reads.push(read);
        }
        let mut readers = vec![Vec::new(); next];
        for (k, read) in reads.iter().enumerate() {
            read.iter().for_each(|of| readers[*of].push(k));
        }
        Self { reads, readers }
    }

    /// The statements from the last one to the first.
    fn order(&self, rule: Rule) -> Vec<usize> {
        let statements = self.reads.len();
        let mut state = State {
            line: self,
            rule,
            alive: vec![false; self.readers.len()],
            left: self.readers.iter().map(Vec::len).collect(),
            found: vec![0; statements],
            keys: vec![None; statements],
            ready: BTreeSet::new(),
            count: 0,
        };
        for k in 0..statements {
            if state.left[k] == 0 {
                state.find(k);
            }
        }
        let mut order = Vec::with_capacity(statements);
        while let Some((_, _, chosen)) = state.ready.pop_first() {
            state.keys[chosen] = None;
            order.push(chosen);
            state.choose(chosen);
        }
        order
    }
}

type Key = (isize, Reverse<usize>, usize);

struct State<'a> {
    line: &'a Line,
    rule: Rule,
    /// By value, whether a chosen statement reads it.
    alive: Vec<bool>,
    /// By value, the number of its readers that are not chosen yet.
    left: Vec<usize>,
    /// By statement, the time when its result was found to be no longer needed.
    found: Vec<usize>,
    keys: Vec<Option<Key>>,
    ready: BTreeSet<Key>,
    count: usize,
}

impl State<'_> {
    /// Change of the number of values alive, before the statement less after it.
    fn asks(&self, k: usize) -> isize {
        let statements = self.line.reads.len();
        let more = self.line.reads[k].iter().map(|&of| {
            // Nobody has to make an input: the first to read it has it.
            let is_first = of >= statements && self.left[of] == 1;
            isize::from(!is_first) - isize::from(self.alive[of])
        });
        more.sum::<isize>() - isize::from(self.alive[k])
    }

    fn find(&mut self, k: usize) {
        self.count += 1;
        self.found[k] = self.count;
        self.enter(k);
    }

    fn enter(&mut self, k: usize) {
        let (asks, found) = (self.asks(k), self.found[k]);
        let key = match self.rule {
            Rule::Fewest => (asks, Reverse(found), k),
            Rule::NoMore => (asks.max(0), Reverse(found), k),
            Rule::Depth => (asks.clamp(-1, 0), Reverse(found), k),
            Rule::AsBefore => (asks.clamp(0, 1), Reverse(k), k),
        };
        if let Some(old) = self.keys[k].replace(key) {
            self.ready.remove(&old);
        }
        self.ready.insert(key);
    }

    fn choose(&mut self, chosen: usize) {
        let line = self.line;
        self.alive[chosen] = false;
        for &of in &line.reads[chosen] {
            let was_alive = std::mem::replace(&mut self.alive[of], true);
            self.left[of] -= 1;
            if self.left[of] == 0 {
                match of < line.reads.len() {
                    true => self.find(of),
                    false => self.alive[of] = false,
                }
            } else if !was_alive || self.left[of] == 1 {
                // The other readers of this value have become cheaper.
                for &other in &line.readers[of] {
                    if self.keys[other].is_some() {
                        self.enter(other);
                    }
                }
            }
        }
    }
}
