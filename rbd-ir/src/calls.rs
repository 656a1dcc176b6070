//! Calls of the runtime's routines, which follow a straight line or replace it.
//!
//! A call names a routine, the arrays it reads and writes, and constants. All passes treat calls alike.
//! `rbd_build::routines` describes results and costs of a routine.

use crate::array::ArrayId;
use crate::products::{ColumnGroup, Panels};
use rbd_runtime::loops::of_model::Owned;
use std::sync::Arc;

/// Names of the routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// Inverse of a matrix, by its factors.
    Inverse,
    /// Mass matrix.
    Crba,
    /// Inverse dynamics.
    Rnea,
    /// Forward dynamics.
    Aba,
    /// Inverse dynamics and its derivatives.
    RneaDerivatives,
    /// Forward dynamics and its derivatives, by the inverse of the mass matrix.
    AbaDerivatives,
    /// Inverse of the mass matrix, by articulated bodies.
    Minv,
    /// Forward dynamics and its derivatives, by articulated bodies.
    AbaDerivativesSolved,
}

impl Routine {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Inverse,
        Self::Crba,
        Self::Rnea,
        Self::Aba,
        Self::RneaDerivatives,
        Self::AbaDerivatives,
        Self::Minv,
        Self::AbaDerivativesSolved,
    ];

    /// Needs of the routine's calls: tables of a robot or not, terms of products or not, number of results.
    pub fn needs(self) -> (bool, bool, usize) {
        match self {
            Self::Inverse => (false, true, 1),
            Self::Crba | Self::Rnea | Self::Aba | Self::Minv => (true, false, 1),
            Self::RneaDerivatives | Self::AbaDerivativesSolved => (true, false, 4),
            Self::AbaDerivatives => (true, true, 4),
        }
    }
}

/// A call of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The routine.
    pub routine: Routine,
    /// Arrays that it reads whole, in the order of the parameters. `None` stands for zeros.
    pub arguments: Vec<Option<ArrayId>>,
    /// Arrays for intermediate values.
    pub scratch: Vec<ArrayId>,
    /// Arrays that it writes whole, in the order of the results.
    pub results: Vec<ArrayId>,
    /// Robot of the tables, for a routine that reads tables.
    pub robot: Option<Arc<Owned>>,
    /// Terms of matrix products, if there are any.
    pub terms: Option<Arc<Terms>>,
}

/// Terms of an inverse, and of its products with two matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Terms of the inverse.
    pub panels: Panels,
    /// Terms of its product with the derivative by q.
    pub by_q: Vec<ColumnGroup>,
    /// Terms of its product with the derivative by v.
    pub by_v: Vec<ColumnGroup>,
    /// True if columns of a floating base that need no product are left out.
    pub knows_base: bool,
}

impl Call {
    /// Robot of the tables, for a routine that reads tables.
    pub fn robot(&self) -> Option<&Owned> {
        self.robot.as_deref()
    }

    /// Returns the call on renumbered arrays.
    #[must_use]
    pub fn renumbered(mut self, to: impl Fn(ArrayId) -> ArrayId) -> Self {
        let arguments = self.arguments.iter_mut().flatten();
        for id in arguments.chain(&mut self.scratch).chain(&mut self.results) {
            *id = to(*id);
        }
        self
    }

    /// Arrays that it reads whole.
    pub fn reads(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.arguments.iter().flatten().copied()
    }

    /// All arrays that it reads or writes.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.reads().chain(self.written())
    }

    /// Arrays whose content changes.
    pub fn written(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.scratch.iter().chain(&self.results).copied()
    }
}
