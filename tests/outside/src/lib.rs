//! A crate that has no `rbd` among its dependencies: it makes its robot through one that hands it on.
#![no_std]
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

facade_for_tests::dynamics::rbd_robot! {
    /// The pendulum, on a ship.
    pub struct Pendulum {
        urdf: "../../robots/double_pendulum.urdf",
        base: floating,
        functions: [rnea],
    }
}

/// The facade's own pendulum and this crate's are of one kind.
#[test]
fn a_robot_made_through_another_crate_computes() {
    use facade_for_tests::DoublePendulum;
    use facade_for_tests::dynamics::Scalar;
    use nalgebra::SVector;

    let q: SVector<f64, 9> = Pendulum::neutral();
    let tau = Pendulum::rnea(&q, &SVector::zeros(), &SVector::zeros());
    let on_land = DoublePendulum::gravity(&SVector::from([f64::from_f64(0.0); 2]));
    assert!((tau.fixed_rows::<2>(6) - on_land).norm() < 1e-12);
}
