//! Inertia and gravity at run time: every formulation of every function against the reference,
//! whose model contains the given values.

use crate::common::{argument, reference, relative_error};
use nalgebra::{DMatrix, Vector3};
use proptest::prelude::*;
use rbd_build::options::{Base, FrameOn, FrameOption, ReadOptions};
use rbd_build::plan::Plan;
use rbd_build::signature::{GRAVITY, INERTIA};
use rbd_build::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree};
use rbd_build::{Error, Function, Robot, Shape, urdf};
use rbd_runtime::Model;
use rbd_runtime::model::RunTimeInertia;
use rbd_runtime::random::{Options, Random, State, random_model, random_state};
use rbd_runtime::spatial::{Inertia, Placement};

/// Values at run time: ten numbers for each inertia, and gravity.
struct Given {
    inertia: Vec<[f64; 10]>,
    gravity: [f64; 3],
}

impl Given {
    fn random(model: &Model<f64>, r: &mut Random) -> Self {
        let inertia = model.run_time.inertias.iter().map(|_| r.inertia().parameters()).collect();
        let gravity = if model.run_time.gravity { r.vector3(10.0).into() } else { model.gravity.into() };
        Self { inertia, gravity }
    }

    /// The model that contains these values.
    fn inside(&self, model: &Model<f64>) -> Model<f64> {
        let mut out = model.clone();
        out.gravity = Vector3::from(self.gravity);
        let given = || model.run_time.inertias.iter().zip(&self.inertia);
        for (of, numbers) in given().filter(|(of, _)| of.whole) {
            out.bodies[of.body].inertia = Inertia::from_parameters(*numbers);
        }
        for (of, numbers) in given().filter(|(of, _)| !of.whole) {
            out.bodies[of.body].inertia += Inertia::from_parameters(*numbers).transformed(&of.placement);
        }
        out
    }

    /// Results of a plan at a state.
    fn run(&self, plan: &Plan, state: &State) -> Vec<(&'static str, Vec<f64>)> {
        plan.verify().unwrap();
        let results = plan.run(|param| match param {
            INERTIA => self.inertia.concat(),
            GRAVITY => self.gravity.to_vec(),
            other => argument(plan, state, other),
        });
        results.into_iter().map(|(output, values)| (output.name, values)).collect()
    }
}

/// Derivatives of the torques by the parameters and by gravity, in which they are linear.
fn torques_by(model: &Model<f64>, there: &Model<f64>, q: &[f64], v: &[f64], a: &[f64]) -> [DMatrix<f64>; 2] {
    let mut empty = there.clone();
    empty.damping_enters = false;
    for body in &mut empty.bodies {
        (body.inertia, body.armature) = (Inertia::zero(), 0.0);
    }
    let of_parameter = |of: &RunTimeInertia<f64>, p: usize| {
        let mut unit = [0.0; 10];
        unit[p] = 1.0;
        let mut alone = empty.clone();
        alone.bodies[of.body].inertia = Inertia::from_parameters(unit).transformed(&of.placement);
        alone.rnea(q, v, a)
    };
    let columns = model.run_time.inertias.iter().flat_map(|of| (0..10).map(move |p| of_parameter(of, p)));
    let mut by_inertia = DMatrix::zeros(model.nv, 10 * model.run_time.inertias.len());
    columns.enumerate().for_each(|(k, column)| by_inertia.set_column(k, &column));
    let mut by_gravity = DMatrix::zeros(model.nv, 3);
    for k in 0..3 {
        let field = Model { gravity: Vector3::ith(k, 1.0), ..there.clone() };
        by_gravity.set_column(k, &field.gravity_torques(q));
    }
    [by_inertia, by_gravity]
}

fn expected(
    function: Function,
    model: &Model<f64>,
    there: &Model<f64>,
    s: &State,
) -> Vec<(&'static str, DMatrix<f64>)> {
    let (q, v, a, tau) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice(), s.tau.as_slice());
    let vector = |x: nalgebra::DVector<f64>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
    match function {
        Function::RneaParameterDerivatives => {
            let [by_inertia, by_gravity] = torques_by(model, there, q, v, a);
            vec![
                ("tau", vector(there.rnea(q, v, a))),
                ("dtau_dinertia", by_inertia),
                ("dtau_dgravity", by_gravity),
            ]
        }
        Function::AbaParameterDerivatives => {
            let (ddq, minv) = (there.aba(q, v, tau), there.minv(q));
            let [by_inertia, by_gravity] = torques_by(model, there, q, v, ddq.as_slice());
            vec![
                ("ddq", vector(ddq)),
                ("ddq_dinertia", -&minv * by_inertia),
                ("ddq_dgravity", -minv * by_gravity),
            ]
        }
        other => reference(other, there, s),
    }
}

/// Compares these functions of the model, by every formulation and with limbs as lanes.
fn check(model: &Model<f64>, functions: &[Function], seed: u64) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let tree = Tree::new(model, some_rewrite(model, r));
    let (state, given) = (random_state(model, seed), Given::random(model, r));
    let there = given.inside(model);
    let eigenvalues = there.crba(state.q.as_slice()).symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    // Their reference takes long for many bodies.
    let hessians = [Function::RneaHessian, Function::RneaHessianFext];
    let hessians = hessians.into_iter().filter(|_| model.bodies.len() <= 8);
    for function in functions.iter().copied().chain(hessians) {
        let expected = expected(function, model, &there, &state);
        let inverts = ["aba", "minv"].iter().any(|f| function.name().starts_with(f));
        let tolerance = if inverts { 1e-15 * condition.max(1e3) * 100.0 } else { 1e-11 };
        prop_assert!(function.trace_loops(model).is_none(), "tables know no run time");
        let packings = [false, true].map(|across| Packing { lanes: &[4, 2], across });
        let packed = packings.into_iter().filter_map(|packing| tree.with_limbs(packing));
        for plan in std::iter::once(tree.clone()).chain(packed).flat_map(|t| function.trace_all(&t)) {
            let found = given.run(&plan, &state);
            prop_assert_eq!(found.len(), expected.len());
            for ((name, found), (known, expected)) in found.iter().zip(&expected) {
                prop_assert_eq!(name, known);
                let found = DMatrix::from_column_slice(expected.nrows(), expected.ncols(), found);
                let error = if found.is_empty() { 0.0 } else { relative_error(&found, expected) };
                prop_assert!(
                    error <= tolerance,
                    "{} ({}), {name}: {error:e} > {tolerance:e}, seed {seed}",
                    function.name(),
                    plan.strategy
                );
            }
        }
    }
    Ok(())
}

/// A rewrite with a random form for each body.
fn some_rewrite(model: &Model<f64>, r: &mut Random) -> Rewrite {
    let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let moments = [Moment::Euler, Moment::SecondMoments, Moment::Entries];
    let origins = [Origin::AtChild, Origin::AtParent];
    let mut form =
        || BodyForm { share: shares[r.below(4)], moment: moments[r.below(3)], origin: origins[r.below(2)] };
    let bodies = model.bodies.iter().map(|_| form()).collect();
    Rewrite { realign: r.chance(0.5), bodies }
}

/// Requests some bodies' inertia, some loads, on the same bodies or others, and perhaps gravity.
fn ask(model: &mut Model<f64>, r: &mut Random) {
    let placement = |r: &mut Random| Placement { rotation: r.rotation(), translation: r.vector3(0.3) };
    for body in 0..model.bodies.len() {
        for (whole, chance) in [(true, 0.4), (false, 0.2), (false, 0.2)] {
            if r.chance(chance) {
                let placement = if whole { Placement::identity() } else { placement(r) };
                model.run_time.inertias.push(RunTimeInertia { name: String::new(), body, placement, whole });
            }
        }
    }
    model.run_time.gravity = model.run_time.inertias.is_empty() || r.chance(0.5);
}

fn all() -> Vec<Function> {
    Function::ALL.into_iter().filter(|f| !f.is_of_frame()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_trees(seed: u64, bodies in 1_usize..=12, floating: bool) {
        let mut model = random_model(seed, &Options::everything(bodies, floating));
        ask(&mut model, &mut Random::new(seed));
        check(&model, &all(), seed)?;
    }

    #[test]
    fn trees_of_one_dof_joints(seed: u64, bodies in 1_usize..=8) {
        let mut model = random_model(seed, &Options { bodies, ..Options::default() });
        ask(&mut model, &mut Random::new(seed));
        check(&model, &all(), seed)?;
    }
}

fn robot(name: &str, options: &ReadOptions) -> Model<f64> {
    let path = format!("{}/../../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    urdf::read_file(path, options).unwrap().model
}

/// Four legs in lanes, with different parameters.
#[test]
fn limbs_of_which_some_are_loaded() {
    let mut options = ReadOptions { base: Base::Floating, gravity_at_run_time: true, ..Default::default() };
    options.inertia.links = vec!["base_link".into(), "lf_lowerleg".into()];
    options.inertia.loads = vec![FrameOption { name: "rh_foot".into(), on: None }];
    let model = robot("hyq", &options);
    let trace = [
        Function::Rnea,
        Function::Aba,
        Function::Minv,
        Function::RneaDerivativesFext,
        Function::CenterOfMassVelocity,
        Function::PotentialEnergy,
    ];
    check(&model, &trace, 1).unwrap();
    options.inertia = Default::default();
    options.inertia.all = true;
    check(&robot("hyq", &options), &[Function::Crba, Function::AbaFext], 2).unwrap();
}

/// A load is in the frame that it is named by; the default is the robot without it.
#[test]
fn what_is_given_is_found_by_its_name() {
    let mut options = ReadOptions::default();
    options.inertia.links = vec!["iiwa_link_7".into()];
    let on = Some(FrameOn { link: "iiwa_link_7".into(), xyz: [0.1, 0.0, 0.2], rpy: [0.3, -0.2, 0.5] });
    options.inertia.loads = vec![FrameOption { name: "tool".into(), on }];
    let model = robot("iiwa14", &options);
    let [whole, load] = &model.run_time.inertias[..] else { panic!("two inertias") };
    assert_eq!((whole.body, whole.whole, load.body, load.whole), (6, true, 6, false));
    let frame = model.frames.iter().find(|f| f.name == "tool").unwrap();
    assert_eq!(load.placement, frame.placement);
    assert!(!model.run_time.gravity);
    check(&model, &all(), 3).unwrap();
}

/// Each name, its fault, and the advice.
#[test]
fn names_that_are_none_are_refused_with_the_nearest() {
    let refused = |links: &[&str], loads: &[&str]| {
        let mut options = ReadOptions::default();
        options.inertia.links = links.iter().map(|name| (*name).to_owned()).collect();
        options.inertia.loads =
            loads.iter().map(|name| FrameOption { name: (*name).to_owned(), on: None }).collect();
        let path = format!("{}/../../robots/hyq.urdf", env!("CARGO_MANIFEST_DIR"));
        urdf::read_file(path, &options).unwrap_err().to_string()
    };
    for (links, loads, said) in [
        (&["lf_lowerlg"][..], &[][..], "did you mean `lf_lowerleg`?"),
        (&["lf_foot"], &[], "it is fixed to `lf_lowerleg`, of whose inertia it is a part"),
        (&["lf_foot"], &[], "name `lf_lowerleg`, or give what is added there: `loads: [\"..\"]`"),
        (&["trunk"], &[], "it is fixed to the world"),
        (&["lf_lowerleg", "lf_lowerleg"], &[], "it is given twice"),
        (&["lf_lowerleg"], &["lf_lowerleg"], "it is given twice"),
        (&[], &["lf_fot"], "did you mean `lf_foot`?"),
        (&[], &["trunk"], "it is fixed to the world"),
    ] {
        let report = refused(links, loads);
        assert!(report.contains(said) && report.contains("inertia of `"), "{report}");
    }
}

/// Functions without parameters, and parameters without functions, are errors.
#[test]
fn what_cannot_be_had_is_an_error() {
    let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/double_pendulum.urdf");
    let plain = Robot::from_urdf(urdf).functions([Function::Crba]);
    let given = plain.clone().inertia_at_run_time(["link2"]);
    #[track_caller]
    fn option<T>(result: Result<T, Error>) -> (&'static str, String) {
        match result {
            Err(Error::Option { name, what }) => (name, what),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted"),
        }
    }
    let (name, what) = option(given.clone().shape_of(Function::Crba, Shape::Loops).trace());
    assert!(name == "shape" && what.contains("`crba`"), "{what}");
    let (name, what) = option(plain.functions([Function::AbaParameterDerivatives]).trace());
    assert!(name == "functions" && what.contains("`aba_parameter_derivatives`"), "{what}");
    // For all functions it is of those that have loops.
    assert!(given.shape(Shape::Loops).trace().is_ok());
}
