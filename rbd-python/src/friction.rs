//! The step with friction, as a function of Python. Surfaces are arrays with a row for each contact.

use crate::array::tuple;
use crate::call::Computes;
use crate::contacts::{Held, doc_of};
use crate::layout::Layout;
use crate::parameters::{Given, parameters};
use crate::real::Real;
use crate::table::{ChosenBy, Item, Variant};
use rbd_build::signature::Sizes;
use rbd_jit::{
    ContactMode, ContactSurface, Error, FrictionGiven, FrictionIterations, FrictionOut, FrictionResiduals,
    Loaded, Number, ReferenceFrame, Workspace,
};

/// Its name.
pub const NAME: &str = "friction_step";

/// The class of its results.
pub const RESULT: &str = "FrictionStep";

/// Keywords of the solver's settings.
const KEYWORDS: [&str; 8] = [
    "tolerance",
    "correction",
    "least_impact",
    "sweeps",
    "newton_steps",
    "admm_iterations",
    "rounds",
    "continuations",
];

const DOC: &str = "The state after a time `dt` under torques and contacts with friction, which push, stick and \
                   slide. The solver finds which contact does what. With `dt` 0 it is an impact.";
const EQUATION: &str = "M (v+ - v) = dt (tau - b) + J^T impulses, q+ = integrate(q, dt v+)";

/// Names of the results.
pub const FIELDS: [&str; 7] = ["q", "v", "impulses", "modes", "converged", "residuals", "iterations"];

/// Arguments by keyword that every robot takes: names, numbers of each contact (0 for one), meanings.
const SURFACES: [(&str, usize, &str); 4] = [
    ("normal", 3, "normal of each surface in the world, towards the robot; by default upwards"),
    ("restitution", 0, "velocity of separation over that of approach, 0 to 1; by default 0"),
    ("compliance", 0, "velocity by which a contact yields over its impulse; 1/kg, by default 0"),
    (
        "last",
        0,
        "what the last step returned, or its impulses, from which the solver begins; by default none",
    ),
];

/// The function of a robot that has it.
pub fn item<T: Number>(robot: &Loaded<T>) -> Option<Item> {
    robot.friction_is_there().ok()?;
    let (contacts, sizes) = (robot.contacts(), Sizes::from(robot.model()));
    let nr = contacts.iter().map(|contact| contact.rows.len()).sum();
    let sizes = Sizes { nc: contacts.len(), nr, ..sizes };
    let Sizes { nq, nv, nc, .. } = sizes;
    let repeated = |layout: Layout| Layout { is_repeated: true, ..layout };
    let mut lines = vec![DOC.to_owned(), String::new(), EQUATION.to_owned(), String::new()];
    let mut takes = Vec::new();
    let mut defaults = Vec::new();
    for (name, shape, doc) in [
        ("q", &[nq][..], "configuration; rad, m, unit quaternions x, y, z, w"),
        ("v", &[nv], "velocity; rad/s, m/s"),
        ("tau", &[nv], "joint torques and forces; N m, N"),
        ("dt", &[], "time; s"),
        (
            "distance",
            &[nc],
            "of each contact from its surface, negative inside; m. NaN or infinite: none is near",
        ),
        ("friction", &[nc], "coefficient of friction of each contact, from 0 on"),
    ] {
        lines.push(format!("- `{name}`, {}: {doc}", tuple(shape)));
        let layout = Layout::flat(name, shape);
        takes.push(if shape == [nc] && takes.len() > 3 { repeated(layout) } else { layout });
    }
    for (name, columns, doc) in SURFACES {
        let layout = match (name, columns) {
            ("last", _) => Layout::flat(name, &[nr]),
            (_, 0) => repeated(Layout::flat(name, &[nc])),
            _ => repeated(Layout::flat(name, &[nc, columns])),
        };
        lines.push(format!("- `{name}`, {}: {doc}", tuple(&layout.shape)));
        let up = if columns == 3 { [0.0, 0.0, 1.0].repeat(nc) } else { vec![0.0; layout.length] };
        takes.push(layout);
        defaults.push(up);
    }
    let given = Given::of(robot, sizes);
    takes.extend(given.takes);
    defaults.extend(given.defaults);
    lines.extend(given.lines);
    lines.extend(KEYWORDS.map(|name| format!("- `{name}`: {}", doc_of(name))));
    let mut gives = Vec::new();
    for (name, shape, dtype, doc) in [
        (FIELDS[0], &[nq][..], None, "next configuration; rad, m"),
        (FIELDS[1], &[nv], None, "next velocity; rad/s, m/s"),
        (FIELDS[2], &[nr], None, "of the world on the robot, row by row, in the world's axes; N s"),
        (FIELDS[3], &[nc], Some("int8"), "of `rbd.ContactMode`: 0 open, 1 sticks, 2 slides"),
        (FIELDS[4], &[], Some("bool"), "whether all residuals are at most the tolerance"),
        (FIELDS[5], &[4], None, "signorini and coulomb (J), feasibility (m/s, N s), natural (no unit)"),
        (FIELDS[6], &[3], Some("int64"), "sweeps, Newton's steps, iterations of the method of multipliers"),
    ] {
        lines.push(format!("- gives `{name}`, {}: {doc}", tuple(shape)));
        gives.push(Layout { dtype, ..Layout::flat(name, shape) });
    }
    let computes = Computes::Friction;
    Some(Item {
        name: NAME.into(),
        doc: lines.join("\n"),
        takes,
        defaults,
        gives,
        result: Some(RESULT.into()),
        variants: vec![Variant { computes, frame: String::new(), reference: ReferenceFrame::Local }],
        keywords: KEYWORDS.to_vec(),
        rollout: None,
        chosen_by: ChosenBy::Nothing,
    })
}

/// Computes one state.
pub fn call<T: Real>(
    robot: &Loaded<T>,
    work: &mut Workspace<T>,
    held: &Held<T>,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) -> Result<(), Error> {
    let [q, v, tau, [dt], distance, friction, normal, restitution, compliance, last, given @ ..] = inputs
    else {
        unreachable!("it has other arguments");
    };
    let [next_q, next_v, impulses, modes, [converged], residuals, iterations] = outputs else {
        unreachable!("it has other results");
    };
    let surfaces: Vec<Option<ContactSurface<T>>> = (0..distance.len())
        .map(|k| {
            let (distance, restitution, compliance) = (distance[k], restitution[k], compliance[k]);
            let normal = [normal[3 * k], normal[3 * k + 1], normal[3 * k + 2]].into();
            let surface = ContactSurface { normal, distance, friction: friction[k], restitution, compliance };
            distance.double().is_finite().then_some(surface)
        })
        .collect();
    let robot = robot.contacts_with(parameters(robot, given));
    let mut of_contacts = vec![ContactMode::Open; surfaces.len()];
    let (surfaces, settings) = (&surfaces[..], &held.friction);
    let given = FrictionGiven { q, v, tau, dt: *dt, surfaces, settings, start: Some(last) };
    let out = FrictionOut { q: next_q, v: next_v, impulses, modes: &mut of_contacts };
    let report = robot.friction_step_in(work, given, out)?;
    let number = |n: usize| T::from_f64(n as f64);
    for (to, mode) in modes.iter_mut().zip(of_contacts) {
        *to = number(match mode {
            ContactMode::Open => 0,
            ContactMode::Stick => 1,
            ContactMode::Slide => 2,
        });
    }
    *converged = number(usize::from(report.converged));
    let FrictionResiduals { signorini, coulomb, feasibility, natural } = report.residuals;
    residuals.copy_from_slice(&[signorini, coulomb, feasibility, natural]);
    let FrictionIterations { sweeps, newton, admm } = report.iterations;
    iterations.copy_from_slice(&[sweeps, newton, admm].map(number));
    Ok(())
}
