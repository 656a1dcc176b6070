//! Dynamics under contacts as one dense linear system, of the accelerations and the forces together
//! (docs/math.md#contacts).

use super::bias;
use super::crba::crba;
use super::data::Data;
use super::frames::{frame_bias_acceleration, frame_jacobian, frame_placement, frame_velocity};
use crate::contact::ContactKind;
use crate::spatial::{Placement, Vector6, motion_cross};
use crate::{Model, ReferenceFrame, Scalar};
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};

/// An active contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact<T> {
    /// The frame, of `model.frames`.
    pub frame: usize,
    /// Kind of the contact.
    pub kind: ContactKind,
    /// Anchor that the contact is pulled back to, if any.
    pub anchor: Option<Placement<T>>,
    /// Second frame of a closed loop, to which the first is pulled instead.
    pub second: Option<usize>,
}

/// Settings of the constraints; see [`ContactSettings`](crate::ContactSettings).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holding<T> {
    /// Compliance: rows are `-mu` times their forces.
    pub mu: T,
    /// Baumgarte's stiffness.
    pub kp: T,
    /// Baumgarte's damping.
    pub kd: T,
}

/// Rows of contacts in their own axes: the Jacobian, and the acceleration at zero joint
/// accelerations that must be cancelled.
pub fn contact_rows<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    contacts: &[Contact<T>],
    holding: Holding<T>,
) -> (DMatrix<T>, DVector<T>) {
    let rows = contacts.iter().map(|c| c.kind.rows()).sum();
    let (mut jacobian, mut drift) = (DMatrix::zeros(rows, model.nv), DVector::zeros(rows));
    let mut row = 0;
    for contact in contacts {
        let n = contact.kind.rows();
        // A point moves in the world's axes; a plane as the point of its body at the world's origin.
        let reference = match contact.kind {
            ContactKind::Point => ReferenceFrame::LocalWorldAligned,
            ContactKind::Plane => ReferenceFrame::World,
        };
        let at = frame_placement(model, data, q, contact.frame);
        let local = |m: &Vector6<T>| match contact.kind {
            ContactKind::Point => {
                let along = |c: usize| (0..3).fold(T::zero(), |sum, k| sum + at.rotation[(k, c)] * m[k]);
                Vector6::from_fn(|k, _| if k < 3 { along(k) } else { T::zero() })
            }
            ContactKind::Plane => at.act_inv_motion(m),
        };
        let mut j = frame_jacobian(model, data, q, contact.frame, reference).clone();
        let mut velocity = frame_velocity(model, data, q, v, contact.frame, reference);
        let mut bias = frame_bias_acceleration(model, data, q, v, contact.frame, reference);
        let mut target = contact.anchor;
        if let Some(second) = contact.second {
            j -= frame_jacobian(model, data, q, second, reference);
            let own = velocity;
            velocity -= frame_velocity(model, data, q, v, second, reference);
            bias -= frame_bias_acceleration(model, data, q, v, second, reference);
            if contact.kind == ContactKind::Plane {
                // The axes that rows are in are carried by the first frame.
                bias -= motion_cross(&own, &velocity);
            }
            target = Some(frame_placement(model, data, q, second));
        }
        for c in 0..model.nv {
            let column = local(&Vector6::from_fn(|k, _| j[(k, c)]));
            (0..n).for_each(|k| jacobian[(row + k, c)] = column[k]);
        }
        let (velocity, bias) = (local(&velocity), local(&bias));
        let error = target.map_or(Vector6::zeros(), |target| error(&at, &target));
        for k in 0..n {
            drift[row + k] = bias[k] + holding.kd * velocity[k] + holding.kp * error[k];
        }
        row += n;
    }
    (jacobian, drift)
}

/// The frame's origin less the anchor's, and the sine of the angle between them times its axis, in
/// the frame's axes.
fn error<T: Scalar>(at: &Placement<T>, anchor: &Placement<T>) -> Vector6<T> {
    // The anchor in the frame: position and rotation errors, both with the opposite sign.
    let anchor = at.inverse().compose(anchor);
    let (x, r, half) = (anchor.translation, anchor.rotation, T::from_f64(0.5));
    let sine = |i: usize, j: usize| (r[(j, i)] - r[(i, j)]) * half;
    Vector6::new(-x[0], -x[1], -x[2], sine(2, 1), sine(0, 2), sine(1, 0))
}

/// Accelerations and contact forces, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedDynamics<T: Scalar> {
    /// Joint accelerations; of an impact, velocities after it.
    pub ddq: DVector<T>,
    /// Forces of the world on the robot; for an impact, impulses.
    pub forces: DVector<T>,
}

/// Accelerations and forces of `M ddq + b = tau + J^T f` with `J ddq + drift = -mu f`.
pub fn constrained_dynamics<T: Scalar + PartialOrd>(
    model: &Model<T>,
    data: &mut Data<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    contacts: &[Contact<T>],
    holding: Holding<T>,
) -> ConstrainedDynamics<T> {
    let (jacobian, drift) = contact_rows(model, data, q, v, contacts, holding);
    let bias = bias(model, data, q, v);
    let free = DVector::from_fn(model.nv, |k, _| tau[k] - bias[k]);
    solve(crba(model, data, q), &jacobian, holding.mu, &free, &-drift)
}

/// Velocities after an impact, and impulses: `M (v+ - v) = J^T impulses` with
/// `J v+ = -restitution J v - mu impulses`.
pub fn constrained_impulse<T: Scalar + PartialOrd>(
    model: &Model<T>,
    data: &mut Data<T>,
    (q, v): (&[T], &[T]),
    contacts: &[Contact<T>],
    (restitution, mu): (T, T),
) -> ConstrainedDynamics<T> {
    let none = Holding { mu: T::zero(), kp: T::zero(), kd: T::zero() };
    let (jacobian, _) = contact_rows(model, data, q, v, contacts, none);
    let mass = crba(model, data, q);
    let v = DVector::from_column_slice(v);
    let rebound = times(&jacobian, &v) * -restitution;
    solve(mass, &jacobian, mu, &times(mass, &v), &rebound)
}

fn times<T: Scalar>(a: &DMatrix<T>, x: &DVector<T>) -> DVector<T> {
    DVector::from_fn(a.nrows(), |r, _| (0..x.len()).fold(T::zero(), |sum, k| sum + a[(r, k)] * x[k]))
}

/// Solves `[M, -J^T; J, mu] [x; f] = [upper; lower]`.
fn solve<T: Scalar + PartialOrd>(
    mass: &DMatrix<T>,
    jacobian: &DMatrix<T>,
    mu: T,
    upper: &DVector<T>,
    lower: &DVector<T>,
) -> ConstrainedDynamics<T> {
    let (nv, rows) = (mass.nrows(), jacobian.nrows());
    let entry = |r: usize, c: usize| match (r < nv, c < nv) {
        _ if c == nv + rows => {
            if r < nv {
                upper[r]
            } else {
                lower[r - nv]
            }
        }
        (true, true) => mass[(r, c)],
        (true, false) => -jacobian[(c - nv, r)],
        (false, true) => jacobian[(r - nv, c)],
        (false, false) if r == c => mu,
        (false, false) => T::zero(),
    };
    let mut system: Vec<Vec<T>> =
        (0..nv + rows).map(|r| (0..=nv + rows).map(|c| entry(r, c)).collect()).collect();
    let x = eliminate(&mut system);
    ConstrainedDynamics {
        ddq: DVector::from_column_slice(&x[..nv]),
        forces: DVector::from_column_slice(&x[nv..]),
    }
}

/// Gauss's elimination, with the largest pivot of each column; the right side is the last column.
fn eliminate<T: Scalar + PartialOrd>(a: &mut [Vec<T>]) -> Vec<T> {
    let n = a.len();
    for k in 0..n {
        let mut largest = k;
        for r in k + 1..n {
            if a[r][k] * a[r][k] > a[largest][k] * a[largest][k] {
                largest = r;
            }
        }
        a.swap(k, largest);
        let (above, below) = a.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below {
            let factor = row[k] / pivot[k];
            for c in k..=n {
                row[c] -= pivot[c] * factor;
            }
        }
    }
    let mut x = alloc::vec![T::zero(); n];
    for k in (0..n).rev() {
        let rest = (k + 1..n).fold(a[k][n], |rest, c| rest - a[k][c] * x[c]);
        x[k] = rest / a[k][k];
    }
    x
}
