//! A plan as one list of operations on numbers, without arrays, loops and lanes.

use rbd_build::plan::{Plan, Version, Wire};
use rbd_build::signature::{DDQ_DQ, DDQ_DV, DTAU_DQ, DTAU_DV, Output};
use rbd_ir::kernel::{ArrayId, Kernel, Op as KernelOp, Operand as Read, Role, Signed as KernelSigned, Stmt};
use rbd_ir::products::{Product, ProductKind};
use rbd_runtime::Scalar;
use rustc_hash::FxHashMap;

/// Operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A constant.
    Const(f64),
    /// The value of an earlier operation.
    Value(u32),
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// One of [`Straight::inputs`].
    Input(u32),
    /// Sine.
    Sin(Operand),
    /// Cosine.
    Cos(Operand),
    /// Product `a b` or `(-a) b`.
    Mul {
        /// First factor.
        a: Operand,
        /// Second factor.
        b: Operand,
        /// True if the first factor is negated. Rounding tells `(-a) b` from `-(a b)`.
        negated: bool,
    },
    /// Sum.
    Add(Operand, Operand),
    /// Difference.
    Sub(Operand, Operand),
    /// Reciprocal.
    Recip(Operand),
    /// Square root.
    Sqrt(Operand),
}

impl Op {
    /// Operands.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, b) = match self {
            Self::Input(_) => (None, None),
            Self::Sin(a) | Self::Cos(a) | Self::Recip(a) | Self::Sqrt(a) => (Some(a), None),
            Self::Mul { a, b, .. } | Self::Add(a, b) | Self::Sub(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// An entry of an input or output array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Name of the array, such as `q` or `dtau_dq`.
    pub name: &'static str,
    /// Place in the array, by columns.
    pub index: usize,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Array and place of the result.
    pub element: Element,
    /// Source of the result.
    pub from: Operand,
    /// True if the source is negated.
    pub negated: bool,
    /// Row: that of a torque or an acceleration.
    pub row: usize,
}

/// A function as a list of operations.
#[derive(Clone, Debug, Default)]
pub struct Straight {
    /// Inputs, in order.
    pub inputs: Vec<Element>,
    /// Operations. Each follows its operands.
    pub ops: Vec<Op>,
    /// Results, in order.
    pub results: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Signed {
    operand: Operand,
    negated: bool,
}

impl Straight {
    /// Operations of a plan's kernels for every scalar. Products of matrices are written out.
    pub fn of(plan: &Plan) -> Self {
        let mut straight = Self::default();
        let mut params: FxHashMap<&str, Vec<Signed>> = FxHashMap::default();
        for param in plan.spec().params {
            let versions = plan.stages.iter().map(|stage| &stage.scalar);
            let len = versions.filter_map(|v| declared(v, Wire::Param(*param))).next().unwrap_or(0);
            params.insert(param.name, straight.take(param.name, len));
        }
        let mut made: Vec<(Output, usize, Vec<Signed>)> = Vec::new();
        for stage in &plan.stages {
            let version = &stage.scalar;
            let mut lowering = Lowering {
                kernel: &version.kernel,
                memory: Vec::new(),
                registers: FxHashMap::default(),
                straight: &mut straight,
            };
            for (id, decl) in version.kernel.declared() {
                let given = match (decl.role, version.wire(id)) {
                    (Role::In, Wire::Param(param)) => params[param.name].clone(),
                    (Role::In, Wire::Output(output)) => {
                        let earlier = made.iter().find(|(o, ..)| *o == output);
                        earlier.expect("stages are in order").2.clone()
                    }
                    _ => Vec::new(),
                };
                let mut given: Vec<Option<Signed>> = given.into_iter().map(Some).collect();
                given.resize(decl.len(), None);
                lowering.memory.push(given);
            }
            version.kernel.body.iter().for_each(|stmt| lowering.statement(stmt));
            for (id, decl) in version.kernel.declared().filter(|(_, decl)| decl.role == Role::Out) {
                if let Wire::Output(output) = version.wire(id) {
                    let entries = lowering.memory[id.index()].iter();
                    let entries = entries.map(|e| e.expect("results are written whole")).collect();
                    made.push((output, decl.rows, entries));
                }
            }
        }
        for output in plan.spec().outputs {
            let (_, rows, entries) =
                made.iter().find(|(o, ..)| o == output).expect("a plan makes every result");
            straight.give(output.name, *rows, entries);
        }
        straight
    }

    /// Gradient of forward dynamics, split as in Plancher et al. 2021.
    ///
    /// A plan of inverse dynamics' derivatives comes first, and the inverse of the mass matrix is an input.
    /// Then `ddq_dq = -M^-1 dtau_dq` and `ddq_dv = -M^-1 dtau_dv`.
    ///
    /// # Panics
    /// If the plan is not one of [`RneaDerivatives`](rbd_build::Function::RneaDerivatives).
    pub fn gradient(plan: &Plan) -> Self {
        let mut straight = Self::of(plan);
        let derivatives = std::mem::take(&mut straight.results);
        let of = |output: Output| -> Vec<&Entry> {
            derivatives.iter().filter(|e| e.element.name == output.name).collect()
        };
        let n = of(DTAU_DQ).iter().map(|e| e.row + 1).max().expect("derivatives of torques");
        let minv = straight.take("minv", n * n);
        for (derivative, name) in [(DTAU_DQ, DDQ_DQ.name), (DTAU_DV, DDQ_DV.name)] {
            let x: Vec<Signed> =
                of(derivative).iter().map(|e| Signed { operand: e.from, negated: e.negated }).collect();
            let mut entries = Vec::new();
            for k in 0..n * n {
                let (row, column) = (k % n, k / n);
                // Only the lower half of the symmetric matrix is read.
                let terms = (0..n).map(|j| (minv[row.min(j) * n + row.max(j)], x[column * n + j]));
                let sum = straight.sum_of_products(terms);
                entries.push(Signed { negated: !sum.negated, ..sum });
            }
            straight.give(name, n, &entries);
        }
        straight
    }

    fn take(&mut self, name: &'static str, len: usize) -> Vec<Signed> {
        let take = |index| {
            self.inputs.push(Element { name, index });
            let operand = self.push(Op::Input(self.inputs.len() as u32 - 1));
            Signed { operand, negated: false }
        };
        (0..len).map(take).collect()
    }

    fn give(&mut self, name: &'static str, rows: usize, entries: &[Signed]) {
        self.results.extend(entries.iter().enumerate().map(|(index, e)| Entry {
            element: Element { name, index },
            from: e.operand,
            negated: e.negated,
            row: index % rows,
        }));
    }

    fn push(&mut self, op: Op) -> Operand {
        self.ops.push(op);
        Operand::Value(self.ops.len() as u32 - 1)
    }

    /// Products with zero are left out: they are exact in every scalar.
    fn sum_of_products(&mut self, terms: impl Iterator<Item = (Signed, Signed)>) -> Signed {
        let zero = Operand::Const(0.0);
        let mut sum = zero;
        for (a, b) in terms.filter(|(a, b)| a.operand != zero && b.operand != zero) {
            let product = self.push(Op::Mul { a: a.operand, b: b.operand, negated: a.negated != b.negated });
            sum = if sum == zero { product } else { self.push(Op::Add(sum, product)) };
        }
        Signed { operand: sum, negated: false }
    }

    /// Values of all operations for some inputs, in any scalar.
    ///
    /// # Panics
    /// If there are fewer inputs than [`Self::inputs`].
    pub fn run<T: Scalar>(&self, inputs: &[T]) -> Vec<T> {
        let mut values: Vec<T> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let of = |operand: Operand| match operand {
                Operand::Const(x) => T::from_f64(x),
                Operand::Value(k) => values[k as usize],
            };
            let value = match *op {
                Op::Input(k) => inputs[k as usize],
                Op::Sin(a) => of(a).sin_cos().0,
                Op::Cos(a) => of(a).sin_cos().1,
                Op::Mul { a, b, negated: false } => of(a) * of(b),
                Op::Mul { a, b, negated: true } => -of(a) * of(b),
                Op::Add(a, b) => of(a) + of(b),
                Op::Sub(a, b) => of(a) - of(b),
                Op::Recip(a) => T::one() / of(a),
                Op::Sqrt(a) => of(a).sqrt(),
            };
            values.push(value);
        }
        values
    }

    /// Results among the values.
    pub fn results_of<T: Scalar>(&self, values: &[T]) -> Vec<T> {
        let result = |e: &Entry| {
            let x = match e.from {
                Operand::Const(x) => T::from_f64(x),
                Operand::Value(k) => values[k as usize],
            };
            if e.negated { -x } else { x }
        };
        self.results.iter().map(result).collect()
    }
}

/// Length of the kernel's array at a wire.
fn declared(version: &Version, wire: Wire) -> Option<usize> {
    version.kernel.declared().find(|(id, _)| version.wire(*id) == wire).map(|(_, decl)| decl.len())
}

struct Lowering<'a> {
    kernel: &'a Kernel,
    memory: Vec<Vec<Option<Signed>>>,
    registers: FxHashMap<u32, Operand>,
    straight: &'a mut Straight,
}

impl Lowering<'_> {
    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { reg, op } => {
                let value = self.operation(op);
                self.registers.insert(reg.number, value);
            }
            Stmt::SinCos(angles) => {
                for angle in angles {
                    let of = self.operand(angle.of);
                    for (reg, op) in [(angle.sin, Op::Sin(of)), (angle.cos, Op::Cos(of))] {
                        if let Some(reg) = reg {
                            let value = self.straight.push(op);
                            self.registers.insert(reg.number, value);
                        }
                    }
                }
            }
            Stmt::Fill { array, with } => {
                let filled = Signed { operand: Operand::Const(*with), negated: false };
                self.memory[array.index()].fill(Some(filled));
            }
            Stmt::Store { to, from } => {
                let stored = self.signed(*from);
                self.memory[to.array.index()][to.index as usize] = Some(stored);
            }
            Stmt::Product(product) => self.product(product),
            Stmt::Call(_) => unreachable!("circuits are made of straight plans"),
        }
    }

    fn operation(&mut self, op: &KernelOp) -> Operand {
        let op = match op {
            KernelOp::Add(a, b) => Op::Add(self.operand(*a), self.operand(*b)),
            KernelOp::Sub(a, b) => Op::Sub(self.operand(*a), self.operand(*b)),
            KernelOp::Mul(a, b) => Op::Mul { a: self.operand(*a), b: self.operand(*b), negated: false },
            KernelOp::MulAdd { a, b, c } => {
                let (a, b, c) = (self.signed(*a), self.operand(*b), self.signed(*c));
                let product = self.straight.push(Op::Mul { a: a.operand, b, negated: a.negated });
                if c.negated { Op::Sub(product, c.operand) } else { Op::Add(product, c.operand) }
            }
            KernelOp::Recip(a) => Op::Recip(self.operand(*a)),
            KernelOp::Hypot(a, b) => {
                let squares = [*a, *b].map(|x| {
                    let x = self.operand(x);
                    self.straight.push(Op::Mul { a: x, b: x, negated: false })
                });
                let sum = self.straight.push(Op::Add(squares[0], squares[1]));
                Op::Sqrt(sum)
            }
            KernelOp::Gather(_) | KernelOp::Lane(..) | KernelOp::Sum(_) => {
                unreachable!("kernels for every scalar have one lane")
            }
        };
        self.straight.push(op)
    }

    fn operand(&self, operand: Read) -> Operand {
        match operand {
            Read::Const(x) => Operand::Const(x),
            Read::LaneConst(_) => unreachable!("kernels for every scalar have one lane"),
            // An input is never negated.
            Read::Load(place) => self.read(place.array, place.index as usize).operand,
            Read::Reg(reg) => self.registers[&reg.number],
        }
    }

    fn signed(&self, signed: KernelSigned) -> Signed {
        Signed { operand: self.operand(signed.operand), negated: signed.negated }
    }

    fn read(&self, array: ArrayId, index: usize) -> Signed {
        self.memory[array.index()][index].expect("what is read has been written")
    }

    /// Sums of the terms in a product's blocks, in the order of the kernels' interpreter.
    fn product(&mut self, product: &Product) {
        let rows = self.kernel.array(product.result()).rows;
        let result = product.result();
        // A product in place reads the old content.
        let before = self.memory.clone();
        let at = |array: ArrayId, k: usize| before[array.index()][k].expect("what is read has been written");
        for group in &product.groups {
            for column in group.columns.0..group.columns.1 {
                for block in &group.blocks {
                    for row in block.rows.0..block.rows.1 {
                        let terms = block.terms.iter().flat_map(|run| run.0..run.1);
                        match product.kind {
                            ProductKind::Negative { a, x } => {
                                let terms = terms.map(|k| (at(a, k * rows + row), at(x, column * rows + k)));
                                let sum = self.straight.sum_of_products(terms);
                                let negative = Signed { negated: !sum.negated, ..sum };
                                self.memory[result.index()][column * rows + row] = Some(negative);
                            }
                            ProductKind::Gram { g, d, .. } if row >= column => {
                                let terms: Vec<(Signed, Signed)> = terms
                                    .map(|k| {
                                        let (d, x) = (at(d, k), at(g, k * rows + column));
                                        let negated = d.negated != x.negated;
                                        let scaled = Op::Mul { a: d.operand, b: x.operand, negated };
                                        let operand = self.straight.push(scaled);
                                        (at(g, k * rows + row), Signed { operand, negated: false })
                                    })
                                    .collect();
                                let sum = self.straight.sum_of_products(terms.into_iter());
                                self.memory[result.index()][column * rows + row] = Some(sum);
                                self.memory[result.index()][row * rows + column] = Some(sum);
                            }
                            ProductKind::Gram { .. } => {}
                        }
                    }
                }
            }
        }
    }
}
