//! Lowering of a kernel to operations, each of which is one instruction of a processor.
//!
//! Sums over lanes, gathers and negatives become a few plain instructions, scalars that lanes read are
//! broadcast once, and angles go to memory for the routine that takes their sines. What is left names no
//! statement of a kernel any more.

mod operands;
#[cfg(any(test, target_arch = "aarch64"))]
mod pairs;
mod statements;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod used;

use crate::allocate::Program;
use rbd_build::routines::Prepared;
use rbd_ir::kernel::{ArrayId, Kernel, Place, Role, Stmt};
use rbd_ir::products::Product;
use statements::{Lowering, is_zero};

/// Operation of an instruction on its operands `a`, `b` and `c`, in each of its lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    /// Kind of operation.
    pub kind: Kind,
    /// Number of lanes that the operation makes, or reads if it makes none.
    pub lanes: u8,
}

/// Kind of operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a b`.
    Mul,
    /// `a / b`.
    Div,
    /// The square root of `a`.
    Sqrt,
    /// `a b + c`, rounded once, with a sign of the product and one of the addend.
    MulAdd {
        /// True if the product is subtracted.
        minus_product: bool,
        /// True if `c` is subtracted.
        minus_addend: bool,
    },
    /// `a` with the signs flipped that `b` has.
    Flip,
    /// The number `a` in all lanes.
    Splat,
    /// The numbers `a` and `b`, side by side.
    Pair,
    /// The pairs `a` and `b`, side by side.
    Join,
    /// The upper two of four lanes.
    High,
    /// The second lane.
    Second,
    /// Writes `a`.
    Store(Memory),
    /// Writes the second lane of `a`.
    StoreSecond(Memory),
    /// Writes `a` everywhere into an array.
    Fill(ArrayId),
    /// Writes `a`, which is zero, to a number of entries of an array, from this one on.
    Zeros(Place, u32),
    /// A routine, by its place in [`Lowered::routines`].
    Routine(u32),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// An entry of an array.
    Entry(Place),
    /// An entry of an array that all lanes read.
    Splat(Place),
    /// A constant, by its place in [`Lowered::constants`].
    Constant(u32),
    /// A number of the kernel's workspace, by its index.
    Work(u32),
}

/// A routine that is called, since it is no instruction.
#[derive(Clone, Debug)]
pub enum Routine {
    /// Sines and cosines of angles in a row.
    Sines {
        /// Number of angles.
        count: u32,
        /// The first of the angles.
        angles: Memory,
        /// The first of the sines: a number of the kernel's own memory, after all angles that are there.
        sin: u32,
        /// The first of the cosines, after all sines.
        cos: u32,
    },
    /// A product of matrices.
    Product {
        /// The terms.
        product: Product,
        /// Rows and columns of each matrix.
        rows: usize,
        /// Numbers of the kernel's own memory for [`COLUMNS`] columns.
        columns: u32,
    },
    /// Loops over tables, or an inverse.
    Call {
        /// The loops.
        call: Prepared,
        /// The arrays that are read, and how many numbers each has.
        reads: Vec<(ArrayId, usize)>,
        /// The arrays that are written.
        results: Vec<(ArrayId, usize)>,
        /// Beginning of the kernel's free workspace, for copies of all these arrays, and then for the loops.
        memory: u32,
    },
}

/// Location of a kernel's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At the address of a pointer.
    Pointer,
    /// In the kernel's workspace, from this number on.
    Work(u32),
}

/// A kernel as instructions.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The instructions.
    pub program: Program<Op, Memory>,
    /// Constants, by lane.
    pub constants: Vec<Vec<f64>>,
    /// Location of each array.
    pub arrays: Vec<At>,
    /// Length of each array.
    pub lengths: Vec<usize>,
    /// Routines that the instructions call.
    pub routines: Vec<Routine>,
    /// Workspace size that the kernel needs, in numbers, without slots.
    pub work: u32,
}

impl Lowered {
    /// The instructions of a kernel that [`Kernel::verify`] accepts, for one state, or if it calls no loops
    /// several side by side. Numbers are doubles, or not.
    pub fn new(kernel: &Kernel, states: usize, are_doubles: bool) -> Self {
        let mut work = 0;
        let mut at = |decl: &rbd_ir::kernel::ArrayDecl| match decl.role {
            Role::Scratch => {
                let begin = work;
                work += (decl.len() as u32).next_multiple_of(LINE);
                At::Work(begin)
            }
            Role::In | Role::Out | Role::Lent => At::Pointer,
        };
        let arrays = kernel.arrays.iter().map(&mut at).collect();
        let lengths = kernel.arrays.iter().map(rbd_ir::kernel::ArrayDecl::len).collect();
        let mut lowering =
            Lowering::new(kernel, work, if states == 1 { 4 } else { 1 }, states == 1 && are_doubles);
        // What loops read and write is in order with what is stored before and after.
        let is_barrier = |stmt: &Stmt| matches!(stmt, Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_));
        for stmts in kernel.body.split_inclusive(is_barrier) {
            let (stmts, barrier) = match stmts.split_last() {
                Some((last, before)) if is_barrier(last) => (before, Some(last)),
                _ => (stmts, None),
            };
            let zeros = lowering.zeros(stmts);
            stmts.iter().filter(|stmt| !is_zero(stmt)).for_each(|stmt| lowering.statement(stmt));
            lowering.fill(&zeros);
            barrier.into_iter().for_each(|stmt| lowering.statement(stmt));
        }
        let Lowering { program, constants, routines, work, .. } = lowering;
        Self { program, constants, arrays, lengths, routines, work: work.next_multiple_of(LINE) }
    }
}

/// Largest number of columns of a product that are made together.
pub const COLUMNS: usize = 8;

/// Alignment of arrays, in numbers: a cache line of doubles.
pub const LINE: u32 = 8;
