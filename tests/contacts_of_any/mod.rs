//! Laws of any robot with contacts, by the traits alone.

use nalgebra::{SMatrix, SVector};
use num_dual::Dual64;
use rbd::{ContactAxes, ContactHessians, ContactSettings, Contacts, ReferenceFrame, Scalar};

/// Contacts hold, forces obey Newton's law, and their rows are those of frames that are chosen at
/// run time.
pub fn hold<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    tau: &SVector<f64, NV>,
    active: &[bool; NC],
) where
    R: Contacts<NQ, NV, NC, NR>,
{
    let exact = ContactSettings::default();
    let found = R::contact_dynamics(q, v, tau, active, &exact);
    assert!(found.residual.amax() < 1e-9 * (1.0 + found.ddq.amax()), "{}", found.residual);
    let back = R::contact_inverse_dynamics(q, v, &found.ddq, &found.forces);
    assert!((back - tau).amax() < 1e-9 * (1.0 + tau.amax()), "{back}");
    let derivatives = R::contact_dynamics_derivatives(q, v, tau, active, &exact);
    assert_eq!((derivatives.ddq, derivatives.forces), (found.ddq, found.forces));
    let hit = R::contact_impulse(q, v, active, 0.0, &exact);
    let jacobian: SMatrix<f64, NR, NV> = R::contact_jacobian(q, active);
    assert!((jacobian * hit.v_plus).amax() < 1e-9, "{}", hit.v_plus);
    let mut in_place = SMatrix::zeros();
    for mask in [&[true; NC], active] {
        R::contact_jacobian_into(q, mask, &mut in_place);
        assert_eq!(in_place, R::contact_jacobian(q, mask));
    }
    // With no contact, the derivative of the accelerations by the torques is the inverse of the mass matrix.
    let free = R::contact_dynamics_derivatives(q, v, tau, &[false; NC], &exact);
    let minv = free.ddq_dtau;
    // Nothing is left of what the result was before, be it zero or not.
    for (active, expected) in [(&[false; NC], &free), (active, &derivatives)] {
        let mut used = derivatives;
        used.ddq_dtau.fill(3.0);
        used.ddq_dq.fill(4.0);
        used.forces_dq.fill(5.0);
        used.forces_dtau.fill(f64::NAN);
        R::contact_dynamics_derivatives_into(q, v, tau, active, &exact, &mut used);
        assert_eq!(&used, expected);
    }
    let off = R::delassus(q, active) - jacobian * minv * jacobian.transpose();
    assert!(off.amax() < 1e-9, "{off}");
    assert_eq!(R::contact_errors(q, active, &exact).len(), NR);

    let placements = R::contact_placements(q);
    let mut rows = 0;
    for k in 0..NC {
        let (contact, frame) = (&R::CONTACTS[k], R::CONTACT_FRAMES[k]);
        assert_eq!(contact.row, rows);
        rows += contact.kind.rows();
        let name = R::frame_name(frame);
        assert_eq!(R::frame_named(name), Some(frame));
        assert!(R::FRAMES.contains(&frame) && R::frame_named("no such frame").is_none());
        let is_loop = contact.second.is_some();
        assert!(is_loop || R::CONTACT_NAMES[k] == name);
        assert_eq!(R::frame_placement(q, frame), placements[k]);
        let local = R::frame_jacobian(q, frame, ReferenceFrame::Local);
        let held = jacobian.rows(contact.row, contact.kind.rows());
        if active[k] && !is_loop {
            assert_eq!(held, local.rows(0, contact.kind.rows()));
        }
        let velocity = R::frame_velocity(q, v, frame, ReferenceFrame::Local);
        assert!((local * v - velocity).amax() < 1e-12 * (1.0 + velocity.amax()));
        let of_velocity = R::frame_velocity_derivatives(q, v, frame, ReferenceFrame::Local);
        assert!((of_velocity.velocity - velocity).amax() < 1e-12 * (1.0 + velocity.amax()));
        // The rate of a velocity, with the accelerations' part and without.
        let rate = R::frame_acceleration(q, v, tau, frame, ReferenceFrame::Local);
        let bias = R::frame_bias_acceleration(q, v, frame, ReferenceFrame::Local);
        assert!((local * tau + bias - rate).amax() < 1e-10 * (1.0 + rate.amax()));
    }
    assert_eq!(rows, NR);
}

/// The Hessian is the derivative of the gradient, which is that of the first derivatives: by dual numbers.
pub fn have_hessians<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
    [q, v, tau]: [&[f64]; 3],
    active: &[bool; NC],
    settings: (&ContactSettings<f64, NC>, &ContactSettings<Dual64, NC>),
) where
    R: ContactHessians<NQ, NV, NC, NR>,
{
    let (q, v, tau) =
        (SVector::from_column_slice(q), SVector::from_column_slice(v), SVector::from_column_slice(tau));
    let lambda = SVector::<f64, NV>::from_fn(|k, _| (1.3 + 2.1 * k as f64).sin());
    let kappa = SVector::<f64, NR>::from_fn(|k, _| (0.4 + 1.7 * k as f64).cos());
    for axes in ContactAxes::ALL {
        let (of, of_dual) = (settings.0.in_axes(axes), settings.1.in_axes(axes));
        let (mut first, mut got) = (Default::default(), Default::default());
        R::contact_dynamics_hessian_with_first_into(
            &q, &v, &tau, active, &of, &lambda, &kappa, &mut first, &mut got,
        );
        assert_eq!(first, R::contact_dynamics_derivatives(&q, &v, &tau, active, &of));
        assert_eq!(got, R::contact_dynamics_hessian(&q, &v, &tau, active, &of, &lambda, &kappa));
        let value = lambda.dot(&first.ddq) + kappa.dot(&first.forces);
        assert!((got.value - value).abs() < 1e-12 * value.abs().max(1.0));
        let [lambda, kappa] = [lambda.as_slice(), kappa.as_slice()];
        let lambda = SVector::<Dual64, NV>::from_fn(|k, _| Dual64::from_f64(lambda[k]));
        let kappa = SVector::<Dual64, NR>::from_fn(|k, _| Dual64::from_f64(kappa[k]));
        let e = SVector::<f64, NV>::from_fn(|k, _| (0.9 + 1.1 * k as f64).sin());
        let none = SVector::<f64, NV>::zeros();
        // The gradient, moved along a direction of one argument.
        let moved = |by: usize| {
            let of = |k: usize| if k == by { &e } else { &none };
            let dual = |x: &SVector<f64, NV>, e: &SVector<f64, NV>| x.zip_map(e, Dual64::new);
            let q = R::integrate(&q.map(Dual64::from_f64), &dual(&none, of(0)));
            let (v, tau) = (dual(&v, of(1)), dual(&tau, of(2)));
            let d = R::contact_dynamics_derivatives(&q, &v, &tau, active, &of_dual);
            [(d.ddq_dq, d.forces_dq), (d.ddq_dv, d.forces_dv), (d.ddq_dtau, d.forces_dtau)]
                .map(|(ddq, forces)| ddq.transpose() * lambda + forces.transpose() * kappa)
        };
        let zero = SMatrix::<f64, NV, NV>::zeros();
        let blocks =
            [[&got.dqdq, &got.dqdv, &got.dqdtau], [&got.dqdv, &got.dvdv, &zero], [&got.dqdtau, &zero, &zero]];
        for (by, column) in blocks.iter().enumerate() {
            for (row, (gradient, exact)) in [got.dq, got.dv, got.dtau].iter().zip(moved(by)).enumerate() {
                let error = (gradient - exact.map(|x| x.re)).amax() / gradient.amax().max(1.0);
                assert!(error < 1e-10, "{row} {by} {axes:?} {active:?}: {error:.1e}: {gradient}");
                // Blocks by v and tau before q are transposed.
                let block = if row < by { *blocks[row][by] } else { column[row].transpose() };
                let block = if row == by { *column[row] } else { block };
                let (found, exact) = (block * e, exact.map(|x| x.eps));
                let error = (found - exact).amax() / block.amax().max(1.0);
                assert!(error < 1e-10, "{row} {by} {axes:?} {active:?}: {error:.1e}: {found}{exact}");
            }
        }
    }
}
