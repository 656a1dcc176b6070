//! Steps with friction, as functions of Python. Surfaces are arrays with a row for each contact.

use crate::array::tuple;
use crate::call::Computes;
use crate::contacts::{Held, doc_of};
use crate::layout::Layout;
use crate::parameters::{Given, parameters};
use crate::real::Real;
use crate::table::{ChosenBy, Item, Variant};
use rbd_build::signature::Sizes;
use rbd_jit::{
    ContactMode, ContactSurface, Error, FrictionGiven, FrictionIterations, FrictionJoints, FrictionMore,
    FrictionOut, FrictionReport, FrictionResiduals, JointContacts, Loaded, Number, ReferenceFrame, Workspace,
};

/// A step with friction, and what is computed beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfFriction {
    /// The step alone.
    Step,
    /// The step and its derivatives.
    Derivatives,
    /// The step with friction and limits of joints.
    Joints,
    /// The step with friction and limits of joints, and its derivatives.
    JointDerivatives,
}

impl OfFriction {
    fn has_derivatives(self) -> bool {
        matches!(self, Self::Derivatives | Self::JointDerivatives)
    }

    fn has_joints(self) -> bool {
        matches!(self, Self::Joints | Self::JointDerivatives)
    }
}

/// All steps with friction: names, and classes of results.
pub const ALL: [(&str, &str, OfFriction); 4] = [
    ("friction_step", "FrictionStep", OfFriction::Step),
    ("friction_step_derivatives", "FrictionStepDerivatives", OfFriction::Derivatives),
    ("friction_step_with_joints", "JointFrictionStep", OfFriction::Joints),
    ("friction_step_with_joints_derivatives", "JointFrictionStepDerivatives", OfFriction::JointDerivatives),
];

/// Returns whether a function is a step with friction.
pub fn is_one(name: &str) -> bool {
    ALL.iter().any(|(other, ..)| *other == name)
}

/// The argument of the last step's impulses on joints.
pub const LAST_JOINTS: &str = "last_joints";

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

const BY: &str = "Derivatives go through the modes of contacts and joints, in the tangent spaces of the old and the new state. \
                  Surfaces do not move.";
const WITH_JOINTS: &str = "Dry friction and limits of joints are in the problem.";

/// Names of the step's results.
const FIELDS: [&str; 7] = ["q", "v", "impulses", "modes", "converged", "residuals", "iterations"];

/// Derivatives, with what their rows are of: positions, velocities, impulses, or those on coordinates.
const BLOCKS: [(&str, &str); 12] = [
    ("dq_dq", "of the next configuration by the configuration"),
    ("dq_dv", "of the next configuration by the velocity; s"),
    ("dq_dtau", "of the next configuration by the torques"),
    ("dv_dq", "of the next velocity by the configuration; 1/s"),
    ("dv_dv", "of the next velocity by the velocity"),
    ("dv_dtau", "of the next velocity by the torques"),
    ("impulses_dq", "of the impulses by the configuration"),
    ("impulses_dv", "of the impulses by the velocity"),
    ("impulses_dtau", "of the impulses by the torques; s"),
    ("joints_dq", "of the impulses on the coordinates by the configuration"),
    ("joints_dv", "of the impulses on the coordinates by the velocity"),
    ("joints_dtau", "of the impulses on the coordinates by the torques; s"),
];

/// Names of the results, in order.
pub fn fields(of: OfFriction) -> Vec<&'static str> {
    let (joints, margin) = (of.has_joints().then_some("joints"), of.has_derivatives().then_some("margin"));
    let blocks = match of {
        OfFriction::Step | OfFriction::Joints => &[][..],
        OfFriction::Derivatives => &BLOCKS[..9],
        OfFriction::JointDerivatives => &BLOCKS,
    };
    let [q, v, rest @ ..] = FIELDS;
    let blocks = blocks.iter().map(|(name, _)| *name);
    [q, v].into_iter().chain(blocks).chain(rest).chain(joints).chain(margin).collect()
}

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

/// Arguments by keyword of joints: names, meanings.
const JOINTS: [(&str, &str); 4] = [
    ("joint_friction", "largest dry friction of each coordinate, 0 for none; N m, N, by default the URDF's"),
    (
        "to_lower",
        "distance from the lower limit, infinite for none; rad, m. NaN, the default: from the URDF's",
    ),
    (
        "to_upper",
        "distance from the upper limit, infinite for none; rad, m. NaN, the default: from the URDF's",
    ),
    (LAST_JOINTS, "impulses of the last step on the coordinates, if `last` is not what it returned"),
];

/// The functions of a robot that has them.
pub fn items<T: Number>(robot: &Loaded<T>) -> Vec<Item> {
    match robot.friction_is_there() {
        Ok(()) => ALL.iter().map(|(name, class, of)| item(robot, name, class, *of)).collect(),
        Err(_) => Vec::new(),
    }
}

fn item<T: Number>(robot: &Loaded<T>, name: &str, class: &str, of: OfFriction) -> Item {
    let contacts = robot.contacts();
    let nr = contacts.iter().map(|contact| contact.rows.len()).sum();
    let sizes = Sizes { nc: contacts.len(), nr, ..Sizes::from(robot.model()) };
    let Sizes { nq, nv, nc, .. } = sizes;
    let repeated = |layout: Layout| Layout { is_repeated: true, ..layout };
    let more = [of.has_joints().then_some(WITH_JOINTS), of.has_derivatives().then_some(BY)];
    let mut lines = Vec::new();
    for text in [DOC].into_iter().chain(more.into_iter().flatten()).chain([EQUATION]) {
        lines.extend([text.to_owned(), String::new()]);
    }
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
    if of.has_joints() {
        let mut of_urdf = JointContacts::default();
        let fits = robot.joint_contacts(&vec![T::zero(); nq], &mut of_urdf);
        fits.expect("it has the robot's length");
        let rubs = of_urdf.friction.iter().map(|x| x.double()).collect();
        let joints = [rubs, vec![f64::NAN; nv], vec![f64::NAN; nv], vec![0.0; nv]];
        for ((name, doc), default) in JOINTS.into_iter().zip(joints) {
            lines.push(format!("- `{name}`, {}: {doc}", tuple(&[nv])));
            let layout = Layout::flat(name, &[nv]);
            takes.push(if name == LAST_JOINTS { layout } else { repeated(layout) });
            defaults.push(default);
        }
    }
    let given = Given::of(robot, sizes);
    takes.extend(given.takes);
    defaults.extend(given.defaults);
    lines.extend(given.lines);
    lines.extend(KEYWORDS.map(|name| format!("- `{name}`: {}", doc_of(name))));
    let mut gives = Vec::new();
    for name in fields(of) {
        let known = match name {
            "q" => Some((vec![nq], None, "next configuration; rad, m")),
            "v" => Some((vec![nv], None, "next velocity; rad/s, m/s")),
            "impulses" => {
                Some((vec![nr], None, "of the world on the robot, row by row, in the world's axes; N s"))
            }
            "modes" => Some((vec![nc], Some("int8"), "of `rbd.ContactMode`: 0 open, 1 sticks, 2 slides")),
            "converged" => Some((vec![], Some("bool"), "whether all residuals are at most the tolerance")),
            "residuals" => {
                Some((vec![4], None, "signorini and coulomb (J), feasibility (m/s, N s), natural (no unit)"))
            }
            "iterations" => Some((
                vec![3],
                Some("int64"),
                "sweeps, Newton's steps, iterations of the method of multipliers",
            )),
            "margin" => {
                Some((vec![], None, "of the nearest contact from another mode: at 0 there is no derivative"))
            }
            "joints" => {
                Some((vec![nv], None, "impulses of friction and limits on the coordinates; N m s, N s"))
            }
            _ => None,
        };
        let (layout, doc) = match known {
            Some((shape, dtype, doc)) => (Layout { dtype, ..Layout::flat(name, &shape) }, doc),
            None => {
                let (name, doc) =
                    BLOCKS.into_iter().find(|(other, _)| *other == name).expect("it is a block");
                let rows = if name.starts_with("impulses") { nr } else { nv };
                (Layout::matrix(name, rows, nv), doc)
            }
        };
        lines.push(format!("- gives `{name}`, {}: {doc}", tuple(&layout.shape)));
        gives.push(layout);
    }
    let computes = Computes::Friction(of);
    Item {
        name: name.into(),
        doc: lines.join("\n"),
        takes,
        defaults,
        gives,
        result: Some(class.into()),
        variants: vec![Variant { computes, frame: String::new(), reference: ReferenceFrame::Local }],
        keywords: KEYWORDS.to_vec(),
        rollout: None,
        chosen_by: ChosenBy::Nothing,
    }
}

/// Computes one state.
pub fn call<T: Real>(
    of: OfFriction,
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
    let surfaces: Vec<Option<ContactSurface<T>>> = (0..distance.len())
        .map(|k| {
            let (distance, restitution, compliance) = (distance[k], restitution[k], compliance[k]);
            let normal = [normal[3 * k], normal[3 * k + 1], normal[3 * k + 2]].into();
            let surface = ContactSurface { normal, distance, friction: friction[k], restitution, compliance };
            distance.double().is_finite().then_some(surface)
        })
        .collect();
    let mut of_contacts = vec![ContactMode::Open; surfaces.len()];
    let (surfaces, settings) = (&surfaces[..], &held.friction);
    let state = FrictionGiven { q, v, tau, dt: *dt, surfaces, settings, start: Some(last) };
    let step = |given: &[&[T]], out: FrictionOut<'_, T>, work: &mut Workspace<T>| {
        robot.contacts_with(parameters(robot, given)).friction_step_in(work, state, out)
    };
    let modes = &mut of_contacts[..];
    let (report, said) = match (of, outputs) {
        (OfFriction::Step, [q, v, impulses, said @ ..]) => {
            let more = FrictionMore::Nothing;
            (step(given, FrictionOut { q, v, impulses, modes, more }, work)?, said)
        }
        (OfFriction::Derivatives, [q, v, a, b, c, d, e, f, g, h, i, impulses, said @ .., [margin]]) => {
            let more = FrictionMore::Derivatives { blocks: [a, b, c, d, e, f, g, h, i], margin };
            (step(given, FrictionOut { q, v, impulses, modes, more }, work)?, said)
        }
        (OfFriction::Joints, [q, v, impulses, said @ .., of_joints]) => {
            let limits = limits(robot, state.q, given)?;
            let (joints, given) = joints(&limits, given, of_joints);
            let more = FrictionMore::Joints(joints);
            (step(given, FrictionOut { q, v, impulses, modes, more }, work)?, said)
        }
        (
            OfFriction::JointDerivatives,
            [q, v, a, b, c, d, e, f, g, h, i, j, k, l, impulses, said @ .., of_joints, [margin]],
        ) => {
            let limits = limits(robot, state.q, given)?;
            let (joints, given) = joints(&limits, given, of_joints);
            let blocks = [a, b, c, d, e, f, g, h, i, j, k, l];
            let more =
                FrictionMore::JointDerivatives { joints, blocks: blocks.map(|block| &mut **block), margin };
            (step(given, FrictionOut { q, v, impulses, modes, more }, work)?, said)
        }
        _ => unreachable!("it has other results"),
    };
    write(&of_contacts, report, said);
    Ok(())
}

/// Distances from limits: those that are given, and those of the URDF where NaN is.
fn limits<T: Real>(robot: &Loaded<T>, q: &[T], given: &[&[T]]) -> Result<JointContacts<T>, Error> {
    let [_, to_lower, to_upper, ..] = given else {
        unreachable!("it has other arguments");
    };
    let mut of_urdf = JointContacts::default();
    robot.joint_contacts(q, &mut of_urdf)?;
    for (to, given) in [(&mut of_urdf.to_lower, to_lower), (&mut of_urdf.to_upper, to_upper)] {
        let given = to.iter_mut().zip(*given).filter(|(_, given)| !given.double().is_nan());
        given.for_each(|(to, given)| *to = *given);
    }
    Ok(of_urdf)
}

/// Friction and limits of joints, and the arguments that follow theirs.
fn joints<'a, 'g, T>(
    limits: &'a JointContacts<T>,
    given: &'g [&'a [T]],
    impulses: &'a mut [T],
) -> (FrictionJoints<'a, T>, &'g [&'a [T]]) {
    let [friction, _, _, last, rest @ ..] = given else {
        unreachable!("it has other arguments");
    };
    let given = [*friction, &limits.to_lower[..], &limits.to_upper];
    (FrictionJoints { given, start: Some(last), impulses }, rest)
}

/// Writes modes, and what the solver says.
fn write<T: Real>(of_contacts: &[ContactMode], report: FrictionReport<T>, said: &mut [&mut [T]]) {
    let [modes, [converged], residuals, iterations] = said else {
        unreachable!("it has other results");
    };
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
}
