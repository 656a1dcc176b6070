//! Optimal control of HyQ on four feet: rbd's side of `benches/peers/mpc.py`, which has the problem and the
//! peer.
//!
//! Differential dynamic programming with Gauss-Newton Hessians, as crocoddyl's `SolverDDP` does it:
//! directions from the last step to the first, a backtracking line search, and an end where the expected
//! decrease is below 1e-9. Reads the problem as numbers, one a line; prints the solution and times.

mod riccati;

use nalgebra::{SMatrix, SVector};
use rbd::{ContactSettings, ContactStepDerivatives};
use riccati::{Gain, Node, Value};
use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../../../robots/hyq.urdf",
        base: floating,
        functions: [aba],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
        step: semi_implicit,
        allow: ["damping-ignored", "inertia-triangle"],
    }
}

const NQ: usize = Hyq::NQ;
const NV: usize = Hyq::NV;
/// Coordinates of a state's tangent space.
const NX: usize = 2 * NV;
/// Torques of the joints.
const NU: usize = NV - 6;

type State = (SVector<f64, NQ>, SVector<f64, NV>);
type Control = SVector<f64, NU>;
type X = SVector<f64, NX>;

struct Problem {
    dt: f64,
    start: State,
    goal: SVector<f64, NQ>,
    /// Weights of the state's error, in the tangent space, and of the torques.
    weights: X,
    weight_of_torques: f64,
    /// Torques to begin with.
    torques: Vec<Control>,
}

fn full(u: &Control) -> SVector<f64, NV> {
    let mut tau = SVector::<f64, NV>::zeros();
    tau.fixed_rows_mut::<NU>(6).copy_from(u);
    tau
}

fn step((q, v): &State, u: &Control, dt: f64) -> State {
    let next = Hyq::contact_step(q, v, &full(u), dt, &[true; 4], &ContactSettings::default());
    (next.q, next.v)
}

fn error(from: &State, to: &State) -> X {
    let (q, v) = (Hyq::difference(&from.0, &to.0), to.1 - from.1);
    X::from_fn(|k, _| if k < NV { q[k] } else { v[k - NV] })
}

impl Problem {
    fn read() -> Self {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).expect("the problem");
        let mut numbers = text.split_whitespace().map(|x| x.parse::<f64>().expect("a number"));
        let mut next = || numbers.next().expect("another number");
        let (steps, dt) = (next() as usize, next());
        let start = (SVector::from_fn(|_, _| next()), SVector::zeros());
        let goal = SVector::from_fn(|_, _| next());
        let (weights, weight_of_torques) = (X::from_fn(|_, _| next()), next());
        let torques = (0..steps).map(|_| Control::from_fn(|_, _| next())).collect();
        Self { dt, start, goal, weights, weight_of_torques, torques }
    }

    fn rollout(&self, torques: &[Control]) -> Vec<State> {
        let mut states = vec![self.start];
        for u in torques {
            states.push(step(states.last().expect("the first"), u, self.dt));
        }
        states
    }

    fn off(&self, state: &State) -> X {
        error(&(self.goal, SVector::zeros()), state)
    }

    fn cost(&self, states: &[State], torques: &[Control]) -> f64 {
        let of_state = |x: &State| {
            let off = self.off(x);
            0.5 * off.dot(&off.component_mul(&self.weights))
        };
        let way = states.iter().zip(torques);
        let way: f64 = way.map(|(x, u)| of_state(x) + 0.5 * self.weight_of_torques * u.dot(u)).sum();
        self.dt * way + of_state(&states[torques.len()])
    }

    /// Gradient of a state's cost, and the base's block of its Gauss-Newton Hessian; elsewhere the Hessian is
    /// the diagonal of the weights.
    fn by_state(&self, state: &State) -> (X, SMatrix<f64, 6, 6>) {
        let mut gradient = self.off(state).component_mul(&self.weights);
        let j = Hyq::difference_jacobians(&self.goal, &state.0).dq1;
        let base = j.fixed_view::<6, 6>(0, 0).into_owned();
        let by_base = base.tr_mul(&gradient.fixed_rows::<6>(0));
        gradient.fixed_rows_mut::<6>(0).copy_from(&by_base);
        let weights = SMatrix::<f64, 6, 6>::from_diagonal(&self.weights.fixed_rows::<6>(0).into_owned());
        (gradient, base.transpose() * weights * base)
    }

    fn linearise(&self, (q, v): &State, u: &Control, d: &mut Derivatives, to: &mut Node) {
        let (dt, settings) = (self.dt, ContactSettings::default());
        Hyq::contact_step_derivatives_into(q, v, &full(u), dt, &[true; 4], &settings, d);
        let of = &d.step;
        let columns =
            of.dv_dq.column_iter().chain(of.dv_dv.column_iter()).chain(of.dv_dtau.column_iter().skip(6));
        for (to, from) in to.f.iter_mut().zip(columns) {
            to.copy_from_slice(from.as_slice());
        }
        let moved = Hyq::integrate_jacobians(q, &(of.v * dt));
        let (by_x, of_base) = self.by_state(&(*q, *v));
        let base = |of: SMatrix<f64, 6, 6>| of.data.0;
        to.jq = base(moved.dq.fixed_view::<6, 6>(0, 0).into_owned());
        to.t = base(moved.dv.fixed_view::<6, 6>(0, 0) * dt);
        (to.dt, to.of_base) = (dt, base(of_base * dt));
        let of_u = self.weight_of_torques * dt;
        for k in 0..riccati::N {
            (to.by[k], to.diagonal[k]) = match k.checked_sub(NX) {
                None => (by_x[k] * dt, if k < 6 { 0.0 } else { self.weights[k] * dt }),
                Some(k) => (u[k] * of_u, of_u),
            };
        }
    }

    /// Linear dynamics and quadratic costs of all steps.
    fn linearise_all(&self, states: &[State], torques: &[Control], memory: &mut Memory) {
        let steps = states.iter().zip(torques).zip(&mut memory.nodes);
        steps.for_each(|((x, u), to)| self.linearise(x, u, &mut memory.derivatives, to));
    }

    /// Finds gains, from the last step to the first, and the decreases of first and second order that they
    /// promise.
    fn backward(&self, last: &State, Memory { nodes, gains, step, .. }: &mut Memory) -> [f64; 2] {
        let (by, of_base) = self.by_state(last);
        let none = [[0.0; NV]; NV];
        let mut value = Value { by: by.data.0[0], qq: none, vq: none, vv: none };
        for k in 0..NV {
            (value.qq[k][k], value.vv[k][k]) = (self.weights[k], self.weights[NV + k]);
        }
        for (to, from) in value.qq.iter_mut().zip(&of_base.data.0) {
            to[..6].copy_from_slice(from);
        }
        let mut promised = [0.0; 2];
        for (node, gain) in nodes.iter().zip(gains).rev() {
            let of_step = riccati::step(node, &mut value, gain, step);
            promised = std::array::from_fn(|k| promised[k] + of_step[k]);
        }
        promised
    }

    /// The motion that gains make of another one.
    fn forward(&self, states: &[State], torques: &[Control], gains: &[Gain], size: f64) -> Motion {
        let (mut to, mut controls) = (vec![self.start], Vec::with_capacity(torques.len()));
        for ((was, u), gain) in states.iter().zip(torques).zip(gains) {
            let now = to.last().expect("the first");
            let off = error(was, now);
            let along = |k: usize| gain.by_x[k].iter().zip(&off).map(|(a, b)| a * b).sum::<f64>();
            let u = Control::from_fn(|k, _| u[k] - gain.k[k] * size - along(k));
            to.push(step(now, &u, self.dt));
            controls.push(u);
        }
        Motion { cost: self.cost(&to, &controls), states: to, torques: controls }
    }

    fn solve(&self, memory: &mut Memory) -> (Motion, usize) {
        let states = self.rollout(&self.torques);
        let mut now =
            Motion { cost: self.cost(&states, &self.torques), states, torques: self.torques.clone() };
        for iteration in 1..100 {
            self.linearise_all(&now.states, &now.torques, memory);
            let [first, second] = self.backward(&now.states[now.torques.len()], memory);
            let better = (0..10).map(|k| 0.5_f64.powi(k)).find_map(|size| {
                let tried = self.forward(&now.states, &now.torques, &memory.gains, size);
                let promised = size * (first + 0.5 * size * second);
                (now.cost - tried.cost > 0.1 * promised || promised < 1e-12).then_some(tried)
            });
            now = better.expect("a descent direction");
            if first + 0.5 * second < 1e-9 {
                return (now, iteration);
            }
        }
        panic!("no solution in 100 iterations");
    }
}

type Derivatives = ContactStepDerivatives<f64, NQ, NV, { Hyq::CONTACT_ROWS }>;

/// Memory for all steps, which solutions share.
struct Memory {
    derivatives: Box<Derivatives>,
    nodes: Vec<Node>,
    gains: Vec<Gain>,
    step: Box<riccati::Memory>,
}

struct Motion {
    states: Vec<State>,
    torques: Vec<Control>,
    cost: f64,
}

/// Median of the times of `f`, s.
fn median(rounds: usize, mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let begin = Instant::now();
            f();
            begin.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

fn main() {
    let problem = Problem::read();
    let rounds = std::env::args().nth(1).map_or(51, |x| x.parse().expect("a number of rounds"));
    let steps = problem.torques.len();
    let memory = &mut Memory {
        derivatives: Box::new(Derivatives::zeros()),
        nodes: vec![Node::ZERO; steps],
        gains: vec![Gain::ZERO; steps],
        step: Box::new(riccati::Memory::ZERO),
    };
    let (found, iterations) = problem.solve(memory);
    let states = problem.rollout(&problem.torques);
    let end = &states[steps];
    let value = median(rounds, || drop(black_box(problem.rollout(black_box(&problem.torques)))));
    let derivatives = median(rounds, || problem.linearise_all(&states, black_box(&problem.torques), memory));
    let backward = median(rounds, || {
        black_box(problem.backward(black_box(end), memory));
    });
    let solve = median(rounds, || drop(black_box(problem.solve(memory))));
    println!(
        "{{\"cost\": {:?}, \"iterations\": {iterations}, \"torques\": {:?}, \"q\": {:?}, \
         \"value\": {value:?}, \"derivatives\": {derivatives:?}, \"backward\": {backward:?}, \"solve\": {solve:?}}}",
        found.cost,
        found.torques.iter().flatten().collect::<Vec<_>>(),
        found.states.iter().flat_map(|x| &x.0).collect::<Vec<_>>(),
    );
}
