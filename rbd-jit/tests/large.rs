//! Robots of hundreds of degrees of freedom: loops over tables, steps and contacts, beside the generic
//! reference.

use super::some;
use rbd_jit::{Base, ContactKind, ContactSettings, Engine, Integrator, Loaded, Options, Robot, Shape};
use rbd_runtime::random::random_state;
use rbd_runtime::reference::{Contact, Data, Holding, constrained_dynamics};
use std::fmt::Write;

const KINDS: [&str; 6] = ["revolute", "prismatic", "continuous", "spherical", "planar", "revolute"];

/// Numbers from 0 to 1, always the same ones (a linear congruential generator: Knuth, TAOCP 2, 3.3.4).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// A URDF of so many links. Joint k is of kind `kind(k)`, on a link of at most `back` before its own; every
/// tenth one follows an earlier joint if there are `mimics`.
fn urdf(links: usize, kind: impl Fn(usize) -> &'static str, back: usize, mimics: bool) -> String {
    let mut random = Numbers(links as u64);
    let mut text = String::from("<robot name=\"large\">");
    // The first joint that others can follow.
    let mut leader = None;
    for k in 0..links {
        let [x, y, z] = [(); 3].map(|()| 0.1 * random.next() - 0.05);
        write!(
            text,
            "<link name=\"l{k}\"><inertial><origin xyz=\"{x} {y} {z}\"/><mass value=\"{}\"/><inertia \
             ixx=\"0.011\" ixy=\"0.001\" ixz=\"0\" iyy=\"0.012\" iyz=\"-0.001\" izz=\"0.013\"/></inertial></link>",
            0.5 + random.next()
        )
        .unwrap();
        if k == 0 {
            continue;
        }
        let parent = k - 1 - random.below(back.min(k));
        let follows = mimics && k % 10 == 0;
        let kind = if follows { "revolute" } else { kind(k) };
        let [a, b, c] = [(); 3].map(|()| random.next() - 0.5);
        let limits = "<limit lower=\"-2\" upper=\"2\" effort=\"10\" velocity=\"5\"/>";
        write!(
            text,
            "<joint name=\"j{k}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/><origin \
             xyz=\"{} {} 0.07\" rpy=\"{a} {b} {c}\"/><axis xyz=\"{a} {b} {}\"/>{limits}",
            0.1 * b,
            0.1 * c,
            0.6 + c
        )
        .unwrap();
        match leader {
            Some(leader) if follows => {
                write!(text, "<mimic joint=\"j{leader}\" multiplier=\"-0.7\" offset=\"0.2\"/>").unwrap();
            }
            None if kind == "revolute" => leader = Some(k),
            _ => {}
        }
        text.push_str("</joint>");
    }
    text + "</robot>"
}

/// The URDF of a tree of so many links with joints of every kind.
pub fn tree(links: usize) -> String {
    urdf(links, |k| KINDS[k % KINDS.len()], 4, false)
}

fn robot(text: String) -> Robot {
    Robot::from_urdf_text("large.urdf", text)
}

/// Every function that was loaded, beside the generic reference at a random state.
fn check(robot: &Loaded, functions: usize) {
    assert_eq!(robot.left_out().next(), None);
    assert_eq!(robot.functions().len(), functions);
    let mut sample = robot.sample(3).unwrap();
    for function in robot.functions() {
        sample
            .compare(function)
            .unwrap_or_else(|error| panic!("{} of {}: {error}", function.name(), robot.nv()));
    }
}

#[test]
fn chains_of_hundreds_of_links() {
    let options = || Options { check: false, ..Options::default() };
    let chain = |links: usize| robot(urdf(links + 1, |_| "revolute", 1, false));
    let all: [(usize, &[&str]); 2] = [
        (200, &["rnea", "aba", "crba", "rnea_derivatives", "aba_derivatives"]),
        (500, &["rnea", "aba", "crba"]),
    ];
    for (links, functions) in some(1, &all) {
        check(
            &chain(*links).functions(functions.iter().copied()).load_with(options()).unwrap(),
            functions.len(),
        );
    }
}

/// Just below and above the length of the shorter arrays.
#[test]
fn every_joint_kind_in_large_trees() {
    for (links, mimics, base) in [(90, false, Base::Fixed), (110, true, Base::Floating)] {
        let text = urdf(links, |k| KINDS[k % KINDS.len()], 3, mimics);
        let functions = if mimics {
            &["rnea_fext", "crba", "rnea_derivatives_fext"][..]
        } else {
            &["rnea_fext", "aba_fext", "crba", "rnea_derivatives_fext", "aba_derivatives_fext"]
        };
        for engine in [Engine::best(), Engine::Interpreter] {
            let options = Options { engine: Some(engine), check: false, ..Options::default() };
            let asked = robot(text.clone()).base(base).shape(Shape::Loops).functions(functions.to_vec());
            let robot = asked.load_with(options).unwrap();
            assert!(robot.nv() > 128, "{}", robot.nv());
            check(&robot, functions.len());
        }
    }
}

/// More rows than there is room for are refused by name.
#[test]
fn more_than_a_thousand_rows_are_refused() {
    let text = urdf(1026, |_| "revolute", 1, false);
    let options = Options { check: false, ..Options::default() };
    let robot = robot(text).shape(Shape::Loops).functions(["crba"]).load_with(options).unwrap();
    let (name, why) = robot.left_out().next().expect("it is left out");
    assert_eq!(name, "crba");
    assert!(why.contains("degrees of freedom"), "{why}");
}

/// Steps are joined from functions whose loops are long.
#[test]
fn steps_of_a_chain() {
    let text = urdf(151, |_| "revolute", 1, false);
    let options = Options { check: false, ..Options::default() };
    let asked = robot(text).functions(["aba", "aba_derivatives"]).step(Integrator::SemiImplicit);
    let robot = asked.load_with(options).unwrap();
    let (n, mut work) = (robot.nv(), robot.workspace());
    let state = random_state(robot.model(), 7);
    let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice());
    let (mut next_q, mut next_v, mut ddq) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let dt = 1e-3;
    robot.aba(&mut work, q, v, tau, &mut ddq).unwrap();
    robot.step(&mut work, q, v, tau, dt, &mut next_q, &mut next_v).unwrap();
    let (mut by, mut of) = (rbd_jit::AbaDerivatives::default(), rbd_jit::StepDerivatives::default());
    robot.aba_derivatives(&mut work, q, v, tau, &mut by).unwrap();
    robot.step_derivatives(&mut work, q, v, tau, dt, &mut of).unwrap();
    let close = |a: f64, b: f64, largest: f64| assert!((a - b).abs() <= 1e-12 * largest.max(1.0), "{a}, {b}");
    let largest = |x: &[f64]| x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    for k in 0..n {
        close(next_v[k], v[k] + dt * ddq[k], largest(&next_v));
        close(next_q[k], q[k] + dt * next_v[k], largest(&next_q));
    }
    let [largest_q, largest_v, largest_tau] = [&of.dv_dq, &of.dv_dv, &of.dv_dtau].map(|x| largest(x));
    for (k, (found, expected)) in of.dv_dtau.iter().zip(&by.ddq_dtau).enumerate() {
        let (row, column) = (k % n, k / n);
        close(*found, dt * expected, largest_tau);
        let one = if row == column { 1.0 } else { 0.0 };
        close(of.dv_dv[k], one + dt * by.ddq_dv[k], largest_v);
        close(of.dv_dq[k], dt * by.ddq_dq[k], largest_q);
    }
}

/// Accelerations and forces.
type Found = (Vec<f64>, Vec<f64>);

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * largest, "{a:e} is not {b:e}, largest {largest:e}");
    }
}

/// A robot of more than 64 degrees of freedom, with a plane and points: accelerations and forces of the
/// generic reference, and derivatives that are differences of accelerations.
#[test]
fn contacts_of_a_large_tree() {
    let text = tree(60);
    let options = Options { check: false, ..Options::default() };
    let asked = robot(text).base(Base::Floating).functions(["crba"]).contact("l20", ContactKind::Plane);
    let robot = asked.contacts(["l40", "l59"]).load_with(options).unwrap();
    let (n, rows, mut work) = (robot.nv(), 12, robot.workspace());
    assert!(n > 64 && n <= 128, "{n}");
    let model = robot.model();
    let state = random_state(model, 5);
    let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice().to_vec());
    let (mu, kd) = (1e-6, 3.0);
    let settings = ContactSettings { mu, kd, ..ContactSettings::default() };
    let mut accelerations = |q: &[f64], v: &[f64], tau: &[f64]| {
        let [mut ddq, mut forces, mut residual] = [vec![0.0; n], vec![0.0; rows], vec![0.0; rows]];
        let (out, active) = ((&mut ddq, &mut forces, &mut residual), &[true; 3]);
        robot.contact_dynamics(&mut work, q, v, tau, active, &settings, out.0, out.1, out.2).unwrap();
        (ddq, forces)
    };
    let of = |contact: &rbd_jit::Contact| Contact {
        frame: contact.frame,
        kind: contact.kind,
        anchor: None,
        second: None,
    };
    let contacts: Vec<Contact<f64>> = robot.contacts().iter().map(of).collect();
    let holding = Holding { mu, kp: 0.0, kd };
    let expected = constrained_dynamics(model, &mut Data::new(model), (&q, &v, &tau), &contacts, holding);
    let (ddq, forces) = accelerations(&q, &v, &tau);
    near(&ddq, expected.ddq.as_slice(), 1e-8);
    near(&forces, expected.forces.as_slice(), 1e-8);

    let [mut a, mut b, mut c] = [vec![0.0; n], vec![0.0; rows], vec![0.0; rows]];
    let [mut by_q, mut by_v, mut by_tau] = [(); 3].map(|()| vec![f64::NAN; n * n]);
    let [mut forces_q, mut forces_v, mut forces_tau] = [(); 3].map(|()| vec![f64::NAN; rows * n]);
    robot
        .contact_dynamics_derivatives(
            &mut robot.workspace(),
            &q,
            &v,
            &tau,
            &[true; 3],
            &settings,
            [&mut a, &mut b, &mut c],
            [&mut by_q, &mut by_v, &mut by_tau],
            [&mut forces_q, &mut forces_v, &mut forces_tau],
        )
        .unwrap();
    near(&a, &ddq, 1e-10);
    let along: Vec<f64> = (0..n).map(|k| (0.3 + 1.7 * k as f64).cos()).collect();
    let times = |matrix: &[f64], height: usize| {
        let mut out = vec![0.0; height];
        for (column, x) in matrix.chunks(height).zip(&along) {
            out.iter_mut().zip(column).for_each(|(out, a)| *out += a * x);
        }
        out
    };
    // Differences of the fourth order.
    let h = 3e-4;
    let moved = |x: &[f64], by: f64| -> Vec<f64> { x.iter().zip(&along).map(|(x, d)| x + by * d).collect() };
    let turned = |by: f64| {
        let (step, mut out) = (moved(&vec![0.0; n], by), vec![0.0; q.len()]);
        robot.integrate(&q, &step, &mut out).unwrap();
        out
    };
    for (which, matrix, of_forces) in
        [(0, &by_q, &forces_q), (1, &by_v, &forces_v), (2, &by_tau, &forces_tau)]
    {
        let mut at = |by: f64| match which {
            0 => accelerations(&turned(by), &v, &tau),
            1 => accelerations(&q, &moved(&v, by), &tau),
            _ => accelerations(&q, &v, &moved(&tau, by)),
        };
        let all = [2.0, 1.0, -1.0, -2.0].map(|k| at(k * h));
        let slope = |of: fn(&Found) -> &Vec<f64>, height: usize| -> Vec<f64> {
            let [a, b, c, d] = all.each_ref().map(of);
            (0..height).map(|k| (8.0 * (b[k] - c[k]) - (a[k] - d[k])) / (12.0 * h)).collect()
        };
        near(&times(matrix, n), &slope(|(ddq, _)| ddq, n), 1e-6);
        near(&times(of_forces, rows), &slope(|(_, forces)| forces, rows), 1e-6);
    }
}
