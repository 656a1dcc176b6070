//! The second frames of closed loops: what the rows of two bodies have in addition to those of a contact with
//! the world (docs/math.md#contacts).

use super::contact_rows::{of_rows, of_rows_moved};
use super::frame_derivatives::Columns;
use super::frames::{Frame, motion};
use super::robot::Coordinates;
use crate::algebra::{Force, Motion, Placement, Vec3};
use rbd_runtime::ContactKind;

/// Second frames of closed loops, in the lanes of the first ones.
pub(super) struct Second<'r, 'g> {
    kind: ContactKind,
    /// The frames, in their own axes.
    pub frame: Frame<'r, 'g>,
    /// Their poses in the first frames, which take their motions there. For points, the rotations only.
    seen: Placement<'g>,
    /// From their origins to those of the first frames, in the axes of these.
    apart: Vec3<'g>,
}

/// Motions of second frames as the first ones see them.
pub(super) struct SecondMotion<'g> {
    /// In the second frames' own axes.
    own: Motion<'g>,
    velocity: Motion<'g>,
    /// Acceleration as the rows have it.
    acceleration: Motion<'g>,
}

/// Terms of the rows' derivatives.
pub(super) struct Moved<'g> {
    pub rows_dq: Motion<'g>,
    pub rows_dv: Motion<'g>,
    pub velocities_dq: Motion<'g>,
}

impl<'r, 'g> Second<'r, 'g> {
    pub fn new(kind: ContactKind, first: &Frame<'r, 'g>, frame: Frame<'r, 'g>) -> Self {
        // Poses in the last body that carries both.
        let common = first.path.iter().zip(&frame.path).take_while(|(a, b)| a == b).count();
        let (a, b) = (first.placement_before(common), frame.placement_before(common));
        let apart = a.rotation.transpose_mul(a.translation - b.translation);
        let translation = match kind {
            ContactKind::Point => Vec3::ZERO,
            ContactKind::Plane => -apart,
        };
        let seen = Placement { rotation: a.rotation.transpose() * b.rotation, translation };
        Self { kind, frame, seen, apart }
    }

    /// A motion of the second frames, as the first ones see it.
    pub fn see(&self, m: Motion<'g>) -> Motion<'g> {
        self.seen.act_motion(m)
    }

    /// The relative motion by a joint that moves both frames, from that of the first ones.
    ///
    /// It turns both alike, and with them how far points are apart. Planes do not see it.
    pub fn of_both(&self, first: Motion<'g>) -> Motion<'g> {
        match self.kind {
            ContactKind::Point => Motion { lin: first.ang.cross(self.apart), ang: Vec3::ZERO },
            ContactKind::Plane => Motion::ZERO,
        }
    }

    /// Forces on the second frames, in their own axes, from those on the first ones.
    pub fn reaction(&self, of_first: Force<'g>) -> Force<'g> {
        -self.seen.act_inv_force(of_first)
    }

    /// The motion that changes where the second frames are seen: of points, the turn alone.
    pub fn turn(&self, apart: Motion<'g>) -> Motion<'g> {
        match self.kind {
            ContactKind::Point => Motion { lin: Vec3::ZERO, ..apart },
            ContactKind::Plane => apart,
        }
    }

    /// Motions at these velocities and accelerations.
    pub fn motion(&self, v: &Coordinates<'g>, a: Option<&Coordinates<'g>>) -> SecondMotion<'g> {
        let (own, acceleration) = motion(&self.frame, v, a);
        let acceleration = self.see(of_rows(self.kind, &own, &acceleration));
        SecondMotion { own, velocity: self.see(own), acceleration }
    }

    /// Velocities of the rows, and their accelerations, from those of the first frames.
    pub fn relative(
        &self,
        of: &SecondMotion<'g>,
        [velocity, acceleration]: [Motion<'g>; 2],
    ) -> [Motion<'g>; 2] {
        let velocity = velocity - of.velocity;
        let acceleration = acceleration - of.acceleration;
        match self.kind {
            ContactKind::Point => [velocity, acceleration],
            ContactKind::Plane => [velocity, acceleration + velocity.cross(of.velocity)],
        }
    }

    /// Changes of the rows with a joint that moves the frames `apart`, from those of the first frames and the
    /// second frames' columns.
    pub fn moved(
        &self,
        of: &SecondMotion<'g>,
        velocity_of_first: Motion<'g>,
        (apart, second): (Motion<'g>, &Columns<'g>),
        Moved { rows_dq, rows_dv, velocities_dq }: Moved<'g>,
    ) -> Moved<'g> {
        // The second frames turn, and move, the other way round as the first ones see them.
        let turn = self.turn(apart);
        let dq = of_rows_moved(self.kind, &of.own, &second.velocity_dq, &second.acceleration_dq);
        let dv = of_rows_moved(self.kind, &of.own, &second.s, &second.acceleration_dv);
        let carried_dq = self.see(second.velocity_dq) - turn.cross(of.velocity);
        let mut rows_dq = rows_dq + turn.cross(of.acceleration) - self.see(dq);
        let mut rows_dv = rows_dv - self.see(dv);
        let velocities_dq = velocities_dq - carried_dq;
        if self.kind == ContactKind::Plane {
            let relative = velocity_of_first - of.velocity;
            rows_dq += velocities_dq.cross(of.velocity) + relative.cross(carried_dq);
            rows_dv += apart.cross(of.velocity) + relative.cross(self.see(second.s));
        }
        Moved { rows_dq, rows_dv, velocities_dq }
    }
}
