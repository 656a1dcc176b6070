//! Rows of all contacts with the world: Jacobian, drift, and the derivatives of the rows' accelerations
//! (docs/math.md#contacts).
//!
//! Rows are in the contacts' own axes: of a point the three of its origin, of a plane all six of its frame.
//! One kernel has all contacts, which share sines, changes of frame and motions of bodies.

use super::frame_derivatives::Derivatives;
use super::frames::{Frame, jacobian_of, motion};
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Motion};
use crate::signatures::contact_rows::{ContactRow, DRIFT, JT, ROW_VELOCITY, ROWS_DQ, ROWS_DV, VELOCITIES_DQ};
use crate::signatures::signature::{A, V};
use rbd_runtime::ContactKind;

/// The transposed Jacobian.
pub fn jacobian<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let n = robot.tree.nv;
    let mut jt = ExprMatrix::zeros(n, rows(contacts));
    for contact in contacts {
        let j = jacobian_of(&frame(robot, contact, draft));
        for (row, column) in entries(contact, n) {
            jt[(column, contact.row + row)] = j[(row, column)];
        }
    }
    draft.give(JT, jt);
}

/// Velocities of the rows, and their accelerations at zero joint accelerations.
pub fn drift<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let [mut velocities, mut accelerations] = [0; 2].map(|_| ExprMatrix::zeros(rows(contacts), 1));
    for contact in contacts {
        let (velocity, acceleration) = motion(&frame(robot, contact, draft), &v, None);
        let acceleration = of_rows(contact, &velocity, &acceleration);
        for row in 0..contact.kind.rows() {
            velocities[(contact.row + row, 0)] = velocity.component(row);
            accelerations[(contact.row + row, 0)] = acceleration.component(row);
        }
    }
    draft.give(ROW_VELOCITY, velocities);
    draft.give(DRIFT, accelerations);
}

/// Derivatives of the rows' accelerations by q and v at the accelerations a, and of their velocities by q.
pub fn derivatives<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let n = robot.tree.nv;
    let [mut by_q, mut by_v, mut velocities_by_q] = [0; 3].map(|_| ExprMatrix::zeros(rows(contacts), n));
    for contact in contacts {
        let frame = frame(robot, contact, draft);
        let (velocity, _) = motion(&frame, &v, None);
        let d = Derivatives::of(&frame, &v, Some(&a));
        for column in 0..n {
            let of = |matrix: &ExprMatrix<'g>| Motion::by_components(|row| matrix[(row, column)]);
            let [velocity_dq, velocity_dv] = [&d.velocity_dq, &d.jacobian].map(of);
            let acceleration_dq = moved(contact, &velocity, &velocity_dq, &of(&d.acceleration_dq));
            let acceleration_dv = moved(contact, &velocity, &velocity_dv, &of(&d.acceleration_dv));
            for row in 0..contact.kind.rows() {
                let to = (contact.row + row, column);
                by_q[to] = acceleration_dq.component(row);
                by_v[to] = acceleration_dv.component(row);
                velocities_by_q[to] = velocity_dq.component(row);
            }
        }
    }
    draft.give(ROWS_DQ, by_q);
    draft.give(ROWS_DV, by_v);
    draft.give(VELOCITIES_DQ, velocities_by_q);
}

/// Number of rows of all contacts.
fn rows(contacts: &[ContactRow]) -> usize {
    contacts.iter().map(|contact| contact.kind.rows()).sum()
}

fn frame<'r, 'g>(robot: &'r SymbolicRobot<'g>, contact: &ContactRow, draft: &mut Draft<'g>) -> Frame<'r, 'g> {
    draft.frame = Some(contact.frame);
    Frame::of(robot, draft)
}

/// Rows and columns of a contact's Jacobian.
fn entries(contact: &ContactRow, n: usize) -> impl Iterator<Item = (usize, usize)> {
    let rows = contact.kind.rows();
    (0..n).flat_map(move |column| (0..rows).map(move |row| (row, column)))
}

/// Acceleration of the rows: of a point its classical one, of a plane the spatial one.
fn of_rows<'g>(contact: &ContactRow, velocity: &Motion<'g>, acceleration: &Motion<'g>) -> Motion<'g> {
    match contact.kind {
        ContactKind::Point => {
            Motion { lin: acceleration.lin + velocity.ang.cross(velocity.lin), ..*acceleration }
        }
        ContactKind::Plane => *acceleration,
    }
}

/// Change of the acceleration of the rows, if velocity and spatial acceleration change so.
fn moved<'g>(
    contact: &ContactRow,
    velocity: &Motion<'g>,
    by_velocity: &Motion<'g>,
    by_acceleration: &Motion<'g>,
) -> Motion<'g> {
    match contact.kind {
        ContactKind::Point => {
            let turned = by_velocity.ang.cross(velocity.lin) + velocity.ang.cross(by_velocity.lin);
            Motion { lin: by_acceleration.lin + turned, ..*by_acceleration }
        }
        ContactKind::Plane => *by_acceleration,
    }
}
