//! Dynamics of a robot that all of its contacts and closed loops hold.

use crate::values::Value;
use crate::{Job, Jobs, States};
use rbd::{ContactSettings, Contacts};

/// Jobs of these functions.
pub fn jobs<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(states: &States) -> Jobs
where
    R: Contacts<NQ, NV, NC, NR>,
{
    let states = states.fixed::<NQ, NV>();
    let jacobian = Job::new(
        states.clone(),
        || Box::new(Value::nothing()),
        |s, out| R::contact_jacobian_into(&s.q, &[true; NC], out),
        Value::flat,
    );
    let dynamics = Job::new(
        states.clone(),
        || Box::new(Value::nothing()),
        |s, out| {
            *out = R::contact_dynamics(&s.q, &s.v, &s.tau, &[true; NC], &ContactSettings::default());
        },
        Value::flat,
    );
    // Compared with those who give accelerations alone, or forces in another order.
    let accelerations = Job::new(
        states.clone(),
        || Box::new(Value::nothing()),
        |s, out| {
            *out = R::contact_dynamics(&s.q, &s.v, &s.tau, &[true; NC], &ContactSettings::default());
        },
        |x, all| x.ddq.flat(all),
    );
    let derivatives = Job::new(
        states,
        || Box::new(Value::nothing()),
        |s, out| {
            let settings = ContactSettings::default();
            R::contact_dynamics_derivatives_into(&s.q, &s.v, &s.tau, &[true; NC], &settings, out);
        },
        Value::flat,
    );
    Jobs::from([
        ("contact_jacobian", jacobian),
        ("contact_dynamics", dynamics),
        ("contact_accelerations", accelerations),
        ("contact_dynamics_derivatives", derivatives),
    ])
}
