//! Steps on slices, which compiled robots and robots at run time call.

use super::arithmetic::Scratch;
use super::damped::{Damped, Order};
use super::hessian::{Blocks, WeightedStep};
use super::jacobians::through_integrate;
use super::robot::{MovingJoint, StepRobot};
use super::{Integrator, StepDerivatives, euler, hessian, runge_kutta, runge_kutta_hessian};
use crate::Scalar;

/// State, torques and time of a step, as slices.
#[derive(Clone, Copy, Debug)]
pub struct State<'a, T> {
    /// Configuration.
    pub q: &'a [T],
    /// Velocity.
    pub v: &'a [T],
    /// Torques.
    pub tau: &'a [T],
    /// Time, s.
    pub dt: T,
}

/// Destinations of the derivatives of a step. Matrices are by columns.
#[derive(Debug)]
pub struct DerivativesOut<'a, T> {
    /// Next configuration.
    pub q: &'a mut [T],
    /// Next velocity.
    pub v: &'a mut [T],
    /// Derivatives of the next configuration by q, v and tau, then those of the next velocity.
    pub blocks: [&'a mut [T]; 6],
}

impl<'a, T> DerivativesOut<'a, T> {
    /// The memory of a compiled robot's result.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of<const NQ: usize, const NV: usize>(out: &'a mut StepDerivatives<T, NQ, NV>) -> Self {
        let StepDerivatives { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = out;
        let blocks = [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau];
        Self {
            q: q.data.0.as_flattened_mut(),
            v: v.data.0.as_flattened_mut(),
            blocks: blocks.map(|block| block.data.0.as_flattened_mut()),
        }
    }
}

/// Numbers of matrices, velocity vectors and configurations of scratch of the largest function.
pub const MOST_SCRATCH: [usize; 3] = [41, 21, 3];

/// Writes the next state of a robot whose sizes are known at run time.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn step<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    to: [&mut [T]; 2],
) {
    match integrator {
        Integrator::SemiImplicit => euler::step::<_, _, true>(robot, at, scratch, to),
        Integrator::Explicit => euler::step::<_, _, false>(robot, at, scratch, to),
        Integrator::Rk4 => runge_kutta::step(robot, at, scratch, to),
        Integrator::ImplicitDamping => {
            let memory = (at.v.len(), &mut scratch);
            let damped = &mut Damped::new(robot, at.dt, Order::Values, Default::default(), memory);
            euler::step::<_, _, true>(damped, at, scratch, to);
        }
    }
}

/// Writes the next state and its derivatives.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn step_derivatives<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut DerivativesOut<'_, T>,
) {
    match integrator {
        Integrator::SemiImplicit => euler::derivatives::<_, _, true>(robot, at, scratch, out),
        Integrator::Explicit => euler::derivatives::<_, _, false>(robot, at, scratch, out),
        Integrator::Rk4 => runge_kutta::derivatives(robot, at, scratch, out),
        Integrator::ImplicitDamping => {
            let n = at.v.len();
            let by = scratch.matrices(n);
            let damped = &mut Damped::new(robot, at.dt, Order::Derivatives, by, (n, &mut scratch));
            euler::derivatives::<_, _, true>(damped, at, scratch, out);
        }
    }
}

/// Writes value, gradient and Hessian of a weighted step.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn step_hessian<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    of: &WeightedStep<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut Blocks<'_, T>,
) {
    match integrator {
        Integrator::SemiImplicit => hessian::euler::<_, _, true>(robot, of, scratch, out),
        Integrator::Explicit => hessian::euler::<_, _, false>(robot, of, scratch, out),
        Integrator::Rk4 => runge_kutta_hessian::hessian(robot, of, scratch, out),
        Integrator::ImplicitDamping => {
            let n = of.v.len();
            let by = scratch.matrices(n);
            let damped = &mut Damped::new(robot, of.dt, Order::Hessian, by, (n, &mut scratch));
            hessian::euler::<_, _, true>(damped, of, scratch, out);
        }
    }
}

/// Writes derivatives of the next configuration, `dq`, from those of the next velocity, `dv`.
///
/// They are by q, v and tau. The configuration moves by `motion`, which is `dt` times that velocity. Matrices
/// are nv x nv.
pub fn move_on<T: Scalar>(
    joints: impl Iterator<Item = MovingJoint> + Clone,
    (motion, dt): (&[T], T),
    dv: [&[T]; 3],
    dq: [&mut [T]; 3],
) {
    let [by_q, by_v, by_tau] = dq;
    for (to, from) in [(&mut *by_q, dv[0]), (&mut *by_v, dv[1]), (&mut *by_tau, dv[2])] {
        to.iter_mut().zip(from).for_each(|(to, x)| *to = *x * dt);
    }
    through_integrate(joints, motion, by_q, [by_v, by_tau], motion.len());
}
