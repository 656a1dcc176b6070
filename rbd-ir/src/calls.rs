//! Calls of the runtime's routines, after a straight line or in place of one.
//!
//! A call says which routine reads and writes which arrays, and with which constants. All passes treat calls
//! alike. `rbd_build::routines` says what a routine computes and costs.

use crate::kernel::ArrayId;
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
    /// Forward dynamics and its derivatives.
    AbaDerivatives,
}

/// A call of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The routine.
    pub routine: Routine,
    /// The arrays that it reads whole, in the order of its parameters. One that is left out is zero.
    pub arguments: Vec<Option<ArrayId>>,
    /// The arrays that it needs for itself.
    pub scratch: Vec<ArrayId>,
    /// The arrays that it writes whole, in the order of its results.
    pub results: Vec<ArrayId>,
    /// The robot whose tables it reads, if it reads tables.
    pub robot: Option<Arc<Owned>>,
    /// The terms of its products of matrices, if it has any.
    pub terms: Option<Arc<Terms>>,
}

/// The terms of an inverse, and of its products with two matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Of the inverse.
    pub panels: Panels,
    /// Of its product with the derivative by q.
    pub by_q: Vec<ColumnGroup>,
    /// Of that with the derivative by v.
    pub by_v: Vec<ColumnGroup>,
    /// Whether the columns of a floating base that need no product are left out.
    pub knows_base: bool,
}

impl Call {
    /// The robot whose tables it reads, if it reads tables.
    pub fn robot(&self) -> Option<&Owned> {
        self.robot.as_deref()
    }

    /// This call on other arrays.
    #[must_use]
    pub fn renumbered(mut self, to: impl Fn(ArrayId) -> ArrayId) -> Self {
        let arguments = self.arguments.iter_mut().flatten();
        for id in arguments.chain(&mut self.scratch).chain(&mut self.results) {
            *id = to(*id);
        }
        self
    }

    /// The arrays that it reads whole.
    pub fn reads(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.arguments.iter().flatten().copied()
    }

    /// All arrays that it touches.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.reads().chain(self.written())
    }

    /// The arrays that hold something else afterwards.
    pub fn written(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.scratch.iter().chain(&self.results).copied()
    }
}
