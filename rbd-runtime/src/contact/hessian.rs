//! Hessians of accelerations and contact forces, contracted with multipliers.

use super::axes::Turns;
use super::chain::{Chain, Weights, add_to};
use super::closed_loop::Second;
use super::closed_points::add_closed_points;
use super::derivatives::{own_axes_into, turn};
use super::rows::{Error, active_ones, clear_inactive, cross, part, wrench};
use super::{ContactDynamicsDerivatives, ContactKind, ContactSettings, ContactTable, Contacts, Mechanics};
use crate::__private::{zero, zeros};
use crate::functions::RneaHessian;
use crate::linalg;
use crate::{Configuration, Scalar};
use nalgebra::{SMatrix, SVector, Vector3};

/// A joint on the path from the root to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathJoint {
    /// The body that it moves.
    pub body: usize,
    /// First velocity coordinate; for a mimic joint, the first coordinate of the joint that it follows.
    pub first: usize,
    /// The coordinate after its last one.
    pub end: usize,
}

/// Functions of a robot that Hessians of contact dynamics need beside [`Mechanics`].
///
/// Generated code implements them.
///
/// No coordinate belongs to two joints on the paths to a contact's frames, as a mimic joint and the joint
/// that it follows would have it.
pub trait SecondOrderMechanics<T: Scalar, const NV: usize, const NB: usize, const NC: usize>:
    Mechanics<T, NV, NB, NC>
{
    /// Joints from the root to a contact's frame, and of a closed loop to its second frame.
    fn paths(&self, contact: usize) -> [&[PathJoint]; 2];
    /// Writes value, gradient and Hessian of `mu . tau` of inverse dynamics.
    fn rnea_hessian(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    );
}

/// Result of `contact_dynamics_hessian`.
///
/// `value = lambda . ddq + kappa . forces, dq = d value/d q, dv = d value/d v, dtau = d value/d tau,
/// dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
///
/// Second derivatives by v and tau, and by tau twice, are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactDynamicsHessian<T, const NV: usize> {
    /// The sum `lambda . ddq + kappa . forces` (a number).
    pub value: T,
    /// Derivative in the tangent space of q (NV): of the sum.
    pub dq: SVector<T, NV>,
    /// Derivative by v (NV): of the sum.
    pub dv: SVector<T, NV>,
    /// Derivative by tau (NV): of the sum.
    pub dtau: SVector<T, NV>,
    /// Entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the
    /// coordinates of one joint of several, elsewhere symmetric (NV x NV): of the sum.
    pub dqdq: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by v_j of the derivative by q_i (NV x NV): of the sum.
    pub dqdv: SMatrix<T, NV, NV>,
    /// Second derivative by v (NV x NV): of the sum.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by tau_j of the derivative by q_i (NV x NV): of the sum.
    pub dqdtau: SMatrix<T, NV, NV>,
}

impl<T: Scalar, const NV: usize> ContactDynamicsHessian<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: zero(),
            dq: zeros(),
            dv: zeros(),
            dtau: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqdtau: zeros(),
        }
    }
}

impl<T: Scalar, const NV: usize> Default for ContactDynamicsHessian<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}

/// Robots with Hessians of contact dynamics: those with contacts and the function `rnea_hessian`.
///
/// `lambda` weights the accelerations, `kappa` the forces of all contacts, in the axes of the settings.
/// Weights of inactive contacts do not count.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `contacts: [..]` or `closed_loops: {{ .. }}`, and has `rnea_hessian`",
    note = "a robot has none if a mimic joint and the joint that it follows are both on the way to one contact",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactHessians<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    Contacts<NQ, NV, NC, NR>
{
    /// The sum `lambda . ddq + kappa . forces` of contact dynamics, its gradient and its Hessian.
    #[must_use]
    fn contact_dynamics_hessian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        lambda: &SVector<T, NV>,
        kappa: &SVector<T, NR>,
    ) -> ContactDynamicsHessian<T, NV> {
        let mut out = ContactDynamicsHessian::zeros();
        Self::contact_dynamics_hessian_into(q, v, tau, active, settings, lambda, kappa, &mut out);
        out
    }

    /// [`Self::contact_dynamics_hessian`] without a copy. Writes every entry of `out`.
    #[expect(clippy::too_many_arguments, reason = "the state, the weights, and where the result goes")]
    fn contact_dynamics_hessian_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        lambda: &SVector<T, NV>,
        kappa: &SVector<T, NR>,
        out: &mut ContactDynamicsHessian<T, NV>,
    ) {
        let first = &mut ContactDynamicsDerivatives::zeros();
        Self::contact_dynamics_hessian_with_first_into(
            q, v, tau, active, settings, lambda, kappa, first, out,
        );
    }

    /// [`Self::contact_dynamics_hessian`], and the result of
    /// [`contact_dynamics_derivatives`](Contacts::contact_dynamics_derivatives), from which it is made.
    ///
    /// Writes every entry of both.
    #[expect(clippy::too_many_arguments, reason = "the state, the weights, and where the results go")]
    fn contact_dynamics_hessian_with_first_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        lambda: &SVector<T, NV>,
        kappa: &SVector<T, NR>,
        first: &mut ContactDynamicsDerivatives<T, NV, NR>,
        out: &mut ContactDynamicsHessian<T, NV>,
    );
}

/// Writes value, gradient and Hessian of `lambda . ddq + kappa . forces`, and the first derivatives that they
/// need.
///
/// By the implicit function theorem: multipliers of the equations of motion and of the rows follow from the
/// factors of the dynamics (docs/math.md#second-derivatives-under-contacts). Every entry of both results is
/// written.
pub fn hessian_with_first_into<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    (lambda, kappa): (&SVector<T, NV>, &SVector<T, NR>),
    first: &mut ContactDynamicsDerivatives<T, NV, NR>,
    out: &mut ContactDynamicsHessian<T, NV>,
) where
    T: Scalar,
    R: SecondOrderMechanics<T, NV, NB, NC> + ?Sized,
{
    let contacts = robot.contacts();
    // Forces of inactive contacts are zero, whatever their weights are.
    let mut kappa = *kappa;
    clear_inactive(contacts, active, kappa.as_mut_slice());
    let turns = Turns::of(robot, active, settings.axes);
    let mut own = kappa;
    if let Some(turns) = &turns {
        turns.to_own(contacts, &mut own);
    }
    // Multipliers of the equations of motion, and of the rows: both with the sign that makes the result a
    // sum.
    let (mut m, mut z): (SVector<T, NV>, SVector<T, NR>) = (zeros(), zeros());
    own_axes_into(robot, (v, tau), active, settings, first, |held, minv| {
        linalg::mul_into(minv, lambda, &mut out.dtau);
        (z, _) = held.hold(&mut out.dtau, &own);
    });
    for (m, x) in m.iter_mut().zip(&out.dtau) {
        *m = -*x;
    }
    let mut of = RneaHessian::zeros();
    robot.rnea_hessian(v, &first.ddq, &m, &mut of);
    // Second derivatives by q and the forces.
    let mut by_forces: SMatrix<T, NV, NR> = zeros();
    add_rows(robot, (v, first, &m), active, settings, &z, (&mut of, &mut by_forces));

    let ContactDynamicsHessian { dqdq, dqdv, dvdv, dqdtau, .. } = &mut *out;
    linalg::mul_into(&of.dqda, &first.ddq_dq, dqdq);
    linalg::add_mul(&by_forces, &first.forces_dq, dqdq);
    for c in 0..NV {
        for r in 0..=c {
            let both = dqdq.data.0[c][r] + dqdq.data.0[r][c];
            dqdq.data.0[c][r] = of.dqdq.data.0[c][r] + both;
            dqdq.data.0[r][c] = of.dqdq.data.0[r][c] + both;
        }
    }
    *dqdv = of.dqdv;
    linalg::add_mul(&of.dqda, &first.ddq_dv, dqdv);
    linalg::add_mul(&by_forces, &first.forces_dv, dqdv);
    *dvdv = of.dvdv;
    linalg::mul_into(&of.dqda, &first.ddq_dtau, dqdtau);
    linalg::add_mul(&by_forces, &first.forces_dtau, dqdtau);
    if turns.is_some() {
        add_turning(robot, active, &own, first, out);
    }
    turn(robot, active, settings, first);
    let mut value = zero();
    for (weight, x) in lambda.iter().zip(&first.ddq).chain(kappa.iter().zip(&first.forces)) {
        value = weight.mul_add(*x, value);
    }
    out.value = value;
    linalg::tr_mul_into(&first.ddq_dq, lambda, &mut out.dq);
    linalg::add_tr_mul(&first.forces_dq, &kappa, &mut out.dq);
    linalg::tr_mul_into(&first.ddq_dv, lambda, &mut out.dv);
    linalg::add_tr_mul(&first.forces_dv, &kappa, &mut out.dv);
}

/// A state as rows need it: velocities, accelerations and forces, and multipliers of the torques.
type At<'a, T, const NV: usize, const NR: usize> =
    (&'a SVector<T, NV>, &'a ContactDynamicsDerivatives<T, NV, NR>, &'a SVector<T, NV>);

/// Adds the second derivatives of `z . rows - forces . J m`, and writes those by q and the forces.
fn add_rows<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, first, m): At<'_, T, NV, NR>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    z: &SVector<T, NR>,
    (of, by_forces): (&mut RneaHessian<T, NV>, &mut SMatrix<T, NV, NR>),
) where
    T: Scalar,
    R: SecondOrderMechanics<T, NV, NB, NC> + ?Sized,
{
    let (mut chain, mut jacobian) = (Chain::new(), zeros());
    for (k, contact) in active_ones(robot.contacts(), active) {
        let (paths, second) = (robot.paths(k), Second::of(robot, (k, contact)));
        robot.jacobian(k, &mut jacobian);
        let is_point = contact.kind == ContactKind::Point;
        let error = Error::of_contact(robot, k, second.as_ref(), settings);
        let error = error.as_ref().map(|error| (error, settings.kp));
        let (rows, forces) = (wrench(z, contact), wrench(&first.forces, contact));
        let given = [v, &first.ddq, m];
        match &second {
            Some(second) if is_point => {
                let weights = Weights { rows, forces, is_point, kd: settings.kd, error };
                let to = (&mut *of, &mut *by_forces);
                add_closed_points(robot, (contact, second), (paths, &jacobian), given, &weights, to);
                continue;
            }
            Some(second) => {
                second.subtract(robot, &mut jacobian);
                chain.between(paths, &jacobian);
            }
            None => chain.reach(paths[0], &jacobian),
        }
        chain.add(given, &Weights { rows, forces, is_point, kd: settings.kd, error }, of);
        for column in chain.columns() {
            for (r, x) in column.m.iter().enumerate().take(contact.kind.rows()) {
                add_to(by_forces, (column.at, contact.row + r), -*x);
            }
        }
    }
}

/// Adds terms of the turning frames, where forces are weighted in the world's axes.
///
/// Weights, forces and their derivatives are in the contacts' own axes.
fn add_turning<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    kappa: &SVector<T, NR>,
    first: &ContactDynamicsDerivatives<T, NV, NR>,
    out: &mut ContactDynamicsHessian<T, NV>,
) where
    T: Scalar,
    R: SecondOrderMechanics<T, NV, NB, NC> + ?Sized,
{
    let (mut chain, mut jacobian) = (Chain::new(), zeros());
    for (k, contact) in active_ones(robot.contacts(), active) {
        robot.jacobian(k, &mut jacobian);
        chain.reach(robot.paths(k)[0], &jacobian);
        let weights = wrench(kappa, contact);
        // The moment whose power on a turn is the change of the weighted force.
        let moment = |force: &SVector<T, 6>| {
            cross(&part(force, 0), &part(&weights, 0)) + cross(&part(force, 3), &part(&weights, 3))
        };
        let force = wrench(&first.forces, contact);
        let of_force = moment(&force);
        let of_column = |all: &SMatrix<T, NR, NV>, c: usize| rows_of_column(all, contact, c);
        for p in chain.columns() {
            let turn = part(&p.j, 3);
            for c in 0..NV {
                let x = along(&turn, &moment(&of_column(&first.forces_dq, c)));
                add_to(&mut out.dqdq, (p.at, c), x);
                add_to(&mut out.dqdq, (c, p.at), x);
                add_to(&mut out.dqdv, (p.at, c), along(&turn, &moment(&of_column(&first.forces_dv, c))));
                add_to(&mut out.dqdtau, (p.at, c), along(&turn, &moment(&of_column(&first.forces_dtau, c))));
            }
            let mut turned = zeros();
            super::rows::add(&mut turned, 0, &cross(&turn, &part(&force, 0)));
            super::rows::add(&mut turned, 3, &cross(&turn, &part(&force, 3)));
            let of_turned = moment(&turned);
            for other in chain.columns() {
                let by = part(&other.j, 3);
                let mut x = along(&by, &of_turned);
                if p.turns_with(&other) {
                    x += along(&cross(&turn, &by), &of_force);
                }
                add_to(&mut out.dqdq, (p.at, other.at), x);
            }
        }
    }
}

/// A contact's rows in one column, as six numbers.
fn rows_of_column<T: Scalar, const NV: usize, const NR: usize>(
    all: &SMatrix<T, NR, NV>,
    contact: &ContactTable,
    column: usize,
) -> SVector<T, 6> {
    all.data.0.get(column).map_or_else(zeros, |column| wrench(&SVector::from(*column), contact))
}

/// `a . b`.
pub(super) fn along<T: Scalar>(a: &Vector3<T>, b: &Vector3<T>) -> T {
    crate::spatial::dot(a, b)
}
