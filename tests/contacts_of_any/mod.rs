//! Laws of any robot with contacts, by the traits alone.

use nalgebra::{SMatrix, SVector};
use rbd::{ContactSettings, Contacts, ReferenceFrame};

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
