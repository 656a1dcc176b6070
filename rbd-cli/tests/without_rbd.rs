//! Code that the command generated for a crate without `rbd`, compiled as it is: the documented
//! path exists.
//!
//! This target is separate from `command`, which writes the file: it must build even if `command`
//! does not.

use nalgebra::SVector;

mod pendulum {
    include!("recorded/pendulum.rs");
}

/// The textbook's double pendulum: two links of 2 and 1.5 kg whose centres are 0.5 m down, the
/// second joint 1 m down.
#[test]
fn the_recorded_file_computes() {
    let (q, g) = (SVector::from([0.3, -0.8]), 9.81);
    let (first, both) = (f64::sin(0.3), f64::sin(0.3 - 0.8));
    let elbow = 1.5 * g * 0.5 * both;
    let expected = SVector::from([(2.0 * 0.5 + 1.5) * g * first + elbow, elbow]);
    let tau = pendulum::Pendulum::gravity(&q);
    assert!((tau - expected).amax() < 1e-13, "{tau} {expected}");
}
