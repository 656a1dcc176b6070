//! Fused functions: each result equals the single function's, however parts are computed, and one
//! call saves operations.

use crate::common::{reference, relative_error};
use crate::sizes::of_all;
use nalgebra::DMatrix;
use rbd_build::fused::{Entry, Fused, FusedFunction, Quantity, REFERENCES};
use rbd_build::plan::Plan;
use rbd_build::signature::{A, FEXT, Param, Q, Sizes, TAU_GIVEN, V};
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Error, Function, Robot};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model, random_state};

fn argument(state: &State, param: Param) -> Vec<f64> {
    match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        other => panic!("{} is taken by no fused function", other.name),
    }
}

/// Value of an entry by itself: of the whole robot by the generic reference, of frames by the
/// function's own kernel, which another test compares with the reference.
fn alone(whole: &FusedFunction, k: usize, model: &Model<f64>, tree: &Tree, state: &State) -> DMatrix<f64> {
    let quantity = whole.fields[k].entry.quantity();
    let (mut function, output) = quantity.sources()[0];
    if whole.fused.has_forces() {
        let under = Function::from_name(&format!("{}_fext", function.name()));
        function = under.unwrap_or(function);
    }
    if !quantity.is_of_frame() {
        let all = reference(function, model, state);
        return all.into_iter().find(|(name, _)| *name == output.name).expect("it is given").1;
    }
    let at = whole.components.iter().filter_map(|part| part.frame);
    let (frame, asked) = whole.fields[k].entry.frame().expect("it is of one");
    let at = at
        .into_iter()
        .find(|at| {
            let same = model.frames[at.index].name == frame;
            same && (!quantity.has_reference() || at.reference == asked)
        })
        .expect("a part is of it");
    let plan = &function.trace_all_of(tree, at)[0];
    let made = plan.run_with_loops(|param| argument(state, param));
    let (_, values) = made.into_iter().find(|(o, _)| *o == output).expect("it is given");
    let (rows, columns) = output.shape.extent(Sizes::from(model));
    DMatrix::from_vec(rows, columns, values)
}

fn agrees(plan: &Plan<FusedFunction>, model: &Model<f64>, tree: &Tree, seed: u64) {
    plan.verify().unwrap_or_else(|what| panic!("{:?}: {what}", plan.strategy));
    let state = random_state(model, seed);
    let eigenvalues = model.crba(state.q.as_slice()).symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    let made = plan.run_with_loops(|param| argument(&state, param));
    assert_eq!(made.len(), plan.function.fields.len());
    for (k, (output, values)) in made.into_iter().enumerate() {
        let expected = alone(&plan.function, k, model, tree, &state);
        let found = DMatrix::from_vec(expected.nrows(), expected.ncols(), values);
        let inverts = ["ddq", "minv"].iter().any(|name| output.name.starts_with(name));
        let tolerance = if inverts { 1e-13 * condition.max(1e3) } else { 1e-11 };
        let error = relative_error(&found, &expected);
        assert!(error <= tolerance, "{}: {error:e}, seed {seed}, {:?}", output.name, plan.strategy);
    }
}

/// Everything that can be asked for of a robot, of one of its frames in each reference frame.
fn everything(model: &Model<f64>, seed: usize) -> Vec<Fused> {
    let frame = &model.frames[seed % model.frames.len()].name;
    let (of_frames, whole): (Vec<_>, Vec<_>) = Quantity::all().into_iter().partition(|q| q.is_of_frame());
    let of_robot = |q: &Quantity| Entry::new(*q).unwrap();
    let give = |fused: Fused, entry: Entry| fused.give(entry).unwrap();
    let all = whole.iter().map(of_robot).fold(Fused::new("All").unwrap(), give);
    let forced = whole.iter().map(of_robot).fold(Fused::new("Forced").unwrap().under_forces(), give);
    // Few of many: results that are not requested are not computed.
    let few = whole
        .iter()
        .map(of_robot)
        .enumerate()
        .filter(|(k, _)| (k * 7 + seed).is_multiple_of(3))
        .map(|(_, e)| e);
    let few = few.fold(Fused::new("Few").unwrap(), give);
    let (_, reference) = REFERENCES[seed % 3];
    let framed = of_frames.iter().map(|q| {
        Entry::of_frame(*q, frame, q.has_reference().then_some(reference)).unwrap().called(q.name()).unwrap()
    });
    let framed = framed.chain([of_robot(&whole[0])]).fold(Fused::new("Framed").unwrap(), give);
    // Products of a matrix that is already there.
    let matrices = "Matrices: tau, bias, gravity, m, com, com_velocity, com_jacobian, momentum, momentum_matrix, \
                    kinetic_energy, potential_energy";
    vec![all, forced, few, framed, matrices.parse().unwrap()]
}

#[test]
fn each_result_is_that_of_the_function_alone() {
    for seed in (0..12_u64).step_by(of_all(1, 3)) {
        let bodies = 1 + seed as usize % 7;
        let options = if seed.is_multiple_of(3) {
            Options { bodies, on_world: 0.3, ..Options::default() }
        } else {
            Options::everything(bodies, seed.is_multiple_of(2))
        };
        let model = random_model(seed, &options);
        let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
        let moments = [Moment::Euler, Moment::SecondMoments, Moment::Entries];
        let form = |k: usize| BodyForm {
            share: shares[(seed as usize + k) % 4],
            moment: moments[(seed as usize + 2 * k) % 3],
            origin: if k.is_multiple_of(2) { Origin::AtChild } else { Origin::AtParent },
        };
        let bodies = (0..model.bodies.len()).map(form).collect();
        let tree = Tree::new(&model, Rewrite { realign: seed.is_multiple_of(2), bodies });
        for fused in everything(&model, seed as usize) {
            let whole = FusedFunction::new(&fused, &model).unwrap();
            for plan in whole.trace_all(&model, &tree) {
                agrees(&plan, &model, &tree, seed);
            }
            if seed.is_multiple_of(6) {
                agrees(&whole.cheapest(&model), &model, &tree, seed);
            }
        }
    }
}

/// Requests of controllers: for an arm, by forward dynamics and their derivatives and by inverse
/// dynamics; for a quadruped, by whole-body control with the frames of its feet.
const LISTS: [(&str, Base, &str); 6] = [
    (
        "iiwa14",
        Base::Fixed,
        "Step: ddq, ddq_dq, ddq_dv, placement(iiwa_link_7), jacobian(iiwa_link_7, local_world_aligned), com",
    ),
    (
        "iiwa14",
        Base::Fixed,
        "Control: m, bias, gravity, placement(iiwa_link_7), jacobian(iiwa_link_7, local_world_aligned), \
         velocity(iiwa_link_7, local_world_aligned), bias_acceleration(iiwa_link_7, local_world_aligned)",
    ),
    (
        "iiwa14",
        Base::Fixed,
        "Inverse: tau, dtau_dq, dtau_dv, m, bias, gravity, kinetic_energy, potential_energy",
    ),
    ("hyq", Base::Floating, "Step: ddq, ddq_dq, ddq_dv, com, com_jacobian, momentum"),
    (
        "hyq",
        Base::Floating,
        "Control: m, bias, com, com_jacobian, momentum_matrix, momentum, \
         lf: jacobian(lf_foot, local_world_aligned), rf: jacobian(rf_foot, local_world_aligned), \
         lh: jacobian(lh_foot, local_world_aligned), rh: jacobian(rh_foot, local_world_aligned), \
         lf_drift: bias_acceleration(lf_foot, local_world_aligned), \
         rf_drift: bias_acceleration(rf_foot, local_world_aligned), \
         lh_drift: bias_acceleration(lh_foot, local_world_aligned), \
         rh_drift: bias_acceleration(rh_foot, local_world_aligned)",
    ),
    (
        "hyq",
        Base::Floating,
        "Energy: m, bias, gravity, kinetic_energy, potential_energy, momentum, com, com_velocity",
    ),
];

/// Additions, multiplications and divisions of each fused call, and its number of sines and
/// cosines; then those of the fewest calls with the same results.
const COUNTS: [[(usize, usize); 2]; 6] = [
    [(3868, 7), (3940, 25)],
    [(900, 7), (1217, 41)],
    [(2299, 6), (2499, 27)],
    [(19742, 12), (20148, 48)],
    [(3642, 12), (5887, 96)],
    [(3365, 12), (4114, 96)],
];

fn robot(name: &str, base: Base) -> Robot {
    let urdf = format!("{}/../../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    Robot::from_urdf(urdf).base(base).functions([])
}

/// Counts are exact. A change of them changes what users run: look at the difference, and record
/// the new ones.
#[test]
fn a_call_costs_less_than_its_parts() {
    let mut found = Vec::new();
    for (name, base, list) in LISTS {
        let generated = robot(name, base).fused(list.parse().unwrap()).trace().unwrap();
        let saving = &generated.savings()[0];
        let (own, all) = (saving.count, saving.one_by_one());
        println!("{name} {}: {own:?} of {all:?}: {:.3}", saving.name, saving.ratio().unwrap());
        for part in &saving.parts {
            println!("    {} {:?} {}", part.function.name(), part.frame, part.count.total());
        }
        let plan = &generated.fused[0];
        let ways: Vec<String> = plan.strategy.iter().map(ToString::to_string).collect();
        println!("    {ways:?} limbs {}", plan.stages[0].simd.len());
        // Each sine is taken once.
        assert!(own.sin_cos <= generated.model.bodies.len());
        let tree = Tree::new(&generated.model, plan.stages[0].scalar.rewrite.clone());
        agrees(plan, &generated.model, &tree, 5);
        if let Some(packed) = plan.packed() {
            agrees(&packed, &generated.model, &tree, 6);
        }
        found.push([own, all].map(|count| (count.total(), count.sin_cos)));
    }
    assert_eq!(found, COUNTS);
}

#[test]
fn names_that_are_taken_are_refused() {
    let pendulum = || robot("double_pendulum", Base::Fixed);
    let refused = |robot: Robot| match robot.trace() {
        Err(Error::Option { name: "fused", what }) => what,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    };
    let fused = |text: &str| text.parse::<Fused>().unwrap();
    for (name, said) in [("Rnea", "`rnea`"), ("Integrate", "`integrate`"), ("DoublePendulum", "type")] {
        let what = refused(pendulum().fused(fused(&format!("{name}: tau"))));
        assert!(what.contains(said), "{what}");
    }
    let what = refused(pendulum().fused(fused("Step: tau")).fused(fused("Step: m")));
    assert!(what.contains("another type `Step`"), "{what}");
    match pendulum().fused(fused("Step: placement(link3)")).trace() {
        Err(Error::Urdf(findings)) => {
            let text = findings.to_string();
            assert!(text.contains("fused of `link3`") && text.contains("did you mean `link"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    let two = pendulum().fused(fused("Step: tau")).fused(fused("Both: m, placement(link2)"));
    let generated = two.trace().unwrap();
    let source = generated.source();
    assert!(source.contains("pub struct Step<T>") && source.contains("pub fn both_into<T"), "{source}");
    assert!(
        !source.contains("__rbd_runtime") && source.contains("::rbd::__private::Placement<T>"),
        "{source}"
    );
    // The outline for `cargo check` has the same types and functions, and computes nothing.
    let outline = two.outline().unwrap();
    assert_eq!((outline.text.head, outline.functions), (generated.module().head, 2));
    assert_eq!((outline.text.body.matches("rt :: outline").count(), outline.text.kernels.as_str()), (2, ""));
}
