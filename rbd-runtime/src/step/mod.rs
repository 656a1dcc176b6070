//! The discrete step: the next state, and its derivatives on the manifold of configurations.
//!
//! Formulas are in docs/math.md#discrete-step. The step is made of a robot's `aba`, `aba_derivatives`,
//! `aba_hessian` and `integrate`. Blocks of single joints are multiplied, never matrices that are mostly
//! zero.

mod arithmetic;
mod compiled;
mod euler;
mod hessian;
mod jacobians;
mod rate;
mod robot;
mod runge_kutta;
mod runge_kutta_hessian;
mod turning;

pub use arithmetic::Scratch;
pub use hessian::{Blocks, WeightedStep};
pub use robot::{Accelerations, MovingJoint, StepRobot, Weighted};

use crate::__private::zeros;
use crate::{AbaDerivatives, AbaHessian, ForwardDynamics, ForwardDynamicsDerivatives, Scalar};
use nalgebra::{SMatrix, SVector};

/// How a step leads from one state to the next. `ddq(q, v, tau)` is forward dynamics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// `v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v+)`. Order 1.
    ///
    /// Energies stay near their true value.
    SemiImplicit,
    /// `v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v)`. Order 1.
    ///
    /// Oscillations gain energy.
    Explicit,
    /// Runge and Kutta's method of order 4, by Munthe-Kaas on the manifold of configurations. The torques
    /// are constant during the step.
    Rk4,
}

/// Where a step begins, as slices.
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

/// Where the derivatives of a step go. Matrices are by columns.
#[derive(Debug)]
pub struct DerivativesOut<'a, T> {
    /// Next configuration.
    pub q: &'a mut [T],
    /// Next velocity.
    pub v: &'a mut [T],
    /// Derivatives of the next configuration by q, v and tau, then those of the next velocity.
    pub blocks: [&'a mut [T]; 6],
}

/// How many matrices, vectors of velocities and configurations of scratch the largest function takes.
pub const MOST_SCRATCH: [usize; 3] = [41, 21, 3];

/// Writes the next state of a robot whose sizes are known at run time.
#[inline(always)]
pub fn step<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    at: &State<'_, T>,
    scratch: Scratch<'_, T>,
    to: [&mut [T]; 2],
) {
    match integrator {
        Integrator::SemiImplicit => euler::step::<_, _, true>(robot, at, scratch, to),
        Integrator::Explicit => euler::step::<_, _, false>(robot, at, scratch, to),
        Integrator::Rk4 => runge_kutta::step(robot, at, scratch, to),
    }
}

/// Writes the next state and its derivatives.
#[inline(always)]
pub fn step_derivatives<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    at: &State<'_, T>,
    scratch: Scratch<'_, T>,
    out: &mut DerivativesOut<'_, T>,
) {
    match integrator {
        Integrator::SemiImplicit => euler::derivatives::<_, _, true>(robot, at, scratch, out),
        Integrator::Explicit => euler::derivatives::<_, _, false>(robot, at, scratch, out),
        Integrator::Rk4 => runge_kutta::derivatives(robot, at, scratch, out),
    }
}

/// Writes value, gradient and Hessian of a weighted step.
#[inline(always)]
pub fn step_hessian<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    integrator: Integrator,
    of: &WeightedStep<'_, T>,
    scratch: Scratch<'_, T>,
    out: &mut Blocks<'_, T>,
) {
    match integrator {
        Integrator::SemiImplicit => hessian::euler::<_, _, true>(robot, of, scratch, out),
        Integrator::Explicit => hessian::euler::<_, _, false>(robot, of, scratch, out),
        Integrator::Rk4 => runge_kutta_hessian::hessian(robot, of, scratch, out),
    }
}

/// A state: result of [`DiscreteDynamics::step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<T, const NQ: usize, const NV: usize> {
    /// Configuration (NQ); rad, m, unit quaternions x, y, z, w.
    pub q: SVector<T, NQ>,
    /// Velocity (NV); rad/s, m/s.
    pub v: SVector<T, NV>,
}

/// Result of [`DiscreteDynamics::step_derivatives`]: the next state and its derivatives.
///
/// Rows and columns of configurations are in tangent spaces, rows at the next state and columns at
/// the old one. With `x = [q; v]`, `A = [dq_dq dq_dv; dv_dq dv_dv]` and `B = [dq_dtau; dv_dtau]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepDerivatives<T, const NQ: usize, const NV: usize> {
    /// Next configuration (NQ).
    pub q: SVector<T, NQ>,
    /// Next velocity (NV).
    pub v: SVector<T, NV>,
    /// Derivative of the next configuration by the configuration (NV x NV).
    pub dq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the velocity (NV x NV), s. With explicit Euler only the
    /// blocks of joints on the diagonal differ from zero.
    pub dq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the torques (NV x NV). Zero with explicit Euler.
    pub dq_dtau: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the configuration (NV x NV), 1/s.
    pub dv_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the velocity (NV x NV).
    pub dv_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the torques (NV x NV).
    pub dv_dtau: SMatrix<T, NV, NV>,
}

/// Result of [`DiscreteDynamics::step_hessian`]: a weighted sum of the next state, its gradient and its
/// Hessian, without any tensor.
///
/// Block `dqdv[(i, j)]` is the derivative of `dq[i]` by the velocity's number j. Blocks that are not there
/// are the transposed ones. `dqdq[(i, j)]` moves the configuration first along j, then along i: with
/// joints that turn it is not symmetric, and its symmetric part is what a quadratic model needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepHessian<T, const NV: usize> {
    /// `lambda_q . q+ + lambda_v . v+`. Of `q+` only joints of one coordinate count.
    pub value: T,
    /// Gradient by the configuration (NV): `dq_dq^T lambda_q + dv_dq^T lambda_v`.
    pub dq: SVector<T, NV>,
    /// Gradient by the velocity (NV).
    pub dv: SVector<T, NV>,
    /// Gradient by the torques (NV).
    pub dtau: SVector<T, NV>,
    /// Derivative of `dq` by the configuration (NV x NV).
    pub dqdq: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the velocity (NV x NV).
    pub dqdv: SMatrix<T, NV, NV>,
    /// Derivative of `dv` by the velocity (NV x NV), symmetric.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the torques (NV x NV).
    pub dqdtau: SMatrix<T, NV, NV>,
    /// Derivative of `dv` by the torques (NV x NV). With Euler's steps it is zero unless a joint turns.
    pub dvdtau: SMatrix<T, NV, NV>,
    /// Derivative of `dtau` by the torques (NV x NV), symmetric. Zero where `dvdtau` is.
    pub dtaudtau: SMatrix<T, NV, NV>,
}

impl<T: Scalar, const NQ: usize, const NV: usize> Step<T, NQ, NV> {
    /// All zero: a place for a result, and no state of a robot with quaternions.
    #[must_use]
    pub fn zeros() -> Self {
        Self { q: zeros(), v: zeros() }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize> StepDerivatives<T, NQ, NV> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            q: zeros(),
            v: zeros(),
            dq_dq: zeros(),
            dq_dv: zeros(),
            dq_dtau: zeros(),
            dv_dq: zeros(),
            dv_dv: zeros(),
            dv_dtau: zeros(),
        }
    }
}

impl<T: Scalar, const NV: usize> StepHessian<T, NV> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: T::zero(),
            dq: zeros(),
            dv: zeros(),
            dtau: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqdtau: zeros(),
            dvdtau: zeros(),
            dtaudtau: zeros(),
        }
    }
}

crate::batch::lanewise!(Step NQ NV: q v);
crate::batch::lanewise!(StepDerivatives NQ NV: q v dq_dq dq_dv dq_dtau dv_dq dv_dv dv_dtau);

/// Robots with a discrete step: those made with the option `step`.
///
/// A solver for any robot and any integrator is written
/// `fn solve<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(..)`. Functions are also
/// associated functions of the generated type.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: semi_implicit`, `step: explicit` or `step: rk4`",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait DiscreteDynamics<const NQ: usize, const NV: usize>:
    ForwardDynamics<NQ, NV> + ForwardDynamicsDerivatives<NQ, NV>
{
    /// The integrator that the option names.
    const INTEGRATOR: Integrator;

    /// The state after a time `dt` (s) under the torques `tau`, which are constant meanwhile.
    ///
    /// `dt` may be any number: a negative one steps back, and NaN gives NaN.
    #[must_use]
    fn step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> Step<T, NQ, NV> {
        compiled::step::<Self, T, NQ, NV>(q, v, tau, dt)
    }

    /// The state after a time `dt`, and its exact derivatives by the state and the torques.
    ///
    /// Column j of a derivative by `q` is that along `integrate(q, e * unit(j))`. Rows of `q` are in
    /// the tangent space at the next configuration.
    #[must_use]
    fn step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> StepDerivatives<T, NQ, NV> {
        let mut out = StepDerivatives::zeros();
        Self::step_derivatives_into(q, v, tau, dt, &mut out);
        out
    }

    /// [`Self::step_derivatives`] without a copy. Writes every entry of `out`.
    fn step_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    ) {
        compiled::derivatives::<Self, T, NQ, NV>(q, v, tau, dt, out);
    }

    /// Value, gradient and Hessian of the next state, weighted with `lambda_q` and `lambda_v`.
    ///
    /// They are those of `lambda_q . difference(at, q+) + lambda_v . v+` as a function of the old state and
    /// the torques, `at` being the next configuration itself. `lambda_q` (NV) weights motions in the tangent
    /// space there. A Lagrangian's terms of the dynamics are this sum, with multipliers for weights.
    #[must_use]
    fn step_hessian<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> StepHessian<T, NV> {
        let mut out = StepHessian::zeros();
        Self::step_hessian_into(q, v, tau, dt, lambda_q, lambda_v, &mut out);
        out
    }

    /// [`Self::step_hessian`] without a copy. Writes every entry of `out`.
    fn step_hessian_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
        out: &mut StepHessian<T, NV>,
    ) {
        compiled::hessian::<Self, T, NQ, NV>(q, [v, tau], dt, [lambda_q, lambda_v], out);
    }

    /// First derivatives of accelerations, and the Hessian of their sum weighted with `lambda`.
    #[doc(hidden)]
    fn weighted_accelerations<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        first: &mut AbaDerivatives<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );

    /// Steps through `controls`, one a step, and writes the state after each to `states`.
    ///
    /// The shorter of both slices ends it. Nothing is allocated.
    fn rollout<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let mut now = Step { q: *q, v: *v };
        for (tau, state) in controls.iter().zip(states) {
            now = Self::step(&now.q, &now.v, tau, dt);
            *state = now;
        }
    }

    /// Gradient of a cost of a [rollout](Self::rollout) by all controls and the first state.
    ///
    /// - `states`: written by [`Self::rollout`] for the same `controls`.
    /// - `gradient[k]`: gradient of the cost by the state after step k alone, that by `q` in the tangent
    ///   space there. It is overwritten with the gradient of the whole cost by that state.
    /// - `by_controls[k]`: receives the gradient by control k of all costs of states.
    ///
    /// The result is the gradient by the first state, in its tangent space.
    ///
    /// The shortest slice ends it. Only the states are stored, and each step is linearised once.
    #[must_use = "gradient by the first state"]
    fn rollout_adjoint<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
        by_controls: &mut [SVector<T, NV>],
    ) -> (SVector<T, NV>, SVector<T, NV>) {
        let mut d = StepDerivatives::zeros();
        let steps = controls.len().min(states.len()).min(gradient.len()).min(by_controls.len());
        let mut later = (zeros(), zeros());
        let all = controls.iter().zip(gradient).zip(by_controls).take(steps).enumerate();
        for (k, ((tau, gradient), by_control)) in all.rev() {
            gradient.0 += later.0;
            gradient.1 += later.1;
            let (q, v) = match k.checked_sub(1).and_then(|before| states.get(before)) {
                Some(state) => (&state.q, &state.v),
                None => (q, v),
            };
            Self::step_derivatives_into(q, v, tau, dt, &mut d);
            let back = |of_q, of_v| transposed(of_q, &gradient.0) + transposed(of_v, &gradient.1);
            later = (back(&d.dq_dq, &d.dv_dq), back(&d.dq_dv, &d.dv_dv));
            *by_control = back(&d.dq_dtau, &d.dv_dtau);
        }
        later
    }
}

/// `matrix^T vector`.
fn transposed<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &SVector<T, N>) -> SVector<T, N> {
    crate::linalg::tr_mul(matrix, vector)
}
