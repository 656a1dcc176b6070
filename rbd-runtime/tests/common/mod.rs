//! Robots, states and comparisons that the tests share.
#![allow(dead_code)]

use nalgebra::{DMatrix, DVector};
use rbd_runtime::random::{Options, Random, State, random_model, random_state};
use rbd_runtime::{JointKind, Model};

/// Returns whether the environment has `RBD_ALL_SEEDS`, as in `.ci/everything`. The runtime is not
/// optimised for its tests, so daily ones try less.
pub fn tries_all() -> bool {
    std::env::var_os("RBD_ALL_SEEDS").is_some()
}

/// Seeds of random trees: all of them if the environment has `RBD_ALL_SEEDS`, otherwise a quarter.
pub fn seeds(all: u64) -> std::ops::Range<u64> {
    0..if tries_all() { all } else { all.div_ceil(4) }
}

/// Directions along which a matrix of derivatives is compared, as columns: two that no entry is
/// orthogonal to, or with `RBD_ALL_SEEDS` each coordinate.
pub fn directions(n: usize) -> DMatrix<f64> {
    if tries_all() {
        return DMatrix::identity(n, n);
    }
    let r = &mut Random::new(n as u64);
    DMatrix::from_fn(n, 2, |_, _| if r.chance(0.5) { r.uniform(0.5, 1.0) } else { r.uniform(-1.0, -0.5) })
}

/// The matrix whose columns are a function of each direction.
pub fn along(directions: &DMatrix<f64>, mut f: impl FnMut(&DVector<f64>) -> DVector<f64>) -> DMatrix<f64> {
    let of = |column: nalgebra::DVectorView<'_, f64>| f(&column.into_owned());
    DMatrix::from_columns(&directions.column_iter().map(of).collect::<Vec<_>>())
}

/// Random trees of many sorts: with one coordinate a joint, with all kinds, with mimic joints; on
/// the ground and floating.
pub fn models() -> Vec<Model<f64>> {
    let mut all = Vec::new();
    for seed in 0..6 {
        let floating = seed % 2 == 0;
        let plain = Options { bodies: 9, floating, ..Options::default() };
        let every = Options::everything(8, floating);
        all.push(random_model(seed, &plain));
        all.push(random_model(100 + seed, &Options { mimic: 0.0, ..every.clone() }));
        all.push(random_model(200 + seed, &every));
        all.push(random_model(300 + seed, &Options { mimic: 0.5, bodies: 9, armature: true, ..plain }));
    }
    // The last sort must not be empty talk.
    assert!(all.iter().any(|m| m.bodies.iter().filter(|b| b.mimic.is_some()).count() > 2));
    for kind in [JointKind::Planar, JointKind::Spherical, JointKind::Floating] {
        assert!(all.iter().any(|m| m.bodies.iter().skip(1).any(|b| b.kind == kind)));
    }
    all
}

/// Calls `check` with every model and a state of each, or two with `RBD_ALL_SEEDS`.
pub fn for_all(mut check: impl FnMut(&Model<f64>, &State)) {
    for model in models() {
        for seed in seeds(2) {
            check(&model, &random_state(&model, seed));
        }
    }
}

/// Calls `check` with all floating models that have nothing else on the world and no rotors or
/// damping at the base. Only weight acts between the world and the robot.
pub fn for_all_afloat(mut check: impl FnMut(Model<f64>, &State)) {
    let mut seen = 0;
    for_all(|model, x| {
        let alone = model.bodies[1..].iter().all(|b| b.parent.is_some());
        if model.bodies[0].kind == JointKind::Floating && alone {
            seen += 1;
            let mut model = model.clone();
            (model.bodies[0].armature, model.bodies[0].damping) = (0.0, 0.0);
            check(model, x);
        }
    });
    assert!(seen > 10);
}

/// Asserts that two vectors or matrices agree to `tolerance`, relative to the largest entry of the
/// second (or one).
#[track_caller]
pub fn close<'a>(
    what: &str,
    got: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (got, expected): (Vec<f64>, Vec<f64>) =
        (got.into_iter().copied().collect(), expected.into_iter().copied().collect());
    assert_eq!(got.len(), expected.len(), "{what}: sizes");
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (k, (x, y)) in got.iter().zip(&expected).enumerate() {
        let error = (x - y).abs() / scale;
        // written so that NaN fails
        assert!(error <= tolerance, "{what}: element {k}: {x} and {y} differ by {error:.1e} of {scale:.3e}");
    }
}

/// The square matrix whose column j is `column(j)`.
pub fn by_columns(n: usize, mut column: impl FnMut(usize) -> DVector<f64>) -> DMatrix<f64> {
    DMatrix::from_columns(&(0..n).map(&mut column).collect::<Vec<_>>())
}

/// Unit vector j.
pub fn unit(n: usize, j: usize) -> DVector<f64> {
    DVector::from_fn(n, |k, _| if k == j { 1.0 } else { 0.0 })
}
