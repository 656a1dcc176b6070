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
        text + &listed(&[settings.tolerance, settings.correction]) + &listed(self.start.as_slice())
    }
}

/// A program that reads steps and prints their results.
fn program(c: &Generated, real: &str, given: Option<&Given>) -> String {
    let (p, guard) = (&c.name, c.name.to_uppercase());
    let (with, first) = if given.is_some() { ("_with", "&given, ") } else { ("", "") };
    let declared = given.map_or("", |given| &given.declared);
    format!(
        "#include \"{p}.h\"\n#include <stdio.h>\n{declared}\
         static {p}_friction_step_t last, next;\n\
         static int take({real} *to, int n)\n{{\n    double x = 0;\n    int i;\n    \
         for (i = 0; i < n && scanf(\"%lf\", &x) == 1; i++) to[i] = ({real})x;\n    return i;\n}}\n\
         static void show(const {real} *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\
         int main(void)\n{{\n    \
         {real} q[{guard}_NQ], v[{guard}_NV], tau[{guard}_NV], dt = 0, numbers[7];\n    \
         {p}_contact_surface_t at[{guard}_NC];\n    {p}_friction_settings_t settings;\n    \
         {p}_friction_residuals_t r;\n    int k, has_settings, from;\n    \
         while (take(q, {guard}_NQ)) {{\n        \
         take(v, {guard}_NV), take(tau, {guard}_NV), take(&dt, 1);\n        \
         for (k = 0; k < {guard}_NC; k++) {{\n            \
         take(at[k].normal, 3), take(numbers, 4);\n            \
         at[k].distance = numbers[0], at[k].friction = numbers[1];\n            \
         at[k].restitution = numbers[2], at[k].compliance = numbers[3];\n        }}\n        \
         if (scanf(\"%d %d\", &has_settings, &from) != 2) return 1;\n        \
         {p}_friction_settings(&settings);\n        \
         take(numbers, 2), take(last.impulses, {guard}_CONTACT_ROWS);\n        \
         if (has_settings) settings.tolerance = numbers[0], settings.correction = numbers[1];\n        \
         if (from == 2) {{\n            next = last;\n            \
         for (k = 0; k < {guard}_NQ; k++) next.q[k] = q[k];\n            \
         for (k = 0; k < {guard}_NV; k++) next.v[k] = v[k];\n        }}\n        \
         {p}_friction_step{with}({first}from == 2 ? next.q : q, from == 2 ? next.v : v, tau, dt, at,\n            \
         has_settings ? &settings : 0, from == 2 ? &next : from ? &last : 0, &next);\n        \
         r = next.residuals;\n        \
         show(next.q, {guard}_NQ), show(next.v, {guard}_NV), show(next.impulses, {guard}_CONTACT_ROWS);\n        \
         for (k = 0; k < {guard}_NC; k++) printf(\"%d\\n\", next.modes[k]);\n        \
         show(&r.signorini, 1), show(&r.coulomb, 1), show(&r.feasibility, 1), show(&r.natural, 1);\n        \
         printf(\"%lu\\n%lu\\n%lu\\n%d\\n\", next.iterations.sweeps, next.iterations.newton, next.iterations.admm, next.converged);\n    \
         }}\n    return 0;\n}}\n"
    )
}

/// A result in C.
pub struct Found<const NV: usize, const NC: usize, const NR: usize> {
    pub q: Vec<f64>,
    pub v: SVector<f64, NV>,
    pub impulses: SVector<f64, NR>,
    pub modes: [ContactMode; NC],
    pub residuals: [f64; 4],
    pub admm: f64,
    pub converged: bool,
}

/// Results in C of these steps.
pub fn found<const NV: usize, const NC: usize, const NR: usize>(
    name: &str,
    c: &Generated,
    float: bool,
    given: Option<&Given>,
    all: &[Asked<NC, NR>],
) -> Vec<(&'static str, Vec<Found<NV, NC, NR>>)> {
    let input: String = all.iter().map(Asked::input).collect();
    let main = program(c, if float { "float" } else { "double" }, given);
    let run = |compiler: &'static str| {
        let name = format!("friction_{name}_{compiler}");
        let mut numbers = answered(compiler, &name, &c.files(), &main, &[], &input).into_iter();
        let mut take = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
        let found = all.iter().map(|_| {
            let [q, v, impulses, modes, residuals, counts] = [c.model.nq, NV, NR, NC, 4, 4].map(&mut take);
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
    let Asked { state, dt, surfaces, settings, from, start } = asked;
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
    // M (v+ - v) = dt (tau - b) + J^T f
    let jump = &mass * (&after - before);
    let mut left = &jump - (&asked.state.tau - bias) * dt;
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
