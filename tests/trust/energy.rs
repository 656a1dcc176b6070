//! Long runs: a robot without drives keeps its energy, to the order of the integration method.
//!
//! Accelerations and the manifold are generated code; energies are the reference's, which shares no
//! code with them.

use rbd::reference::{Data, kinetic_energy, potential_energy};
use rbd_test_robots::{Inputs, Robot, robots};

struct State {
    q: Vec<f64>,
    v: Vec<f64>,
}

/// A robot without torques.
struct Free {
    robot: Robot,
    model: rbd::Model<f64>,
    zeros: Vec<f64>,
}

impl Free {
    fn new(name: &str) -> Self {
        let robot = robots().into_iter().find(|r| r.name == name).unwrap();
        let model = (robot.model)();
        let zeros = vec![0.0; model.nv];
        Self { robot, model, zeros }
    }

    /// Every joint somewhere, turning.
    fn start(&self) -> State {
        let dv: Vec<f64> = (0..self.model.nv).map(|i| 0.4 * (1.3 * i as f64 + 0.5).sin()).collect();
        let v = (0..self.model.nv).map(|i| (0.7 * i as f64).cos()).collect();
        State { q: self.robot.integrate(self.model.neutral().as_slice(), &dv), v }
    }

    fn energy(&self, s: &State) -> f64 {
        let mut data = Data::new(&self.model);
        kinetic_energy(&self.model, &mut data, &s.q, &s.v) + potential_energy(&self.model, &mut data, &s.q)
    }

    fn acceleration(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let inputs = Inputs {
            q: q.into(),
            v: v.into(),
            third: self.zeros.clone(),
            fext: vec![0.0; 6 * self.model.bodies.len()],
        };
        self.robot.call("aba", &inputs)
    }

    /// Velocities first, then positions by the new ones.
    fn symplectic_euler(&self, s: &State, h: f64) -> State {
        let v = combine(&s.v, &[(h, &self.acceleration(&s.q, &s.v))]);
        State { q: self.robot.integrate(&s.q, &combine(&self.zeros, &[(h, &v)])), v }
    }

    /// The commutator-free method of fourth order of Celledoni, Marthinsen and Owren (2003): Runge and
    /// Kutta's, where positions move by two exponentials, so that the order holds on a rotation group too.
    fn runge_kutta(&self, s: &State, h: f64) -> State {
        let step = |from: &[f64], by: &[(f64, &Vec<f64>)]| {
            let by: Vec<(f64, &Vec<f64>)> = by.iter().map(|(c, x)| (c * h, *x)).collect();
            self.robot.integrate(from, &combine(&self.zeros, &by))
        };
        let (v1, a1) = (s.v.clone(), self.acceleration(&s.q, &s.v));
        let (q2, v2) = (step(&s.q, &[(0.5, &v1)]), combine(&s.v, &[(0.5 * h, &a1)]));
        let a2 = self.acceleration(&q2, &v2);
        let (q3, v3) = (step(&s.q, &[(0.5, &v2)]), combine(&s.v, &[(0.5 * h, &a2)]));
        let a3 = self.acceleration(&q3, &v3);
        let (q4, v4) = (step(&q2, &[(1.0, &v3), (-0.5, &v1)]), combine(&s.v, &[(h, &a3)]));
        let a4 = self.acceleration(&q4, &v4);
        let (third, sixth, twelfth) = (1.0 / 3.0, 1.0 / 6.0, 1.0 / 12.0);
        let half = step(&s.q, &[(0.25, &v1), (sixth, &v2), (sixth, &v3), (-twelfth, &v4)]);
        let q = step(&half, &[(-twelfth, &v1), (sixth, &v2), (sixth, &v3), (0.25, &v4)]);
        let v = combine(&s.v, &[(h * sixth, &a1), (h * third, &a2), (h * third, &a3), (h * sixth, &a4)]);
        State { q, v }
    }

    /// The largest error of the energy on the way, relative to the largest kinetic energy.
    fn error(&self, seconds: f64, steps: usize, step: impl Fn(&State, f64) -> State) -> f64 {
        let mut s = self.start();
        let mut data = Data::new(&self.model);
        let before = self.energy(&s);
        let h = seconds / steps as f64;
        let (mut error, mut scale) = (0.0_f64, 0.0_f64);
        for _ in 0..steps {
            s = step(&s, h);
            let now = (self.energy(&s) - before).abs();
            assert!(now.is_finite());
            error = error.max(now);
            scale = scale.max(kinetic_energy(&self.model, &mut data, &s.q, &s.v));
        }
        error / scale
    }
}

fn combine(x: &[f64], by: &[(f64, &Vec<f64>)]) -> Vec<f64> {
    (0..x.len()).map(|i| by.iter().fold(x[i], |sum, (c, y)| sum + c * y[i])).collect()
}

/// The power of the step size that the error goes with.
fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[test]
fn runge_kutta_keeps_energy_to_fourth_order() {
    for (name, seconds, steps) in [("double_pendulum f64", 1.0, 500), ("hyq f64", 1.0, 50)] {
        let free = Free::new(name);
        let [coarse, fine] =
            [steps, 2 * steps].map(|n| free.error(seconds, n, |s, h| free.runge_kutta(s, h)));
        println!("{name}: {coarse:e}, {fine:e}, order {:.2}", order(coarse, fine));
        // Half a power of tolerance for the asymptotic law; an error in any term makes the order 1
        // or 0.
        assert!((3.5..4.5).contains(&order(coarse, fine)), "{name}: {coarse:e} {fine:e}");
        assert!(fine < 1e-6, "{name}: {fine:e}");
    }
}

#[test]
fn symplectic_euler_errs_in_first_order_and_does_not_drift() {
    for (name, seconds, steps) in [("double_pendulum f64", 1.0, 4000), ("hyq f64", 1.0, 4000)] {
        let free = Free::new(name);
        let [coarse, fine] =
            [steps, 2 * steps].map(|n| free.error(seconds, n, |s, h| free.symplectic_euler(s, h)));
        println!("{name}: {coarse:e}, {fine:e}, order {:.2}", order(coarse, fine));
        assert!((0.8..1.3).contains(&order(coarse, fine)), "{name}: {coarse:e} {fine:e}");
        assert!(fine < 0.05, "{name}: {fine:e}");
    }
}

/// A chaotic minute: the method's error in a second (1e-6 at this step, by the test above) adds up
/// at most linearly, and rounding adds nothing visible.
#[test]
fn a_minute_of_a_double_pendulum() {
    let free = Free::new("double_pendulum f64");
    let second = free.error(1.0, 1000, |s, h| free.runge_kutta(s, h));
    let minute = free.error(60.0, 60_000, |s, h| free.runge_kutta(s, h));
    println!("{second:e} in a second, {minute:e} in a minute");
    assert!(minute < 60.0 * second, "{minute:e}");
}
