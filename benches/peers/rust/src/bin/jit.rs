//! rbd's side of the race for robots that are loaded at run time.

use peers::{Job, Jobs, States, serve};
use rbd_jit::{AbaDerivatives, Base, Loaded, RneaDerivatives, Robot, Workspace};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// A state as slices of any length.
struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

/// Calls of one robot.
#[derive(Clone)]
struct Calls(Rc<(Loaded, RefCell<Workspace>)>);

impl Calls {
    /// Job of a function with a result of so many numbers.
    fn numbers(
        &self,
        states: &Rc<[State]>,
        count: usize,
        call: impl Fn(&Loaded, &mut Workspace, &State, &mut [f64]) + Copy + 'static,
    ) -> Job {
        let calls = self.clone();
        let run = move |s: &State, out: &mut Vec<f64>| {
            let (robot, workspace) = &*calls.0;
            call(robot, &mut workspace.borrow_mut(), s, out);
        };
        Job::new(states.clone(), move || Box::new(vec![0.0; count]), run, |x, all| all.extend(x))
    }

    /// Job of a function with several results.
    fn results<O: Default + 'static, S: 'static>(
        &self,
        states: &Rc<[S]>,
        call: impl Fn(&Loaded, &mut Workspace, &S, &mut O) + Copy + 'static,
        flat: impl Fn(&O, &mut Vec<f64>) + 'static,
    ) -> Job {
        let calls = self.clone();
        let run = move |s: &S, out: &mut O| {
            let (robot, workspace) = &*calls.0;
            call(robot, &mut workspace.borrow_mut(), s, out);
        };
        Job::new(states.clone(), Default::default, run, flat)
    }
}

fn flat_aba(x: &AbaDerivatives, all: &mut Vec<f64>) {
    all.extend(x.ddq.iter().chain(&x.ddq_dq).chain(&x.ddq_dv).chain(&x.ddq_dtau));
}

/// Results of many states, as those of one after the other.
fn flat_many(x: &AbaDerivatives, count: usize, all: &mut Vec<f64>) {
    let parts = [&x.ddq, &x.ddq_dq, &x.ddq_dv, &x.ddq_dtau];
    for k in 0..count {
        all.extend(parts.iter().flat_map(|part| &part[k * part.len() / count..(k + 1) * part.len() / count]));
    }
}

fn jobs(robot: Loaded, states: &States) -> Jobs {
    let (nq, nv) = (robot.nq(), robot.nv());
    assert_eq!((states.nq, states.nv), (nq, nv));
    let part = |x: &[f64], at: usize, count: usize| x[at..][..count].to_vec();
    let state = |x: &Vec<f64>| State {
        q: part(x, 0, nq),
        v: part(x, nq, nv),
        a: part(x, nq + nv, nv),
        tau: part(x, nq + 2 * nv, nv),
    };
    let count = states.rows.len();
    let all: Vec<State> = states.rows.iter().map(state).collect();
    let together = |of: fn(&State) -> &Vec<f64>| all.iter().flat_map(of).copied().collect();
    let (q, v) = (together(|s| &s.q), together(|s| &s.v));
    let many: Rc<[State]> = Rc::from([State { q, v, a: together(|s| &s.a), tau: together(|s| &s.tau) }]);
    let states: Rc<[State]> = Rc::from(all);
    let workspace = RefCell::new(robot.workspace().leaving_zeros());
    let calls = Calls(Rc::new((robot, workspace)));
    Jobs::from([
        (
            "rnea",
            calls.numbers(&states, nv, |r, w, s, out| r.rnea(w, &s.q, &s.v, &s.a, out).expect("sizes fit")),
        ),
        (
            "aba",
            calls.numbers(&states, nv, |r, w, s, out| r.aba(w, &s.q, &s.v, &s.tau, out).expect("sizes fit")),
        ),
        ("crba", calls.numbers(&states, nv * nv, |r, w, s, out| r.crba(w, &s.q, out).expect("sizes fit"))),
        ("minv", calls.numbers(&states, nv * nv, |r, w, s, out| r.minv(w, &s.q, out).expect("sizes fit"))),
        (
            "rnea_derivatives",
            calls.results(
                &states,
                |r, w, s: &State, out| r.rnea_derivatives(w, &s.q, &s.v, &s.a, out).expect("sizes fit"),
                |x: &RneaDerivatives, all| {
                    all.extend(x.tau.iter().chain(&x.dtau_dq).chain(&x.dtau_dv).chain(&x.dtau_da));
                },
            ),
        ),
        (
            "aba_derivatives",
            calls.results(
                &states,
                |r, w, s: &State, out| r.aba_derivatives(w, &s.q, &s.v, &s.tau, out).expect("sizes fit"),
                flat_aba,
            ),
        ),
        (
            "aba_derivatives_lanes",
            calls.results(
                &many,
                |r, _, s: &State, out| {
                    r.batch().aba_derivatives(&s.q, &s.v, &s.tau, out).expect("sizes fit");
                },
                move |x, all| flat_many(x, count, all),
            ),
        ),
    ])
}

fn main() {
    serve(|robot, folder| {
        let base = if ["iiwa14", "ur5"].contains(&robot) { Base::Fixed } else { Base::Floating };
        let robots = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../robots"));
        let functions = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"];
        let loaded = Robot::from_urdf(robots.join(format!("{robot}.urdf"))).base(base).functions(functions);
        let loaded = loaded.load().unwrap_or_else(|fault| panic!("{robot}: {fault}"));
        Some(jobs(loaded, &States::read(&folder.join(format!("{robot}.states")))))
    });
}
