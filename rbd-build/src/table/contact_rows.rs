//! Kernels of all contacts' rows: what they take and give, and the algorithm of each.

use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::{
    Draft, constrained_bodies, contact_factors, contact_propagators, contact_rows as algorithm,
};
pub use crate::signatures::contact_rows::UNIT_FACTORS;
use crate::signatures::contact_rows::{
    ACTIVITY, ContactRow, DEPENDENCE, DRIFT, FREE_ROWS, GAINS, JACOBIAN_OF_ROWS, JT, PATHS, PIVOTS, PULLS,
    REDUCED_TORQUES, ROW_FORCES, ROW_RESIDUAL, ROW_VELOCITY, ROWS_DQ, ROWS_DV, VELOCITIES_DQ,
};
use crate::signatures::signature::{A, DDQ, DTAU_DQ, DTAU_DV, MINV, Output, Param, Q, TAU_GIVEN, V};
use crate::table::functions::Function;

/// A row of the table.
pub struct RowsSpec {
    /// Name of the method that the runtime calls.
    pub name: &'static str,
    /// Parameters.
    pub params: &'static [Param],
    /// Results of another kernel that this kernel reads.
    pub reads: &'static [Output],
    /// Results.
    pub outputs: &'static [Output],
    /// The algorithm by articulated bodies, if it works with factors of the mass matrix.
    pub by_bodies: Option<Trace>,
    /// The algorithm if columns of a floating root are known.
    pub beside_root: Option<Trace>,
    /// True if it is made only for contacts with limbs of their own.
    pub of_limbs: bool,
    /// True if it depends on inertia or gravity that is given at run time.
    pub takes_parameters: bool,
    /// The function of the whole robot that it is made like: it is not made if that one has loops over
    /// tables.
    pub like: Option<Function>,
    /// Operations above which its products are loops of the runtime. It is not made for targets without a
    /// runtime then, nor is one of limbs.
    pub longest: usize,
    /// The algorithm.
    pub trace: Trace,
}

/// An algorithm for the rows of these contacts.
pub type Trace = for<'g> fn(&SymbolicRobot<'g>, &[ContactRow], &mut Draft<'g>);

/// Operations above which the product for the inverse is loops.
///
/// HyQ's straight line is below, and takes 0.7 of the time of `minv`. Those of humanoids are some 11 000
/// operations. Lengths between were not measured.
const LONGEST_INVERSE: usize = 4000;

/// Operations above which constrained bodies are not a kernel.
///
/// G1 on soles and hands has 8 889 with limbs as lanes, and takes half of the time of factors. Longer ones
/// were not measured.
const LONGEST_OF_LIMBS: usize = 12_000;

/// The kernels.
pub const CONTACT_ROWS: [RowsSpec; 9] = [
    RowsSpec {
        name: "rows",
        params: &[Q],
        reads: &[],
        outputs: &[JT],
        by_bodies: None,
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: usize::MAX,
        trace: algorithm::jacobian,
    },
    RowsSpec {
        name: "row_jacobian",
        params: &[Q],
        reads: &[],
        outputs: &[JACOBIAN_OF_ROWS],
        by_bodies: None,
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: usize::MAX,
        trace: algorithm::rows_of_jacobian,
    },
    RowsSpec {
        name: "row_motion",
        params: &[Q, V],
        reads: &[],
        outputs: &[ROW_VELOCITY, DRIFT],
        by_bodies: None,
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: usize::MAX,
        trace: algorithm::drift,
    },
    RowsSpec {
        name: "row_derivatives",
        params: &[Q, V, A],
        reads: &[],
        outputs: &[ROWS_DQ, ROWS_DV, VELOCITIES_DQ],
        by_bodies: None,
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: usize::MAX,
        trace: algorithm::derivatives,
    },
    RowsSpec {
        name: "row_factors",
        params: &[Q, V, TAU_GIVEN],
        reads: &[],
        outputs: &[UNIT_FACTORS, PIVOTS, REDUCED_TORQUES, PATHS, ROW_VELOCITY, FREE_ROWS],
        by_bodies: Some(contact_propagators::propagators),
        beside_root: None,
        of_limbs: false,
        takes_parameters: true,
        like: None,
        longest: usize::MAX,
        trace: contact_factors::factors,
    },
    RowsSpec {
        name: "accelerations",
        params: &[Q],
        reads: &[UNIT_FACTORS, PIVOTS, REDUCED_TORQUES],
        outputs: &[DDQ],
        by_bodies: Some(contact_propagators::accelerations),
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: usize::MAX,
        trace: contact_factors::accelerations,
    },
    RowsSpec {
        name: "inverse",
        params: &[Q],
        reads: &[UNIT_FACTORS, PIVOTS],
        outputs: &[MINV],
        by_bodies: Some(contact_propagators::inverse),
        beside_root: None,
        of_limbs: false,
        takes_parameters: false,
        like: None,
        longest: LONGEST_INVERSE,
        trace: contact_factors::inverse,
    },
    RowsSpec {
        name: "row_and_torque_derivatives",
        params: &[Q, V, A],
        reads: &[ROW_FORCES],
        outputs: &[ROWS_DQ, ROWS_DV, VELOCITIES_DQ, DTAU_DQ, DTAU_DV],
        by_bodies: None,
        beside_root: Some(algorithm::with_torques_beside_root),
        of_limbs: false,
        takes_parameters: true,
        like: Some(Function::RneaDerivativesFext),
        longest: usize::MAX,
        trace: algorithm::with_torques,
    },
    RowsSpec {
        name: "constrained_accelerations",
        params: &[Q, V, TAU_GIVEN],
        reads: &[ACTIVITY, PULLS, GAINS],
        outputs: &[DDQ, ROW_FORCES, ROW_RESIDUAL, DEPENDENCE],
        by_bodies: None,
        beside_root: None,
        of_limbs: true,
        takes_parameters: true,
        like: None,
        longest: LONGEST_OF_LIMBS,
        trace: constrained_bodies::trace,
    },
];

impl RowsSpec {
    /// True if it works with factors of the mass matrix.
    pub fn has_factors(&self) -> bool {
        self.by_bodies.is_some()
    }

    /// Results that it reads, and those that it gives.
    pub fn arrays(&self) -> impl Iterator<Item = &'static Output> + Clone + use<> {
        self.reads.iter().chain(self.outputs)
    }
}
