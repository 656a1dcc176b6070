//! Whether the kernel of constrained bodies can be made, and whether it would give answers.

use super::{OF_DYNAMICS, draft, spec};
use crate::algorithms::constrained_bodies;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::ProductBy;
use crate::search::stages::{Version, Wire};
use crate::signatures::contact_rows::{ACTIVITY, ContactRow, DEPENDENCE};
use crate::signatures::signature::{Dims, INERTIA, Q, Sizes};
use crate::tree::Tree;
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::kernel::Role;
use rbd_runtime::Model;
use rbd_runtime::random::random_state;

/// True if contacts have limbs of their own, and no joints share coordinates.
pub(super) fn has_limbs(tree: &Tree, rows: &[ContactRow], sizes: Sizes) -> bool {
    let graph = Graph::with(Rules::default());
    let q = draft(spec(OF_DYNAMICS[0]), sizes, ProductBy::None).param(Q);
    let robot = SymbolicRobot::new(&graph, tree, q, Given::default());
    !tree.has_mimic && constrained_bodies::has_limbs(&robot, rows)
}

/// True if the kernel of limbs gives an answer in half of some states.
///
/// A leg whose joints all turn about parallel axes holds a foot in no state, however many they are.
pub(super) fn can_hold(kernel: &Version, model: &Model<f64>, sizes: Sizes) -> bool {
    let is_held = |seed: &u64| {
        let state = random_state(model, *seed);
        let inputs = kernel.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
        let value = |id| match kernel.wire(id) {
            Wire::Param(Q) => state.q.as_slice().to_vec(),
            Wire::Param(INERTIA) => UNIT_INERTIA.repeat(sizes.np),
            Wire::Param(param) => vec![0.0; extent(param.kind.shape(), sizes)],
            Wire::Output(ACTIVITY) => vec![1.0; sizes.nc],
            Wire::Output(output) => vec![0.0; extent(output.shape, sizes)],
            Wire::Own => unreachable!("it is an input"),
        };
        let inputs: Vec<Vec<f64>> = inputs.map(|(id, _)| value(id)).collect();
        let results = kernel.kernel.run(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let of_results = kernel.outputs(Role::Out).zip(&results);
        let mut dependence = of_results.filter(|((_, output), _)| *output == DEPENDENCE);
        dependence.any(|(_, x)| x[0] < MOST_DEPENDENCE)
    };
    2 * (0..STATES).filter(is_held).count() >= STATES as usize
}

/// States in which the kernel of limbs is tried.
const STATES: u64 = 8;

/// Sum of squares that the runtime accepts of f64 (`rbd-runtime/src/contact/constrained.rs`).
pub(super) const MOST_DEPENDENCE: f64 = 1e8;

/// Parameters of an inertia: m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz.
const UNIT_INERTIA: [f64; 10] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0];

fn extent(shape: Dims, sizes: Sizes) -> usize {
    let (rows, columns) = shape.extent(sizes);
    rows * columns
}
