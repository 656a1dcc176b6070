//! Steps for acados by coordinates, free and under contacts: beside the robot's own step, and derivatives
//! beside differences of fourth order.

use crate::c_compiler::{compilers, some};
use crate::contact_steps::held_by;
use crate::root;
use crate::steps::{list, numbers};
use rbd_build::{Base, C, ContactKind, Robot, Shape};
use rbd_runtime::Integrator;
use rbd_runtime::random::random_state;
use std::fmt::Write;

const PROGRAM: &str = include_str!("acados.c");

fn check(name: &str, robot: &Robot) {
    let made = robot.plan(C { acados: true, ..C::default() }).unwrap();
    let (model, nc) = (&made.model, made.contacts.len());
    let state = random_state(model, 8);
    // Quaternions of another length count as their directions.
    let mut longer = state.q.clone();
    for body in model.bodies.iter().filter(|b| b.mimic.is_none() && b.kind.nq() > b.kind.nv()) {
        let at = body.idx_q + body.kind.nq() - 4;
        longer.as_mut_slice()[at..at + 4].iter_mut().for_each(|x| *x *= 1.3);
    }
    let active: Vec<f64> = (0..nc).map(|k| f64::from(k != 1)).collect();
    let mut anchors = vec![0.0; 12 * nc];
    anchors[..12].copy_from_slice(&[0.8, 0.6, 0.0, -0.6, 0.8, 0.0, 0.0, 0.0, 1.0, 0.1, -0.2, 0.3]);
    let p = [&[0.02][..], &active, &[0.01, 7.0, 5.0, 1.0], &anchors].concat();
    let mut given = format!("enum {{ NC = {nc} }};\n");
    for (name, x) in [("q", &state.q), ("longer", &longer), ("v", &state.v), ("u", &state.tau)] {
        let _ = writeln!(given, "static const double {name}[] = {{{}}};", list(x.as_slice()));
    }
    let _ = writeln!(given, "static const double p[] = {{{}}};", list(&p));
    let active: Vec<String> = active.iter().map(f64::to_string).collect();
    let main = PROGRAM
        .replace("GIVEN", &given)
        .replace("ACTIVE", &active.join(", "))
        .replace("ROBOT_N", &format!("{}_N", made.name.to_uppercase()))
        .replace("ROBOT", &made.name);
    let file = format!("{}.c", made.name);
    let files: Vec<_> = made.files().into_iter().filter(|(name, _)| *name != file).collect();
    for compiler in compilers() {
        let found =
            numbers(compiler, &format!("acados_{name}_{compiler}"), &files, &main, &["-DRBD_NO_BLASFEO"]);
        let [free, held] = [&found[..5], &found[5..]];
        for (kind, found) in [("free", free), ("held", held)] {
            println!("{name}, {kind}: {found:?}");
            assert!(found.len() == 5 && found[1] < 1e-12 && found[3] == 0.0, "{name}, {kind}: {found:?}");
            assert!(found[0] < 1e-12, "{name}, {kind}: {found:?}");
            assert!(found[2] < 1e-9 && found[4] < 1e-8, "{name}, {kind}: {found:?}");
        }
    }
}

#[test]
fn of_a_joint_of_every_kind() {
    for &integrator in some(1, &[Integrator::Rk4, Integrator::SemiImplicit, Integrator::ImplicitDamping]) {
        check(
            &format!("joints_{integrator:?}"),
            &held_by("arm", Base::Floating, integrator).shape(Shape::Loops),
        );
    }
}

/// Whose own functions are by coordinates already, and those under contacts are not.
#[test]
fn of_joints_of_one_coordinate() {
    for &integrator in some(1, &[Integrator::Explicit, Integrator::ImplicitDamping]) {
        let arm = Robot::from_urdf(root().join("robots/double_pendulum.urdf")).functions([]).damping(true);
        let arm = arm.contact("link1", ContactKind::Point).contact("link2", ContactKind::Point);
        check(&format!("arm_{integrator:?}"), &arm.step(integrator));
    }
}
