//! Second derivatives of the rows of a closed loop of two points.
//!
//! Its rows are the first point's less the second's, in the first frame's axes. Beside the second
//! derivatives of both points there are those of the axes, which turn as the second frame sees them.

use super::ContactTable;
use super::chain::{Chain, Column, Given, Weights, add_to};
use super::closed_loop::{Second, centripetal_moved};
use super::hessian::{PathJoint, SecondOrderMechanics, along};
use super::rows::{centripetal, cross, part};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::RneaHessian;
use crate::spatial::{dot, force_cross, join};
use nalgebra::{SMatrix, Vector3};

/// Changes along a coordinate, in the first frame's axes.
#[derive(Clone, Copy)]
struct Change<T> {
    /// Turn of the first frame.
    first: Vector3<T>,
    /// Turn of the second frame.
    second: Vector3<T>,
    /// Turn of the first frame relative to the second.
    apart: Vector3<T>,
    /// The second point's row by q, by v, and by the acceleration.
    row: [Vector3<T>; 3],
    /// The motion `J m` of the second point.
    motion: Vector3<T>,
    /// The position error.
    error: Vector3<T>,
}

/// Adds the second derivatives of `rows . (rows at v, a) - forces . J m`, and those by q and the forces.
pub(super) fn add_closed_points<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (contact, second): (&ContactTable, &Second<T>),
    (paths, jacobian): ([&[PathJoint]; 2], &SMatrix<T, 6, NV>),
    given: Given<'_, T, NV>,
    weights: &Weights<'_, T>,
    (of, by_forces): (&mut RneaHessian<T, NV>, &mut SMatrix<T, NV, NR>),
) where
    T: Scalar,
    R: SecondOrderMechanics<T, NV, NB, NC> + ?Sized,
{
    let (mut chains, mut of_second) = ([Chain::new(), Chain::new()], zeros());
    second.own_jacobian(robot, &mut of_second);
    let [first_chain, second_chain] = &mut chains;
    first_chain.reach(paths[0], jacobian);
    second_chain.reach(paths[1], &of_second);
    first_chain.add(given, &Weights { error: None, ..*weights }, of);
    let reactions = [&weights.rows, &weights.forces].map(|x| second.reaction(x));
    second_chain.add(
        given,
        &Weights { rows: reactions[0], forces: reactions[1], error: None, ..*weights },
        of,
    );

    // The second point's row, and its motion, as the first frame sees them.
    let seen = |x: &Vector3<T>| part(&second.see(&join(x, &zeros())), 0);
    let [velocity, acceleration, motion] = &second_chain.motions();
    let row = part(acceleration, 0) + centripetal(velocity) + part(velocity, 0) * weights.kd;
    let (row, motion) = (seen(&row), seen(&part(motion, 0)));
    let mut changes = [Change {
        first: zeros(),
        second: zeros(),
        apart: zeros(),
        row: [zeros(); 3],
        motion: zeros(),
        error: zeros(),
    }; NV];
    let mut numbers = [[None; 2]; NV];
    for (k, column) in first_chain.columns().enumerate() {
        let (Some(to), Some([number, _])) = (changes.get_mut(column.at), numbers.get_mut(column.at)) else {
            continue;
        };
        *number = Some(k);
        to.first = part(&column.j, 3);
        to.apart += to.first;
        to.error += part(&column.j, 0);
    }
    for (k, column) in second_chain.columns().enumerate() {
        let (Some(to), Some([_, number])) = (changes.get_mut(column.at), numbers.get_mut(column.at)) else {
            continue;
        };
        *number = Some(k);
        to.second = seen(&part(&column.j, 3));
        to.apart -= to.second;
        let by_q = part(&column.a, 0) + centripetal_moved(velocity, &column.c);
        let by_v = part(&column.d, 0) + centripetal_moved(velocity, &column.j);
        to.row = [&by_q, &by_v, &part(&column.j, 0)].map(seen);
        to.motion = seen(&part(&column.m, 0));
        to.error -= to.row[2];
    }
    let (weight, force) = (part(&weights.rows, 0), part(&weights.forces, 0));
    let none: Vector3<T> = zeros();
    let (linear, kp) = weights.error.map_or((none, T::zero()), |(error, kp)| (error.linear, kp));
    let of_first = join(&weight, &cross(&weight, &linear));
    let of_second = -reactions[0];
    let column = |chain: &Chain<T, NV>, number: Option<usize>| -> Option<Column<T>> {
        number.and_then(|number| chain.columns().nth(number))
    };
    for (k, (of_k, numbers_k)) in changes.iter().zip(&numbers).enumerate() {
        let columns_k = [column(first_chain, numbers_k[0]), column(second_chain, numbers_k[1])];
        let error_k = of_k.error + cross(&linear, &of_k.first);
        for (j, (of_j, numbers_j)) in changes.iter().zip(&numbers).enumerate() {
            let columns_j = [column(first_chain, numbers_j[0]), column(second_chain, numbers_j[1])];
            let ([first_j, second_j], [first_k, second_k]) = (&columns_j, &columns_k);
            let (of_firsts, of_seconds) = (turning(first_j, first_k), turning(second_j, second_k));
            // How the relative turn along j changes along k.
            let mut turned = cross(&of_k.apart, &of_j.second);
            if of_firsts.is_some() {
                turned += cross(&of_j.first, &of_k.first);
            }
            if of_seconds.is_some() {
                turned -= cross(&of_j.second, &of_k.second);
            }
            let twice = |x: &Vector3<T>| cross(&of_k.apart, &cross(&of_j.apart, x)) + cross(&turned, x);
            let [weight_j, weight_k, force_j, force_k] =
                [(of_j, &weight), (of_k, &weight), (of_j, &force), (of_k, &force)]
                    .map(|(of, x)| cross(&of.apart, x));
            let mut qq = along(&twice(&force), &motion)
                + along(&force_j, &of_k.motion)
                + along(&force_k, &of_j.motion);
            qq -= along(&twice(&weight), &row)
                + along(&weight_j, &of_k.row[0])
                + along(&weight_k, &of_j.row[0]);
            let mut error = along(&cross(&weight, &error_k), &of_j.first) - along(&weight_k, &of_j.row[2]);
            if let Some((j, k)) = of_firsts {
                error += dot(&j.j, &force_cross(&k.j, &of_first));
            }
            if let Some((j, k)) = of_seconds {
                error -= dot(&j.j, &force_cross(&k.j, &of_second));
            }
            add_to(&mut of.dqdq, (j, k), error.mul_add(kp, qq));
            add_to(&mut of.dqdv, (j, k), -along(&weight_j, &of_k.row[1]));
            add_to(&mut of.dqda, (j, k), -along(&weight_j, &of_k.row[2]));
        }
        let own = columns_k[0].map_or(none, |column| part(&column.m, 0));
        let moved = own - of_k.motion + cross(&of_k.apart, &motion);
        for (r, x) in moved.iter().enumerate() {
            add_to(by_forces, (k, contact.row + r), -*x);
        }
    }
}

/// Returns both columns if both are there and the first changes along the second's coordinate.
fn turning<'a, T>(
    j: &'a Option<Column<T>>,
    k: &'a Option<Column<T>>,
) -> Option<(&'a Column<T>, &'a Column<T>)> {
    j.as_ref().zip(k.as_ref()).filter(|(j, k)| j.turns_with(k))
}
