//! Steps under contacts in C against the runtime's, on the reference's matrices.
//!
//! Derivatives are those of dual numbers through the runtime's next state and forces, which share no text
//! with C's derivatives. Where iterations end early, derivatives are the runtime's: those of the constraint
//! itself.

use crate::c_compiler::{compilers, printed, some};
use crate::contact_paths;
use crate::contacts::{Contacts, contacting::Padded, error, frame};
use crate::root;
use crate::steps::{Given, given, integrators};
use nalgebra::{DMatrix, DVector, Rotation3, SVector, Vector3};
use num_dual::Dual64;
use rbd_build::{Base, C, Error, Generated, Robot, Shape};
use rbd_runtime::contact::{self, ContactDynamicsHessian, ContactSettings};
use rbd_runtime::random::{State, random_state};
use rbd_runtime::spatial::Placement;
use rbd_runtime::step::{
    self, Accelerations, Blocks, DerivativesOut, MOST_SCRATCH, MovingJoint, Scratch, StepRobot, Weighted,
    WeightedStep,
};
use rbd_runtime::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactKind, Integrator, Model, Scalar,
};
use std::fmt::Write;

/// A step that is asked for.
struct Asked<const NC: usize> {
    active: [bool; NC],
    dt: f64,
    /// `mu`, and how often the constraint is solved.
    soft: (f64, usize),
    kp: f64,
    axes: ContactAxes,
}

/// Where each contact is pulled back to, unless it is a closed loop.
fn anchor<T: Scalar>() -> Placement<T> {
    let turned = Rotation3::new(Vector3::new(0.4, -0.2, 0.3)).into_inner();
    Placement {
        rotation: turned.map(T::from_f64),
        translation: Vector3::new(0.1, 0.4, -0.2).map(T::from_f64),
    }
}

impl<const NC: usize> Asked<NC> {
    fn settings<T: Scalar>(&self) -> ContactSettings<T, NC> {
        let [mu, kp, kd] = [self.soft.0, self.kp, 5.0].map(T::from_f64);
        let settings = ContactSettings::default().in_axes(self.axes).proximal(mu, self.soft.1);
        settings.baumgarte(kp, kd, [Some(anchor()); NC])
    }
}

/// The reference as a robot that steps while contacts hold.
struct Held<'m, T: Scalar, const NV: usize, const NB: usize, const NC: usize, const NR: usize> {
    numbers: &'m Model<f64>,
    model: &'m Model<T>,
    contacts: &'m Contacts<NC>,
    active: [bool; NC],
    settings: ContactSettings<T, NC>,
    first: ContactDynamicsDerivatives<T, NV, NR>,
    second: ContactDynamicsHessian<T, NV>,
}

fn vector<T: Scalar, const N: usize>(x: &[T]) -> SVector<T, N> {
    SVector::from_column_slice(x)
}

impl<T: Scalar, const NV: usize, const NB: usize, const NC: usize, const NR: usize>
    Held<'_, T, NV, NB, NC, NR>
{
    fn at(&self, q: &[T]) -> Padded<'_, T, NV, NB, NC> {
        Padded::closed(self.numbers, self.model, q, self.contacts.0, self.contacts.1)
    }

    fn dynamics(&self, q: &[T], v: &[T], tau: &[T]) -> ContactDynamics<T, NV, NR> {
        contact::dynamics(&self.at(q), &vector(v), &vector(tau), &self.active, &self.settings)
    }

    /// The next state, and accelerations and forces as the step tells them.
    fn step(
        &mut self,
        integrator: Integrator,
        [q, v, tau]: [&[T]; 3],
        dt: T,
    ) -> ([Vec<T>; 2], ContactDynamics<T, NV, NR>) {
        let zeros = |n: usize| vec![T::zero(); n];
        let [matrices, vectors, configurations] = MOST_SCRATCH;
        let (mut matrices, mut vectors) = (zeros(matrices * NV * NV), zeros(vectors * NV));
        let mut configurations = zeros(configurations * q.len());
        let scratch =
            Scratch { matrices: &mut matrices, vectors: &mut vectors, configurations: &mut configurations };
        let (mut next_q, mut next_v) = (zeros(q.len()), zeros(NV));
        let at = step::State { q, v, tau, dt };
        step::step(self, integrator, &at, scratch, [&mut next_q, &mut next_v]);
        let mut torques = tau.to_vec();
        if integrator == Integrator::ImplicitDamping {
            for (k, damping) in self.numbers.damping().into_iter().enumerate() {
                torques[k] -= T::from_f64(damping) * (next_v[k] - v[k]);
            }
        }
        let dynamics = self.dynamics(q, v, &torques);
        ([next_q, next_v], dynamics)
    }

    /// Derivatives of the next configuration and velocity by q, v and tau.
    fn derivatives(&mut self, integrator: Integrator, [q, v, tau]: [&[T]; 3], dt: T) -> [Vec<T>; 6] {
        let mut blocks: [Vec<T>; 6] = std::array::from_fn(|_| vec![T::zero(); NV * NV]);
        let (mut next_q, mut next_v) = (vec![T::zero(); q.len()], vec![T::zero(); NV]);
        let (at, work) = (step::State { q, v, tau, dt }, &mut memory(q.len(), NV));
        let mut out = DerivativesOut {
            q: &mut next_q,
            v: &mut next_v,
            blocks: blocks.each_mut().map(|block| &mut block[..]),
        };
        step::step_derivatives(self, integrator, &at, scratch(work), &mut out);
        blocks
    }

    /// Value, gradient and Hessian of the weighted step.
    fn hessian(&mut self, integrator: Integrator, [q, v, tau]: [&[T]; 3], dt: T) -> Vec<Vec<T>> {
        let [lambda_q, lambda_v] = WEIGHTS.map(|from| of_step(NV, from).into_iter().map(T::from_f64));
        let [lambda_q, lambda_v] = [&lambda_q.collect::<Vec<_>>(), &lambda_v.collect::<Vec<_>>()];
        let (at, work) = (WeightedStep { q, v, tau, dt, lambda_q, lambda_v }, &mut memory(q.len(), NV));
        let (mut value, mut gradients) = (T::zero(), [(); 3].map(|()| vec![T::zero(); NV]));
        let mut blocks = [(); 6].map(|()| vec![T::zero(); NV * NV]);
        let mut out = Blocks {
            value: &mut value,
            gradients: gradients.each_mut().map(|x| &mut x[..]),
            blocks: blocks.each_mut().map(|x| &mut x[..]),
        };
        step::step_hessian(self, integrator, &at, scratch(work), &mut out);
        std::iter::once(vec![value]).chain(gradients).chain(blocks).collect()
    }
}

/// Where the weights of the next configuration and velocity begin.
const WEIGHTS: [f64; 2] = [0.4, 2.2];

fn of_step(n: usize, from: f64) -> Vec<f64> {
    (0..n).map(|k| (1.7 * k as f64 + from).sin()).collect()
}

/// Memory for steps: matrices, velocities and configurations.
fn memory<T: Scalar>(nq: usize, nv: usize) -> [Vec<T>; 3] {
    let [matrices, vectors, configurations] = MOST_SCRATCH;
    [matrices * nv * nv, vectors * nv, configurations * nq].map(|n| vec![T::zero(); n])
}

fn scratch<T>([matrices, vectors, configurations]: &mut [Vec<T>; 3]) -> Scratch<'_, T> {
    Scratch { matrices, vectors, configurations }
}

impl<T: Scalar, const NV: usize, const NB: usize, const NC: usize, const NR: usize> StepRobot<T>
    for Held<'_, T, NV, NB, NC, NR>
{
    type Joints = std::vec::IntoIter<MovingJoint>;

    fn joints(&self) -> Self::Joints {
        let joint = |b: &rbd_runtime::model::Body<T>| MovingJoint {
            kind: b.kind,
            idx_q: b.idx_q,
            idx_v: b.idx_v,
            nv: b.nv(),
        };
        self.model.bodies.iter().map(joint).collect::<Vec<_>>().into_iter()
    }

    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.model.integrate_into(q, u, out);
    }

    fn damping(&self, coordinate: usize) -> f64 {
        self.numbers.damping()[coordinate]
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        ddq.copy_from_slice(self.dynamics(q, v, tau).ddq.as_slice());
    }

    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        self.first =
            contact::derivatives(&self.at(q), &vector(v), &vector(tau), &self.active, &self.settings);
        let of = &self.first;
        let by = [&of.ddq_dq, &of.ddq_dv, &of.ddq_dtau].map(|m| m.as_slice());
        Accelerations { ddq: of.ddq.as_slice(), by }
    }

    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        let at: Padded<'_, T, NV, NB, NC> =
            Padded::closed(self.numbers, self.model, q, self.contacts.0, self.contacts.1);
        let (given, no_forces) = ((&vector(v), &vector(tau)), SVector::from_element(T::zero()));
        let (weights, active, settings) = ((&vector(lambda), &no_forces), &self.active, &self.settings);
        let (first, second) = (&mut self.first, &mut self.second);
        contact::hessian_with_first_into(&at, given, active, settings, weights, first, second);
        let by = [&first.ddq_dq, &first.ddq_dv, &first.ddq_dtau].map(|m| m.as_slice());
        let gradients = [&second.dq, &second.dv, &second.dtau].map(|x| x.as_slice());
        let [dqdq, dqdv, dvdv, dqdtau] =
            [&second.dqdq, &second.dqdv, &second.dvdv, &second.dqdtau].map(|m| m.as_slice());
        let weighted = Weighted { gradients, dqdq, dqdv, dvdv, dqdtau };
        (Accelerations { ddq: first.ddq.as_slice(), by }, weighted)
    }
}

/// A result: the field in C, the group of fields that measures it, and its numbers.
struct Numbers {
    field: &'static str,
    group: usize,
    values: Vec<f64>,
}

const OF_STATE: [&str; 6] =
    ["step.dq_dq", "step.dq_dv", "step.dq_dtau", "step.dv_dq", "step.dv_dv", "step.dv_dtau"];
const OF_DDQ: [&str; 3] = ["dynamics.ddq_dq", "dynamics.ddq_dv", "dynamics.ddq_dtau"];
const OF_HESSIAN: [(usize, &str); 10] = [
    (7, "value"),
    (8, "dq"),
    (8, "dv"),
    (8, "dtau"),
    (9, "dqdq"),
    (9, "dqdv"),
    (9, "dqdtau"),
    (9, "dvdv"),
    (9, "dvdtau"),
    (9, "dtaudtau"),
];
const OF_FORCES: [&str; 3] = ["dynamics.forces_dq", "dynamics.forces_dv", "dynamics.forces_dtau"];

/// Results of `contact_step`, of `contact_step_derivatives`, and of `contact_step_hessian` if it is there.
fn expected<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    model: &Model<f64>,
    contacts: &Contacts<NC>,
    integrator: Integrator,
    state: &State,
    asked: &Asked<NC>,
    has_hessian: bool,
) -> [Vec<Numbers>; 3] {
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    let active = asked.active;
    let mut robot = Held::<f64, NV, NB, NC, NR> {
        numbers: model,
        model,
        contacts,
        active,
        settings: asked.settings(),
        first: ContactDynamicsDerivatives::zeros(),
        second: ContactDynamicsHessian::zeros(),
    };
    let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice());
    let ([next_q, next_v], dynamics) = robot.step(integrator, [q, v, tau], asked.dt);

    let dual = model.cast::<Dual64>();
    let mut moving = Held::<Dual64, NV, NB, NC, NR> {
        numbers: model,
        model: &dual,
        contacts,
        active,
        settings: asked.settings(),
        first: ContactDynamicsDerivatives::zeros(),
        second: ContactDynamicsHessian::zeros(),
    };
    let duals = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
    let columns: Vec<DVector<f64>> = (0..3 * NV)
        .map(|j| {
            let unit = |of: usize| (0..NV).map(|k| Dual64::new(0.0, f64::from(j == of * NV + k))).collect();
            let [by_q, by_v, by_tau]: [Vec<Dual64>; 3] = [unit(0), unit(1), unit(2)];
            let plus = |x: &[f64], by: Vec<Dual64>| -> Vec<Dual64> {
                x.iter().zip(by).map(|(x, by)| by + *x).collect()
            };
            let q = dual.integrate(&duals(q), &by_q);
            let (v, tau) = (plus(v, by_v), plus(tau, by_tau));
            let ([q, v], of) = moving.step(integrator, [q.as_slice(), &v, &tau], Dual64::from(asked.dt));
            let there = dual.difference(&duals(&next_q), &q);
            let all = there.iter().chain(&v).chain(&of.ddq).chain(&of.forces);
            DVector::from_iterator(3 * NV + NR, all.map(|x| x.eps))
        })
        .collect();
    let all = DMatrix::from_columns(&columns);
    let block = |row: usize, rows: usize, by: usize| -> Vec<f64> {
        all.view((row * NV, by * NV), (rows, NV)).iter().copied().collect()
    };
    let of = |group: usize, field: &'static str, values: Vec<f64>| Numbers { field, group, values };
    let plain = |x: &[f64]| x.to_vec();
    let step = vec![
        of(0, "q", next_q.clone()),
        of(0, "v", next_v.clone()),
        of(1, "dynamics.ddq", plain(dynamics.ddq.as_slice())),
        of(2, "dynamics.forces", plain(dynamics.forces.as_slice())),
        of(3, "dynamics.residual", plain(dynamics.residual.as_slice())),
    ];
    let mut derivatives = vec![
        of(0, "step.q", next_q),
        of(0, "step.v", next_v),
        of(1, "dynamics.ddq", plain(dynamics.ddq.as_slice())),
        of(2, "dynamics.forces", plain(dynamics.forces.as_slice())),
    ];
    let own = robot.derivatives(integrator, [q, v, tau], asked.dt);
    derivatives.extend(OF_STATE.into_iter().zip(own).map(|(field, values)| of(4, field, values)));
    if asked.soft.1 == 1 {
        let by = |k: usize| block(k / 3, NV, k % 3);
        derivatives.extend(OF_STATE.into_iter().enumerate().map(|(k, field)| of(4, field, by(k))));
        derivatives.extend(OF_DDQ.into_iter().enumerate().map(|(k, field)| of(5, field, by(6 + k))));
        let by = |k: usize| block(3, NR, k);
        derivatives.extend(OF_FORCES.into_iter().enumerate().map(|(k, field)| of(6, field, by(k))));
    }
    let mut hessian = Vec::new();
    if has_hessian && asked.soft.1 == 1 {
        let found = robot.hessian(integrator, [q, v, tau], asked.dt);
        hessian.extend(OF_HESSIAN.into_iter().zip(found).map(|((group, field), x)| of(group, field, x)));
    }
    [step, derivatives, hessian]
}

/// Compares C with what is expected, at one state for each of these steps.
fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    name: &str,
    c: &Generated,
    contacts: &Contacts<NC>,
    asked: &[Asked<NC>],
    precision: (&str, f64),
) {
    check_with::<NV, NB, NC, NR>(name, (c, None), contacts, asked, precision);
}

/// Compares the forms that are given parameters, if there are any.
fn check_with<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    name: &str,
    (c, given): (&Generated, Option<&Given>),
    contacts: &Contacts<NC>,
    asked: &[Asked<NC>],
    (real, tolerance): (&str, f64),
) {
    let (model, p) = (&c.model, &c.name);
    let (with, first) = if given.is_some() { ("_with", "&given, ") } else { ("", "") };
    let of_parameters = given.map_or(model, |given| &given.model);
    let integrator = c.integrator().unwrap();
    let list = |x: &[f64]| x.iter().map(|x| format!("({real}){x:?}")).collect::<Vec<_>>().join(", ");
    let at = anchor::<f64>();
    let at = [at.rotation.as_slice(), at.translation.as_slice()].concat();
    let mut main = format!(
        "#include \"{p}.h\"\n#include <stdio.h>\n\
         static const {real} lambda_q[] = {{{}}}, lambda_v[] = {{{}}};\nstatic {p}_step_hessian_t contact_step_hessian;\n\
         static void show(const {real} *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\
         static {p}_contact_step_t contact_step;\nstatic {p}_contact_step_derivatives_t contact_step_derivatives;\n\
         static const {real} at[] = {{{}}};\n{}",
        list(&of_step(model.nv, WEIGHTS[0])),
        list(&of_step(model.nv, WEIGHTS[1])),
        list(&at),
        given.map_or("", |given| &given.declared)
    );
    let has_hessian = c.files()[0].1.contains(&format!("void {p}_contact_step_hessian("));
    main.push_str("#define UNUSED (void)lambda_q, (void)lambda_v, (void)contact_step_hessian\n");
    let (mut calls, mut results) = (String::from("    UNUSED;\n"), Vec::new());
    for (k, asked) in asked.iter().enumerate() {
        let state = random_state(model, 7 + k as u64);
        for (name, x) in [("q", &state.q), ("v", &state.v), ("tau", &state.tau)] {
            let _ = writeln!(main, "static const {real} {name}{k}[] = {{{}}};", list(x.as_slice()));
        }
        let _ = writeln!(
            main,
            "static const int active{k}[] = {{{}}};\n\
             static const {p}_contact_settings_t s{k} = {{({real}){:?}, {}, ({real}){:?}, 5, {{{}}}, {}}};",
            asked.active.map(|x| u8::from(x).to_string()).join(", "),
            asked.soft.0,
            asked.soft.1,
            asked.kp,
            ["at"; NC].join(", "),
            asked.axes as u8
        );
        let all = expected::<NV, NB, NC, NR>(of_parameters, contacts, integrator, &state, asked, has_hessian);
        let names = ["contact_step", "contact_step_derivatives", "contact_step_hessian"];
        for (function, of) in names.into_iter().zip(all).filter(|(_, of)| !of.is_empty()) {
            let weights = if function == "contact_step_hessian" { "lambda_q, lambda_v, " } else { "" };
            let _ = writeln!(
                calls,
                "    {p}_{function}{with}({first}q{k}, v{k}, tau{k}, ({real}){:?}, active{k}, &s{k}, {weights}&{function});",
                asked.dt
            );
            for Numbers { field, values, .. } in &of {
                let _ = writeln!(calls, "    show({function}.{field}, {});", values.len());
            }
            results.push((k, function, of));
        }
    }
    let _ = write!(main, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
    for compiler in compilers() {
        let folder = format!("contact_step_{name}_{compiler}");
        let text = String::from_utf8(printed(compiler, &folder, &c.files(), &main, &[])).unwrap();
        let mut found = text.lines().map(|line| line.parse().unwrap_or(f64::NAN));
        for (k, function, of) in &results {
            for Numbers { field, group, values } in of {
                let found: Vec<f64> = found.by_ref().take(values.len()).collect();
                assert_eq!(found.len(), values.len());
                // A block is measured by itself, one of nothing but rounding by its group.
                let of_group = of.iter().filter(|of| of.group == *group).flat_map(|of| &of.values);
                let all = of_group.fold(0.0_f64, |m, x| m.max(x.abs()));
                let least = if *group == 3 { 1e3 } else { 1e-6 * all + 1e-9 };
                let error = error(&found, values, least);
                assert!(error <= tolerance, "{name}, {compiler}, {k}, {function}, {field}: {error:e}");
            }
        }
        assert_eq!(found.next(), None, "{compiler}");
    }
}

/// Held by the link `finger`, on the way to which a joint follows another, so that there are no Hessians, or
/// by another.
fn joints(base: Base, integrator: Integrator) -> Robot {
    held_by("finger", base, integrator)
}

pub fn held_by(link: &str, base: Base, integrator: Integrator) -> Robot {
    Robot::from_urdf(root().join("tests/step/damped.urdf"))
        .base(base)
        .damping(true)
        .functions([])
        .contact(link, ContactKind::Plane)
        .contact("kite", ContactKind::Point)
        .step(integrator)
}

/// Its contacts.
fn of_joints(model: &Model<f64>) -> Contacts<2> {
    of_links(model, "finger")
}

fn of_links(model: &Model<f64>, link: &str) -> Contacts<2> {
    let of = |name| frame(model, name);
    ([(of(link), ContactKind::Plane), (of("kite"), ContactKind::Point)], [None, None])
}

const LOCAL: ContactAxes = ContactAxes::Local;
const WORLD: ContactAxes = ContactAxes::LocalWorldAligned;

/// A plane and a point, each alone, both and none: held exactly, softly, and pulled back.
const SETS: [Asked<2>; 5] = [
    Asked { active: [true, true], dt: 0.01, soft: (0.0, 1), kp: 0.0, axes: LOCAL },
    Asked { active: [true, false], dt: -0.02, soft: (0.05, 1), kp: 9.0, axes: WORLD },
    Asked { active: [false, true], dt: 0.03, soft: (0.0, 1), kp: 4.0, axes: WORLD },
    Asked { active: [false, false], dt: 0.02, soft: (0.0, 1), kp: 9.0, axes: LOCAL },
    Asked { active: [true, true], dt: 0.02, soft: (1e-2, 3), kp: 4.0, axes: WORLD },
];

#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_a_joint_of_every_kind_on_a_fixed_base() {
    for integrator in integrators("fixed") {
        let c = joints(Base::Fixed, integrator).plan(C::default()).unwrap();
        let contacts = of_joints(&c.model);
        check::<14, 6, 2, 9>(&format!("fixed_{integrator:?}"), &c, &contacts, &SETS, ("double", 1e-10));
    }
}

/// In both forms: given parameters, and the URDF's.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_inertias_and_gravity_at_run_time() {
    for integrator in integrators("given") {
        let robot = joints(Base::Fixed, integrator).inertia_at_run_time(["arm"]).gravity_at_run_time(true);
        let c = robot.plan(C::default()).unwrap();
        let (contacts, other) = (of_joints(&c.model), given(&c.name, &c.model));
        let sets = some(2, &SETS);
        let name = format!("given_{integrator:?}");
        check_with::<14, 6, 2, 9>(&name, (&c, Some(&other)), &contacts, sets, ("double", 1e-10));
        check::<14, 6, 2, 9>(&format!("own_{integrator:?}"), &c, &contacts, &SETS[..1], ("double", 1e-10));
    }
}

/// Its matrices by loops over tables: they are traced in no time.
#[test]
fn of_a_joint_of_every_kind_on_a_floating_base() {
    for integrator in integrators("floating") {
        let c = joints(Base::Floating, integrator).shape(Shape::Loops).plan(C::default()).unwrap();
        let contacts = of_joints(&c.model);
        check::<20, 7, 2, 9>(
            &format!("floating_{integrator:?}"),
            &c,
            &contacts,
            some(3, &SETS),
            ("double", 1e-10),
        );
    }
}

/// In both forms too.
#[test]
fn with_hessians() {
    use Integrator::{Explicit, ImplicitDamping, Rk4, SemiImplicit};
    for &integrator in some(1, &[Rk4, Explicit, SemiImplicit, ImplicitDamping]) {
        let robot = held_by("arm", Base::Floating, integrator).shape(Shape::Loops);
        let c = robot.plan(C::default()).unwrap();
        assert!(c.files()[0].1.contains("_contact_step_hessian("));
        let (name, contacts) = (format!("hessian_{integrator:?}"), of_links(&c.model, "arm"));
        check::<20, 7, 2, 9>(&name, &c, &contacts, &SETS, ("double", 1e-9));
    }
}

/// Numbers of the robot that are given, and its own.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_hessians_and_parameters() {
    use Integrator::{ImplicitDamping, Rk4, SemiImplicit};
    for &integrator in some(1, &[ImplicitDamping, SemiImplicit, Rk4]) {
        let robot = held_by("arm", Base::Fixed, integrator);
        let c = robot.inertia_at_run_time(["arm"]).gravity_at_run_time(true).plan(C::default()).unwrap();
        let (contacts, other) = (of_links(&c.model, "arm"), given(&c.name, &c.model));
        let (name, sets) = (format!("hessian_given_{integrator:?}"), some(2, &SETS));
        check_with::<14, 6, 2, 9>(&name, (&c, Some(&other)), &contacts, sets, ("double", 1e-9));
        let name = format!("hessian_own_{integrator:?}");
        check::<14, 6, 2, 9>(&name, &c, &contacts, &SETS[..1], ("double", 1e-9));
    }
}

/// To some hundreds of units of rounding.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn in_single_precision() {
    for integrator in integrators("float") {
        let robot = joints(Base::Fixed, integrator).shape(Shape::Loops);
        let c = robot.plan(C { float: true, ..C::default() }).unwrap();
        let contacts = of_joints(&c.model);
        check::<14, 6, 2, 9>(&format!("float_{integrator:?}"), &c, &contacts, &SETS, ("float", 3e-5));
    }
}

/// A point, a loop with the world and another of the robot with itself, beside a mimic joint.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_closed_loops() {
    use contact_paths::{NB, NC, NR, NV};
    for &integrator in some(1, &[Integrator::Explicit, Integrator::SemiImplicit, Integrator::Rk4]) {
        let robot = contact_paths::robot(&format!("limbs_{integrator:?}"));
        let c = robot.step(integrator).plan(C::default()).unwrap();
        let contacts = contact_paths::contacts(&c.model);
        let asked = [
            Asked { active: [true, true, true], dt: 0.01, soft: (0.05, 1), kp: 0.0, axes: LOCAL },
            Asked { active: [true, false, false], dt: 0.02, soft: (0.0, 1), kp: 4.0, axes: WORLD },
            Asked { active: [false, true, false], dt: -0.01, soft: (0.1, 1), kp: 4.0, axes: LOCAL },
            Asked { active: [false, false, true], dt: 0.01, soft: (0.0, 1), kp: 9.0, axes: WORLD },
        ];
        check::<NV, NB, NC, NR>(&format!("loops_{integrator:?}"), &c, &contacts, &asked, ("double", 1e-10));
    }
}

/// Without contacts there are no steps under contacts.
#[test]
fn what_is_written_and_what_is_refused() {
    let arm = || Robot::from_urdf(root().join("robots/double_pendulum.urdf")).functions([]);
    let header = |robot: Robot| {
        let files = robot.plan(C::default()).unwrap().files();
        files.into_iter().find(|(name, _)| name.ends_with(".h")).unwrap().1
    };
    let steps = || arm().step(Integrator::Explicit);
    assert!(!header(steps()).contains("contact_step"));
    assert!(!header(arm().contacts(["link2"])).contains("contact_step"));
    assert!(header(steps().contacts(["link2"])).contains("void double_pendulum_contact_step("));
    let said = |robot: Robot| match robot.plan(C::default()) {
        Err(Error::Option { name, what }) => (name, what),
        other => panic!("{:?}", other.err()),
    };
    let given = header(steps().contacts(["link2"]).gravity_at_run_time(true));
    assert!(given.contains("void double_pendulum_contact_step_with(const double_pendulum_parameters_t"));
    let damped = said(arm().contacts(["link2"]).step(Integrator::ImplicitDamping));
    assert!(damped.0 == "step" && damped.1.contains("write `damping: true`, or another integrator"));
}
