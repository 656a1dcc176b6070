//! Running a kernel without compiling it, so that tests can try thousands of robots.

use super::{Kernel, Op, Operand, Place, Role, Signed, Stmt};
use crate::calls::Call;
use crate::products::{Product, ProductKind};
use rbd_runtime::Scalar;

impl Kernel {
    /// Runs the kernel. Returns the results in the order of their declaration, by columns.
    ///
    /// The bits are those of generated Rust for this scalar: products and sums are fused where
    /// [`Scalar::mul_add`] is. Entries that are not written are NaN.
    ///
    /// # Panics
    /// If the inputs do not match the declaration, if the kernel is not valid, or if it calls
    /// loops. For loops, use [`Self::run_with`].
    pub fn run<T: Scalar>(&self, inputs: &[&[T]]) -> Vec<Vec<T>> {
        self.run_with(inputs, no_loops)
    }

    /// Runs the kernel, with loops run by `calls`.
    ///
    /// Usually pass `rbd_build::routines::run`. It compiles all loops of the runtime for each scalar type.
    ///
    /// # Panics
    /// Panics as [`Self::run`] does, but for the calls.
    pub fn run_with<T: Scalar>(&self, inputs: &[&[T]], calls: Calls<T>) -> Vec<Vec<T>> {
        let memory = self.memory_with(inputs, calls);
        self.declared()
            .filter(|(_, d)| d.role == Role::Out)
            .map(|(id, _)| memory[id.index()].clone())
            .collect()
    }

    /// Contents of each array after a run, inputs and scratch included.
    ///
    /// # Panics
    /// Panics as [`Kernel::run`] does.
    pub fn memory_after<T: Scalar>(&self, inputs: &[&[T]]) -> Vec<Vec<T>> {
        self.memory_with(inputs, no_loops)
    }

    fn memory_with<T: Scalar>(&self, inputs: &[&[T]], calls: Calls<T>) -> Vec<Vec<T>> {
        let mut inputs = inputs.iter();
        let of_array = |decl: &super::ArrayDecl| match decl.role {
            Role::In => {
                let given = inputs.next().expect("an input for each that is declared");
                assert_eq!(given.len(), decl.len(), "{}", decl.name);
                given.to_vec()
            }
            Role::Out | Role::Scratch | Role::Lent => vec![T::from_f64(f64::NAN); decl.len()],
        };
        let memory = self.arrays.iter().map(of_array).collect();
        assert!(inputs.next().is_none(), "more inputs than are declared");
        let mut machine = Machine { kernel: self, memory, registers: Vec::new(), calls };
        self.body.iter().for_each(|stmt| machine.step(stmt));
        machine.memory
    }
}

struct Machine<'k, T> {
    kernel: &'k Kernel,
    memory: Vec<Vec<T>>,
    /// By number, the lanes of each variable.
    registers: Vec<Vec<T>>,
    calls: Calls<T>,
}

/// A function that runs a call: it reads and writes arrays.
pub type Calls<T> = fn(&Call, &mut [Vec<T>]);

fn no_loops<T>(_: &Call, _: &mut [Vec<T>]) {
    panic!("this kernel calls loops, and nothing was given that runs them")
}

impl<T: Scalar> Machine<'_, T> {
    fn step(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { reg, op } => {
                let lanes = (0..usize::from(reg.lanes)).map(|lane| self.compute(op, lane)).collect();
                self.set(reg.number, lanes);
            }
            Stmt::SinCos(angles) => {
                for angle in angles {
                    let lanes = usize::from(self.kernel.lanes(angle.of));
                    let of: Vec<(T, T)> =
                        (0..lanes).map(|lane| self.lane(angle.of, lane).sin_cos()).collect();
                    if let Some(reg) = angle.sin {
                        self.set(reg.number, of.iter().map(|(sin, _)| *sin).collect());
                    }
                    if let Some(reg) = angle.cos {
                        self.set(reg.number, of.iter().map(|(_, cos)| *cos).collect());
                    }
                }
            }
            Stmt::Fill { array, with } => self.memory[array.index()].fill(T::from_f64(*with)),
            Stmt::Store { to, from } => *self.at(*to) = self.signed(*from, 0),
            Stmt::Product(product) => self.multiply(product),
            Stmt::Call(call) => (self.calls)(call, &mut self.memory),
        }
    }

    fn set(&mut self, number: u32, lanes: Vec<T>) {
        let number = number as usize;
        if self.registers.len() <= number {
            self.registers.resize(number + 1, Vec::new());
        }
        self.registers[number] = lanes;
    }

    fn at(&mut self, place: Place) -> &mut T {
        &mut self.memory[place.array.index()][place.index as usize]
    }

    fn compute(&self, op: &Op, lane: usize) -> T {
        let of = |operand: &Operand| self.lane(*operand, lane);
        match op {
            Op::Add(a, b) => of(a) + of(b),
            Op::Sub(a, b) => of(a) - of(b),
            Op::Mul(a, b) => of(a) * of(b),
            Op::MulAdd { a, b, c } => self.signed(*a, lane).mul_add(of(b), self.signed(*c, lane)),
            Op::Recip(a) => T::one() / of(a),
            Op::Hypot(a, b) => (of(a) * of(a) + of(b) * of(b)).sqrt(),
            Op::Gather(scalars) => self.signed(scalars[lane], 0),
            Op::Lane(a, lane) => self.lane(*a, usize::from(*lane)),
            Op::Sum(a) => {
                let x = |lane| self.lane(*a, lane);
                // In the order of `rbd_runtime::limbs`.
                match self.kernel.lanes(*a) {
                    2 => x(0) + x(1),
                    4 => (x(0) + x(2)) + (x(1) + x(3)),
                    lanes => unreachable!("there are no vectors of {lanes}"),
                }
            }
        }
    }

    fn signed(&self, signed: Signed, lane: usize) -> T {
        let x = self.lane(signed.operand, lane);
        if signed.negated { -x } else { x }
    }

    /// One lane of an operand; of a scalar, that.
    fn lane(&self, operand: Operand, lane: usize) -> T {
        let broadcast = |lanes: &[T]| if lanes.len() == 1 { lanes[0] } else { lanes[lane] };
        match operand {
            Operand::Const(x) => T::from_f64(x),
            Operand::LaneConst(slot) => T::from_f64(self.kernel.lane_constants[slot as usize][lane]),
            Operand::Load(place) => self.memory[place.array.index()][place.index as usize],
            Operand::Reg(reg) => broadcast(&self.registers[reg.number as usize]),
        }
    }

    /// The terms that the product's blocks name, and no others.
    fn multiply(&mut self, product: &Product) {
        let rows = self.kernel.array(product.result()).rows;
        let (a, x, gram) = match product.kind {
            ProductKind::Negative { a, x } => {
                let x = self.memory[x.index()].iter().map(|x| -*x).collect::<Vec<T>>();
                (self.memory[a.index()].clone(), x, false)
            }
            ProductKind::Gram { g, d, .. } => {
                let (g, d) = (self.memory[g.index()].clone(), &self.memory[d.index()]);
                // D G^T.
                let x = (0..rows * rows).map(|k| d[k % rows] * g[(k % rows) * rows + k / rows]).collect();
                (g, x, true)
            }
        };
        let result = &mut self.memory[product.result().index()];
        for group in &product.groups {
            for column in group.columns.0..group.columns.1 {
                for block in &group.blocks {
                    for row in block.rows.0..block.rows.1 {
                        let terms = block.terms.iter().flat_map(|run| run.0..run.1);
                        let sum = terms
                            .fold(T::zero(), |sum, k| a[k * rows + row].mul_add(x[column * rows + k], sum));
                        if !gram {
                            result[column * rows + row] = sum;
                        } else if row >= column {
                            result[column * rows + row] = sum;
                            result[row * rows + column] = sum;
                        }
                    }
                }
            }
        }
    }
}
