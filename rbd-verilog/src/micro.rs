//! Work of units: products with an addend, sums of two terms, reflections of angles.
//!
//! A sum of many terms is split anew, which wrapping integers allow.
//! One unit adds up its products, in the order in which their factors become available.
//! A tree adds up all other terms.

pub use crate::work::{BITS_A_CYCLE, FOLDED, Kind, Mac, PIPELINED, Source, Timing, Work, division_steps};

use crate::integers::{Integers, Op, Operand};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A function as work for units.
#[derive(Clone, Debug)]
pub struct Micro {
    /// Bits of every number.
    pub bits: u32,
    /// Number of inputs.
    pub inputs: usize,
    /// Pieces of work. Each follows its operands.
    pub ops: Vec<Work>,
    /// Sources of the results.
    pub results: Vec<Source>,
    /// Durations of the work.
    pub timing: Timing,
    /// Largest exponent of a reciprocal. A shared divider takes equally long for all exponents.
    pub exponent: u32,
}

#[derive(Clone, Copy)]
enum Term {
    Product { a: Source, b: Source, negated: bool, shift: u32 },
    Value(Source),
}

impl Micro {
    /// Work that computes the results of `integers`.
    ///
    /// At most `chain` products are added up in a row. Sums of such chains are added afterwards.
    pub fn new(integers: &Integers, timing: Timing, chain: usize) -> Self {
        let inputs = integers.inputs.len();
        let mut uses = vec![0_usize; integers.ops.len()];
        let mut by_sums = vec![0_usize; integers.ops.len()];
        let number = |operand| match operand {
            Operand::Value(k) if k as usize >= inputs => Some(k as usize - inputs),
            _ => None,
        };
        for op in &integers.ops {
            for k in op.operands().filter_map(number) {
                uses[k] += 1;
                by_sums[k] += usize::from(matches!(op, Op::Add(..) | Op::Sub(..)));
            }
        }
        for k in integers.results.iter().filter_map(|(_, from)| number(*from)) {
            uses[k] += 1;
        }
        // True for a part of a sum that nothing else reads.
        let inner = |k: usize| {
            uses[k] == 1 && by_sums[k] == 1 && !matches!(integers.ops[k], Op::Fold(_) | Op::Recip { .. })
        };
        let exponents = integers.ops.iter().filter_map(|op| match op {
            Op::Recip { exponent, .. } => Some(*exponent),
            _ => None,
        });
        let exponent = exponents.max().unwrap_or(0);
        let mut building = Building {
            integers,
            inner: (0..integers.ops.len()).map(inner).collect(),
            values: vec![Source::Const(0); integers.ops.len()],
            ready: vec![0; inputs],
            chain,
            out: Self {
                bits: integers.format.bits,
                inputs,
                ops: Vec::new(),
                results: Vec::new(),
                timing,
                exponent,
            },
        };
        for k in 0..integers.ops.len() {
            if !building.inner[k] {
                building.values[k] = building.build(k);
            }
        }
        let results = integers.results.iter().map(|(_, from)| building.source(*from)).collect();
        Self { results, ..building.out }
    }

    /// Number of the value that a piece of work makes.
    pub fn value_of(&self, op: usize) -> u32 {
        (self.inputs + op) as u32
    }

    /// Piece of work that makes a value, if the value is no input.
    pub fn maker(&self, source: Source) -> Option<usize> {
        match source {
            Source::Value(v) if v as usize >= self.inputs => Some(v as usize - self.inputs),
            _ => None,
        }
    }

    /// Number of pieces of work for units of a kind.
    pub fn number(&self, kind: Kind) -> usize {
        self.ops.iter().filter(|op| op.kind() == kind).count()
    }

    /// Cycles from reading the operands until the value can be read.
    pub fn latency(&self, work: Work) -> u32 {
        match work {
            Work::Mac(_) => self.timing.mac,
            Work::Sum { .. } | Work::Fold(_) => self.timing.sum,
            // Dividers that are not shared know their exponent.
            Work::Recip { exponent, .. } if self.timing == PIPELINED => {
                division_steps(exponent, self.bits) + self.timing.recip
            }
            Work::Recip { .. } => division_steps(self.exponent, self.bits) + self.timing.recip,
        }
    }

    /// Cycles between two pieces of work of a unit.
    pub fn interval(&self, work: Work) -> u32 {
        match work {
            Work::Recip { .. } => self.latency(work) - 2,
            _ => 1,
        }
    }
}

/// A product's factors: ready time, true if the rounded product is subtracted, both factors,
/// true if the exact product is negated, and shift.
type Factors = (u32, bool, Source, Source, bool, u32);

struct Building<'a> {
    integers: &'a Integers,
    inner: Vec<bool>,
    /// For each operation, the source of its value.
    values: Vec<Source>,
    /// For each value, the first cycle in which it could be read with unlimited units.
    ready: Vec<u32>,
    /// Most products added up in a row.
    chain: usize,
    out: Micro,
}

impl Building<'_> {
    fn source(&self, operand: Operand) -> Source {
        match operand {
            Operand::Const(x) => Source::Const(x),
            Operand::Value(k) if (k as usize) < self.out.inputs => Source::Value(k),
            Operand::Value(k) => self.values[k as usize - self.out.inputs],
        }
    }

    fn ready(&self, source: Source) -> u32 {
        match source {
            Source::Const(_) => 0,
            Source::Value(v) => self.ready[v as usize],
        }
    }

    fn push(&mut self, work: Work) -> Source {
        let Timing { addend_later, passes_on, .. } = self.out.timing;
        let reads = work.reads_in(self.out.timing);
        let start = match work {
            // The unit that made the addend has it a cycle earlier.
            Work::Mac(Mac { a, b, c, chained: true, .. }) if passes_on => {
                let addend = self.ready(c).saturating_sub(addend_later + 1);
                addend.max(self.ready(a)).max(self.ready(b))
            }
            _ => reads.map(|(x, later)| self.ready(x).saturating_sub(later)).max().unwrap_or(0),
        };
        self.out.ops.push(work);
        self.ready.push(start + self.out.latency(work));
        Source::Value((self.ready.len() - 1) as u32)
    }

    fn build(&mut self, k: usize) -> Source {
        if let Op::Fold(a) = self.integers.ops[k] {
            let a = self.source(a);
            return self.push(Work::Fold(a));
        }
        assert!(!matches!(self.integers.ops[k], Op::Sqrt { .. }), "roots are refused before");
        if let Op::Recip { a, exponent } = self.integers.ops[k] {
            let a = self.source(a);
            return self.push(Work::Recip { a, exponent });
        }
        let (mut terms, mut constant) = (Vec::new(), 0_i64);
        self.flatten(k, false, &mut terms, &mut constant);
        self.sum(terms, rbd_runtime::fixed::wrap(constant, self.out.bits))
    }

    /// Terms of an operation, with signs.
    fn flatten(&self, k: usize, minus: bool, terms: &mut Vec<(bool, Term)>, constant: &mut i64) {
        let mut part = |operand: Operand, minus: bool| match operand {
            Operand::Const(x) => *constant += if minus { -i64::from(x) } else { i64::from(x) },
            Operand::Value(v)
                if v as usize >= self.out.inputs && self.inner[v as usize - self.out.inputs] =>
            {
                self.flatten(v as usize - self.out.inputs, minus, terms, constant);
            }
            _ => terms.push((minus, Term::Value(self.source(operand)))),
        };
        match self.integers.ops[k] {
            Op::Add(a, b) => {
                part(a, minus);
                part(b, minus);
            }
            Op::Sub(a, b) => {
                part(a, minus);
                part(b, !minus);
            }
            Op::Mul { a, b, negated, shift } => {
                let (a, b) = (self.source(a), self.source(b));
                terms.push((minus, Term::Product { a, b, negated, shift }));
            }
            Op::Fold(_) | Op::Recip { .. } | Op::Sqrt { .. } => unreachable!("it is no part of a sum"),
        }
    }

    fn sum(&mut self, terms: Vec<(bool, Term)>, constant: i32) -> Source {
        let mut products: Vec<Factors> = Vec::new();
        let mut others = Vec::new();
        for (minus, term) in terms {
            match term {
                Term::Product { a, b, negated, shift } => {
                    let ready = self.ready(a).max(self.ready(b));
                    products.push((ready, minus, a, b, negated, shift));
                }
                Term::Value(source) => others.push((minus, source)),
            }
        }
        // Products with earlier factors come first. Others keep the algorithm's order.
        products.sort_by_key(|p| p.0);
        if constant != 0 || (products.is_empty() && others.len() < 2) {
            others.push((false, Source::Const(constant)));
        }
        if products.is_empty() && others.iter().all(|(minus, _)| *minus) {
            others.push((false, Source::Const(0)));
        }
        // All chains but the last become terms like others.
        while products.len() > self.chain {
            let rest = products.split_off(self.chain);
            let sum = self.chain_of(std::mem::replace(&mut products, rest), (false, Source::Const(0)));
            others.push((false, sum));
        }
        let rest = self.tree(others);
        let Some(first_ready) = products.first().map(|p| p.0) else {
            return rest.expect("a sum has terms").1;
        };
        // Other terms are the chain's first addend or, if they are late, are added last.
        let timing = self.out.timing;
        let chain_end = |start: u32| {
            let ends = products.iter().fold(start, |t, p| t.max(p.0) + 1);
            ends - 1 + timing.mac
        };
        let Some((minus, rest)) = rest else { return self.chain_of(products, (false, Source::Const(0))) };
        let waiting = chain_end(first_ready.max(self.ready(rest).saturating_sub(timing.addend_later)));
        let after = chain_end(first_ready).max(self.ready(rest)) + timing.sum;
        if waiting <= after {
            return self.chain_of(products, (minus, rest));
        }
        let a = self.chain_of(products, (false, Source::Const(0)));
        self.push(Work::Sum { a, b: rest, minus })
    }

    /// Chain of products added up in a row, onto an addend.
    fn chain_of(&mut self, products: Vec<Factors>, mut addend: (bool, Source)) -> Source {
        let mut chained = false;
        for (_, minus, a, b, negated, shift) in products {
            let (minus_c, c) = addend;
            // Negating a rounded number is rounding its negative with ties downwards.
            let mac = Mac { a, b, c, chained, minus_c, minus: negated != minus, ties_down: minus, shift };
            addend = (false, self.push(Work::Mac(mac)));
            chained = true;
        }
        addend.1
    }

    /// Sum of several terms, early terms first. The flag is true if the negative is meant.
    fn tree(&mut self, terms: Vec<(bool, Source)>) -> Option<(bool, Source)> {
        let mut heap: BinaryHeap<Reverse<(u32, bool, Source)>> =
            terms.into_iter().map(|(minus, x)| Reverse((self.ready(x), minus, x))).collect();
        loop {
            let Reverse((_, minus, a)) = heap.pop()?;
            let Some(Reverse((_, other_minus, b))) = heap.pop() else { return Some((minus, a)) };
            let (minus, sum) = match (minus, other_minus) {
                (same, other) if same == other => (same, Work::Sum { a, b, minus: false }),
                (false, _) => (false, Work::Sum { a, b, minus: true }),
                (true, _) => (false, Work::Sum { a: b, b: a, minus: true }),
            };
            let value = self.push(sum);
            heap.push(Reverse((self.ready(value), minus, value)));
        }
    }
}
