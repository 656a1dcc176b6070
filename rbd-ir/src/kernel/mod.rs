//! Kernels: statements over arrays, which can be read, checked and run on their own.
//!
//! Every target is written from kernels. Everything but spelling is decided before: the order of
//! operations, when a result is stored, and which zeros are written. [`Kernel::run`] does what a
//! target's text does, so tests that run kernels test the emitted code.
//!
//! Numbers are scalars or short vectors of `lanes` numbers; an operand of one lane is broadcast.

mod alive;
pub mod bytes;
mod display;
mod lean;
mod part;
mod run;
mod verify;

pub use crate::array::ArrayId;
use crate::calls::Call;
use crate::products::Product;

/// Role of an array in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads it.
    In,
    /// The kernel writes every entry, regardless of the old content.
    Out,
    /// The kernel's own memory.
    Scratch,
    /// Has it for itself, in memory that is lent: a later kernel writes its result there.
    Lent,
}

/// An array of a kernel: a matrix, stored by columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayDecl {
    /// Name of the array in this kernel.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Role of the array.
    pub role: Role,
}

impl ArrayDecl {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns whether it has no entries, as some arrays of a robot without joints.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An entry of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The array.
    pub array: ArrayId,
    /// Index of the entry, by columns.
    pub index: u32,
}

/// A variable, which is written once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg {
    /// Number of the variable, which is its name.
    pub number: u32,
    /// Number of lanes.
    pub lanes: u8,
}

/// Operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A constant.
    Const(f64),
    /// Constants that differ by lane: an index into [`Kernel::lane_constants`].
    LaneConst(u32),
    /// An entry of an array that is an input.
    Load(Place),
    /// A variable.
    Reg(Reg),
}

/// An operand or its negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signed {
    /// The operand.
    pub operand: Operand,
    /// True for the negative of the operand.
    pub negated: bool,
}

impl Signed {
    /// Returns whether this is the constant zero.
    pub fn is_zero(self) -> bool {
        self.operand == Operand::Const(0.0)
    }
}

/// One instruction's worth of arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A sum.
    Add(Operand, Operand),
    /// A difference.
    Sub(Operand, Operand),
    /// A product.
    Mul(Operand, Operand),
    /// `a * b + c`, rounded once if the target has such an instruction.
    MulAdd {
        /// A factor; its sign is the product's.
        a: Signed,
        /// The other factor.
        b: Operand,
        /// The addend.
        c: Signed,
    },
    /// A reciprocal.
    Recip(Operand),
    /// `sqrt(a^2 + b^2)`, of one lane.
    Hypot(Operand, Operand),
    /// Scalars put side by side.
    Gather(Vec<Signed>),
    /// One lane of a vector.
    Lane(Operand, u8),
    /// The sum over a vector's lanes.
    Sum(Operand),
}

impl Op {
    /// Calls `f` with each operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Hypot(a, b) => {
                [*a, *b].into_iter().for_each(f)
            }
            Self::MulAdd { a, b, c } => [a.operand, *b, c.operand].into_iter().for_each(f),
            Self::Recip(a) | Self::Lane(a, _) | Self::Sum(a) => f(*a),
            Self::Gather(scalars) => scalars.iter().for_each(|s| f(s.operand)),
        }
    }
}

/// An angle whose sine, cosine or both are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// The angle.
    pub of: Operand,
    /// The angle's sine, if it is used.
    pub sin: Option<Reg>,
    /// The angle's cosine, if it is used.
    pub cos: Option<Reg>,
    /// The input that it is, up to a sign and a constant: whoever has that one's sine and cosine
    /// needs no other.
    pub turned: Option<Turned>,
}

/// An angle `sign * of + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// An entry of an input.
    pub of: Place,
    /// 1 or -1.
    pub sign: f64,
    /// The constant that is added.
    pub offset: f64,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Computes a variable.
    Let {
        /// The variable.
        reg: Reg,
        /// Operation that computes the variable.
        op: Op,
    },
    /// Sines and cosines, all at once: as many as fit a register are computed together.
    SinCos(Vec<Angle>),
    /// Writes one number to every entry.
    Fill {
        /// The array.
        array: ArrayId,
        /// The number.
        with: f64,
    },
    /// Writes one entry.
    Store {
        /// Destination.
        to: Place,
        /// Value to store.
        from: Signed,
    },
    /// A product of matrices, by loops.
    Product(Product),
    /// Other loops of the runtime.
    Call(Call),
}

/// A self-contained piece of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Arrays, by number.
    pub arrays: Vec<ArrayDecl>,
    /// Constants that differ by lane.
    pub lane_constants: Vec<Vec<f64>>,
    /// Statements, in order.
    pub body: Vec<Stmt>,
}

impl Kernel {
    /// An array's declaration.
    pub fn array(&self, id: ArrayId) -> &ArrayDecl {
        &self.arrays[id.index()]
    }

    /// The arrays with their numbers.
    pub fn declared(&self) -> impl Iterator<Item = (ArrayId, &ArrayDecl)> {
        self.arrays.iter().enumerate().map(|(k, decl)| (ArrayId(k as u16), decl))
    }

    /// The products of matrices, in order.
    pub fn products(&self) -> impl Iterator<Item = &Product> {
        self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Product(product) => Some(product),
            _ => None,
        })
    }

    /// The calls of the runtime's other loops, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Instructions of the straight line: a fused product and sum is one. Sines and cosines are not
    /// among them, nor are loads and stores.
    pub fn instructions(&self) -> usize {
        self.body.iter().filter(|stmt| matches!(stmt, Stmt::Let { .. })).count()
    }

    /// Number of lanes of an operand.
    pub fn lanes(&self, operand: Operand) -> u8 {
        match operand {
            Operand::Const(_) | Operand::Load(_) => 1,
            Operand::LaneConst(slot) => self.lane_constants[slot as usize].len() as u8,
            Operand::Reg(reg) => reg.lanes,
        }
    }

    /// Calls `f` with every operand of every statement, products apart.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        for stmt in &self.body {
            match stmt {
                Stmt::Let { op, .. } => op.for_each_operand(&mut f),
                Stmt::SinCos(angles) => angles.iter().for_each(|a| f(a.of)),
                Stmt::Store { from, .. } => f(from.operand),
                Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
