//! Derivatives for CasADi by the coordinates of q, as CasADi asks for them, beside differences of what they
//! are derivatives of: of joints of every kind, with quaternions of any length.

use crate::c_compiler::{compilers, some};
use crate::steps::numbers;
use crate::{contact_paths, root};
use rbd_build::{Base, C, ContactKind, Function, Robot};
use rbd_runtime::Integrator;
use rbd_runtime::random::random_state;
use std::fmt::Write;

use Function as F;

const PROGRAM: &str = include_str!("casadi.c");

/// What is differentiated, by the function of this name with `jac_` before it.
const DIFFERENTIATED: [&str; 16] = [
    "aba",
    "rnea",
    "kinetic_energy",
    "gripped_frame_velocity",
    "adj1_aba",
    "adj1_rnea",
    "contact_dynamics",
    "contact_impulse",
    "contact_step",
    "step",
    "adj1_kinetic_energy",
    "adj1_step",
    "adj1_contact_dynamics",
    "adj1_contact_step",
    "integrate",
    "difference",
];

/// The program for these functions, as many of them as the text has, and the number of those.
fn program(robot: &str, text: &str, numbers: &[(&str, Vec<f64>)], frame: &str) -> (String, usize) {
    let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let mut given = String::new();
    for (name, x) in numbers {
        let _ = writeln!(given, "static const double of_{name}[] = {{{}}};", list(x));
    }
    given.push_str(
        "static const struct {\n    const char *name;\n    const double *numbers;\n} of_names[] = {\n",
    );
    for (name, _) in numbers {
        let _ = writeln!(given, "    {{\"{name}\", of_{name}}},");
    }
    given.push_str("};\n");
    let mut rows = String::new();
    let mut count = 0;
    for name in DIFFERENTIATED {
        let name = name.replace("gripped", frame);
        let own = match name.strip_prefix("adj1_") {
            Some(name) => format!("adj1_{robot}_casadi_{name}"),
            None => format!("{robot}_casadi_{name}"),
        };
        if !text.contains(&format!("int jac_{own}(")) {
            continue;
        }
        let question = text.contains(&format!("int {own}_diff_in("));
        let _ = write!(
            given,
            "function {own}, jac_{own};\ncount {own}_n_in, {own}_n_out;\nnaming {own}_name_in;\n\
             shape {own}_sparsity_in, {own}_sparsity_out, jac_{own}_sparsity_out;\n"
        );
        if question {
            let _ = writeln!(given, "question {own}_diff_in;");
        }
        let _ = writeln!(
            rows,
            "    {{\"{own}\", {own}, jac_{own}, {own}_n_in, {own}_n_out, {own}_name_in, {own}_sparsity_in, \
             {own}_sparsity_out, jac_{own}_sparsity_out, {}}},",
            if question { format!("{own}_diff_in") } else { "0".into() }
        );
        count += 1;
    }
    let _ = write!(given, "static const differentiated all[] = {{\n{rows}}};\n");
    (PROGRAM.replace("GIVEN", &given), count)
}

/// Every kind of joint, with quaternions that are no unit ones, held by a link.
///
/// On the way to the link `finger` a joint follows another, so that there are no Hessians under contacts.
fn joints(integrator: Integrator, held: &str) -> Robot {
    Robot::from_urdf(root().join("tests/step/joints.urdf"))
        .base(Base::Floating)
        .functions([
            F::Aba,
            F::AbaDerivatives,
            F::AbaHessian,
            F::Rnea,
            F::RneaDerivatives,
            F::RneaHessian,
            F::KineticEnergy,
            F::KineticEnergyDerivatives,
            F::FrameVelocity,
            F::FrameVelocityDerivatives,
        ])
        .frames(["kite"])
        .contact(held, ContactKind::Plane)
        .contact("kite", ContactKind::Point)
        .step(integrator)
}

fn limbs() -> Robot {
    contact_paths::robot("limbs_casadi").step(Integrator::SemiImplicit)
}

/// Of joints of one coordinate, held at its hand.
fn arm() -> Robot {
    let robot = Robot::from_urdf(root().join("robots/iiwa14.urdf")).functions([F::Aba, F::AbaDerivatives]);
    robot.contact("iiwa_link_7", ContactKind::Point).step(Integrator::SemiImplicit)
}

#[test]
fn derivatives_for_casadi_are_by_coordinates() {
    let all = [
        ("joints", joints(Integrator::SemiImplicit, "finger"), "kite", 12),
        ("joints", joints(Integrator::Explicit, "arm"), "kite", 14),
        ("iiwa14", arm(), "iiwa_link_7", 9),
        ("limbs", limbs(), "hand", 7),
    ];
    for &k in some(1, &[1, 0, 2, 3]) {
        let (name, robot, frame, expected) = &all[k];
        let made = robot.clone().plan(C { casadi: true, ..C::default() }).unwrap();
        let (model, nc) = (&made.model, made.contacts.len());
        let mut state = random_state(model, 3 + k as u64);
        let unit = state.q.clone();
        for body in model.bodies.iter().filter(|b| b.mimic.is_none() && b.kind.nq() > b.kind.nv()) {
            let at = body.idx_q + body.kind.nq() - 4;
            state.q.as_mut_slice()[at..at + 4].iter_mut().for_each(|x| *x *= 1.3);
        }
        // Placements of some sort, and one contact without an anchor.
        let mut anchors = vec![0.0; 12 * nc];
        anchors[..12].copy_from_slice(&[0.8, 0.6, 0.0, -0.6, 0.8, 0.0, 0.0, 0.0, 1.0, 0.1, -0.2, 0.3]);
        let seeds = (0..100).map(|k| f64::from((7 * k) % 11) / 5.0 - 1.0).collect();
        let numbers_of = [
            ("q", state.q.as_slice().to_vec()),
            ("v", state.v.as_slice().to_vec()),
            ("a", state.a.as_slice().to_vec()),
            ("tau", state.tau.as_slice().to_vec()),
            ("x", [state.q.as_slice(), state.v.as_slice()].concat()),
            ("u", state.tau.as_slice().to_vec()),
            ("dt", vec![0.03]),
            ("dv", state.a.as_slice().to_vec()),
            ("q0", state.q.as_slice().to_vec()),
            ("q1", random_state(model, 40).q.as_slice().to_vec()),
            ("active", vec![1.0; nc]),
            ("settings", vec![0.01, 7.0, 5.0, f64::from(k as u32 % 2)]),
            ("anchors", anchors),
            ("restitution", vec![0.4]),
            ("seeds", seeds),
        ];
        let files = made.files();
        let (main, count) = program(&made.name, &files[2].1, &numbers_of, frame);
        assert_eq!(count, *expected, "{name}");
        for compiler in compilers() {
            let found = numbers(compiler, &format!("coordinates_{k}_{compiler}"), &files, &main, &[]);
            let (errors, value) = found.split_at(count);
            println!("{name}: {errors:?}");
            assert!(errors.iter().all(|x| *x < 1e-8), "{name}, {compiler}: {errors:?}");
            // Functions are those of the quaternions' directions.
            let (q, v, tau) = (unit.as_slice(), state.v.as_slice(), state.tau.as_slice());
            let ddq = model.aba_derivatives(q, v, tau, None).ddq;
            if *name == "joints" {
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * (1.0 + b.abs());
                assert!(value.iter().zip(ddq.as_slice()).all(close), "{value:?} and not {ddq:?}");
            }
        }
    }
}

/// A quaternion of zeros, with which solvers begin, is no rotation.
#[test]
fn zeros_are_no_rotation() {
    let robot = Robot::from_urdf(root().join("tests/golden/body.urdf")).base(Base::Floating);
    let files = robot.functions([F::Aba]).plan(C { casadi: true, ..C::default() }).unwrap().files();
    let main = "#include <stdio.h>\n\
        int body_casadi_aba(const double **, double **, long long int *, double *, int);\n\
        int main(void)\n{\n    static const double one[7] = {0, 0, 0, 0, 0, 0, 1};\n    double x[2][6], *res[2] = {0, 0};\n    \
        const double *arg[3] = {0, 0, 0};\n    int k;\n    for (k = 0; k < 2; k++) {\n        res[0] = x[k];\n        \
        arg[0] = k ? one : 0;\n        if (body_casadi_aba(arg, res, 0, 0, 0)) return 1;\n    }\n    \
        for (k = 0; k < 6; k++) printf(\"%.17g\\n%.17g\\n\", x[0][k], x[1][k]);\n    return 0;\n}\n";
    for compiler in compilers() {
        let found = numbers(compiler, &format!("zeros_{compiler}"), &files, main, &[]);
        assert!(found.len() == 12 && found.iter().any(|x| *x != 0.0));
        assert!(found.chunks(2).all(|pair| pair[0] == pair[1]), "{found:?}");
    }
}
