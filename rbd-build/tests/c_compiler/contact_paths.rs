//! Contacts and closed loops with unusual paths, and in `float`, against the runtime on the
//! reference's matrices.

use crate::contacts::{Asked, Contacts, error, expected, found, frame, program};
use nalgebra::{Rotation3, Vector3};
use rbd_build::{C, Function, Generated, Robot, Shape};
use rbd_runtime::contact::ContactSettings;
use rbd_runtime::random::{State, random_state};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactAxes, ContactKind, Model};
use std::fmt::Write;

/// Degrees of freedom and bodies of [`robot`].
pub const NV: usize = 9;
pub const NB: usize = 10;
/// Number of contacts: a foot, the hand on the world, and the hand on the foot's limb.
pub const NC: usize = 3;
pub const NR: usize = 12;

/// Two limbs on a base that is the world. In the longer one a joint follows the one before the one
/// before it, backwards.
pub fn robot(file: &str) -> Robot {
    let mut text = String::from("<robot name=\"limbs\"><link name=\"base\"/>");
    let joint = |text: &mut String, parent: &str, name: &str, kind: &str, axis: &str, mimic: &str| {
        let _ = write!(
            text,
            "<link name=\"{name}\"><inertial><origin xyz=\"0.1 0.05 -0.1\"/><mass value=\"1.3\"/>\
             <inertia ixx=\"0.2\" iyy=\"0.3\" izz=\"0.25\" ixy=\"0.03\" ixz=\"0.02\" iyz=\"0.01\"/></inertial></link>\
             <joint name=\"to_{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{name}\"/>\
             <origin xyz=\"0.3 -0.2 0.4\" rpy=\"0.3 0.2 -0.4\"/><axis xyz=\"{axis}\"/>{mimic}\
             <limit effort=\"9\" velocity=\"9\" lower=\"-9\" upper=\"9\"/></joint>"
        );
    };
    let follows = "<mimic joint=\"to_a0\" multiplier=\"-0.7\" offset=\"0.2\"/>";
    for (k, (kind, axis, mimic)) in [
        ("revolute", "0 0 1", ""),
        ("revolute", "0 1 0", ""),
        ("revolute", "1 0 0", follows),
        ("prismatic", "0 0.6 0.8", ""),
        ("revolute", "0 1 0", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let parent = if k == 0 { "base".into() } else { format!("a{}", k - 1) };
        joint(&mut text, &parent, &format!("a{k}"), kind, axis, mimic);
    }
    for k in 0..5 {
        let parent = if k == 0 { "base".into() } else { format!("b{}", k - 1) };
        joint(&mut text, &parent, &format!("b{k}"), "continuous", ["1 0 0", "0 1 0", "0 0 1"][k % 3], "");
    }
    for (name, on) in [("hand", "a4"), ("foot", "b4"), ("pedestal", "base"), ("shin", "b2")] {
        let _ = write!(
            text,
            "<link name=\"{name}\"/><joint name=\"fix_{name}\" type=\"fixed\"><parent link=\"{on}\"/>\
             <child link=\"{name}\"/><origin xyz=\"0.1 0.2 0.3\" rpy=\"0.5 -0.3 0.2\"/></joint>"
        );
    }
    text += "</robot>";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{file}.urdf"));
    std::fs::write(&file, text).unwrap();
    Robot::from_urdf(file)
        .name("limbs")
        .shape(Shape::Loops)
        .functions([Function::Rnea])
        .contact("foot", ContactKind::Point)
        .closed_loop("hand on the world", ["hand", "pedestal"], ContactKind::Plane)
        .closed_loop("hand on a limb", ["hand", "shin"], ContactKind::Point)
}

pub fn contacts(model: &Model<f64>) -> Contacts<NC> {
    let of = |name| frame(model, name);
    (
        [
            (of("foot"), ContactKind::Point),
            (of("hand"), ContactKind::Plane),
            (of("hand"), ContactKind::Point),
        ],
        [None, Some(of("pedestal")), Some(of("shin"))],
    )
}

/// Checks each set of contacts that the robot can hold, with each compiler, to this fraction of the
/// largest entry. `parameters` are inertias and the model's gravity as arguments, if any.
fn check(name: &str, c: &Generated, model: &Model<f64>, real: &str, tolerance: f64, given: &[f64]) {
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    let contacts = contacts(model);
    let states: Vec<State> = (0..4).map(|seed| random_state(model, seed + 3)).collect();
    let turned = Rotation3::new(Vector3::new(0.2, -0.5, 0.1)).into_inner();
    let anchor = Placement { rotation: turned, translation: Vector3::new(0.3, 0.4, 0.9) };
    let exact = ContactSettings::default();
    let world = exact.in_axes(ContactAxes::LocalWorldAligned);
    let asked = [
        (&states[0], [true, true, true], exact.proximal(0.05, 1)),
        (&states[1], [true, false, false], world.baumgarte(4.0, 3.0, [Some(anchor); NC])),
        (&states[2], [true, true, false], exact.proximal(0.05, 2).baumgarte(4.0, 3.0, [None; NC])),
        (&states[3], [true, false, true], exact.proximal(0.02, 1)),
        (&states[0], [false, true, false], exact.proximal(0.1, 1)),
    ]
    .map(|(state, active, settings)| Asked { state, active, settings });
    let mut main = program::<NV, NC, NR>(c, real, &asked);
    if !given.is_empty() {
        for function in [
            "contact_dynamics_derivatives",
            "contact_dynamics",
            "contact_impulse",
            "contact_impulse_derivatives",
            "contact_inverse_dynamics",
            "contact_inverse_dynamics_in",
            "delassus",
            "delassus_in",
        ] {
            main = main.replace(&format!("limbs_{function}("), &format!("limbs_{function}_with(&given, "));
        }
        let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        let (inertia, gravity) = (list(given), list(model.gravity.as_slice()));
        let given = format!("static const limbs_parameters_t given = {{{{{inertia}}}, {{{gravity}}}}};\n");
        main = main.replace("static void show", &(given + "static void show"));
    }
    for (compiler, numbers) in found(name, c, &main, "-O0") {
        let mut from = 0;
        for (k, asked) in asked.iter().enumerate() {
            for (name, expected) in expected::<NV, NB, NC, NR>(model, &contacts, asked) {
                let numbers = &numbers[from..from + expected.len()];
                let error = error(numbers, &expected, if name == "residual" { 1e3 } else { 1e-9 });
                assert!(error <= tolerance, "{compiler}, {k}, {name}: {error:e}");
                from += expected.len();
            }
        }
        assert_eq!(from, numbers.len(), "{compiler}");
    }
}

/// A closed loop with the world; on its path, and on another's, a joint that follows another.
#[test]
fn closed_loops_with_the_world_and_mimic_joints() {
    let c = robot("limbs").plan(C::default()).unwrap();
    assert!(c.model.bodies.iter().any(|body| body.mimic.is_some()));
    let pedestal = frame(&c.model, "pedestal");
    assert_eq!(c.model.frames[pedestal].body, None, "it is the world's");
    check("contact_paths", &c, &c.model, "double", 1e-10, &[]);
}

/// To some eighty units of rounding.
#[test]
fn in_single_precision() {
    let c = robot("limbs_float").plan(C { float: true, casadi: false, ..C::default() }).unwrap();
    check("contact_float", &c, &c.model, "float", 1e-5, &[]);
}

/// With other inertias and another gravity at run time, and with those of the URDF.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_parameters() {
    let given = || robot("limbs_given").inertia_at_run_time(["a3", "b1"]).gravity_at_run_time(true);
    let c = given().plan(C::default()).unwrap();
    check("contact_default", &c, &c.model, "double", 1e-10, &[]);
    let mut other = c.model.clone();
    let mut numbers = Vec::new();
    for (k, inertia) in c.model.run_time.inertias.iter().enumerate() {
        let to = &mut other.bodies[inertia.body].inertia;
        to.mass *= 1.7;
        to.h *= 0.6 + k as f64;
        to.j *= 1.9;
        numbers.extend(to.parameters());
    }
    other.gravity = Vector3::new(0.3, -1.0, -4.0);
    check("contact_given", &c, &other, "double", 1e-10, &numbers);
    // Of gravity alone neither impacts nor the Delassus matrix are functions.
    let c = robot("limbs_gravity").gravity_at_run_time(true).plan(C::default()).unwrap();
    let header = &c.files()[0].1;
    assert!(header.contains("limbs_contact_dynamics_with(") && !header.contains("limbs_delassus_with("));
}
