//! Compiled code against the generic reference.

use crate::common::{assert_agree, error, everyone, inputs};
use crate::interpreter;
use generated_tests::trees::{compiled, trees};
use generated_tests::variants::variants;
use generated_tests::{OUT_DIR, random};
use rbd_runtime::random::random_state;
use rbd_runtime::{JointKind, Model};
use std::path::Path;

/// Every function of every compiled robot at random states.
#[test]
fn compiled_functions_agree_with_the_reference() {
    for robot in everyone() {
        let model = (robot.model)();
        for seed in 0..4 {
            let state = random_state(&model, seed);
            let m = model.crba(state.q.as_slice());
            for function in robot.functions() {
                let what = format!("{}, state {seed}", robot.name);
                let expected = interpreter::reference(function, &model, &state);
                assert_agree(&what, function, &robot.run(function, &inputs(&state)), &expected, &m, 0.0);
            }
        }
    }
}

/// A compiled robot's own model is the one that its URDF describes, bit for bit.
#[test]
fn the_model_in_the_code_is_the_model_of_the_file() {
    for tree in trees().iter().chain(&variants()).filter(|tree| compiled(&tree.stem)) {
        let read =
            tree.robot(Path::new(OUT_DIR)).read().expect("the file that code was generated from").model;
        assert_eq!((random::named(&tree.stem).model)(), read, "{}", tree.stem);
    }
}

/// `JOINTS` agrees with the model.
#[test]
fn joints_are_those_of_the_model() {
    for robot in everyone() {
        let (model, joints) = ((robot.model)(), (robot.joints)());
        assert_eq!(joints.len(), model.bodies.len());
        assert_eq!(joints.iter().map(|j| j.nq).sum::<usize>(), model.nq);
        assert_eq!(joints.iter().map(|j| j.nv).sum::<usize>(), model.nv);
        for (joint, body) in joints.iter().zip(&model.bodies) {
            assert_eq!((joint.name, joint.kind, joint.parent), (&*body.joint, body.kind, body.parent));
            assert_eq!((joint.idx_q, joint.idx_v, joint.mimic), (body.idx_q, body.idx_v, body.mimic));
            let limits = [joint.lower, joint.upper, joint.velocity, joint.effort];
            let l = body.limits;
            assert_eq!(limits, [l.lower, l.upper, l.velocity, l.effort]);
        }
    }
}

/// Manifold operations of the compiled robot are the reference's.
#[test]
fn neutral_integrate_and_difference_agree_with_the_reference() {
    for robot in everyone() {
        let model = (robot.model)();
        assert_eq!((robot.neutral)(), model.neutral().as_slice(), "{}", robot.name);
        for seed in 0..4 {
            let (from, to) = (random_state(&model, seed), random_state(&model, seed + 50));
            let column = |x: &[f64]| nalgebra::DMatrix::from_column_slice(x.len(), 1, x);
            let got = (robot.integrate)(from.q.as_slice(), from.v.as_slice());
            let expected = model.integrate(from.q.as_slice(), from.v.as_slice());
            assert!(error(&column(&got), &column(expected.as_slice()), 1.0) < 1e-14, "{}", robot.name);
            let got = (robot.difference)(from.q.as_slice(), to.q.as_slice());
            let expected = model.difference(from.q.as_slice(), to.q.as_slice());
            assert!(error(&column(&got), &column(expected.as_slice()), 1.0) < 1e-13, "{}", robot.name);
        }
    }
}

/// The compiled random trees have the features they are meant to have: tests of missing features
/// would show nothing.
#[test]
fn random_trees_have_everything() {
    let models: Vec<Model<f64>> = random::ALL.iter().map(|r| (r.model)()).collect();
    let any = |test: &dyn Fn(&Model<f64>) -> bool| models.iter().any(test);
    for kind in [
        JointKind::Revolute,
        JointKind::Continuous,
        JointKind::Prismatic,
        JointKind::Planar,
        JointKind::Spherical,
        JointKind::Floating,
    ] {
        assert!(any(&|m| m.bodies.iter().skip(1).any(|b| b.kind == kind)), "{kind:?}");
    }
    assert!(any(&|m| m.bodies[0].joint == "root_joint"));
    assert!(models.iter().filter(|m| m.bodies.iter().any(|b| b.mimic.is_some())).count() >= 2);
    // Of the others, which are interpreted. A locked joint of the quadruped is compiled
    // (`front_ends`).
    assert!(trees().iter().filter(|t| !t.lock.is_empty()).count() >= 2);
    assert!(any(&|m| m.damping_enters && m.bodies.iter().any(|b| b.damping > 0.0)));
    assert!(any(&|m| m.bodies.iter().any(|b| b.armature > 0.0 && b.mimic.is_some())));
}
