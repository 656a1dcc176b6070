//! Hessians under contacts, on random trees of every joint type, with closed loops: against hyper-dual
//! numbers through one dense system, and the laws that follow from forward dynamics.

use super::closed_loops::{self, with_pivot};
use super::{MASKS, NC, NR, NV, on_one_body, padded};
use crate::common::{close, for_all};
use crate::contacting::Padded;
use nalgebra::{DVector, SMatrix, SVector};
use num_dual::HyperDual64;
use rbd_runtime::contact::{self, ContactDynamicsHessian, ContactSettings};
use rbd_runtime::lanes::F64x4;
use rbd_runtime::random::{Random, State, random_state};
use rbd_runtime::reference::*;
use rbd_runtime::{ContactAxes, ContactDynamicsDerivatives, Model, Scalar};

type Hessian = ContactDynamicsHessian<f64, NV>;
type Weights = (SVector<f64, NV>, SVector<f64, NR>);
type Robot<'m> = Padded<'m, f64, NV, { super::NB }, NC>;

fn random(r: &mut Random, n: usize) -> DVector<f64> {
    DVector::from_fn(n, |_, _| r.uniform(-1.0, 1.0))
}

/// Weights of all accelerations and of all forces, those of inactive contacts too.
fn weights(model: &Model<f64>, seed: u64) -> Weights {
    let r = &mut Random::new(seed);
    let lambda = SVector::from_fn(|k, _| if k < model.nv { r.uniform(-1.0, 1.0) } else { 0.0 });
    (lambda, SVector::from_fn(|_, _| r.uniform(-1.0, 1.0)))
}

fn hessian(
    robot: &Robot<'_>,
    x: &State,
    mask: &[bool; NC],
    settings: &ContactSettings<f64, NC>,
    (lambda, kappa): &Weights,
) -> (ContactDynamicsDerivatives<f64, NV, NR>, Hessian) {
    // Nothing is left of what the results were before.
    let mut first = ContactDynamicsDerivatives::<f64, NV, NR>::zeros();
    let mut out = Hessian::zeros();
    first.forces_dq.fill(f64::NAN);
    (out.value, out.dq[0], out.dqdq[(0, 0)]) = (f64::NAN, f64::NAN, f64::NAN);
    (out.dqdv[(0, 0)], out.dvdv[(0, 0)], out.dqdtau[(0, 0)]) = (f64::NAN, f64::NAN, f64::NAN);
    let given = (&robot.pad(&x.v), &robot.pad(&x.tau));
    contact::hessian_with_first_into(robot, given, mask, settings, (lambda, kappa), &mut first, &mut out);
    (first, out)
}

/// The contacts of a model in the reference, and the rows of each.
type Referred = (Vec<Contact<HyperDual64>>, Vec<usize>);

/// The sum, moved first along a direction of one argument and then along one of another.
fn moved(
    model: &Model<HyperDual64>,
    x: &State,
    (contacts, rows): &Referred,
    settings: &ContactSettings<f64, NC>,
    (lambda, kappa): &Weights,
    steps: [(usize, &DVector<f64>); 2],
) -> HyperDual64 {
    let outer = HyperDual64::new(0.0, 0.0, 1.0, 0.0);
    let inner = HyperDual64::new(0.0, 1.0, 0.0, 0.0);
    let mut at = [&x.q, &x.v, &x.tau].map(|x| x.map(HyperDual64::from));
    for ((by, e), step) in steps.into_iter().zip([outer, inner]) {
        let e = e.map(|x| step * x);
        at[by] = if by == 0 { model.integrate(at[0].as_slice(), e.as_slice()) } else { &at[by] + e };
    }
    let [q, v, tau] = &at;
    let [mu, kp, kd] = [settings.mu, settings.kp, settings.kd].map(HyperDual64::from);
    let state = (q.as_slice(), v.as_slice(), tau.as_slice());
    let mut data = Data::new(model);
    let found = constrained_dynamics(model, &mut data, state, contacts, Holding { mu, kp, kd });
    let mut sum = HyperDual64::from(0.0);
    for (k, ddq) in found.ddq.iter().enumerate() {
        sum += *ddq * lambda[k];
    }
    let mut row = 0;
    for contact in contacts {
        let rotation = match settings.axes {
            ContactAxes::Local => nalgebra::Matrix3::identity(),
            ContactAxes::LocalWorldAligned => {
                frame_placement(model, &mut data, q.as_slice(), contact.frame).rotation
            }
        };
        for three in (row..row + contact.kind.rows()).step_by(3) {
            for r in 0..3 {
                for c in 0..3 {
                    sum += rotation[(r, c)] * found.forces[three + c] * kappa[rows[three + r]];
                }
            }
        }
        row += contact.kind.rows();
    }
    sum
}

/// Compares every block with hyper-dual numbers along random directions.
fn compare(
    model: &Model<f64>,
    x: &State,
    contacts: &Referred,
    settings: &ContactSettings<f64, NC>,
    weights: &Weights,
    (first, got): &(ContactDynamicsDerivatives<f64, NV, NR>, Hessian),
) {
    let (nv, wide) = (model.nv, model.cast::<HyperDual64>());
    let r = &mut Random::new(nv as u64);
    let blocks = [((0, 0), &got.dqdq), ((0, 1), &got.dqdv), ((1, 1), &got.dvdv), ((0, 2), &got.dqdtau)];
    for ((one, other), block) in blocks {
        let (along_one, along_other) = (random(r, nv), random(r, nv));
        let steps = [(other, &along_other), (one, &along_one)];
        let exact = moved(&wide, x, contacts, settings, weights, steps);
        let of = block.view((0, 0), (nv, nv));
        let found = along_one.dot(&(of * &along_other));
        // The sum has terms of both signs: errors are relative to the terms.
        let scale = (along_one.abs().transpose() * of.abs() * along_other.abs())[0].max(1.0);
        let error = (found - exact.eps1eps2).abs() / scale;
        assert!(
            error < 1e-10,
            "{one} {other}: {found} and {} differ by {error:.1e} of {scale:.3e}",
            exact.eps1eps2
        );
        let gradients = [&got.dq, &got.dv, &got.dtau].map(|x| x.rows(0, nv));
        close("value", &[got.value], &[exact.re], 1e-9);
        close("gradient", &[gradients[one].dot(&along_one)], &[exact.eps1], 1e-9);
        close("gradient", &[gradients[other].dot(&along_other)], &[exact.eps2], 1e-9);
        // By v and tau, and by tau twice, there is nothing.
        for by in [1, 2] {
            let steps = [(by, &along_one), (2, &along_other)];
            let exact = moved(&wide, x, contacts, settings, weights, steps);
            assert!(exact.eps1eps2.abs() < 1e-9 * exact.re.abs().max(1.0), "{}", exact.eps1eps2);
        }
    }
    let sum =
        first.ddq.dot(&weights.0) + contacts.1.iter().map(|r| first.forces[*r] * weights.1[*r]).sum::<f64>();
    close("value of the first derivatives", &[sum], &[got.value], 1e-12);
}

/// Contacts that the reference shall have, those of a mask.
fn referred(contacts: impl Iterator<Item = Contact<HyperDual64>>, mask: &[bool; NC]) -> Referred {
    let (mut all, mut rows, mut row) = (Vec::new(), Vec::new(), 0);
    for (contact, active) in contacts.zip(mask) {
        let next = row + contact.kind.rows();
        if *active {
            rows.extend(row..next);
            all.push(contact);
        }
        row = next;
    }
    (all, rows)
}

/// The mask without contacts for which there is no Hessian: those with one coordinate in two joints.
fn plain(robot: &Robot<'_>, mask: &[bool; NC]) -> [bool; NC] {
    core::array::from_fn(|k| mask[k] && robot.is_plain(k))
}

const AXES: [ContactAxes; 2] = ContactAxes::ALL;

#[test]
fn hessians_of_contacts_are_exact() {
    let (mut seen, mut active) = (0, 0);
    for_all(|model, x| {
        seen += 1;
        let own: ContactSettings<f64, NC> = super::settings(model, x);
        let mut settings = own.in_axes(AXES[seen % 2]);
        let mut wide: ContactSettings<HyperDual64, NC> = super::settings(model, x);
        // With anchors, without, and without anything but the contacts.
        if seen % 3 == 1 {
            (settings.anchors, wide.anchors) = ([None; NC], [None; NC]);
        }
        if seen % 5 == 4 {
            (settings.kd, settings.kp) = (0.0, 0.0);
        }
        let robot = padded(model, model, x.q.as_slice());
        let mask = plain(&robot, &MASKS[[0, 2, 3, 4][seen % 4]]);
        active += mask.iter().filter(|active| **active).count();
        let contacts = super::contacts_of(model).into_iter().zip(wide.anchors);
        let contacts = contacts.map(|((frame, kind), anchor)| Contact { frame, kind, anchor, second: None });
        let contacts = referred(contacts, &mask);
        let weights = weights(model, seen as u64);
        let robot = if seen % 8 < 4 { robot.with_factors() } else { robot };
        let got = hessian(&robot, x, &mask, &settings, &weights);
        compare(model, x, &contacts, &settings, &weights, &got);
    });
    assert!(active > 30, "{active}");
}

#[test]
fn hessians_of_closed_loops_are_exact() {
    let (mut seen, mut active) = (0, [0; NC]);
    for_all(|model, x| {
        seen += 1;
        let model = &with_pivot(model);
        let settings = closed_loops::settings::<f64>().in_axes(AXES[seen % 2]);
        let robot = closed_loops::padded(model, model, x.q.as_slice());
        let mask = plain(&robot, &closed_loops::MASKS[seen % 4]);
        mask.iter().zip(&mut active).for_each(|(is, count)| *count += usize::from(*is));
        let (frames, seconds) = closed_loops::contacts(model);
        let anchors = closed_loops::settings::<HyperDual64>().anchors;
        let contacts = (0..NC).map(|k| {
            let (frame, kind) = frames[k];
            Contact { frame, kind, anchor: anchors[k], second: seconds[k] }
        });
        let (contacts, weights) = (referred(contacts, &mask), weights(model, seen as u64));
        let got = hessian(&robot, x, &mask, &settings, &weights);
        compare(model, x, &contacts, &settings, &weights, &got);
    });
    assert!(active.iter().all(|count| *count > 4), "{active:?}");
}

/// Without active contacts the Hessian is that of forward dynamics, whatever the weights of the forces are.
#[test]
fn without_contacts_it_is_that_of_forward_dynamics() {
    for_all(|model, x| {
        let robot = padded(model, model, x.q.as_slice());
        let mut weights = weights(model, 3);
        weights.1.fill(f64::NAN);
        let settings = super::settings(model, x).in_axes(ContactAxes::LocalWorldAligned);
        let (_, got) = hessian(&robot, x, &[false; NC], &settings, &weights);
        let (q, v, tau) = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
        let free = aba_second_derivatives(model, &mut Data::new(model), q, v, tau, None);
        let blocks = [
            ("qq", &got.dqdq, &free.d2ddq_dqdq),
            ("qv", &got.dqdv, &free.d2ddq_dqdv),
            ("vv", &got.dvdv, &free.d2ddq_dvdv),
            ("qtau", &got.dqdtau, &free.d2ddq_dqdtau),
        ];
        for (what, block, pages) in blocks {
            let entry =
                |r: usize, c: usize| (0..model.nv).map(|k| weights.0[k] * pages[c][(k, r)]).sum::<f64>();
            let expected =
                SMatrix::<f64, NV, NV>::from_fn(
                    |r, c| {
                        if r < model.nv && c < model.nv { entry(r, c) } else { 0.0 }
                    },
                );
            close(what, block, &expected, 1e-9);
        }
    });
}

/// It is symmetric but among the coordinates of one joint, where directions do not commute.
#[test]
fn it_is_symmetric_between_joints() {
    let mut is_different = false;
    for_all(|model, x| {
        let robot = padded(model, model, x.q.as_slice());
        let mask = plain(&robot, &[true; NC]);
        let (_, got) = hessian(&robot, x, &mask, &super::settings(model, x), &weights(model, 5));
        let joint =
            |c: usize| model.bodies.iter().position(|b| (b.idx_v..b.idx_v + b.kind.nv()).contains(&c));
        let scale = got.dqdq.amax().max(1.0);
        for c in 0..model.nv {
            for r in 0..c {
                let apart = (got.dqdq[(r, c)] - got.dqdq[(c, r)]).abs() / scale;
                if joint(r) != joint(c) {
                    assert!(apart < 1e-11, "{r} {c}: {apart:.1e}");
                } else {
                    is_different |= apart > 1e-3;
                }
                assert!((got.dvdv[(r, c)] - got.dvdv[(c, r)]).abs() <= 1e-11 * got.dvdv.amax().max(1.0));
            }
        }
    });
    assert!(is_different);
}

/// Two planes on one body: rows of the second follow from those of the first at every state, and change
/// nothing of the accelerations.
#[test]
fn redundant_planes_have_the_hessian_of_one() {
    on_one_body(|model, x| {
        let robot = padded(model, model, x.q.as_slice());
        let (mut weights, plain) = (weights(model, 7), ContactSettings::default());
        // Forces of redundant rows are not unique.
        weights.1.fill(0.0);
        let (_, one) = hessian(&robot, x, &MASKS[3], &plain, &weights);
        for settings in [plain, plain.proximal(1e-6, 8)] {
            for robot in
                [padded(model, model, x.q.as_slice()).with_factors(), padded(model, model, x.q.as_slice())]
            {
                let (_, all) = hessian(&robot, x, &[false, true, false, true], &settings, &weights);
                let blocks = |of: &Hessian| [of.dqdq, of.dqdv, of.dvdv, of.dqdtau];
                for (what, (got, expected)) in
                    ["qq", "qv", "vv", "qtau"].iter().zip(blocks(&all).iter().zip(&blocks(&one)))
                {
                    close(what, got, expected, 1e-6);
                }
            }
        }
    });
}

/// Four states in lanes have each state's Hessian.
#[test]
fn states_in_lanes_agree() {
    // Matrices of forty columns of lanes, which unoptimised code copies again and again.
    let check = std::thread::Builder::new().stack_size(1 << 26).spawn(lanes_agree);
    check.unwrap().join().unwrap();
}

fn lanes_agree() {
    super::free(|model, x| {
        let wide: Model<F64x4> = model.cast();
        let states: Vec<State> = (0..4).map(|k| random_state(model, 40 + k)).collect();
        let together = |of: fn(&State) -> &DVector<f64>| super::scalars(&states, of);
        let robot = padded(model, &wide, together(|x| &x.q).as_slice());
        let (v, tau) = (robot.pad(&together(|x| &x.v)), robot.pad(&together(|x| &x.tau)));
        let mask = super::PLANE_AND_POINT;
        let of_lanes: ContactSettings<F64x4, NC> = super::settings(model, x);
        let weights = weights(model, 11);
        let (lambda, kappa) = (weights.0.map(F64x4::from_f64), weights.1.map(F64x4::from_f64));
        let (mut first, mut got) =
            (ContactDynamicsDerivatives::<F64x4, NV, NR>::zeros(), ContactDynamicsHessian::zeros());
        let by = (&lambda, &kappa);
        contact::hessian_with_first_into(&robot, (&v, &tau), &mask, &of_lanes, by, &mut first, &mut got);
        for (lane, state) in states.iter().enumerate() {
            let robot = padded(model, model, state.q.as_slice());
            let (_, alone) = hessian(&robot, state, &mask, &super::settings(model, x), &weights);
            for (got, alone) in [
                (got.dqdq, alone.dqdq),
                (got.dqdv, alone.dqdv),
                (got.dvdv, alone.dvdv),
                (got.dqdtau, alone.dqdtau),
            ] {
                close("lane", &got.map(|x| x.to_array()[lane]), &alone, 1e-10);
            }
        }
    });
}
