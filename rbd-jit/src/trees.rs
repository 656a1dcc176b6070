//! Random trees of every kind of joint: every function, beside the interpreter of kernels and the generic
//! reference, one by one and side by side.

use crate::aarch64::tests::Emulator;
use crate::kept::Source;
use crate::machine::Machine;
use crate::{Engine, Function, Loaded, Number, aarch64, reference};
use rbd_build::Function as Id;
use rbd_build::frames::FrameAt;
use rbd_build::functions::FUNCTIONS;
use rbd_build::fused::{Fused, FusedFunction};
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree};
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::random::{Options, Random, State, random_model, random_state};
use rbd_runtime::{Model, ReferenceFrame, Scalar};

/// Number of random trees: all if the environment has `RBD_ALL_SEEDS`, otherwise three.
fn trees() -> u64 {
    if std::env::var_os("RBD_ALL_SEEDS").is_some() { 20 } else { 3 }
}

/// Plan of a function, or of a fused function.
enum Of {
    Plan(Box<Plan>),
    Fused(Box<Plan<FusedFunction>>),
}

/// The kernels for every scalar, with the arithmetic that compiled Rust has on this processor.
struct Interpreted<'a>(&'a Of, &'a State);

impl<T: Number> Dispatched<T> for Interpreted<'_> {
    type Output = Vec<Vec<T>>;

    fn run<S: Scalar>(self, recast: Recast<T, S>) -> Vec<Vec<T>> {
        let argument = |param: rbd_build::signature::Param| {
            recast.slice(&rounded::<T>(&reference::argument(param.name, self.1))).to_vec()
        };
        let results = match self.0 {
            Of::Plan(plan) => plan.run_with_loops::<S>(argument),
            Of::Fused(plan) => plan.run_with_loops::<S>(argument),
        };
        results.into_iter().map(|(_, all)| all.into_iter().map(|x| recast.back(x)).collect()).collect()
    }
}

/// A rewrite with a random form for each body.
fn rewrite(model: &Model<f64>, seed: u64) -> Rewrite {
    let r = &mut Random::new(seed);
    let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let moments = [Moment::Euler, Moment::SecondMoments, Moment::Entries];
    let origins = [Origin::AtChild, Origin::AtParent];
    let mut form =
        || BodyForm { share: shares[r.below(4)], moment: moments[r.below(3)], origin: origins[r.below(2)] };
    let bodies = model.bodies.iter().map(|_| form()).collect();
    Rewrite { realign: seed.is_multiple_of(2), bodies }
}

/// Every function of the tree: one formulation of each, chosen by the seed, and its loops over tables.
fn plans(model: &Model<f64>, seed: u64) -> Vec<Plan> {
    let tree = Tree::new(model, rewrite(model, seed));
    let r = &mut Random::new(seed ^ 0xf0f0);
    let mut plans: Vec<Plan> = Vec::new();
    let mut choose = |mut all: Vec<Plan>| (!all.is_empty()).then(|| all.swap_remove(r.below(all.len())));
    // As straight lines, those of larger trees take minutes.
    let second = [Id::RneaHessian, Id::RneaHessianFext, Id::RneaSecondDerivatives];
    let second = second.into_iter().filter(|_| model.nv <= 10);
    for function in Id::ALL.into_iter().filter(|f| !f.is_by_parameters()).chain(second) {
        if function.is_of_frame() {
            let index = seed as usize % model.frames.len();
            let frame = &model.frames[index];
            let reference = ReferenceFrame::ALL[function as usize % 3];
            let reference = if function.has_reference() { reference } else { ReferenceFrame::Local };
            let at = FrameAt { index, body: frame.body, placement: frame.placement, reference };
            plans.extend(choose(function.trace_all_of(&tree, at)));
            continue;
        }
        plans.extend(choose(function.trace_all(&tree)));
        plans.extend(function.trace_loops(model));
    }
    let composed: Vec<Plan> = FUNCTIONS
        .iter()
        .map(|spec| spec.function)
        .filter(|function| function.is_second_order())
        .filter_map(|function| {
            let part = |id: &Id| plans.iter().find(|plan| plan.function == *id).cloned();
            let parts: Option<Vec<Plan>> = function.dependencies(model).iter().map(part).collect();
            Some(Plan::composed(function, model, parts?))
        })
        .collect();
    plans.extend(composed);
    plans
}

/// Limbs side by side in registers, in place of the plan's kernels for one state.
fn with_limbs(plan: &Plan, model: &Model<f64>, seed: u64) -> Option<Plan> {
    let packing = Packing { lanes: &[4, 2], across: seed.is_multiple_of(2) };
    let tree = Tree::new(model, rewrite(model, seed)).with_limbs(packing)?;
    let all = plan.function.trace_all(&tree);
    let packed = all.into_iter().find(|other| other.stages.len() == plan.stages.len())?;
    let mut with = plan.clone();
    for (stage, packed) in with.stages.iter_mut().zip(packed.stages) {
        stage.simd = vec![packed.scalar];
    }
    with.verify().is_ok().then_some(with)
}

fn bits<T: Number>(numbers: &[T]) -> Vec<u64> {
    numbers.iter().map(|x| x.bits()).collect()
}

fn rounded<T: Number>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().map(|x| T::from_f64(*x)).collect()
}

/// Results of a function for these states, by rows: by calls, or in a batch.
fn computed<T: Number>(
    robot: &Loaded<T>,
    function: &Function<T>,
    states: &[State],
    is_batch: bool,
) -> Vec<Vec<T>> {
    let inputs: Vec<Vec<T>> = function
        .inputs()
        .iter()
        .map(|input| {
            states.iter().flat_map(|state| rounded::<T>(&reference::argument(input.name, state))).collect()
        })
        .collect();
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let mut results: Vec<Vec<T>> =
        function.outputs().iter().map(|o| vec![T::NAN; o.length * states.len()]).collect();
    let mut outputs: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    if is_batch {
        robot.batch().call(function, &inputs, &mut outputs).unwrap();
    } else {
        function.call(&mut robot.workspace(), &inputs, &mut outputs).unwrap();
    }
    results
}

/// Compares a tree's functions, made by an engine.
fn check<T: Number>(model: &Model<f64>, engine: Engine, made: &[Of], seed: u64) {
    let machine = Machine::new(engine);
    let functions = made.iter().map(|of| match of {
        Of::Plan(plan) => Function::new(plan.function, plan.frame, &Source::of_plan(plan), model, &machine),
        Of::Fused(plan) => Function::fused(&plan.function, &Source::of_stages(&plan.stages), model, &machine),
    });
    let functions = functions.collect::<Result<Vec<Function<T>>, _>>().unwrap();
    let robot = Loaded::of_functions(model.clone(), engine, functions);
    let states: Vec<State> =
        (0..T::states(engine) as u64 + 1).map(|k| random_state(model, seed + k)).collect();
    let mut reference = robot.sample(seed).expect("it moves");
    for (of, function) in made.iter().zip(robot.functions()) {
        let name = function.name();
        // Random trees are too badly conditioned for fewer digits.
        if T::IS_DOUBLE {
            reference.compare(function).unwrap_or_else(|error| panic!("seed {seed}, {engine}: {error}"));
        }
        let side_by_side = computed(&robot, function, &states, true);
        for (k, state) in states.iter().enumerate() {
            let expected = T::dispatch(Interpreted(of, state));
            for ((output, rows), expected) in function.outputs().iter().zip(&side_by_side).zip(&expected) {
                let row = &rows[k * output.length..][..output.length];
                assert_eq!(
                    bits(row),
                    bits(expected),
                    "seed {seed}, {engine}, {name}: {}, state {k}",
                    output.name
                );
            }
        }
        let packed = matches!(of, Of::Plan(plan) if plan.packed().is_some());
        if !packed {
            let one = computed(&robot, function, &states[..1], false);
            for ((output, found), rows) in function.outputs().iter().zip(&one).zip(&side_by_side) {
                assert_eq!(
                    bits(found),
                    bits(&rows[..output.length]),
                    "seed {seed}, {engine}, {name}: {}",
                    output.name
                );
            }
        }
    }
}

/// Compares a function's code for aarch64 with the interpreter of the same kernels.
fn emulate(emulator: &mut Emulator, of: &Of, seed: u64) {
    let (source, name) = match of {
        Of::Plan(plan) => (Source::of_plan(plan), plan.spec().name),
        Of::Fused(plan) => (Source::of_stages(&plan.stages), "fused"),
    };
    aarch64::tests::check(emulator, &source, &format!("seed {seed}, {name}"));
}

fn fused(model: &Model<f64>, tree: &Tree) -> Vec<Plan<FusedFunction>> {
    let list: Fused = "Step: ddq, ddq_dq, tau, com, kinetic_energy".parse().unwrap();
    FusedFunction::new(&list, model).unwrap().trace_all(model, tree)
}

#[test]
fn every_function_is_the_interpreters_and_the_references() {
    // On any processor, code for aarch64 too.
    let mut emulator = Emulator::new();
    for seed in 0..trees() {
        let bodies = 1 + seed as usize % 8;
        let options = Options { friction: seed % 4 == 3, ..Options::everything(bodies, seed % 3 == 1) };
        let model = random_model(seed, &options);
        let mut made: Vec<Of> = Vec::new();
        for plan in plans(&model, seed) {
            if plan.frame.is_none() && !plan.stages.is_empty() {
                let limbs = with_limbs(&plan, &model, seed);
                made.extend(limbs.map(|plan| Of::Plan(Box::new(plan))));
            }
            made.push(Of::Plan(Box::new(plan)));
        }
        let tree = Tree::new(&model, rewrite(&model, seed));
        made.extend(fused(&model, &tree).into_iter().map(|plan| Of::Fused(Box::new(plan))));
        for engine in [Engine::Avx512, Engine::Avx2, Engine::Neon, Engine::Interpreter] {
            if engine.is_there() {
                check::<f64>(&model, engine, &made, seed);
                check::<f32>(&model, engine, &made, seed);
            }
        }
        if let Some(emulator) = &mut emulator {
            made.iter().for_each(|of| emulate(emulator, of, seed));
        }
    }
}
