//! States to try robots at.

use rbd::random::Random;
use rbd_test_robots::{Inputs, Robot};

/// An ordinary state: a valid configuration, everything of order one.
pub fn ordinary(robot: &Robot, seed: u64) -> Inputs {
    let model = (robot.model)();
    let mut random = Random::new(seed);
    let mut numbers = |n: usize| random.vector(n, 1.0).as_slice().to_vec();
    let q = model.integrate(model.neutral().as_slice(), &numbers(model.nv)).as_slice().to_vec();
    Inputs { q, v: numbers(model.nv), third: numbers(model.nv), fext: numbers(6 * model.bodies.len()) }
}
