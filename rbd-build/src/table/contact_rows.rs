//! Kernels of all contacts' rows: what they take and give, and the algorithm of each.

use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::{Draft, contact_factors, contact_rows as algorithm};
use crate::signatures::contact_rows::{
    ContactRow, DRIFT, FREE_ROWS, JACOBIAN_OF_ROWS, JT, PATHS, PIVOTS, REDUCED_TORQUES, ROW_VELOCITY,
    ROWS_DQ, ROWS_DV, UNIT_FACTORS, VELOCITIES_DQ,
};
use crate::signatures::signature::{A, DDQ, Output, Param, Q, TAU_GIVEN, V};

/// A row of the table.
pub struct RowsSpec {
    /// Name of the method that the runtime calls.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Param],
    /// Results of another kernel that it reads.
    pub reads: &'static [Output],
    /// What it gives.
    pub outputs: &'static [Output],
    /// True if it works with factors of the mass matrix.
    pub has_factors: bool,
    /// The algorithm.
    pub trace: for<'g> fn(&SymbolicRobot<'g>, &[ContactRow], &mut Draft<'g>),
}

/// The kernels.
pub const CONTACT_ROWS: [RowsSpec; 6] = [
    RowsSpec {
        name: "rows",
        params: &[Q],
        reads: &[],
        outputs: &[JT],
        has_factors: false,
        trace: algorithm::jacobian,
    },
    RowsSpec {
        name: "row_jacobian",
        params: &[Q],
        reads: &[],
        outputs: &[JACOBIAN_OF_ROWS],
        has_factors: false,
        trace: algorithm::rows_of_jacobian,
    },
    RowsSpec {
        name: "row_motion",
        params: &[Q, V],
        reads: &[],
        outputs: &[ROW_VELOCITY, DRIFT],
        has_factors: false,
        trace: algorithm::drift,
    },
    RowsSpec {
        name: "row_derivatives",
        params: &[Q, V, A],
        reads: &[],
        outputs: &[ROWS_DQ, ROWS_DV, VELOCITIES_DQ],
        has_factors: false,
        trace: algorithm::derivatives,
    },
    RowsSpec {
        name: "row_factors",
        params: &[Q, V, TAU_GIVEN],
        reads: &[],
        outputs: &[UNIT_FACTORS, PIVOTS, REDUCED_TORQUES, PATHS, ROW_VELOCITY, FREE_ROWS],
        has_factors: true,
        trace: contact_factors::factors,
    },
    RowsSpec {
        name: "accelerations",
        params: &[Q],
        reads: &[UNIT_FACTORS, PIVOTS, REDUCED_TORQUES],
        outputs: &[DDQ],
        has_factors: true,
        trace: contact_factors::accelerations,
    },
];

impl RowsSpec {
    /// Results that it reads, and those that it gives.
    pub fn arrays(&self) -> impl Iterator<Item = &'static Output> + Clone + use<> {
        self.reads.iter().chain(self.outputs)
    }
}
