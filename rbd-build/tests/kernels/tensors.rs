//! Straight lines of all second derivatives of torques, in the frame of each body and of the world.

use crate::agreement::{PACKINGS, humanoid, with_limbs};
use crate::common::{evaluate, reference, relative_error};
use crate::plain::Plain;
use crate::sizes::trees;
use nalgebra::DMatrix;
use proptest::prelude::*;
use rbd_build::Function;
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::second::{self, Given};
use rbd_runtime::random::{Options, State, random_model, random_state};

const FUNCTIONS: [Function; 2] = [Function::RneaSecondDerivatives, Function::RneaSecondDerivativesFext];

/// Size of the longest tables of these trees: six bodies of six degrees of freedom.
const ROWS: usize = 40;

fn tree(model: &Model<f64>, seed: u64) -> Tree {
    let share = [None, Some(Spin::Yy)][seed as usize % 2];
    let form = BodyForm { share, moment: Moment::Euler, origin: Origin::AtChild };
    Tree::new(model, Rewrite::uniform(model, seed % 4 < 2, form))
}

/// The runtime's loops over tables.
fn in_loops(model: &Model<f64>, state: &State, under_forces: bool) -> [DMatrix<f64>; 4] {
    let robot = Owned::from_model(model).expect("depth first");
    let padded = robot.padded::<ROWS>().expect("few rows");
    let tables = padded.tables();
    let n = model.nv;
    let cast = |x: &[f64]| -> Vec<Plain> { x.iter().map(|x| Plain(*x)).collect() };
    let [q, v, a] = [&state.q, &state.v, &state.a].map(|x| cast(x.as_slice()));
    let fext: Vec<_> = state.fext.iter().map(|f| f.map(Plain)).filter(|_| under_forces).collect();
    let mut out = [(); 4].map(|()| vec![Plain(0.0); n * n * n]);
    let to = out.each_mut().map(|x| x.as_mut_slice());
    let given = Given { q: &q, v: &v, a: &a, mu: &[], fext: &fext, turned: None };
    second::rnea_second_derivatives(&tables, given, to);
    out.map(|x| DMatrix::from_iterator(n, n * n, x.into_iter().map(|x| x.0)))
}

fn check(model: &Model<f64>, seed: u64) -> Result<(), TestCaseError> {
    let (tree, state) = (tree(model, seed), random_state(model, seed));
    for function in FUNCTIONS {
        let expected = reference(function, model, &state);
        let loops = in_loops(model, &state, function == FUNCTIONS[1]);
        let plans = function.trace_all(&tree);
        prop_assert_eq!(plans.len(), model.bodies.len() + 1);
        for plan in plans {
            let found = evaluate(&plan, &state);
            for (((name, found), (of, expected)), loops) in found.iter().zip(&expected).zip(&loops) {
                prop_assert_eq!(name, of);
                for (what, expected) in [("reference", expected), ("loops", loops)] {
                    let error = relative_error(found, expected);
                    prop_assert!(error <= 1e-12, "{} {name}, {what}: {error:e}, seed {seed}", plan.strategy);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(trees(20))]

    #[test]
    fn tensors_are_those_of_the_reference_and_of_loops(seed: u64, bodies in 1_usize..=6, floating: bool) {
        check(&random_model(seed, &Options::everything(bodies, floating)), seed)?;
    }

    #[test]
    fn tensors_of_joints_of_one_degree_of_freedom(seed: u64, bodies in 1_usize..=7) {
        check(&random_model(seed, &Options { bodies, ..Options::default() }), seed)?;
    }
}

proptest! {
    #![proptest_config(trees(18))]

    /// Limbs as lanes, and loops, which have none.
    #[test]
    fn tensors_with_limbs_as_lanes_are_those_of_loops(seed: u64, floating: bool) {
        let model = with_limbs(seed, floating);
        let packed = tree(&model, seed).with_limbs(PACKINGS[0]).expect("there are limbs");
        let state = random_state(&model, seed);
        for function in FUNCTIONS {
            let loops = in_loops(&model, &state, function == FUNCTIONS[1]);
            let plans = function.trace_all(&packed);
            let alone = packed.bodies.iter().filter(|body| body.lanes.len() == 1);
            prop_assert_eq!(plans.len(), alone.count() + 1);
            for plan in plans {
                for ((name, found), expected) in evaluate(&plan, &state).iter().zip(&loops) {
                    let error = relative_error(found, expected);
                    prop_assert!(error <= 1e-12, "{} {name}: {error:e}, seed {seed}", plan.strategy);
                }
            }
        }
    }

    /// Lanes that hang on several bodies have no common path.
    #[test]
    fn tensors_have_no_lanes_on_several_bodies(seed: u64) {
        let model = humanoid(seed, true);
        let packed = tree(&model, seed).with_limbs(PACKINGS[1]);
        prop_assume!(packed.is_some());
        prop_assert!(FUNCTIONS[0].trace_all(&packed.expect("assumed")).is_empty());
    }
}

/// Symmetric entries are equal to the last bit, and structural zeros are never stored.
#[test]
fn symmetry_and_zeros() {
    for seed in 0..6 {
        let on_world = if seed % 2 == 0 { 0.0 } else { 0.4 };
        let model = random_model(seed, &Options { bodies: 6, on_world, ..Options::default() });
        let n = model.nv;
        let is_over =
            |i: usize, j: usize| std::iter::successors(Some(j), |&j| model.bodies[j].parent).any(|j| j == i);
        let related = |i: usize, j: usize| is_over(i, j) || is_over(j, i);
        let (tree, state) = (tree(&model, seed), random_state(&model, seed));
        for plan in FUNCTIONS[0].trace_all(&tree) {
            let found = evaluate(&plan, &state);
            let at = |name: &str, [i, j, k]: [usize; 3]| {
                found.iter().find(|(n, _)| *n == name).expect("it is there").1[(i, k * n + j)]
            };
            for (i, j, k) in (0..n * n * n).map(|x| (x % n, x / n % n, x / n / n)) {
                same(at("d2tau_dqdq", [i, j, k]), at("d2tau_dqdq", [i, k, j]));
                same(at("d2tau_dvdv", [i, j, k]), at("d2tau_dvdv", [i, k, j]));
                same(at("d2tau_dqda", [i, j, k]), at("d2tau_dqda", [k, j, i]));
                // A joint that moves by itself feels none of those above it.
                if is_over(k, i) {
                    same(at("d2tau_dvdv", [i, i, k]), 0.0);
                }
                if !(related(i, j) && related(i, k) && related(j, k)) {
                    for (name, _) in &found {
                        same(at(name, [i, j, k]), 0.0);
                    }
                }
            }
        }
    }
}

fn same(x: f64, y: f64) {
    assert!(x == y, "{x:e} is not {y:e}");
}

/// Weighed and summed over torques, tensors are the Hessian that is traced without them, joint
/// friction included.
#[test]
fn tensors_contract_to_the_hessian() {
    for seed in 0..6 {
        let options = Options { friction: seed % 3 != 0, ..Options::everything(4, seed % 2 == 0) };
        let model = random_model(seed, &options);
        let plan = FUNCTIONS[0].trace_all(&tree(&model, seed)).swap_remove(seed as usize % 3);
        contracts_to_the_hessian(&model, &plan, seed);
    }
}

#[test]
fn tensors_with_limbs_as_lanes_contract_to_the_hessian() {
    for seed in 0..4 {
        let mut model = with_limbs(seed, seed % 2 == 0);
        model.friction_smoothing = Some(0.3);
        for (k, body) in model.bodies.iter_mut().enumerate() {
            body.friction = (k % 3) as f64 / 2.0;
        }
        let packed = tree(&model, seed).with_limbs(PACKINGS[0]).expect("there are limbs");
        contracts_to_the_hessian(&model, &FUNCTIONS[0].trace_all(&packed)[0], seed);
    }
}

fn contracts_to_the_hessian(model: &Model<f64>, plan: &Plan, seed: u64) {
    let (state, n) = (random_state(model, seed), model.nv);
    let hessian = evaluate(&Function::RneaHessian.trace_all(&tree(model, seed))[0], &state);
    let mu = DMatrix::from_vec(1, n, crate::common::second_order::weights(n));
    for (name, tensor) in evaluate(plan, &state) {
        let block = &hessian.iter().find(|(of, _)| *of == &name["d2tau_".len()..]).expect("a block").1;
        let contracted = DMatrix::from_column_slice(n, n, (&mu * &tensor).as_slice());
        let error = relative_error(&contracted, block);
        assert!(error <= 1e-12, "{name}: {error:e}, seed {seed}");
    }
}
