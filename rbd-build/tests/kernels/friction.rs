//! Joint friction: every function that includes it, by every formulation and with limbs as lanes,
//! against the reference, whose formulas differ.

use crate::common::{evaluate, reference, relative_error};
use crate::plain::Plain;
use crate::sizes::up_to;
use proptest::prelude::*;
use rbd_build::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Tree};
use rbd_build::{Base, Error, Function, Robot, Shape};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, Random, random_model, random_state};

/// Functions of velocities, and so of friction; gravity and M, which are not.
const FUNCTIONS: [Function; 12] = [
    Function::Rnea,
    Function::RneaFext,
    Function::Bias,
    Function::Gravity,
    Function::Crba,
    Function::Aba,
    Function::AbaFext,
    Function::RneaDerivatives,
    Function::RneaDerivativesFext,
    Function::AbaDerivatives,
    Function::AbaDerivativesFext,
    Function::Minv,
];

fn check(model: &Model<f64>, seed: u64, packing: Option<Packing>) -> Result<(), TestCaseError> {
    let form = BodyForm { share: None, moment: Moment::Entries, origin: Origin::AtChild };
    let tree = Tree::new(model, Rewrite::uniform(model, seed.is_multiple_of(2), form));
    let state = random_state(model, seed);
    let eigenvalues = model.crba(state.q.as_slice()).symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    let packed = packing.map(|packing| tree.with_limbs(packing).expect("limbs"));
    // Their reference takes long for many bodies.
    let hessians = [Function::RneaHessian, Function::RneaHessianFext];
    for function in FUNCTIONS.into_iter().chain(hessians.into_iter().filter(|_| model.bodies.len() <= 8)) {
        let expected = reference(function, model, &state);
        let inverts = ["aba", "minv"].iter().any(|f| function.name().starts_with(f));
        let tolerance = if inverts { 1e-13 * condition.max(1e3) } else { 1e-11 };
        prop_assert!(function.trace_loops(model).is_none());
        let trees = std::iter::once(&tree).chain(&packed);
        for plan in trees.flat_map(|tree| function.trace_all(tree)) {
            let found = crate::common::evaluate_with_loops::<Plain>(&plan, &state);
            prop_assert_eq!(found.len(), expected.len());
            for (name, expected) in &expected {
                let (_, found) = found.iter().find(|(n, _)| n == name).expect("it is given");
                let error = relative_error(&found.map(|x| x.0), expected);
                prop_assert!(
                    error <= tolerance,
                    "{} ({}), {name}: {error:e}, seed {seed}",
                    function.name(),
                    plan.strategy
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn joints_slide(seed: u64, bodies in up_to(16), floating: bool) {
        let options = Options { friction: true, ..Options::everything(bodies, floating) };
        check(&random_model(seed, &options), seed, None)?;
    }
}

/// Legs in lanes, each joint with its own friction, and some with none.
#[test]
fn limbs_slide_apart() {
    let hyq = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/hyq.urdf");
    let made = Robot::from_urdf(hyq).base(Base::Floating).friction(0.05).functions([Function::Bias]);
    let mut model = made.trace().expect("a robot").model;
    let r = &mut Random::new(5);
    for (k, body) in model.bodies.iter_mut().enumerate().skip(1) {
        body.friction = if k % 5 == 0 { 0.0 } else { r.uniform(0.2, 3.0) };
    }
    check(&model, 3, Some(Packing { lanes: &[4, 2], across: false })).unwrap();
}

/// Friction is there with the option only. Functions that cannot include it are refused by name.
#[test]
fn the_option_lets_it_in() {
    let arm = || Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/good/arm.urdf"));
    let refused = |robot: Robot| match robot.trace() {
        Err(Error::Option { name, what }) => (name, what),
        other => panic!("{other:?}"),
    };
    for smoothing in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(arm().friction(smoothing)).0, "friction");
    }
    let (name, what) = refused(arm().friction(0.1).shape_of(Function::Minv, Shape::Loops));
    assert!(name == "shape" && what.contains("minv"), "{what}");
    // Second derivatives by tables, to which friction is added, may be requested by name.
    let of_tables = arm().friction(0.1).functions([Function::RneaHessian]);
    assert!(
        of_tables.shape_of(Function::RneaHessian, Shape::Loops).trace().expect("a robot").functions[0]
            .composition
            .is_some()
    );
    let made = arm().friction(0.1).trace().expect("a robot");
    assert!(made.functions.iter().any(|plan| plan.function == Function::AbaDerivatives));
    assert!(made.functions.iter().any(|plan| plan.function == Function::AbaSecondDerivatives));
    let mut model = made.model;
    assert_eq!(model.friction_smoothing, Some(0.1));
    model.bodies[0].friction = 2.0;
    let state = random_state(&model, 1);
    let tree = |model: &Model<f64>| {
        let form = BodyForm { share: None, moment: Moment::Entries, origin: Origin::AtChild };
        Tree::new(model, Rewrite::uniform(model, true, form))
    };
    let bias = |model: &Model<f64>| evaluate(&Function::Bias.trace_all(&tree(model))[0], &state).remove(0).1;
    let with = bias(&model);
    model.friction_smoothing = None;
    let (without, v) = (bias(&model), state.v[0]);
    let expected = 2.0 * v / (v * v + 0.01).sqrt();
    assert!((with[0] - without[0] - expected).abs() < 1e-12 && expected != 0.0);
}
