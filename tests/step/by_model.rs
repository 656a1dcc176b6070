//! Euler's steps by the robot's model: a reference for any number.
//!
//! Dynamics that are generated would be compiled once more for each number.

use nalgebra::SVector;
use rbd::{DiscreteDynamics, Integrator, Scalar, Step};

/// The next state. `dt` times the damping of an implicit step acts as inertia of the rotors.
pub fn step<R: DiscreteDynamics<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    [v, tau]: [&SVector<T, NV>; 2],
    dt: T,
) -> Step<T, NQ, NV> {
    let mut model = R::model::<T>();
    if R::INTEGRATOR == Integrator::ImplicitDamping {
        model.bodies.iter_mut().for_each(|body| body.armature += body.damping * dt);
    }
    let ddq = model.aba(q.as_slice(), v.as_slice(), tau.as_slice());
    let next = SVector::from_fn(|k, _| v[k] + ddq[k] * dt);
    let along = match R::INTEGRATOR {
        Integrator::SemiImplicit | Integrator::ImplicitDamping => &next,
        Integrator::Explicit => v,
        Integrator::Rk4 => unreachable!("a step of Runge and Kutta"),
    };
    Step { q: R::integrate(q, &along.map(|x| x * dt)), v: next }
}
