//! Kernels of all contacts' rows: what they take and give, and the algorithm of each.

use crate::algorithms::Draft;
use crate::algorithms::contact_rows as algorithm;
use crate::algorithms::robot::SymbolicRobot;
use crate::signatures::contact_rows::{ContactRow, DRIFT, JT, ROW_VELOCITY, ROWS_DQ, ROWS_DV, VELOCITIES_DQ};
use crate::signatures::signature::{A, Output, Param, Q, V};

/// A row of the table.
pub struct RowsSpec {
    /// Name of the method that the runtime calls.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Param],
    /// What it gives.
    pub outputs: &'static [Output],
    /// The algorithm.
    pub trace: for<'g> fn(&SymbolicRobot<'g>, &[ContactRow], &mut Draft<'g>),
}

/// The kernels.
pub const CONTACT_ROWS: [RowsSpec; 3] = [
    RowsSpec { name: "rows", params: &[Q], outputs: &[JT], trace: algorithm::jacobian },
    RowsSpec {
        name: "row_motion",
        params: &[Q, V],
        outputs: &[ROW_VELOCITY, DRIFT],
        trace: algorithm::drift,
    },
    RowsSpec {
        name: "row_derivatives",
        params: &[Q, V, A],
        outputs: &[ROWS_DQ, ROWS_DV, VELOCITIES_DQ],
        trace: algorithm::derivatives,
    },
];
