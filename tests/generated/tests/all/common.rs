//! Robots to go through, states, and comparisons.

use generated_tests::{Inputs, Outputs, Subject, random, robots};
use nalgebra::DMatrix;
use rbd_build::Function;
use rbd_runtime::Model;
use rbd_runtime::random::{State, random_state};

/// Every compiled robot: real and random ones.
pub fn everyone() -> impl Iterator<Item = &'static Subject<f64>> {
    robots::ALL.iter().chain(random::ALL)
}

/// Calls `check` with every compiled robot, its model and random states, as many as requested.
pub fn for_everyone(states: u64, mut check: impl FnMut(&Subject<f64>, &Model<f64>, &State)) {
    for robot in everyone() {
        let model = (robot.model)();
        for seed in 0..states {
            check(robot, &model, &random_state(&model, seed));
        }
    }
}

/// The output of this name.
pub fn named<'a>(outputs: &'a Outputs<f64>, name: &str) -> &'a DMatrix<f64> {
    &outputs.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no output {name}")).1
}

/// Returns whether a function inverts the mass matrix.
pub fn inverts(function: Function) -> bool {
    ["aba", "minv"].iter().any(|f| function.name().starts_with(f))
}

/// Condition number of the mass matrix: growth of the relative error when solving with it.
pub fn condition(m: &DMatrix<f64>) -> f64 {
    let eigenvalues = m.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}

/// Allowed difference of two computations of a function, relative to the largest entry: 1e-10.
///
/// If the mass matrix is inverted and too ill-conditioned for that, it is the effect of rounding
/// its entries: `nv` roundings of half an epsilon on each side, times its condition number.
/// `inexact` is the difference of the robots themselves, relative to their sizes; the condition
/// number amplifies it as well.
pub fn tolerance(function: Function, m: &DMatrix<f64>, inexact: f64) -> f64 {
    let amplified = if inverts(function) { condition(m) } else { 1.0 };
    let rounding = if inverts(function) { m.nrows() as f64 * f64::EPSILON } else { 0.0 };
    (rounding.max(inexact) * amplified).max(1e-10)
}

/// Largest difference, relative to the largest entry of `expected` but no less than `floor`.
pub fn error(got: &DMatrix<f64>, expected: &DMatrix<f64>, floor: f64) -> f64 {
    assert_eq!(got.shape(), expected.shape());
    let difference = (got - expected).iter().fold(0.0, |worst: f64, d| {
        // NaN must not pass for small.
        if d.is_nan() { f64::INFINITY } else { worst.max(d.abs()) }
    });
    if difference == 0.0 { 0.0 } else { difference / expected.amax().max(floor) }
}

/// Scale of an output whose entries may be rounding errors only, at rest or without gravity.
///
/// The scales are torques of a unit acceleration, unit accelerations, and the accelerations of
/// these torques. Computations of one robot need at most one; different robots differ relative to
/// their sizes.
pub fn floor(output: &str, m: &DMatrix<f64>, minv: &DMatrix<f64>, inexact: f64) -> f64 {
    let size = match output {
        "tau" | "dtau_dq" | "dtau_dv" => m.amax(),
        "ddq" => 1.0,
        "ddq_dq" | "ddq_dv" => minv.amax() * m.amax(),
        _ => 0.0,
    };
    if inexact == 0.0 { size.min(1.0) } else { size }
}

/// Fails where an output of a function differs from the expected one.
#[track_caller]
pub fn assert_agree(
    what: &str,
    function: Function,
    got: &Outputs<f64>,
    expected: &Outputs<f64>,
    m: &DMatrix<f64>,
    inexact: f64,
) {
    let minv = m.clone().try_inverse().expect("a mass matrix that can be inverted");
    assert_eq!(got.len(), expected.len(), "{what}, {}: outputs", function.name());
    for (output, expected) in expected {
        let found = named(got, output);
        let limit = tolerance(function, m, inexact);
        let e = error(found, expected, floor(output, m, &minv, inexact));
        assert!(e <= limit, "{what}, {}, {output}: off by {e:.1e}, allowed are {limit:.1e}", function.name());
    }
}

/// Inputs of this state.
pub fn inputs(state: &State) -> Inputs<f64> {
    state.into()
}
