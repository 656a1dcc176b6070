//! Robots with some of the functions only: all functions take the compiler minutes.

use crate::adapter::{Around, Inputs, Robot, call, robot, vector};

#[cfg(not(feature = "all-robots"))]
rbd::rbd_robot! {
    /// A quadruped.
    pub struct Hyq {
        urdf: "../../robots/hyq.urdf",
        base: floating,
        functions: [rnea, rnea_fext, bias, gravity, aba, crba, minv, rnea_derivatives, aba_derivatives],
    }
}
#[cfg(not(feature = "all-robots"))]
pub(crate) fn hyq() -> Robot {
    robot!("hyq f64", Hyq, f64, "robots/hyq.urdf", true:
        rnea rnea_fext bias gravity aba crba minv rnea_derivatives aba_derivatives)
}

#[cfg(feature = "all-robots")]
rbd::rbd_robot! {
    /// A humanoid: arms, legs and a floating base.
    pub struct G1 {
        urdf: "../../robots/g1.urdf",
        base: floating,
        functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives],
    }
}
#[cfg(feature = "all-robots")]
pub(crate) fn humanoid() -> Robot {
    robot!("g1 f64", G1, f64, "robots/g1.urdf", true: rnea aba crba minv rnea_derivatives aba_derivatives)
}
