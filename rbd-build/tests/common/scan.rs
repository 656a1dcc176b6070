//! Distance of a URDF's generated functions, at default options, from the reference on their model.

use super::twice::Twice;
use super::written::Expected;
use super::{evaluate, evaluate_in};
use nalgebra::DMatrix;
use rbd_build::plan::Plan;
use rbd_build::{Base, Function, Robot};
use rbd_runtime::Scalar;
use rbd_runtime::random::random_state;
use std::fmt;
use std::path::Path;

/// The worst of some states and functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Velocity coordinates.
    pub nv: usize,
    /// Error of the generated code without rounding, relative to a function's largest entry.
    pub exact: f64,
    /// The largest such error of a row, as a multiple of the allowed error (see [`Expected`]).
    pub rows: f64,
    /// Error in doubles, relative to a function's largest entry.
    pub doubles: f64,
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nv, exact, rows, doubles } = self;
        write!(f, "nv {nv}, exact {exact:.1e}, rows {rows:.1e}, doubles {doubles:.1e}")
    }
}

/// `None` where the URDF is refused.
pub fn scan(urdf: &Path, base: Base, functions: &[Function], states: u64) -> Option<Errors> {
    let robot = Robot::from_urdf(urdf).name("Scanned").base(base).functions(functions.iter().copied());
    let generated = robot.trace().ok()?;
    let model = &generated.model;
    let mut worst = Errors { nv: model.nv, ..Errors::default() };
    // Loops over tables take the robot as it is: `kernels/loops.rs` compares them.
    let loops = |plan: &&Plan| plan.stages.iter().any(|s| s.scalar.kernel.calls().next().is_some());
    for plan in generated.functions.iter().filter(|plan| !loops(plan)) {
        let lanes = plan.packed();
        for state in (0..states).map(|seed| random_state(model, seed)) {
            let expected = Expected::new(plan.function, model, &state, states);
            for plan in std::iter::once(plan).chain(&lanes) {
                let exact = evaluate_in::<Twice>(plan, &state);
                let doubles = evaluate(plan, &state);
                for (k, (name, x)) in expected.outputs.iter().enumerate() {
                    let (_, doubles) = doubles.iter().find(|(n, _)| n == name).expect("every output");
                    let largest = size(x);
                    let error = |found: &DMatrix<Twice>| ratio(size(&(found - x)), largest);
                    worst.doubles = worst.doubles.max(error(&doubles.map(Twice::from_f64)));
                    let (_, exact) = exact.iter().find(|(n, _)| n == name).expect("every output");
                    worst.exact = worst.exact.max(error(exact));
                    worst.rows = worst.rows.max(expected.excess(k, exact));
                }
            }
        }
    }
    Some(worst)
}

/// The largest entry; NaN counts as infinite.
fn size(x: &DMatrix<Twice>) -> f64 {
    x.iter().map(|x| x.to_f64().abs()).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

fn ratio(error: f64, largest: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / largest }
}
