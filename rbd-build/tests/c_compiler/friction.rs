//! The step with friction in C, of whole robots: a program that takes steps, what the runtime finds on the
//! reference's matrices, and how far a step is from momentum and from the laws of contact.

#[path = "../../../rbd-runtime/tests/contact_friction/laws.rs"]
pub mod laws;

use crate::c_compiler::{answered, compilers};
use crate::contacts::{Contacts, contacting::Padded};
use crate::steps::Given;
use nalgebra::{DMatrix, DVector, SMatrix, SVector, Vector3};
use rbd_build::{Base, Generated, Robot};
use rbd_runtime::contact::{self, ContactSettings, FrictionVelocities, Mechanics};
use rbd_runtime::friction::{ContactMode, ContactSurface, FrictionSettings};
use rbd_runtime::random::State;
use rbd_runtime::reference::{Data, bias, crba, frame_jacobian};
use rbd_runtime::{ContactKind, Model, ReferenceFrame};
use std::fmt::Write;

/// Numbers that C's `scanf` reads, one a line.
pub fn listed(numbers: &[f64]) -> String {
    numbers.iter().fold(String::new(), |mut text, x| {
        let _ = writeln!(text, "{x:?}");
        text
    })
}

/// A floating block of 3 kg, 0.4 m long, 0.2 m wide and 0.1 m high, whose corners are contacts, called
/// `points`.
pub fn points(corners: usize) -> Robot {
    let mut text = String::from(
        "<robot name=\"points\"><link name=\"block\"><inertial><mass value=\"3\"/>\
         <inertia ixx=\"0.0125\" iyy=\"0.0425\" izz=\"0.05\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>",
    );
    let sign = |k: usize| if k == 0 { 1.0 } else { -1.0 };
    for k in 0..corners {
        let [x, y, z] = [0.2 * sign(k & 1), 0.1 * sign(k >> 1 & 1), -0.05 * sign(k >> 2 & 1)];
        let _ = write!(
            text,
            "<link name=\"c{k}\"/><joint name=\"to_c{k}\" type=\"fixed\"><parent link=\"block\"/><child link=\"c{k}\"/>\
             <origin xyz=\"{x} {y} {z}\" rpy=\"{k} 0.4 -0.3\"/></joint>"
        );
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("points{corners}.urdf"));
    // Tests write it at the same time.
    let own = folder.join(format!("points{corners}_{:?}.urdf", std::thread::current().id()));
    std::fs::write(&own, text + "</robot>").unwrap();
    std::fs::rename(own, &file).unwrap();
    let robot = Robot::from_urdf(file).name("points").base(Base::Floating).functions([]);
    (0..corners).fold(robot, |robot, k| robot.contact(format!("c{k}"), ContactKind::Point))
}

/// Where the solver begins.
#[derive(Clone, Copy, PartialEq)]
pub enum From {
    Nothing,
    /// The result of another step.
    Last,
    /// The place of the result, which is that of the state too.
    Out,
}

/// A step that is asked for.
pub struct Asked<const NC: usize, const NR: usize> {
    pub state: State,
    pub dt: f64,
    pub surfaces: [Option<ContactSurface<f64>>; NC],
    /// None: a null pointer.
    pub settings: Option<FrictionSettings<f64>>,
    pub from: From,
    pub start: SVector<f64, NR>,
    /// Of a step with joints.
    pub joints: Option<OfJoints>,
}

/// Friction and limits of joints.
pub struct OfJoints {
    /// Friction, and distances from both limits. None: a null pointer, which stands for the URDF's.
    pub given: Option<[Vec<f64>; 3]>,
    /// Impulses on coordinates to begin with.
    pub start: Vec<f64>,
}

impl<const NC: usize, const NR: usize> Asked<NC, NR> {
    /// What the program reads.
    fn input(&self) -> String {
        let State { q, v, tau, .. } = &self.state;
        let mut text: String = [q, v, tau].map(|x| listed(x.as_slice())).concat() + &listed(&[self.dt]);
        for surface in &self.surfaces {
            text += &surface.map_or_else(
                || listed(&[0.0; 7]),
                |of| {
                    let [x, y, z] = of.normal.into();
                    listed(&[x, y, z, of.distance, of.friction, of.restitution, of.compliance])
                },
            );
        }
        let settings = self.settings.unwrap_or_default();
        let _ = writeln!(text, "{} {}", u8::from(self.settings.is_some()), self.from as u8);
        text += &listed(&[settings.tolerance, settings.correction]);
        text += &listed(self.start.as_slice());
        if let Some(OfJoints { given, start }) = &self.joints {
            let _ = writeln!(text, "{}", u8::from(given.is_some()));
            let none = || std::array::from_fn(|_| vec![0.0; start.len()]);
            text += &given.clone().unwrap_or_else(none).map(|numbers| listed(&numbers)).concat();
            text += &listed(start);
        }
        text
    }
}

/// A program that reads steps and prints their results: of steps with joints, and derivatives, if these are
/// asked for.
fn program(
    c: &Generated,
    real: &str,
    given: Option<&Given>,
    (with_joints, derivatives): (bool, bool),
) -> String {
    let (with, first) = if given.is_some() { ("_with", "&given, ") } else { ("", "") };
    let (function, kind, inner) = match with_joints {
        true => ("friction_step_with_joints", "joint_friction_step", ".step"),
        false => ("friction_step", "friction_step", ""),
    };
    let of_joints = match with_joints {
        true => {
            "if (scanf(\"%d\", &has_joints) != 1) return 1;
        take(joints.friction, NV), take(joints.to_lower, NV), take(joints.to_upper, NV), take(last.joints, NV);"
        }
        false => "",
    };
    let (of_derivatives, result, out) = match derivatives {
        true => ("_derivatives", "static PREFIX_KIND_derivatives_t out;\n#define next out.contacts", "out"),
        false => ("", "static PREFIX_KIND_t next;", "next"),
    };
    let blocks = [
        ("NV * NV", ["dq_dq", "dq_dv", "dq_dtau"]),
        ("NV * NV", ["dv_dq", "dv_dv", "dv_dtau"]),
        ("CONTACT_ROWS * NV", ["impulses_dq", "impulses_dv", "impulses_dtau"]),
        ("NV * NV", ["joints_dq", "joints_dv", "joints_dtau"]),
    ];
    let mut more = String::new();
    if derivatives {
        for (size, names) in &blocks[..if with_joints { 4 } else { 3 }] {
            names.iter().for_each(|name| more += &format!("show(out.{name}, {size}); "));
        }
        more += "show(&out.margin, 1);";
    }
    let text = PROGRAM
        .replace("MORE", &more)
        .replace("RESULT", result)
        .replace("OUT)", &format!("&{out})"))
        .replace("OF_JOINTS", of_joints)
        .replace("DECLARED", given.map_or("", |given| &given.declared))
        .replace("STEP(", &format!("PREFIX_{function}{of_derivatives}{with}({first}"))
        .replace("KIND", kind)
        .replace("JOINTS, ", if with_joints { "has_joints ? &joints : 0, " } else { "" })
        .replace("SHOWN", if with_joints { "next.joints" } else { "none" })
        .replace("INNER", inner);
    let guard = c.name.to_uppercase();
    let text = ["NQ", "NV", "NC", "CONTACT_ROWS"]
        .iter()
        .fold(text, |text, size| text.replace(size, &format!("{guard}_{size}")));
    text.replace("REAL", real).replace("PREFIX", &c.name)
}

const PROGRAM: &str = r#"
#include "PREFIX.h"
#include <stdio.h>
DECLARED
static PREFIX_KIND_t last;
RESULT
static PREFIX_joint_contacts_t joints;
static REAL none[NV];

static int take(REAL *to, int n)
{
    double x = 0;
    int i;
    for (i = 0; i < n && scanf("%lf", &x) == 1; i++) to[i] = (REAL)x;
    return i;
}

static void show(const REAL *x, int n)
{
    int i;
    for (i = 0; i < n; i++) printf("%.17g\n", (double)x[i]);
}

int main(void)
{
    REAL q[NQ], v[NV], tau[NV], dt = 0, numbers[7];
    PREFIX_contact_surface_t at[NC];
    PREFIX_friction_settings_t settings;
    int k, has_settings, from, has_joints = 0;
    (void)none, (void)joints, (void)has_joints;
    while (take(q, NQ)) {
        const PREFIX_friction_step_t *const found = &nextINNER;
        const PREFIX_friction_residuals_t *const r = &found->residuals;
        take(v, NV), take(tau, NV), take(&dt, 1);
        for (k = 0; k < NC; k++) {
            take(at[k].normal, 3), take(numbers, 4);
            at[k].distance = numbers[0], at[k].friction = numbers[1];
            at[k].restitution = numbers[2], at[k].compliance = numbers[3];
        }
        if (scanf("%d %d", &has_settings, &from) != 2) return 1;
        PREFIX_friction_settings(&settings);
        take(numbers, 2), take(lastINNER.impulses, CONTACT_ROWS);
        if (has_settings) settings.tolerance = numbers[0], settings.correction = numbers[1];
        OF_JOINTS
        if (from == 2) {
            next = last;
            for (k = 0; k < NQ; k++) nextINNER.q[k] = q[k];
            for (k = 0; k < NV; k++) nextINNER.v[k] = v[k];
        }
        STEP(from == 2 ? found->q : q, from == 2 ? found->v : v, tau, dt, at, JOINTS, has_settings ? &settings : 0,
             from == 2 ? &next : from ? &last : 0, OUT);
        show(found->q, NQ), show(found->v, NV), show(found->impulses, CONTACT_ROWS);
        for (k = 0; k < NC; k++) printf("%d\n", found->modes[k]);
        show(&r->signorini, 1), show(&r->coulomb, 1), show(&r->feasibility, 1), show(&r->natural, 1);
        printf("%lu\n%lu\n%lu\n", found->iterations.sweeps, found->iterations.newton, found->iterations.admm);
        printf("%d\n", found->converged);
        show(SHOWN, NV);
        MORE
    }
    return 0;
}
"#;

/// A result in C.
pub struct Found<const NV: usize, const NC: usize, const NR: usize> {
    pub q: Vec<f64>,
    pub v: SVector<f64, NV>,
    pub impulses: SVector<f64, NR>,
    pub modes: [ContactMode; NC],
    pub residuals: [f64; 4],
    pub admm: f64,
    pub converged: bool,
    /// Impulses on coordinates.
    pub joints: SVector<f64, NV>,
    /// Derivatives, if these are asked for: of the next configuration by q, v and tau, of the velocities, of
    /// the impulses, and with joints of those on coordinates. Then the margin.
    pub derivatives: Vec<f64>,
}

/// Results in C of these steps.
pub fn found<const NV: usize, const NC: usize, const NR: usize>(
    name: &str,
    c: &Generated,
    float: bool,
    given: Option<&Given>,
    all: &[Asked<NC, NR>],
) -> Vec<(&'static str, Vec<Found<NV, NC, NR>>)> {
    found_with(name, c, (float, false), given, all)
}

/// Results in C of these steps, with derivatives if these are asked for.
pub fn found_with<const NV: usize, const NC: usize, const NR: usize>(
    name: &str,
    c: &Generated,
    (float, derivatives): (bool, bool),
    given: Option<&Given>,
    all: &[Asked<NC, NR>],
) -> Vec<(&'static str, Vec<Found<NV, NC, NR>>)> {
    let input: String = all.iter().map(Asked::input).collect();
    let with_joints = all.iter().all(|asked| asked.joints.is_some());
    let main = program(c, if float { "float" } else { "double" }, given, (with_joints, derivatives));
    let of_joints = if with_joints { 3 * NV * NV } else { 0 };
    let more = if derivatives { 6 * NV * NV + 3 * NR * NV + of_joints + 1 } else { 0 };
    let run = |compiler: &'static str| {
        let name = format!("friction_{name}_{compiler}");
        let mut numbers = answered(compiler, &name, &c.files(), &main, &[], &input).into_iter();
        let mut take = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
        let found = all.iter().map(|_| {
            let [q, v, impulses, modes, residuals, counts, joints, derivatives] =
                [c.model.nq, NV, NR, NC, 4, 4, NV, more].map(&mut take);
            let mode = |k: usize| match modes[k] {
                0.0 => ContactMode::Open,
                1.0 => ContactMode::Stick,
                2.0 => ContactMode::Slide,
                other => panic!("{name}: a mode {other}"),
            };
            Found {
                q,
                v: SVector::from_column_slice(&v),
                impulses: SVector::from_column_slice(&impulses),
                modes: std::array::from_fn(mode),
                residuals: residuals.try_into().unwrap(),
                admm: counts[2],
                converged: counts[3] == 1.0,
                joints: SVector::from_column_slice(&joints),
                derivatives,
            }
        });
        let found = found.collect();
        assert_eq!(numbers.next(), None, "{name}");
        (compiler, found)
    };
    compilers().into_iter().map(run).collect()
}

/// The runtime's step of the reference.
pub fn expected<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &Padded<'_, f64, NV, NB, NC>,
    asked: &Asked<NC, NR>,
) -> FrictionVelocities<f64, NV, NC, NR> {
    let Asked { state, dt, surfaces, settings, from, start, .. } = asked;
    let (v, tau) = (robot.pad(&state.v), robot.pad(&state.tau));
    let start = (*from != From::Nothing).then_some(start);
    contact::friction_step(robot, (&v, &tau, *dt), surfaces, &settings.unwrap_or_default(), start)
}

/// True if no contact is redundant among these: their impulses are then unique, as far as friction lets them.
pub fn is_regular<const NV: usize, const NB: usize, const NC: usize>(
    robot: &Padded<'_, f64, NV, NB, NC>,
    modes: &[ContactMode; NC],
) -> bool {
    const MOST: usize = 24;
    let active = modes.map(|mode| mode != ContactMode::Open);
    let delassus: SMatrix<f64, MOST, MOST> = contact::delassus(robot, &active);
    let table = robot.contacts().iter().zip(active).filter(|(_, active)| *active);
    let rows: Vec<usize> = table.flat_map(|(of, _)| of.row..of.row + of.kind.rows()).collect();
    let own = DMatrix::from_fn(rows.len(), rows.len(), |r, c| delassus[(rows[r], rows[c])]);
    rows.is_empty() || own.clone().symmetric_eigenvalues().min() > 1e-9 * own.amax()
}

/// How far a step is from momentum, from the laws of its contacts, and from closing its loops.
pub fn violation<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    (model, contacts): (&Model<f64>, &Contacts<NC>),
    robot: &Padded<'_, f64, NV, NB, NC>,
    asked: &Asked<NC, NR>,
    found: &Found<NV, NC, NR>,
) -> f64 {
    let (q, dt) = (asked.state.q.as_slice(), asked.dt);
    let correction = asked.settings.unwrap_or_default().correction;
    let mut data = Data::new(model);
    let mass = crba(model, &mut data, q).clone();
    let bias = bias(model, &mut data, q, asked.state.v.as_slice()).clone();
    let (before, after) = (&asked.state.v, DVector::from_column_slice(found.v.as_slice()));
    // M (v+ - v) = dt (tau - b) + J^T f + impulses on coordinates
    let jump = &mass * (&after - before);
    let mut left =
        &jump - (&asked.state.tau - bias) * dt - DVector::from_column_slice(found.joints.as_slice());
    let (mut worst, mut row) = (0.0_f64, 0);
    // Not where a loop has more rows than the robot has ways to move.
    let can_close =
        is_regular(robot, &contacts.1.map(|of| of.map_or(ContactMode::Open, |_| ContactMode::Stick)));
    for k in 0..NC {
        if contacts.1[k].is_some() {
            let only: [bool; NC] = std::array::from_fn(|j| j == k);
            let rows: SMatrix<f64, NR, NV> = contact::jacobian(robot, &only);
            let errors: SVector<f64, NR> = contact::errors(robot, &only, &ContactSettings::default());
            let n = contacts.0[k].1.rows();
            let share = if dt > 0.0 { correction / dt } else { 0.0 };
            let (rows, errors) = (rows.rows(row, n), errors.rows(row, n) * share);
            left -= rows.transpose() * found.impulses.rows(row, n);
            if can_close {
                worst = worst.max((rows * found.v + &errors).amax() / errors.amax().max(1.0));
            }
            assert_eq!(found.modes[k], ContactMode::Stick);
            row += n;
            continue;
        }
        let axes = ReferenceFrame::LocalWorldAligned;
        let rows = frame_jacobian(model, &mut data, q, contacts.0[k].0, axes).rows(0, 3).into_owned();
        let f = found.impulses.fixed_rows::<3>(row).into_owned();
        left -= rows.transpose() * f;
        let [before, after] = [before, &after].map(|v| Vector3::from_iterator((&rows * v).iter().copied()));
        match &asked.surfaces[k] {
            // Without a time, what is not there yet is not touched.
            Some(of) if of.distance <= 0.0 || dt > 0.0 => {
                worst = worst.max(laws::of_surface(of, (correction, dt), [&before, &after, &f]));
            }
            _ => assert!(f.amax() == 0.0 && found.modes[k] == ContactMode::Open),
        }
        row += 3;
    }
    worst.max(left.amax() / jump.amax().max(1.0))
}
