//! HyQ pushed aside, on the step with friction: rbd's side of `benches/peers/friction.py`, which has the
//! problem and the peer.
//!
//! Reads numbers, one a line: the steps, their time, the coefficient of friction, both gains of the joints'
//! controllers, the first velocity of the base, and the configuration. Its joints are the controllers' goal.
//! Prints the time of each run and the last state.

use nalgebra::SVector;
use rbd::{ContactSurface, FrictionSettings, FrictionStep};
use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../../../robots/hyq.urdf",
        base: floating,
        functions: [crba],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
        allow: ["damping-ignored", "inertia-triangle"],
    }
}

const NQ: usize = Hyq::NQ;
const NV: usize = Hyq::NV;

struct Problem {
    steps: usize,
    dt: f64,
    friction: f64,
    gains: [f64; 2],
    q: SVector<f64, NQ>,
    v: SVector<f64, NV>,
}

/// What a run ends with.
struct Ended {
    last: FrictionStep<f64, NQ, NV, 4, 12>,
    converged: usize,
    open: usize,
    sliding: usize,
}

/// All steps, each from the impulses of the last one.
fn run(problem: &Problem) -> Ended {
    let [stiffness, damping] = problem.gains;
    let (settings, mut tau) = (FrictionSettings::default(), SVector::<f64, NV>::zeros());
    let step = |q: &_, v: &_, tau: &_, last: Option<&_>| {
        let ground = |height: f64| Some(ContactSurface::ground(height, problem.friction));
        let surfaces = Hyq::contact_placements(q).map(|at| ground(at.translation.z));
        Hyq::friction_step(q, v, tau, problem.dt, &surfaces, &settings, last)
    };
    let mut ended: Option<Ended> = None;
    for _ in 0..problem.steps {
        let (q, v) = ended.as_ref().map_or((&problem.q, &problem.v), |ended| (&ended.last.q, &ended.last.v));
        for k in 6..NV {
            tau[k] = stiffness * (problem.q[k + 1] - q[k + 1]) - damping * v[k];
        }
        let last = step(q, v, &tau, ended.as_ref().map(|ended| &ended.last));
        let (converged, open, sliding) =
            ended.map_or((0, 0, 0), |ended| (ended.converged, ended.open, ended.sliding));
        let count = |mode| last.modes.iter().filter(|of| **of == mode).count();
        let (now_open, now_sliding) = (count(rbd::ContactMode::Open), count(rbd::ContactMode::Slide));
        let converged = converged + usize::from(last.converged);
        ended = Some(Ended { converged, open: open + now_open, sliding: sliding + now_sliding, last });
    }
    ended.expect("a step")
}

fn main() {
    let runs: usize = std::env::args().nth(1).and_then(|x| x.parse().ok()).unwrap_or(1);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("the problem");
    let mut numbers = text.split_whitespace().map(|x| x.parse::<f64>().expect("a number"));
    let mut next = || numbers.next().expect("a number more");
    let (steps, dt, friction, gains) = (next() as usize, next(), next(), [next(), next()]);
    let mut v = SVector::<f64, NV>::zeros();
    v.fixed_rows_mut::<3>(0).copy_from(&SVector::<f64, 3>::from_fn(|_, _| next()));
    let q = SVector::from_fn(|_, _| next());
    let problem = Problem { steps, dt, friction, gains, q, v };
    let ended = run(&problem);
    let times: Vec<f64> = (0..runs)
        .map(|_| {
            let begin = Instant::now();
            black_box(run(black_box(&problem)));
            begin.elapsed().as_secs_f64()
        })
        .collect();
    println!(
        "{{\"times\": {times:?}, \"q\": {:?}, \"converged\": {}, \"open\": {}, \"sliding\": {}}}",
        ended.last.q.as_slice(),
        ended.converged,
        ended.open,
        ended.sliding
    );
}
