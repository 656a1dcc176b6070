//! Batches that write results in another order than calls do.

use super::some;
use rbd_jit::{Base, Engine, Function, Id, Loaded, Number, Options, Place, Robot, Shape};
use rbd_runtime::random::{State, random_state};
use std::path::{Path, PathBuf};

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot)
}

fn options() -> impl Iterator<Item = Options> {
    let all = [Engine::Avx512, Engine::Avx2, Engine::Neon, Engine::Interpreter];
    let there = all.into_iter().filter(|engine| engine.is_there());
    there.map(|engine| Options { engine: Some(engine), check: false, ..Options::default() })
}

fn batch<T: Number>(
    robot: &Loaded<T>,
    function: &Function<T>,
    (inputs, lengths): (&[&[T]], &[usize]),
    (states, threads, is_in_order): (usize, usize, bool),
) -> Vec<Vec<T>> {
    let mut found: Vec<Vec<T>> = lengths.iter().map(|n| vec![T::from_f64(7.0); n * states]).collect();
    let mut outputs: Vec<&mut [T]> = found.iter_mut().map(Vec::as_mut_slice).collect();
    let batch = robot.batch().threads(threads);
    let batch = if is_in_order { batch.in_order() } else { batch };
    batch.call(function, inputs, &mut outputs).unwrap();
    found
}

/// Backwards, with zeros and ones in between, and every fifth entry left out. Of vectors as it is.
fn places(k: usize, length: usize) -> Vec<Place> {
    let entry = |entry: usize| match entry % 5 {
        0 => vec![],
        1 => vec![Place::Entry(entry), Place::One],
        2 => vec![Place::Zero, Place::Entry(entry)],
        _ => vec![Place::Entry(entry)],
    };
    match (k, length) {
        (0, ..12) => (0..length).map(Place::Entry).collect(),
        _ => (0..length).rev().flat_map(entry).collect(),
    }
}

/// How many functions have states side by side, and how many have not.
fn check<T: Number>(mut robot: Loaded<T>) -> [usize; 2] {
    let states: Vec<State> = (0..37).map(|k| random_state(robot.model(), k)).collect();
    let mut orders = Vec::new();
    for function in robot.functions_mut() {
        let order: Vec<Vec<Place>> =
            function.outputs().iter().enumerate().map(|(k, output)| places(k, output.length)).collect();
        function.set_order(&order).unwrap();
        orders.push(order);
    }
    let mut counts = [0; 2];
    for (function, order) in robot.functions().iter().zip(&orders) {
        let of = |state: &State, name: &str| match name {
            "q" => state.q.as_slice().to_vec(),
            "v" => state.v.as_slice().to_vec(),
            "a" => state.a.as_slice().to_vec(),
            _ => state.tau.as_slice().to_vec(),
        };
        let input = |name: &str| -> Vec<T> {
            states.iter().flat_map(|state| of(state, name)).map(T::from_f64).collect()
        };
        let inputs: Vec<Vec<T>> = function.inputs().iter().map(|a| input(a.name)).collect();
        for (count, threads) in [(0, 1), (1, 1), (16, 1), (37, 2)] {
            let inputs: Vec<&[T]> = function
                .inputs()
                .iter()
                .zip(&inputs)
                .map(|(argument, all)| &all[..count * argument.length])
                .collect();
            let usual: Vec<usize> = function.outputs().iter().map(|output| output.length).collect();
            let expected = batch(&robot, function, (&inputs, &usual), (count, 1, false));
            let lengths: Vec<usize> = order.iter().map(Vec::len).collect();
            let found = batch(&robot, function, (&inputs, &lengths), (count, threads, true));
            for (k, found) in found.iter().enumerate() {
                for (n, x) in found.iter().enumerate() {
                    let (state, n) = (n / lengths[k], n % lengths[k]);
                    let expected = match order[k][n] {
                        Place::Entry(entry) => expected[k][state * usual[k] + entry],
                        Place::Zero => T::zero(),
                        Place::One => T::one(),
                    };
                    let what = format!("{} {k}, {}", function.name(), robot.engine());
                    assert_eq!(*x, expected, "{what}: state {state} of {count}, {n}");
                }
            }
        }
        counts[usize::from(function.has_lanes())] += 1;
    }
    counts
}

#[test]
fn results_are_those_in_the_usual_order() {
    let functions = [
        Id::RneaDerivatives,
        Id::AbaDerivatives,
        Id::Crba,
        Id::FramePlacement,
        Id::FrameJacobian,
        Id::AbaSecondDerivatives,
    ];
    let hyq = Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).frames(["lf_foot"]);
    let hyq = hyq.functions(functions);
    let arm = Robot::from_urdf(path("iiwa14.urdf")).functions(functions).shape(Shape::Loops);
    for options in some(1, &options().collect::<Vec<_>>()) {
        let is_native = matches!(options.engine, Some(Engine::Avx512 | Engine::Avx2));
        let [one_by_one, side_by_side] = check(hyq.clone().load_with(options.clone()).unwrap());
        assert!(one_by_one > 0 && (side_by_side > 3 || !is_native));
        let [one_by_one, _] = check(arm.clone().load_with(options.clone()).unwrap());
        assert!(one_by_one > 1);
        let [_, side_by_side] = check(hyq.clone().load_f32_with(options.clone()).unwrap());
        assert!(side_by_side > 3 || !is_native);
    }
}

/// By columns and in an order; limbs side by side sum in another order than states do.
#[test]
fn one_by_one_results_have_the_bits_of_calls() {
    let names = ["rnea_derivatives", "minv", "center_of_mass"];
    let robot = Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).functions(names);
    for options in options() {
        let mut robot = robot.clone().load_with(options).unwrap();
        let states: Vec<State> = (0..5).map(|k| random_state(robot.model(), k)).collect();
        for function in robot.functions_mut() {
            let backwards = |a: &rbd_jit::Argument| (0..a.length).rev().map(Place::Entry).collect();
            let order: Vec<Vec<Place>> = function.outputs().iter().map(backwards).collect();
            function.set_order(&order).unwrap();
        }
        let mut workspace = robot.workspace();
        for function in robot.functions() {
            let given = |state: &State| [state.q.clone(), state.v.clone(), state.a.clone()];
            let count = function.inputs().len();
            let rows: Vec<Vec<f64>> = (0..count)
                .map(|k| states.iter().flat_map(|state| given(state)[k].as_slice().to_vec()).collect())
                .collect();
            let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            for is_in_order in [false, true] {
                let mut found: Vec<Vec<f64>> =
                    function.outputs().iter().map(|a| vec![7.0; a.length * states.len()]).collect();
                let mut outputs: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
                let batch = robot.batch().one_by_one().threads(2);
                let batch = if is_in_order { batch.in_order() } else { batch };
                batch.call(function, &rows, &mut outputs).unwrap();
                for (n, state) in states.iter().enumerate() {
                    let mut expected: Vec<Vec<f64>> =
                        function.outputs().iter().map(|a| vec![7.0; a.length]).collect();
                    let mut outputs: Vec<&mut [f64]> = expected.iter_mut().map(Vec::as_mut_slice).collect();
                    let given = given(state);
                    let given: Vec<&[f64]> = given[..count].iter().map(|x| x.as_slice()).collect();
                    function.call(&mut workspace, &given, &mut outputs).unwrap();
                    for (found, mut expected) in found.iter().zip(expected) {
                        if is_in_order {
                            expected.reverse();
                        }
                        let of_state = &found[n * expected.len()..][..expected.len()];
                        assert_eq!(of_state, expected, "{}, {}", function.name(), robot.engine());
                    }
                }
            }
        }
    }
}

#[test]
fn wrong_orders_are_refused() {
    let mut robot = Robot::from_urdf(path("double_pendulum.urdf")).functions(["crba"]).load().unwrap();
    let crba = &mut robot.functions_mut()[0];
    let said = |result: Result<(), rbd_jit::Error>| result.unwrap_err().to_string();
    assert_eq!(said(crba.set_order(&[])), "`crba` takes 1 results, and was given 0");
    assert_eq!(said(crba.set_order(&[vec![], vec![]])), "`crba` takes 1 results, and was given 2");
    assert_eq!(
        said(crba.set_order(&[vec![Place::Zero, Place::Entry(4)]])),
        "`crba`: the order of `m` names entry 4; name one below 4"
    );
    crba.set_order(&[vec![Place::Entry(3), Place::One, Place::Entry(0)]]).unwrap();
    let crba = robot.function("crba").unwrap();
    let (q, mut m) = ([0.0, 0.3, 0.2, 0.1], [0.0; 6]);
    assert_eq!(
        said(robot.batch().in_order().call(crba, &[&q], &mut [&mut [0.0; 8]])),
        "`crba`: `m` has 6 numbers, and was given 8"
    );
    robot.batch().in_order().call(crba, &[&q], &mut [&mut m]).unwrap();
    let mut usual = [0.0; 8];
    robot.batch().call(crba, &[&q], &mut [&mut usual]).unwrap();
    assert_eq!(m, [usual[3], 1.0, usual[0], usual[7], 1.0, usual[4]]);
}
