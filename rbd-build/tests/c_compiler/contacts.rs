//! Dynamics under contacts in C against the runtime's, on the reference's matrices, and against
//! Pinocchio's stored values.

#[path = "../../../rbd-runtime/tests/contacting/mod.rs"]
pub mod contacting;

use crate::c_compiler::{compilers, printed};
use crate::{robot, root};
use contacting::Padded;
use nalgebra::{Rotation3, SVector, Vector3};
use rbd_build::{Base, C, Function, Generated, Robot, Shape};
use rbd_runtime::contact::{self, ContactSettings};
use rbd_runtime::random::{State, random_state};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives,
    ContactKind, Model,
};
use std::fmt::Write;

const NV: usize = 18;
const NB: usize = 13;
pub const RESTITUTION: f64 = 0.4;

/// Requests at one state: masks, and settings of the contacts.
pub struct Asked<'a, const NC: usize> {
    pub state: &'a State,
    pub active: [bool; NC],
    pub settings: ContactSettings<f64, NC>,
}

/// Contacts, and the second frames of closed loops.
pub type Contacts<const NC: usize> = ([(usize, ContactKind); NC], [Option<usize>; NC]);

fn forces<const NR: usize>() -> SVector<f64, NR> {
    SVector::from_fn(|k, _| 20.0 * (1.3 * k as f64).sin())
}

/// Results of the runtime, by name.
pub fn expected<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    model: &Model<f64>,
    (contacts, second): &Contacts<NC>,
    asked: &Asked<'_, NC>,
) -> Vec<(&'static str, Vec<f64>)> {
    let Asked { state, active, settings } = asked;
    let at: Padded<'_, f64, NV, NB, NC> =
        Padded::closed(model, model, state.q.as_slice(), *contacts, *second);
    let [v, a, tau] = [&state.v, &state.a, &state.tau].map(|x| at.pad(x));
    let d: ContactDynamicsDerivatives<f64, NV, NR> = contact::derivatives(&at, &v, &tau, active, settings);
    let plain: ContactDynamics<f64, NV, NR> = contact::dynamics(&at, &v, &tau, active, settings);
    let hit: ContactImpulse<f64, NV, NR> = contact::impulse(&at, &v, active, RESTITUTION, settings);
    let axes = settings.axes;
    let of_hit: ContactImpulseDerivatives<f64, NV, NR> =
        contact::impulse_derivatives(&at, &v, active, RESTITUTION, settings);
    let jacobian: nalgebra::SMatrix<f64, NR, NV> = contact::jacobian_in(&at, active, axes);
    let delassus: nalgebra::SMatrix<f64, NR, NR> = contact::delassus_in(&at, active, axes);
    let errors: SVector<f64, NR> = contact::errors(&at, active, settings);
    let placements: [Placement<f64>; NC] = contact::placements(&at);
    let placements = placements.iter().flat_map(|p| {
        p.rotation.as_slice().iter().chain(p.translation.as_slice()).copied().collect::<Vec<_>>()
    });
    let of = |x: &[f64]| x.to_vec();
    vec![
        ("ddq", of(d.ddq.as_slice())),
        ("forces", of(d.forces.as_slice())),
        ("ddq_dq", of(d.ddq_dq.as_slice())),
        ("ddq_dv", of(d.ddq_dv.as_slice())),
        ("ddq_dtau", of(d.ddq_dtau.as_slice())),
        ("forces_dq", of(d.forces_dq.as_slice())),
        ("forces_dv", of(d.forces_dv.as_slice())),
        ("forces_dtau", of(d.forces_dtau.as_slice())),
        ("ddq", of(plain.ddq.as_slice())),
        ("forces", of(plain.forces.as_slice())),
        ("residual", of(plain.residual.as_slice())),
        ("v_plus", of(hit.v_plus.as_slice())),
        ("impulses", of(hit.impulses.as_slice())),
        ("tau", of(contact::inverse_dynamics_in(&at, &v, &a, &forces::<NR>(), axes).as_slice())),
        ("jacobian", of(jacobian.as_slice())),
        ("delassus", of(delassus.as_slice())),
        ("errors", of(errors.as_slice())),
        ("placements", placements.collect()),
        ("v_plus", of(of_hit.v_plus.as_slice())),
        ("impulses", of(of_hit.impulses.as_slice())),
        ("v_plus_dq", of(of_hit.v_plus_dq.as_slice())),
        ("v_plus_dv", of(of_hit.v_plus_dv.as_slice())),
        ("v_plus_drestitution", of(of_hit.v_plus_drestitution.as_slice())),
        ("impulses_dq", of(of_hit.impulses_dq.as_slice())),
        ("impulses_dv", of(of_hit.impulses_dv.as_slice())),
        ("impulses_drestitution", of(of_hit.impulses_drestitution.as_slice())),
    ]
}

/// A program that prints these results in this order; numbers are `double` or `float`.
pub fn program<const NV: usize, const NC: usize, const NR: usize>(
    c: &Generated,
    real: &str,
    all: &[Asked<'_, NC>],
) -> String {
    let list = |x: &[f64]| x.iter().map(|x| format!("({real}){x:?}")).collect::<Vec<_>>().join(", ");
    let p = &c.name;
    let mut text = format!(
        "#include \"{p}.h\"\n#include <stdio.h>\n\
         static void show(const {real} *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\
         static {p}_contact_dynamics_derivatives_t d;\nstatic {p}_contact_dynamics_t f;\n\
         static {p}_contact_impulse_t i;\nstatic {p}_contact_impulse_derivatives_t h;\nstatic {real} m[{}];\nstatic const {real} forces[] = {{{}}};\n",
        NR * NR + NR * NV + 12 * NC,
        list(forces::<NR>().as_slice())
    );
    let mut calls = String::new();
    for (k, Asked { state, active, settings }) in all.iter().enumerate() {
        for (name, x) in [("q", &state.q), ("v", &state.v), ("a", &state.a), ("u", &state.tau)] {
            let _ = writeln!(text, "static const {real} {name}{k}[] = {{{}}};", list(x.as_slice()));
        }
        let mut anchors = Vec::new();
        for (j, anchor) in settings.anchors.iter().enumerate() {
            anchors.push(match anchor {
                None => "0".into(),
                Some(at) => {
                    let numbers = [at.rotation.as_slice(), at.translation.as_slice()].concat();
                    let _ = writeln!(text, "static const {real} at{k}_{j}[] = {{{}}};", list(&numbers));
                    format!("at{k}_{j}")
                }
            });
        }
        let active = active.map(|x| u8::from(x).to_string()).join(", ");
        let ContactSettings { mu, iterations, kp, kd, axes, .. } = settings;
        let axes = *axes as u8;
        let _ = writeln!(
            text,
            "static const int active{k}[] = {{{active}}};\n\
             static const {p}_contact_settings_t s{k} = {{({real}){mu:?}, {iterations}, ({real}){kp:?}, ({real}){kd:?}, {{{}}}, {axes}}};",
            anchors.join(", ")
        );
        // Without settings where they are those by default.
        let s = if *settings == ContactSettings::default() { "0".into() } else { format!("&s{k}") };
        let show = |names: &[(&str, usize)]| -> String {
            names.iter().map(|(name, n)| format!("    show({name}, {n});\n")).collect()
        };
        let (n, r) = (NV, NR);
        // In the contacts' own axes by the plain functions.
        let (form, axes) = if axes == 0 { ("", String::new()) } else { ("_in", format!(", {axes}")) };
        let _ = write!(
            calls,
            "    (void)s{k};\n    {p}_contact_dynamics_derivatives(q{k}, v{k}, u{k}, active{k}, {s}, &d);\n{}    \
             {p}_contact_dynamics(q{k}, v{k}, u{k}, active{k}, {s}, &f);\n{}    \
             {p}_contact_impulse(q{k}, v{k}, active{k}, ({real}){RESTITUTION:?}, {s}, &i);\n{}    \
             {p}_contact_inverse_dynamics{form}(q{k}, v{k}, a{k}, forces{axes}, m);\n{}    \
             {p}_contact_jacobian{form}(q{k}, active{k}{axes}, m);\n{}    \
             {p}_delassus{form}(q{k}, active{k}{axes}, m);\n{}    \
             {p}_contact_errors(q{k}, active{k}, {s}, m);\n{}    \
             {p}_contact_placements(q{k}, m);\n{}    \
             {p}_contact_impulse_derivatives(q{k}, v{k}, active{k}, ({real}){RESTITUTION:?}, {s}, &h);\n{}",
            show(&[
                ("d.ddq", n),
                ("d.forces", r),
                ("d.ddq_dq", n * n),
                ("d.ddq_dv", n * n),
                ("d.ddq_dtau", n * n),
                ("d.forces_dq", r * n),
                ("d.forces_dv", r * n),
                ("d.forces_dtau", r * n),
            ]),
            show(&[("f.ddq", n), ("f.forces", r), ("f.residual", r)]),
            show(&[("i.v_plus", n), ("i.impulses", r)]),
            show(&[("m", n)]),
            show(&[("m", r * n)]),
            show(&[("m", r * r)]),
            show(&[("m", r)]),
            show(&[("m", 12 * NC)]),
            show(&[
                ("h.v_plus", n),
                ("h.impulses", r),
                ("h.v_plus_dq", n * n),
                ("h.v_plus_dv", n * n),
                ("h.v_plus_drestitution", n),
                ("h.impulses_dq", r * n),
                ("h.impulses_dv", r * n),
                ("h.impulses_drestitution", r),
            ]),
        );
    }
    text + &format!("int main(void)\n{{\n{calls}    return 0;\n}}\n")
}

/// Numbers that each compiler's program prints, by name.
pub fn found(name: &str, c: &Generated, main: &str, flag: &str) -> Vec<(&'static str, Vec<f64>)> {
    let run = |compiler: &'static str| {
        let text = printed(compiler, &format!("{name}_{compiler}"), &c.files(), main, &[flag]);
        let text = String::from_utf8(text).unwrap();
        (compiler, text.lines().map(|line| line.parse().unwrap_or(f64::NAN)).collect())
    };
    compilers().into_iter().map(run).collect()
}

/// Error relative to the largest entry, or to one of the same unit if all are nearly zero.
pub fn error(found: &[f64], expected: &[f64], least: f64) -> f64 {
    let largest = expected.iter().fold(least, |m: f64, x| m.max(x.abs()));
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
    // A NaN is the largest difference.
    differences.fold(0.0, |m, d| if d <= m { m } else { d })
}

pub fn frame(model: &Model<f64>, name: &str) -> usize {
    model.frames.iter().position(|f| f.name == name).expect("a frame")
}

/// Its matrices by loops over tables: they are traced in no time.
fn hyq() -> Robot {
    robot("hyq").base(Base::Floating).shape(Shape::Loops).functions([Function::Rnea])
}

/// Points and planes, two points and two frames of the robot that coincide. Each set of them is
/// held exactly, softly, by iterations, and pulled back.
#[test]
fn contacts_and_closed_loops() {
    const NC: usize = 4;
    const NR: usize = 18;
    let robot = hyq()
        .contact("lf_foot", ContactKind::Point)
        .contact("rf_foot", ContactKind::Plane)
        .closed_loop("hind legs", ["lh_foot", "rh_foot"], ContactKind::Point)
        .closed_loop("a leg and the trunk", ["rh_lowerleg", "trunk"], ContactKind::Plane);
    let c = robot.plan(C::default()).unwrap();
    let model = &c.model;
    let of = |name| frame(model, name);
    let contacts: Contacts<NC> = (
        [
            (of("lf_foot"), ContactKind::Point),
            (of("rf_foot"), ContactKind::Plane),
            (of("lh_foot"), ContactKind::Point),
            (of("rh_lowerleg"), ContactKind::Plane),
        ],
        [None, None, Some(of("rh_foot")), Some(of("trunk"))],
    );
    let turned = Rotation3::new(Vector3::new(0.4, -0.2, 0.3)).into_inner();
    let anchor = Placement { rotation: turned, translation: Vector3::new(0.1, 0.4, -0.2) };
    let exact = ContactSettings::default();
    let world = exact.in_axes(ContactAxes::LocalWorldAligned);
    let pulled = world.proximal(0.05, 1).baumgarte(9.0, 5.0, [Some(anchor), None, None, None]);
    let states: Vec<State> = (0..4).map(|seed| random_state(model, seed + 20)).collect();
    let asked = [
        (&states[0], [true; NC], exact.proximal(1e-3, 3)),
        (&states[1], [true, true, false, true], pulled),
        (&states[2], [false, true, true, false], exact.baumgarte(4.0, 4.0, [Some(anchor); NC])),
        (&states[3], [true, false, false, false], exact),
        (&states[2], [true, false, true, false], world),
        (&states[3], [false; NC], exact),
    ]
    .map(|(state, active, settings)| Asked { state, active, settings });
    let main = program::<NV, NC, NR>(&c, "double", &asked);
    for (compiler, numbers) in found("contacts", &c, &main, "-O0") {
        let mut from = 0;
        for (k, asked) in asked.iter().enumerate() {
            for (name, expected) in expected::<NV, NB, NC, NR>(model, &contacts, asked) {
                let numbers = &numbers[from..from + expected.len()];
                let error = error(numbers, &expected, if name == "residual" { 1e3 } else { 1e-9 });
                assert!(error <= 1e-10, "{compiler}, {k}, {name}: {error:e}");
                from += expected.len();
            }
        }
        assert_eq!(from, numbers.len(), "{compiler}");
    }
}

/// Pinocchio's `constraintDynamics`, their derivatives and `impulseDynamics`, four feet on the ground.
#[test]
fn as_pinocchio() {
    const NC: usize = 4;
    const NR: usize = 12;
    let text = std::fs::read_to_string(root().join("tests/values/contacts/hyq.floating.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    fn numbers(x: &serde_json::Value) -> Vec<f64> {
        match x {
            serde_json::Value::Array(list) => list.iter().flat_map(numbers).collect(),
            x => vec![x.as_f64().unwrap()],
        }
    }
    let list = |name: &str| nalgebra::DVector::from_vec(numbers(&stored[name]));
    let names: Vec<&str> =
        stored["contacts"].as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect();
    let c = hyq().snap(0.0).contacts(names).plan(C::default()).unwrap();
    let state = State { q: list("q"), v: list("v"), tau: list("tau"), ..random_state(&c.model, 0) };
    assert_eq!(stored["restitution"].as_f64(), Some(RESTITUTION));
    let anchor = Placement {
        translation: Vector3::from_iterator(numbers(&stored["anchor"])),
        ..Placement::identity()
    };
    let [kp, kd] = ["kp", "kd"].map(|name| stored[name].as_f64().unwrap());
    let settings = ContactSettings::default().baumgarte(kp, kd, [Some(anchor); NC]);
    let asked = [Asked { state: &state, active: [true; NC], settings }];
    let by_columns = |name: &str, rows: usize| {
        let x = numbers(&stored[name]);
        (0..rows * NV).map(|k| x[(k % rows) * NV + k / rows]).collect::<Vec<_>>()
    };
    for (compiler, found) in found("contacts_stored", &c, &program::<NV, NC, NR>(&c, "double", &asked), "-O0")
    {
        let mut from = 0;
        for (name, rows, columns) in [
            ("ddq", NV, 1),
            ("forces", NR, 1),
            ("ddq_dq", NV, NV),
            ("ddq_dv", NV, NV),
            ("ddq_dtau", NV, NV),
            ("forces_dq", NR, NV),
            ("forces_dv", NR, NV),
            ("forces_dtau", NR, NV),
            ("ddq", NV, 1),
            ("forces", NR, 1),
            ("", NR, 1),
            ("v_plus", NV, 1),
            ("impulses", NR, 1),
        ] {
            let n = rows * columns;
            if !name.is_empty() {
                let expected = if columns == 1 { numbers(&stored[name]) } else { by_columns(name, rows) };
                let error = error(&found[from..from + n], &expected, 1e-9);
                assert!(error <= 1e-10, "{compiler}, {name}: {error:e}");
            }
            from += n;
        }
    }
}
