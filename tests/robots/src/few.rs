//! Robots with some of the functions, which have no trait for that.

use crate::subject::{self, Around, Inputs, Robot, vector};
use nalgebra::{SMatrix, SVector};

/// One function of the type `$t`, by the name `$function`.
macro_rules! run {
    (rnea, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $o.0 = $t::rnea(&$i.0, &$i.1, &$i.2))
    };
    (rnea_fext, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $o.0 = $t::rnea_fext(&$i.0, &$i.1, &$i.2, &$i.3))
    };
    (bias, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $o.0 = $t::bias(&$i.0, &$i.1))
    };
    (gravity, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $o.0 = $t::gravity(&$i.0))
    };
    (aba, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $o.0 = $t::aba(&$i.0, &$i.1, &$i.2))
    };
    (crba, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $t::crba_into(&$i.0, &mut $o.1))
    };
    (minv, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $t::minv_into(&$i.0, &mut $o.1))
    };
    (rnea_derivatives, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $t::rnea_derivatives_into(&$i.0, &$i.1, &$i.2, &mut $o.2))
    };
    (aba_derivatives, $t:ident, $i:ident, $o:ident, $around:ident) => {
        $around(&mut || $t::aba_derivatives_into(&$i.0, &$i.1, &$i.2, &mut $o.3))
    };
}

/// A function that gives the floating robot `$t` with these functions and `f64`.
macro_rules! few {
    ($robot:ident, $name:literal, $urdf:literal, $t:ident: $($function:ident)*) => {
        pub(crate) fn $robot() -> Robot {
            Robot {
                name: $name,
                urdf: $urdf,
                floating: true,
                single: false,
                functions: &[$(stringify!($function)),*],
                model: $t::model::<f64>,
                call: |function: &str, inputs: &Inputs, around: Around<'_>| {
                    let force = |body: usize| vector(&inputs.fext[6 * body..]);
                    let fext: [SVector<f64, 6>; $t::NB] = std::array::from_fn(force);
                    let (q, v, third): (SVector<f64, { $t::NQ }>, SVector<f64, { $t::NV }>, SVector<f64, { $t::NV }>) =
                        (vector(&inputs.q), vector(&inputs.v), vector(&inputs.third));
                    let i = &(q, v, third, fext);
                    let mut o = (
                        SVector::<f64, { $t::NV }>::zeros(),
                        SMatrix::<f64, { $t::NV }, { $t::NV }>::zeros(),
                        rbd::RneaDerivatives::<f64, { $t::NV }>::zeros(),
                        rbd::AbaDerivatives::<f64, { $t::NV }>::zeros(),
                    );
                    match function {
                        $(stringify!($function) => run!($function, $t, i, o, around),)*
                        other => panic!("no function {other}"),
                    }
                    subject::results(function, (&o.0, &o.1, &o.2, &o.3))
                },
                integrate: |q, dv| $t::integrate::<f64>(&vector(q), &vector(dv)).as_slice().to_vec(),
            }
        }
    };
}

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
few!(hyq, "hyq f64", "robots/hyq.urdf", Hyq: rnea rnea_fext bias gravity aba crba minv rnea_derivatives aba_derivatives);

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
few!(humanoid, "g1 f64", "robots/g1.urdf", G1: rnea aba crba minv rnea_derivatives aba_derivatives);
