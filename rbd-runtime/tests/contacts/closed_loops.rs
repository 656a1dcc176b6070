//! Closed loops, on random trees of every joint type, against one dense system in the world's axes,
//! dual numbers, and positions.

use super::{NB, NC, NR, NV};
use crate::common::{along, close, directions, for_all};
use crate::contacting::Padded;
use nalgebra::{DVector, SMatrix, SVector};
use num_dual::Dual64;
use rbd_runtime::contact::{self, ContactSettings};
use rbd_runtime::model::Frame;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::*;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{
    ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives, ContactKind,
    JointKind, Model, ReferenceFrame, Scalar,
};

/// Masks of four: contacts with the world beside closed loops, and without.
pub const MASKS: [[bool; NC]; 4] =
    [[true; NC], [true, false, false, false], [false, true, true, false], [false, false, true, true]];

/// The model with a frame of the world.
pub fn with_pivot(model: &Model<f64>) -> Model<f64> {
    let mut model = model.clone();
    let mut placement = model.frames[0].placement;
    placement.translation.x += 0.3;
    model.frames.push(Frame { name: "pivot".into(), body: None, placement });
    model
}

/// Two points of the robot, a plane on the world, two whole frames of the robot, a point on one of
/// the world's.
pub fn contacts<T>(model: &Model<T>) -> ([(usize, ContactKind); NC], [Option<usize>; NC]) {
    let n = model.bodies.len();
    let of = |name: &str| model.frames.iter().position(|f| f.name == name).expect("a frame");
    let link = |k: usize| of(&format!("frame_{k}"));
    (
        [
            (link(n - 1), ContactKind::Point),
            (link(n - 4), ContactKind::Plane),
            (link(n - 2), ContactKind::Plane),
            (link(n - 3), ContactKind::Point),
        ],
        [Some(link(1)), None, Some(link(0)), Some(of("pivot"))],
    )
}

pub fn settings<T: Scalar>() -> ContactSettings<T, NC> {
    let number = T::from_f64;
    let turned = nalgebra::Rotation3::new(nalgebra::Vector3::new(0.4, -0.2, 0.3)).into_inner().map(number);
    let anchor =
        Placement { rotation: turned, translation: nalgebra::Vector3::new(0.1, 0.4, -0.2).map(number) };
    // Anchors of closed loops would change nothing.
    ContactSettings::default().proximal(number(0.05), 1).baumgarte(
        number(9.0),
        number(5.0),
        [Some(anchor); NC],
    )
}

pub fn padded<'m, T: Scalar>(
    numbers: &Model<f64>,
    model: &'m Model<T>,
    q: &[T],
) -> Padded<'m, T, NV, NB, NC> {
    let (contacts, second) = contacts(model);
    Padded::closed(numbers, model, q, contacts, second)
}

/// The active contacts as the reference has them, and their rows.
pub fn active<T: Scalar>(model: &Model<T>, mask: &[bool; NC]) -> (Vec<Contact<T>>, Vec<usize>) {
    let ((contacts, seconds), (mut all, mut rows, mut row)) = (contacts(model), (vec![], vec![], 0));
    for (k, (frame, kind)) in contacts.into_iter().enumerate() {
        if mask[k] {
            all.push(Contact { frame, kind, anchor: settings().anchors[k], second: seconds[k] });
            rows.extend(row..row + kind.rows());
        }
        row += kind.rows();
    }
    (all, rows)
}

pub fn expected<T: Scalar + PartialOrd>(
    model: &Model<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    mask: &[bool; NC],
) -> ConstrainedDynamics<T> {
    let ContactSettings { mu, kp, kd, .. } = settings::<T>();
    let contacts = active(model, mask).0;
    constrained_dynamics(model, &mut Data::new(model), (q, v, tau), &contacts, Holding { mu, kp, kd })
}

fn dynamics(
    model: &Model<f64>,
    x: &State,
    mask: &[bool; NC],
    settings: &ContactSettings<f64, NC>,
) -> ContactDynamics<f64, NV, NR> {
    let robot = padded(model, model, x.q.as_slice());
    contact::dynamics(&robot, &robot.pad(&x.v), &robot.pad(&x.tau), mask, settings)
}

#[test]
fn agree_with_one_dense_system() {
    for_all(|model, x| {
        let model = &with_pivot(model);
        let (q, v, tau) = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
        for mask in &MASKS {
            let rows = active(model, mask).1;
            let (got, expected) = (dynamics(model, x, mask, &settings()), expected(model, (q, v, tau), mask));
            close("ddq", got.ddq.rows(0, model.nv).iter(), &expected.ddq, 1e-10);
            let forces: Vec<f64> = rows.iter().map(|r| got.forces[*r]).collect();
            close("forces", &forces, &expected.forces, 1e-10);
            let robot = padded(model, model, q);
            let back = contact::inverse_dynamics(&robot, &robot.pad(&x.v), &got.ddq, &got.forces);
            close("tau", back.rows(0, model.nv).iter(), &x.tau, 1e-9);
        }
    });
}

#[test]
fn derivatives_are_exact() {
    let mut seen = 0;
    for_all(|model, x| {
        seen += 1;
        let model = &with_pivot(model);
        let (mask, nv, d) = (&MASKS[seen % 4], model.nv, model.cast::<Dual64>());
        let rows = active(model, mask).1;
        let robot = padded(model, model, x.q.as_slice());
        let got: ContactDynamicsDerivatives<f64, NV, NR> =
            contact::derivatives(&robot, &robot.pad(&x.v), &robot.pad(&x.tau), mask, &settings());
        let moved = |by: usize, e: &DVector<f64>| {
            let zero = DVector::zeros(nv);
            let dual = |x: &DVector<f64>, k: usize| x.zip_map(if k == by { e } else { &zero }, Dual64::new);
            let q = d.integrate(x.q.map(Dual64::from).as_slice(), dual(&zero, 0).as_slice());
            expected(&d, (q.as_slice(), dual(&x.v, 1).as_slice(), dual(&x.tau, 2).as_slice()), mask)
        };
        let of = [(got.ddq_dq, got.forces_dq), (got.ddq_dv, got.forces_dv), (got.ddq_dtau, got.forces_dtau)];
        for (by, (ddq, forces)) in of.iter().enumerate() {
            let e = directions(nv);
            let exact = along(&e, |e| moved(by, e).ddq.map(|x| x.eps));
            close("ddq", &(ddq.view((0, 0), (nv, nv)) * &e), &exact, 1e-9);
            let exact = along(&e, |e| moved(by, e).forces.map(|x| x.eps));
            let forces = nalgebra::DMatrix::from_fn(rows.len(), nv, |r, c| forces[(rows[r], c)]);
            close("forces", &(forces * &e), &exact, 1e-9);
        }
    });
}

#[test]
fn derivatives_of_impacts_are_exact() {
    let mut seen = 0;
    for_all(|model, x| {
        seen += 1;
        let model = &with_pivot(model);
        let (mask, nv, d, restitution) = (&MASKS[seen % 4], model.nv, model.cast::<Dual64>(), 0.3);
        let (rows, contacts) = (active(model, mask).1, active(&d, mask).0);
        let robot = padded(model, model, x.q.as_slice());
        let got: ContactImpulseDerivatives<f64, NV, NR> =
            contact::impulse_derivatives(&robot, &robot.pad(&x.v), mask, restitution, &settings());
        let plain: ContactImpulse<f64, NV, NR> =
            contact::impulse(&robot, &robot.pad(&x.v), mask, restitution, &settings());
        assert_eq!((got.v_plus, got.impulses, got.residual), (plain.v_plus, plain.impulses, plain.residual));
        let moved = |dq: &DVector<f64>, dv: &DVector<f64>, de: f64| {
            let e = dq.map(|x| Dual64::new(0.0, x));
            let q = d.integrate(x.q.map(Dual64::from).as_slice(), e.as_slice());
            let v = x.v.zip_map(dv, Dual64::new);
            let how = (Dual64::new(restitution, de), settings::<Dual64>().mu);
            let found =
                constrained_impulse(&d, &mut Data::new(&d), (q.as_slice(), v.as_slice()), &contacts, how);
            [found.ddq.map(|x| x.eps), found.forces.map(|x| x.eps)]
        };
        let zero = DVector::zeros(nv);
        let check = |v_plus: &SMatrix<f64, NV, NV>, impulses: &SMatrix<f64, NR, NV>, by_v: bool| {
            let directions = directions(nv);
            let exact = |which: usize| {
                along(&directions, |e| {
                    let found = if by_v { moved(&zero, e, 0.0) } else { moved(e, &zero, 0.0) };
                    found[which].clone()
                })
            };
            close("v_plus", &(v_plus.view((0, 0), (nv, nv)) * &directions), &exact(0), 1e-9);
            let impulses = nalgebra::DMatrix::from_fn(rows.len(), nv, |r, c| impulses[(rows[r], c)]);
            close("impulses", &(impulses * &directions), &exact(1), 1e-9);
        };
        check(&got.v_plus_dq, &got.impulses_dq, false);
        check(&got.v_plus_dv, &got.impulses_dv, true);
        let [v_plus, impulses] = moved(&zero, &zero, 1.0);
        close("by e", got.v_plus_drestitution.rows(0, nv).iter(), &v_plus, 1e-9);
        let by_restitution: Vec<f64> = rows.iter().map(|r| got.impulses_drestitution[*r]).collect();
        close("by e", &by_restitution, &impulses, 1e-9);
    });
}

/// Chains that float, a loop between their ends: three rows, or six.
fn chains(mut check: impl FnMut(&Model<f64>, &State, [bool; NC])) {
    for seed in crate::common::seeds(6) {
        let kinds = vec![JointKind::Revolute, JointKind::Continuous];
        let options = Options { bodies: 9, floating: true, branching: 0.0, kinds, ..Options::default() };
        let model = with_pivot(&random_model(700 + seed, &options));
        for mask in [[true, false, false, false], [false, false, true, false]] {
            check(&model, &random_state(&model, seed), mask);
        }
    }
}

/// With exact constraints the relative motion obeys Baumgarte's terms: its rate, by dual numbers
/// along the motion.
#[test]
fn loops_stay_closed() {
    chains(|model, x, mask| {
        let (kp, kd) = (7.0, 3.0);
        let held = ContactSettings::default().baumgarte(kp, kd, [None; NC]);
        let got = dynamics(model, x, &mask, &held);
        close("residual", &got.residual, &SVector::<f64, NR>::zeros(), 1e-9);
        let d: Model<Dual64> = model.cast();
        let ddq = got.ddq.rows(0, model.nv).into_owned();
        let q = d.integrate(x.q.map(Dual64::from).as_slice(), x.v.map(|v| Dual64::new(0.0, v)).as_slice());
        let v = DVector::from_fn(model.nv, |k, _| Dual64::new(x.v[k], ddq[k]));
        let k = mask.iter().position(|m| *m).unwrap();
        let ((frames, second), data) = (contacts(model), &mut Data::new(&d));
        let (a, kind) = frames[k];
        let b = second[k].unwrap();
        let at = [a, b].map(|f| frame_placement(&d, data, q.as_slice(), f));
        let world = ReferenceFrame::World;
        if kind == ContactKind::Point {
            let aligned = ReferenceFrame::LocalWorldAligned;
            let of = [a, b].map(|f| frame_velocity(&d, data, q.as_slice(), v.as_slice(), f, aligned));
            let rate: Vec<f64> = (0..3).map(|i| (of[0][i] - of[1][i]).eps).collect();
            let apart = at[0].translation - at[1].translation;
            let asked: Vec<f64> = (0..3).map(|i| -kp * apart[i].re - kd * (of[0][i] - of[1][i]).re).collect();
            // The velocity is the rate of the distance.
            let velocity: Vec<f64> = (0..3).map(|i| (of[0][i] - of[1][i]).re).collect();
            close("velocity", apart.map(|x| x.eps).iter(), &velocity, 1e-10);
            close("acceleration", &rate, &asked, 1e-9);
        } else {
            let of = [a, b].map(|f| frame_velocity(&d, data, q.as_slice(), v.as_slice(), f, world));
            let relative = at[0].act_inv_motion(&(of[0] - of[1]));
            let robot = padded(model, model, x.q.as_slice());
            let errors: SVector<f64, NR> = contact::errors(&robot, &mask, &held);
            let first = robot_row(model, k);
            let asked: Vec<f64> = (0..6).map(|i| -kp * errors[first + i] - kd * relative[i].re).collect();
            close("acceleration", relative.map(|x| x.eps).iter(), &asked, 1e-9);
        }
    });
}

/// The first row of a contact.
fn robot_row(model: &Model<f64>, k: usize) -> usize {
    contacts(model).0[..k].iter().map(|(_, kind)| kind.rows()).sum()
}

/// Newton's method closes a loop, by the errors and their Jacobian; then an impact makes its
/// velocities agree, and loses energy.
#[test]
fn loops_can_be_closed() {
    chains(|model, x, mask| {
        let (mut x, settings) = (x.clone(), ContactSettings::default());
        let errors = |x: &State| -> SVector<f64, NR> {
            contact::errors(&padded(model, model, x.q.as_slice()), &mask, &settings)
        };
        for _ in 0..60 {
            let jacobian: SMatrix<f64, NR, NV> =
                contact::jacobian(&padded(model, model, x.q.as_slice()), &mask);
            let step = jacobian.svd(true, true).solve(&-errors(&x), 1e-6).unwrap() * 0.5;
            x.q = model.integrate(x.q.as_slice(), step.rows(0, model.nv).as_slice());
        }
        close("errors", &errors(&x), &SVector::<f64, NR>::zeros(), 1e-9);
        let robot = padded(model, model, x.q.as_slice());
        let hit: ContactImpulse<f64, NV, NR> =
            contact::impulse(&robot, &robot.pad(&x.v), &mask, 0.0, &settings);
        let jacobian: SMatrix<f64, NR, NV> = contact::jacobian(&robot, &mask);
        close("J v+", &(jacobian * hit.v_plus), &SVector::<f64, NR>::zeros(), 1e-9);
        let mass = model.crba(x.q.as_slice());
        let energy = |v: DVector<f64>| (v.transpose() * &mass * &v)[0] / 2.0;
        let after = hit.v_plus.rows(0, model.nv).into_owned();
        close("energy lost", &[energy(x.v.clone()) - energy(after.clone())], &[energy(&x.v - after)], 1e-9);
        // Forces within a closed loop do not move the whole: the momentum about the world's origin stays.
        let data = &mut Data::new(model);
        let own: Vec<f64> = (0..model.nv).map(|k| hit.v_plus[k] - x.v[k]).collect();
        let jump = centroidal_momentum(model, data, x.q.as_slice(), &own);
        close("momentum", jump.iter(), &[0.0; 6], 1e-9);
    });
}

/// A row that cancels but for rounding carries no force: a planar chain, closed by a point, has no
/// motion across its plane.
#[test]
fn rows_of_rounding_carry_no_force() {
    let kinds = vec![JointKind::Revolute];
    let options = Options { bodies: 6, floating: false, branching: 0.0, kinds, ..Options::default() };
    let (mut noisy, mut held) = (0, 0);
    for seed in 0..6 {
        let mut model = random_model(900 + seed, &options);
        // All axes along one direction that is none of the coordinates', through frames that are
        // turned only about it.
        let axis = nalgebra::Unit::new_normalize(nalgebra::Vector3::new(1.0, 2.0, -0.5));
        for (k, body) in model.bodies.iter_mut().enumerate() {
            body.axis = axis.into_inner();
            let turn = nalgebra::Rotation3::from_axis_angle(&axis, 0.3 + 0.7 * k as f64);
            body.placement.rotation = turn.into_inner();
        }
        // The contact's z is across the plane.
        let across = nalgebra::Rotation3::rotation_between(&nalgebra::Vector3::z(), &axis).unwrap();
        for frame in &mut model.frames {
            frame.placement.rotation = across.into_inner();
        }
        let model = with_pivot(&model);
        let x = random_state(&model, seed);
        let mask = [false, false, false, true];
        let robot = padded(&model, &model, x.q.as_slice());
        let jacobian: SMatrix<f64, NR, NV> = contact::jacobian(&robot, &mask);
        let row = robot_row(&model, 3) + 2;
        noisy += usize::from(jacobian.row(row).amax() > 0.0);
        assert!(jacobian.row(row).amax() < 1e-15);
        let got = dynamics(&model, &x, &mask, &ContactSettings::default());
        assert_eq!(got.forces[row], 0.0);
        // If joints move the point in the whole plane, it is held there.
        let delassus: SMatrix<f64, NR, NR> = contact::delassus(&robot, &mask);
        let plane = delassus.fixed_view::<2, 2>(row - 2, row - 2).into_owned();
        if plane.determinant() > 1e-3 * plane.norm_squared() {
            held += 1;
            close("held", got.residual.rows(row - 2, 2).iter(), &[0.0; 2], 1e-9);
        }
    }
    assert!(noisy > 3 && held > 2, "{noisy} {held}");
}
