//! Derivatives of Euler's steps, from those of accelerations.
//!
//! They are kernels for the registers that the processor has. They compute with the scalar itself, so that
//! values do not depend on the processor.

use super::arithmetic::{add_diagonal, scale_from, scale_twice, set_diagonal};
use super::compiled::Joints;
use super::jacobians::through_integrate;
use super::robot::MovingJoint;
use crate::dispatch::{Dispatched, Recast};
use crate::{Joint, Scalar};
use nalgebra::SMatrix;

/// Derivatives of a step of a robot whose sizes are known at run time.
pub(super) struct Joined<'a, 'b, T, J, const SEMI: bool> {
    pub joints: J,
    /// The motion from the old configuration to the next one.
    pub along: &'a [T],
    /// Derivatives of accelerations by q, v and tau.
    pub by: [&'a [T]; 3],
    pub dt: T,
    pub n: usize,
    /// Derivatives of the next configuration, then those of the next velocity.
    pub out: &'a mut [&'b mut [T]; 6],
}

impl<T, J, const SEMI: bool> Dispatched<T> for Joined<'_, '_, T, J, SEMI>
where
    T: Scalar,
    J: Iterator<Item = MovingJoint> + Clone,
{
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        let out = self.out.each_mut().map(|block| &mut **block);
        join::<_, SEMI>(Some(self.joints), (self.along, self.dt), Some(self.by), self.n, out);
    }
}

/// Derivatives of a step of a compiled robot.
///
/// Columns are registers, since the compiler knows their length.
pub(super) struct JoinedArrays<'a, T, const NV: usize, const SEMI: bool> {
    /// Joints of the robot. None if no joint has several coordinates.
    pub joints: Option<&'static [Joint]>,
    pub along: &'a [T; NV],
    /// Derivatives of accelerations. None if they are where those of the next velocity go.
    pub by: Option<[&'a SMatrix<T, NV, NV>; 3]>,
    pub dt: T,
    pub out: [&'a mut SMatrix<T, NV, NV>; 6],
}

impl<T: Scalar, const NV: usize, const SEMI: bool> Dispatched<T> for JoinedArrays<'_, T, NV, SEMI> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        let by = self.by.map(|by| by.map(|by| by.data.0.as_flattened()));
        let out = self.out.map(|block| block.data.0.as_flattened_mut());
        let joints = self.joints.map(Joints::of);
        join::<_, SEMI>(joints, (self.along, self.dt), by, NV, out);
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn join<T: Scalar, const SEMI: bool>(
    joints: Option<impl Iterator<Item = MovingJoint> + Clone>,
    (along, dt): (&[T], T),
    by: Option<[&[T]; 3]>,
    n: usize,
    [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau]: [&mut [T]; 6],
) {
    let [by_q, by_v, by_tau] = by.map_or([None; 3], |by| by.map(Some));
    if SEMI {
        // q+ moves by dt v+: the derivatives of v+, times dt, through the Jacobian of `integrate`.
        scale_twice(dv_dq, dq_dq, by_q, dt);
        scale_twice(dv_dv, dq_dv, by_v, dt);
        scale_twice(dv_dtau, dq_dtau, by_tau, dt);
        add_diagonal(dv_dv, T::one(), n);
        set_diagonal(dq_dv, dv_dv, dt, n);
        match joints {
            Some(joints) => through_integrate(joints, along, dq_dq, [dq_dv, dq_dtau], n),
            None => add_diagonal(dq_dq, T::one(), n),
        }
    } else {
        scale_from(dv_dq, by_q, dt);
        scale_from(dv_dv, by_v, dt);
        scale_from(dv_dtau, by_tau, dt);
        add_diagonal(dv_dv, T::one(), n);
        for to in [&mut *dq_dq, &mut *dq_dv, &mut *dq_dtau] {
            to.fill(T::zero());
        }
        add_diagonal(dq_dv, dt, n);
        match joints {
            Some(joints) => through_integrate(joints, along, dq_dq, [dq_dv], n),
            None => add_diagonal(dq_dq, T::one(), n),
        }
    }
}
