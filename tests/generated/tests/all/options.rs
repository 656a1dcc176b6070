//! Effects of options, and changes that must have no effect, on the graphs that code is written
//! from. `front_ends` and `reference` test that options reach the code.

use crate::common::{error, inputs, named};
use crate::interpreted::Interpreted;
use generated_tests::variants::{ARMATURE, FLIPPED, LOCKED, MIMIC, turn};
use generated_tests::{Inputs, Outputs};
use nalgebra::{DMatrix, Vector3};
use rbd_build::Function;
use rbd_runtime::Model;
use rbd_runtime::random::random_state;

fn original() -> (&'static Interpreted, Model<f64>) {
    let robot = Interpreted::variant("original");
    (robot, robot.model())
}

#[track_caller]
fn assert_same(what: &str, got: &Outputs<f64>, expected: &Outputs<f64>) {
    for (name, expected) in expected {
        let e = error(named(got, name), expected, 1.0);
        assert!(e < 1e-11, "{what}, {name}: {e:.1e}");
    }
}

/// Calls with every function of the original, and some states.
fn for_states(mut check: impl FnMut(&Interpreted, Function, &Inputs<f64>)) {
    let (robot, model) = original();
    for seed in 0..4 {
        let x = inputs(&random_state(&model, seed));
        for function in robot.functions() {
            check(robot, function, &x);
        }
    }
}

/// Names, fixed joints and where a body is divided make no difference; nor does turning the robot
/// with gravity.
#[test]
fn ways_of_writing_the_same_robot_give_the_same_numbers() {
    for other in ["renamed", "with_fixed", "split", "turned"] {
        let twin = Interpreted::variant(other);
        for_states(|robot, function, x| {
            assert_same(
                &format!("{other}, {}", function.name()),
                &twin.run(function, x),
                &robot.run(function, x),
            );
        });
    }
    assert!(turn().angle() > 0.5);
}

/// The outputs with coordinate i as `of[i]` and times `sign[i]`.
fn rearranged(outputs: &Outputs<f64>, of: &[usize], sign: &[f64]) -> Outputs<f64> {
    outputs
        .iter()
        .map(|(name, x)| {
            let column = |j: usize| if x.ncols() == 1 { (0, 1.0) } else { (of[j], sign[j]) };
            let entry = |i: usize, j: usize| sign[i] * column(j).1 * x[(of[i], column(j).0)];
            (*name, DMatrix::from_fn(x.nrows(), x.ncols(), entry))
        })
        .collect()
}

fn rearranged_inputs(x: &Inputs<f64>, of: &[usize], sign: &[f64]) -> Inputs<f64> {
    let list = |x: &[f64]| (0..x.len()).map(|i| sign[i] * x[of[i]]).collect();
    Inputs { q: list(&x.q), v: list(&x.v), a: list(&x.a), tau: list(&x.tau), fext: x.fext.clone() }
}

/// The order of siblings is only the order of coordinates.
#[test]
fn order_of_siblings_permutes_coordinates() {
    let (twin, (_, model)) = (Interpreted::variant("siblings"), original());
    let theirs = twin.model();
    let place = |name: &str| model.bodies.iter().position(|b| b.joint == name).unwrap();
    let of: Vec<usize> = theirs.bodies.iter().map(|b| place(&b.joint)).collect();
    assert_ne!(of, (0..of.len()).collect::<Vec<_>>());
    let plain = vec![1.0; of.len()];
    for_states(|robot, function, x| {
        let got = twin.run(function, &rearranged_inputs(x, &of, &plain));
        assert_same(function.name(), &got, &rearranged(&robot.run(function, x), &of, &plain));
    });
}

/// An axis the other way round is the coordinate's sign.
#[test]
fn flipped_axis_flips_its_coordinate() {
    let (twin, (_, model)) = (Interpreted::variant("flipped"), original());
    let flip = |b: &rbd_runtime::model::Body<f64>| if b.joint == FLIPPED { -1.0 } else { 1.0 };
    let sign: Vec<f64> = model.bodies.iter().map(flip).collect();
    let of: Vec<usize> = (0..sign.len()).collect();
    for_states(|robot, function, x| {
        let got = twin.run(function, &rearranged_inputs(x, &of, &sign));
        assert_same(function.name(), &got, &rearranged(&robot.run(function, x), &of, &sign));
    });
}

/// A locked joint is one that the file has as fixed, and the whole at that position and at rest there.
#[test]
fn locked_joints_are_fixed_joints() {
    let (option, edited) = (Interpreted::variant("lock_option"), Interpreted::variant("lock_edited"));
    let (robot, model) = original();
    let locked = model.bodies.iter().position(|b| b.joint == LOCKED.0).unwrap();
    for seed in 0..4 {
        let small = inputs(&random_state(&option.model(), seed));
        for function in option.functions() {
            assert_same(function.name(), &option.run(function, &small), &edited.run(function, &small));
        }
        let insert = |x: &[f64], value| {
            let mut x = x.to_vec();
            x.insert(locked, value);
            x
        };
        let x = Inputs {
            q: insert(&small.q, LOCKED.1),
            v: insert(&small.v, 0.0),
            a: insert(&small.a, 0.0),
            ..small.clone()
        };
        for function in [Function::Rnea, Function::Crba, Function::RneaDerivatives] {
            let whole = robot.run(function, &x).into_iter().map(|(name, x)| {
                let rows = x.remove_row(locked);
                (name, if rows.ncols() > 1 { rows.remove_column(locked) } else { rows })
            });
            assert_same(function.name(), &option.run(function, &small), &whole.collect());
        }
    }
}

/// Armature is on the diagonal of M, in every function: `tau` gains `I a`, and the rest of inverse
/// dynamics does not change.
#[test]
fn armature_is_on_the_diagonal_of_the_mass_matrix() {
    let (geared, (_, model)) = (Interpreted::variant("armature"), original());
    let mut rotors = DMatrix::zeros(model.nv, model.nv);
    for (joint, inertia) in ARMATURE {
        let k = model.bodies.iter().find(|b| b.joint == joint).unwrap().idx_v;
        rotors[(k, k)] = inertia;
    }
    for_states(|robot, function, x| {
        let a = DMatrix::from_column_slice(model.nv, 1, &x.a);
        let m = robot.run(Function::Crba, x).swap_remove(0).1 + &rotors;
        let (got, plain) = (geared.run(function, x), robot.run(function, x));
        let minv = m.clone().try_inverse().unwrap();
        let bias = robot.run(Function::Bias, x).swap_remove(0).1;
        let ddq = &minv * (DMatrix::from_column_slice(model.nv, 1, &x.tau) - bias);
        // Derivatives of inverse dynamics at the acceleration that the geared robot has.
        let at = Inputs { a: ddq.as_slice().to_vec(), ..x.clone() };
        let id = robot.run(Function::RneaDerivatives, &at);
        let expected = plain.into_iter().map(|(name, x)| {
            let value = match (function, name) {
                (Function::Rnea | Function::RneaDerivatives, "tau") => x + &rotors * &a,
                (_, "m" | "dtau_da") => m.clone(),
                (_, "minv" | "ddq_dtau") => minv.clone(),
                (_, "ddq") => ddq.clone(),
                (_, "ddq_dq") => -(&minv * named(&id, "dtau_dq")),
                (_, "ddq_dv") => -(&minv * named(&id, "dtau_dv")),
                _ => x,
            };
            (name, value)
        });
        assert_same(function.name(), &got, &expected.collect());
    });
}

/// Damping opposes velocity, in every function that has one.
#[test]
fn damping_opposes_velocity() {
    let (damped, (_, model)) = (Interpreted::variant("damping"), original());
    let d = DMatrix::from_fn(model.nv, model.nv, |i, j| if i == j { model.bodies[i].damping } else { 0.0 });
    assert!(d.trace() > 0.1);
    for_states(|robot, function, x| {
        let v = DMatrix::from_column_slice(model.nv, 1, &x.v);
        // The torque that remains for the joints without friction.
        let left = DMatrix::from_column_slice(model.nv, 1, &x.tau) - &d * &v;
        let weaker = Inputs { tau: left.as_slice().to_vec(), ..x.clone() };
        let minv = robot.run(Function::Minv, x).swap_remove(0).1;
        let expected = robot.run(function, &weaker).into_iter().map(|(name, x)| {
            let value = match (function, name) {
                (Function::Gravity, _) => x,
                (_, "tau") => x + &d * &v,
                (_, "dtau_dv") => x + &d,
                (_, "ddq_dv") => x - &minv * &d,
                _ => x,
            };
            (name, value)
        });
        assert_same(function.name(), &damped.run(function, x), &expected.collect());
    });
}

/// Without gravity no torque is needed at rest, exactly, and the configuration does not matter.
///
/// Gravity is an acceleration of the ground: the torques without gravity plus the reference's
/// torques of the field are the usual torques.
#[test]
fn gravity_is_an_option() {
    let (weightless, (robot, model)) = (Interpreted::variant("weightless"), original());
    assert_eq!(weightless.model().gravity, Vector3::zeros());
    for_states(|_, function, x| {
        let at_rest = Inputs { v: vec![0.0; model.nv], a: vec![0.0; model.nv], ..x.clone() };
        match function {
            Function::Gravity | Function::Bias | Function::Rnea => {
                let tau = weightless.run(function, &at_rest).swap_remove(0).1;
                assert!(tau.iter().all(|x| *x == 0.0), "{}: {tau}", function.name());
            }
            Function::RneaDerivatives => {
                let d = weightless.run(function, &at_rest);
                assert!(named(&d, "dtau_dq").iter().all(|x| *x == 0.0));
            }
            _ => {}
        }
        // The rest of the bias is gravity's.
        let without = weightless.run(Function::Bias, x).swap_remove(0).1;
        let gravity = robot.run(Function::Gravity, x).swap_remove(0).1;
        let bias = robot.run(Function::Bias, x).swap_remove(0).1;
        assert!(error(&(without + &gravity), &bias, 1.0) < 1e-12);
        assert!(gravity.amax() > 1.0);
    });
}

/// Mimic joints are the chain rule: with the whole `q = G q_r + c`, everything is contracted by G.
#[test]
fn mimic_joints_are_a_contraction() {
    let (followed, (robot, model)) = (Interpreted::variant("mimic"), original());
    let reduced = followed.model();
    assert_eq!(reduced.nv + MIMIC.len(), model.nv);
    let place = |m: &Model<f64>, name: &str| m.bodies.iter().find(|b| b.joint == name).unwrap().idx_v;
    let mut g = DMatrix::zeros(model.nv, reduced.nv);
    let mut c = DMatrix::zeros(model.nv, 1);
    for b in &model.bodies {
        let rule = MIMIC.iter().find(|m| m.0 == b.joint);
        let (leader, multiplier, offset) = rule.map_or((&*b.joint, 1.0, 0.0), |m| (m.1, m.2, m.3));
        g[(b.idx_v, place(&reduced, leader))] = multiplier;
        c[b.idx_v] = offset;
    }
    for seed in 0..4 {
        let x = inputs(&random_state(&reduced, seed));
        let full = |x: &[f64]| &g * DMatrix::from_column_slice(reduced.nv, 1, x);
        let list = |x: DMatrix<f64>| x.as_slice().to_vec();
        let whole = |a: &[f64]| Inputs {
            q: list(full(&x.q) + &c),
            v: list(full(&x.v)),
            a: list(full(a)),
            tau: Vec::new(),
            fext: Vec::new(),
        };
        let t = g.transpose();
        let run = |function, a: &[f64]| robot.run(function, &whole(a));
        let one = |function| &t * run(function, &x.a).swap_remove(0).1;
        let m = one(Function::Crba) * &g;
        let minv = m.clone().try_inverse().unwrap();
        let ddq = &minv * (DMatrix::from_column_slice(reduced.nv, 1, &x.tau) - one(Function::Bias));
        let contracted = |a: &[f64], name: &str| &t * named(&run(Function::RneaDerivatives, a), name) * &g;
        for function in followed.functions() {
            let expected = match function {
                Function::Crba => vec![("m", m.clone())],
                Function::Minv => vec![("minv", minv.clone())],
                Function::Aba => vec![("ddq", ddq.clone())],
                Function::RneaDerivatives => vec![
                    ("tau", one(Function::Rnea)),
                    ("dtau_dq", contracted(&x.a, "dtau_dq")),
                    ("dtau_dv", contracted(&x.a, "dtau_dv")),
                    ("dtau_da", m.clone()),
                ],
                Function::AbaDerivatives => vec![
                    ("ddq", ddq.clone()),
                    ("ddq_dq", -(&minv * contracted(ddq.as_slice(), "dtau_dq"))),
                    ("ddq_dv", -(&minv * contracted(ddq.as_slice(), "dtau_dv"))),
                    ("ddq_dtau", minv.clone()),
                ],
                _ => vec![("tau", one(function))],
            };
            assert_same(function.name(), &followed.run(function, &x), &expected);
        }
    }
}
