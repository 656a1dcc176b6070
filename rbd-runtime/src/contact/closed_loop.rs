//! Closed loops: terms that the rows of a contact between two bodies have in addition to those of a
//! contact with the world.

use super::rows::{Error, active_ones, add, centripetal, cross, part, wrench};
use super::{ContactKind, ContactSettings, ContactTable, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::{FrameAccelerationDerivatives, FrameVelocityDerivatives};
use crate::linalg;
use crate::spatial::{Placement, force_cross, motion_cross};
use nalgebra::{SMatrix, SVector, Vector3};

/// The second frame of a closed loop, in one configuration.
pub(super) struct Second<T> {
    /// Number of the frame for [`Mechanics`].
    frame: usize,
    kind: ContactKind,
    /// Pose in the world.
    pub at: Placement<T>,
    /// Pose in the first frame, which takes its motions to the first frame. For points, the
    /// rotation only.
    seen: Placement<T>,
}

impl<T: Scalar> Second<T> {
    /// `None` of a contact with the world.
    pub fn of<R, const NV: usize, const NB: usize, const NC: usize>(
        robot: &R,
        (k, contact): (usize, &ContactTable),
    ) -> Option<Self>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        contact.second.as_ref()?;
        let frame = NC + k;
        let at = robot.placement(frame);
        let mut seen = robot.placement(k).inverse().compose(&at);
        if contact.kind == ContactKind::Point {
            seen.translation = Vector3::from_fn(|_, _| T::zero());
        }
        Some(Self { frame, kind: contact.kind, at, seen })
    }

    /// Force on the second frame, in its own axes, from the force on the first.
    pub fn reaction(&self, of_first: &SVector<T, 6>) -> SVector<T, 6> {
        -self.seen.act_inv_force(of_first)
    }

    /// A motion of the second frame, as the first frame sees it.
    pub fn see(&self, motion: &SVector<T, 6>) -> SVector<T, 6> {
        self.seen.act_motion(motion)
    }

    /// Writes the Jacobian of the second frame, in that frame's axes.
    pub fn own_jacobian<R, const NV: usize, const NB: usize, const NC: usize>(
        &self,
        robot: &R,
        out: &mut SMatrix<T, 6, NV>,
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        robot.jacobian(self.frame, out);
    }

    /// Jacobian of the second frame, as the first frame sees it.
    fn jacobian<R, const NV: usize, const NB: usize, const NC: usize>(&self, robot: &R) -> SMatrix<T, 6, NV>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let mut jacobian = zeros();
        robot.jacobian(self.frame, &mut jacobian);
        for column in &mut jacobian.data.0 {
            *column = self.seen.act_motion(&SVector::from(*column)).into();
        }
        jacobian
    }

    /// Subtracts the second frame's Jacobian: `jacobian` of the first frame becomes that of the
    /// relative motion.
    pub fn subtract<R, const NV: usize, const NB: usize, const NC: usize>(
        &self,
        robot: &R,
        jacobian: &mut SMatrix<T, 6, NV>,
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        *jacobian -= self.jacobian(robot);
    }

    /// Subtracts the second frame's velocity, and its part of the rows' acceleration at zero joint
    /// accelerations.
    pub fn subtract_motion<R, const NV: usize, const NB: usize, const NC: usize>(
        &self,
        robot: &R,
        v: &SVector<T, NV>,
        (velocity, acceleration): (&mut SVector<T, 6>, &mut SVector<T, 6>),
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let (mut own, mut bias) = (zeros(), zeros());
        robot.velocity(self.frame, v, &mut own);
        robot.bias_acceleration(self.frame, v, &mut bias);
        if self.kind == ContactKind::Point {
            add(&mut bias, 0, &centripetal(&own));
        }
        let carried = self.seen.act_motion(&own);
        *velocity -= carried;
        *acceleration -= self.seen.act_motion(&bias);
        if self.kind == ContactKind::Plane {
            *acceleration += motion_cross(velocity, &carried);
        }
    }

    /// Derivative by q of the second frame's velocity, expressed in the first frame, at these joint
    /// velocities. The first frame's Jacobian is an argument.
    pub fn velocity_derivative<R, const NV: usize, const NB: usize, const NC: usize>(
        &self,
        robot: &R,
        u: &SVector<T, NV>,
        jacobian_of_first: &SMatrix<T, 6, NV>,
    ) -> SMatrix<T, 6, NV>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let mut own = FrameVelocityDerivatives::zeros();
        robot.velocity_derivatives(self.frame, u, &mut own);
        let carried = self.seen.act_motion(&own.velocity);
        let columns = own.dv_dv.data.0.iter().zip(&jacobian_of_first.data.0);
        for (dv_dq, (j, first_j)) in own.dv_dq.data.0.iter_mut().zip(columns) {
            let apart = SVector::<T, 6>::from(*first_j) - self.seen.act_motion(&SVector::from(*j));
            let moved = self.seen.act_motion(&SVector::from(*dv_dq));
            *dv_dq = (moved - motion_cross(&self.turn(&apart), &carried)).into();
        }
        own.dv_dq
    }

    /// Terms of the rows' derivatives by q and v, column by column, in addition to those of the
    /// first frame's motion. The first frame's Jacobian and velocity are arguments.
    pub fn derivatives<R, const NV: usize, const NB: usize, const NC: usize>(
        &self,
        robot: &R,
        (v, ddq): (&SVector<T, NV>, &SVector<T, NV>),
        first: &FrameVelocityDerivatives<T, NV>,
        error: &Error<T>,
        settings: &ContactSettings<T, NC>,
    ) -> [SMatrix<T, 6, NV>; 2]
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let (mut of_velocity, mut of_acceleration) =
            (FrameVelocityDerivatives::zeros(), FrameAccelerationDerivatives::zeros());
        robot.velocity_derivatives(self.frame, v, &mut of_velocity);
        robot.acceleration_derivatives(self.frame, v, ddq, &mut of_acceleration);
        let FrameVelocityDerivatives { velocity, dv_dq, dv_dv } = of_velocity;
        let FrameAccelerationDerivatives { mut acceleration, da_dq, da_dv, .. } = of_acceleration;
        let is_point = self.kind == ContactKind::Point;
        if is_point {
            add(&mut acceleration, 0, &centripetal(&velocity));
        }
        let (carried, accelerated) = (self.seen.act_motion(&velocity), self.seen.act_motion(&acceleration));
        let relative = first.velocity - carried;
        let (mut by_q, mut by_v): (SMatrix<T, 6, NV>, SMatrix<T, 6, NV>) = (zeros(), zeros());
        let of_first = first.dv_dq.data.0.iter().zip(&first.dv_dv.data.0);
        let of_second = dv_dq.data.0.iter().zip(&dv_dv.data.0).zip(da_dq.data.0.iter().zip(&da_dv.data.0));
        let out = by_q.data.0.iter_mut().zip(&mut by_v.data.0);
        for (((first_dq, first_j), ((dv_dq, j), (da_dq, da_dv))), (by_q, by_v)) in
            of_first.zip(of_second).zip(out)
        {
            let [first_dq, first_j] = [first_dq, first_j].map(|x| SVector::<T, 6>::from(*x));
            let [dv_dq, j, mut da_dq, mut da_dv] =
                [dv_dq, j, da_dq, da_dv].map(|x| SVector::<T, 6>::from(*x));
            if is_point {
                add(&mut da_dq, 0, &centripetal_moved(&velocity, &dv_dq));
                add(&mut da_dv, 0, &centripetal_moved(&velocity, &j));
            }
            let j = self.seen.act_motion(&j);
            let apart = first_j - j;
            // How the second frame turns, and moves, as the first sees it: the other way round.
            let turn = self.turn(&apart);
            let carried_dq = self.seen.act_motion(&dv_dq) - motion_cross(&turn, &carried);
            let mut q = motion_cross(&turn, &accelerated) - self.seen.act_motion(&da_dq);
            let mut v = -self.seen.act_motion(&da_dv);
            if !is_point {
                q += motion_cross(&(first_dq - carried_dq), &carried) + motion_cross(&relative, &carried_dq);
                v += motion_cross(&apart, &carried) + motion_cross(&relative, &j);
            }
            q -= carried_dq * settings.kd;
            v -= j * settings.kd;
            // A point's distance is seen in axes that turn with the first frame, and not relative
            // to the second.
            let seen_by = if is_point { self.with_turn(&apart, &first_j) } else { apart };
            let (linear, angular) = error.moved(&seen_by);
            add(&mut q, 0, &(linear * settings.kp));
            add(&mut q, 3, &(angular * settings.kp));
            (*by_q, *by_v) = (q.into(), v.into());
        }
        [by_q, by_v]
    }

    /// The motion that changes where the second frame is seen: of points, the turn alone.
    fn turn(&self, apart: &SVector<T, 6>) -> SVector<T, 6> {
        let mut turn = *apart;
        if self.kind == ContactKind::Point {
            turn.iter_mut().take(3).for_each(|x| *x = T::zero());
        }
        turn
    }

    /// The linear part of one, the angular part of the other.
    fn with_turn(&self, linear: &SVector<T, 6>, angular: &SVector<T, 6>) -> SVector<T, 6> {
        let mut out = *angular;
        out.iter_mut().zip(linear).take(3).for_each(|(out, x)| *out = *x);
        out
    }
}

/// Adds multiples of the derivatives by q of the closed loops' position errors to rows.
pub(super) fn add_error_derivatives<
    T,
    R,
    const NV: usize,
    const NB: usize,
    const NC: usize,
    const NR: usize,
>(
    robot: &R,
    share: T,
    by_q: &mut SMatrix<T, NR, NV>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    for (k, contact) in robot.contacts().iter().enumerate() {
        let Some(second) = Second::of(robot, (k, contact)) else { continue };
        let error = Error::of(&robot.placement(k), &second.at);
        let mut first: SMatrix<T, 6, NV> = zeros();
        robot.jacobian(k, &mut first);
        let j = second.jacobian(robot);
        for ((to, first), j) in by_q.data.0.iter_mut().zip(&first.data.0).zip(&j.data.0) {
            let first = SVector::<T, 6>::from(*first);
            let apart = first - SVector::<T, 6>::from(*j);
            let seen_by =
                if contact.kind == ContactKind::Point { second.with_turn(&apart, &first) } else { apart };
            let (linear, angular) = error.moved(&seen_by);
            let rows = to.iter_mut().skip(contact.row).take(contact.kind.rows());
            rows.zip(linear.iter().chain(&angular)).for_each(|(to, x)| *to = x.mul_add(share, *to));
        }
    }
}

/// Change of the centripetal acceleration with the velocity.
pub(super) fn centripetal_moved<T: Scalar>(velocity: &SVector<T, 6>, d: &SVector<T, 6>) -> Vector3<T> {
    cross(&part(d, 3), &part(velocity, 0)) + cross(&part(velocity, 3), &part(d, 0))
}

/// Adds the effect of turning second frames to the derivatives of inverse dynamics by q. Returns
/// whether there is any.
///
/// Forces are constant in the axes of first frames. Second frames see these axes turn.
pub(super) fn turn_forces<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    forces: &SVector<T, NR>,
    active: &[bool; NC],
    dtau_dq: &mut SMatrix<T, NV, NV>,
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut any = false;
    for (k, contact) in active_ones(robot.contacts(), active) {
        let Some(second) = Second::of(robot, (k, contact)) else { continue };
        let (j, mut apart): (_, SMatrix<T, 6, NV>) = (second.jacobian(robot), zeros());
        robot.jacobian(k, &mut apart);
        apart -= j;
        let force = wrench(forces, contact);
        for column in &mut apart.data.0 {
            *column = force_cross(&second.turn(&SVector::from(*column)), &force).into();
        }
        linalg::add_tr_mul(&j, &apart, dtau_dq);
        any = true;
    }
    any
}
