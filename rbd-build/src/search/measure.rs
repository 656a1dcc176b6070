//! Costs and zeros of a generated robot, as `rbd report` shows them.

use crate::search::plan::{Plan, Wire};
use crate::signatures::signature::{Dims, Output, Sizes};
use crate::table::functions::Function;
use crate::table::routines;
use crate::tree::Rewrite;
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::{ArrayDecl, ArrayId, Kernel, Operand, Role, Stmt};
use rbd_ir::products::{Product, ProductKind};
use std::fmt;

/// Cost of one generated function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The function.
    pub function: Function,
    /// Arithmetic before any product is fused with a sum.
    pub count: OperationCount,
    /// Operations of the straight-line part; the rest is in loops.
    pub straight_line: OperationCount,
    /// Instructions once products are fused with sums, sines and cosines apart.
    pub fused: usize,
    /// Bytes of the function's formatted text in the generated file, its documentation included.
    pub source_bytes: usize,
}

/// An entry of a matrix, as far as it is known when the robot is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Zero in every state.
    Zero,
    /// Equal in every state.
    Constant,
    /// A function of the state.
    Varies,
}

/// Structural zeros of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Name of the output, such as `dtau_dq`.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    entries: Vec<Entry>,
}

impl Pattern {
    /// The entry in this row and column, both from 0.
    ///
    /// # Panics
    /// Outside of the matrix.
    pub fn entry(&self, row: usize, column: usize) -> Entry {
        assert!(row < self.rows && column < self.columns, "({row}, {column}) is outside of {}", self.name);
        self.entries[column * self.rows + row]
    }

    /// Number of entries of this class.
    pub fn count(&self, entry: Entry) -> usize {
        self.entries.iter().filter(|e| **e == entry).count()
    }

    /// Takes in what another kernel writes to the matrix.
    fn join(&mut self, other: &Self) {
        for (entry, more) in self.entries.iter_mut().zip(&other.entries) {
            *entry = if *entry == Entry::Zero { *more } else { Entry::Varies };
        }
    }

    /// Class of an entry of the matrix product with `other`, barring sums that happen to cancel.
    fn product_entry(&self, other: &Self, row: usize, column: usize) -> Entry {
        let factors = (0..self.columns).map(|k| (self.entry(row, k), other.entry(k, column)));
        let terms: Vec<_> = factors.filter(|(a, b)| *a != Entry::Zero && *b != Entry::Zero).collect();
        match terms[..] {
            [] => Entry::Zero,
            _ if terms.iter().all(|t| *t == (Entry::Constant, Entry::Constant)) => Entry::Constant,
            _ => Entry::Varies,
        }
    }

    /// Pattern of a product's result that overwrites `self`.
    fn multiplied(&self, a: &Self, x: &Self, product: &Product) -> Self {
        let entry = |row, column| {
            if product.makes_column(column) {
                a.product_entry(x, row, column)
            } else {
                self.entry(row, column)
            }
        };
        let places = (0..self.columns).flat_map(|c| (0..self.rows).map(move |r| (r, c)));
        Self { entries: places.map(|(r, c)| entry(r, c)).collect(), ..self.clone() }
    }

    /// `d g^T` with a diagonal `d`.
    fn scaled_transpose(&self, d: &Self) -> Self {
        let entry = |k: usize| {
            let (row, column) = (k % self.columns, k / self.columns);
            match (d.entry(row, 0), self.entry(column, row)) {
                (Entry::Zero, _) | (_, Entry::Zero) => Entry::Zero,
                (Entry::Constant, Entry::Constant) => Entry::Constant,
                _ => Entry::Varies,
            }
        };
        let entries = (0..self.entries.len()).map(entry).collect();
        Self { name: self.name, rows: self.columns, columns: self.rows, entries }
    }
}

/// Sparsity pattern of each output: a bit an entry, by columns, set if it can differ from zero.
/// A matrix that no kernel makes is taken for full. An output that is no matrix has no bits.
pub fn structures<'a>(
    kernels: impl IntoIterator<Item = (&'a Kernel, &'a [Wire])>,
    outputs: &[Output],
    sizes: Sizes,
) -> Vec<Vec<u64>> {
    let made = patterns(kernels);
    let bits = |output: &Output| {
        let (rows, columns) = match output.shape {
            Dims::Matrix(..) => output.shape.extent(sizes),
            _ => (0, 0),
        };
        let pattern = made.iter().find(|(other, _)| other == output).map(|(_, pattern)| pattern);
        let is_set = |k: usize| pattern.is_none_or(|of| of.entry(k % rows, k / rows) != Entry::Zero);
        let word = |from: usize| {
            let all = from..(rows * columns).min(from + 64);
            all.filter(|k| is_set(*k)).map(|k| 1 << (k - from)).sum()
        };
        (0..rows * columns).step_by(64).map(word).collect()
    };
    outputs.iter().map(bits).collect()
}

/// Patterns of all results of kernels that run one after the other. Wires say where each array is.
pub fn patterns<'a>(kernels: impl IntoIterator<Item = (&'a Kernel, &'a [Wire])>) -> Vec<(Output, Pattern)> {
    let mut made: Vec<(Output, Pattern)> = Vec::new();
    for (kernel, wires) in kernels {
        for (pattern, (id, decl)) in patterns_of(kernel, wires, &made).into_iter().zip(kernel.declared()) {
            if let (Role::Out, Wire::Output(output)) = (decl.role, wires[id.index()]) {
                match made.iter_mut().find(|(other, _)| *other == output) {
                    Some((_, earlier)) => earlier.join(&pattern),
                    None => made.push((output, Pattern { name: output.name, ..pattern })),
                }
            }
        }
    }
    made
}

/// Patterns of the kernel's arrays after it ran, from those of earlier stages' results. Entries
/// that are never written are never read and count as zero.
fn patterns_of(kernel: &Kernel, wires: &[Wire], earlier: &[(Output, Pattern)]) -> Vec<Pattern> {
    let before = |(id, decl): (ArrayId, &ArrayDecl)| {
        let known = |output: &Output| earlier.iter().find(|(o, _)| o == output).map(|(_, p)| p.clone());
        let entry = if decl.role == Role::In { Entry::Varies } else { Entry::Zero };
        let same = Pattern {
            name: decl.name,
            rows: decl.rows,
            columns: decl.columns,
            entries: vec![entry; decl.len()],
        };
        match (decl.role, wires[id.index()]) {
            (Role::In, Wire::Output(output)) => known(&output).unwrap_or(same),
            _ => same,
        }
    };
    let mut patterns: Vec<Pattern> = kernel.declared().map(before).collect();
    for stmt in &kernel.body {
        match stmt {
            Stmt::Store { to, from } => {
                patterns[to.array.index()].entries[to.index as usize] = match from.operand {
                    _ if from.is_zero() => Entry::Zero,
                    Operand::Const(_) => Entry::Constant,
                    _ => Entry::Varies,
                };
            }
            Stmt::Product(product) => {
                let of = |id: ArrayId| &patterns[id.index()];
                let made = match product.kind {
                    ProductKind::Negative { a, x } => of(x).multiplied(of(a), of(x), product),
                    ProductKind::Gram { g, d, out } => {
                        of(out).multiplied(of(g), &of(g).scaled_transpose(of(d)), product)
                    }
                };
                patterns[product.result().index()] = made;
            }
            Stmt::Call(call) => {
                for id in call.written() {
                    patterns[id.index()].entries.fill(Entry::Varies);
                }
                for (result, row, column) in routines::zeros_of(call) {
                    let pattern = &mut patterns[call.results[result].index()];
                    pattern.entries[column * pattern.rows + row] = Entry::Zero;
                }
            }
            Stmt::Fill { array, with } => {
                let entry = if *with == 0.0 { Entry::Zero } else { Entry::Constant };
                patterns[array.index()].entries.fill(entry);
            }
            Stmt::Let { .. } | Stmt::SinCos(_) => {}
        }
    }
    patterns
}

impl Cost {
    /// Arithmetic in loops, over tables or of products and factors.
    pub fn in_loops(&self) -> usize {
        self.count.total() - self.straight_line.total()
    }

    /// Instructions of its straight line once products are fused with sums; sines and cosines are
    /// not among them.
    pub fn fused_in_straight_line(&self) -> usize {
        // Loops have their multiplications and divisions among the instructions.
        let of = |count: OperationCount| count.muls + count.divs;
        self.fused.saturating_sub(of(self.count) - of(self.straight_line))
    }
}

impl Plan {
    /// Kernels for every scalar, and where their arrays are.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (&Kernel, &[Wire])> {
        self.stages.iter().map(|stage| (&stage.scalar.kernel, &stage.scalar.wires[..]))
    }

    /// Zeros of the function's result of this name, such as `dtau_dq`.
    pub fn pattern(&self, name: &str) -> Option<Pattern> {
        let made = patterns(self.kernels());
        made.into_iter().find(|(output, _)| output.name == name).map(|(_, pattern)| pattern)
    }
}

impl fmt::Display for Rewrite {
    /// Prints for example `aligned, 7/7 regrouped`: frames are turned, and inertia moves towards
    /// the root.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let regrouped = self.bodies.iter().filter(|b| b.share.is_some()).count();
        match (self.realign, regrouped) {
            (false, 0) => f.write_str("as in the URDF"),
            (true, 0) => f.write_str("aligned"),
            (false, n) => write!(f, "{n}/{} regrouped", self.bodies.len()),
            (true, n) => write!(f, "aligned, {n}/{} regrouped", self.bodies.len()),
        }
    }
}
