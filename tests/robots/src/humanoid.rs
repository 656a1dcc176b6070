//! A humanoid, with few functions: all of them take the compiler minutes.

use crate::subject::{self, Around, Inputs, Robot, vector};
use nalgebra::{SMatrix, SVector};

rbd::rbd_robot! {
    /// Arms, legs and a floating base.
    pub struct G1 {
        urdf: "../../robots/g1.urdf",
        base: floating,
        functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives],
    }
}

/// What can be asked of the humanoid. One more goes here, to the list above, and to the `match` below.
pub(crate) const FUNCTIONS: [&str; 6] =
    ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"];

const NQ: usize = G1::NQ;
const NV: usize = G1::NV;

pub(crate) fn humanoid() -> Robot {
    Robot {
        name: "g1 f64",
        urdf: "robots/g1.urdf",
        floating: true,
        single: false,
        model: G1::model::<f64>,
        call,
        integrate: |q, dv| G1::integrate::<f64>(&vector(q), &vector(dv)).as_slice().to_vec(),
    }
}

fn call(function: &str, inputs: &Inputs, around: Around<'_>) -> Vec<f64> {
    let q: &SVector<f64, NQ> = &vector(&inputs.q);
    let (v, third): (&SVector<f64, NV>, &SVector<f64, NV>) = (&vector(&inputs.v), &vector(&inputs.third));
    let mut x = SVector::<f64, NV>::zeros();
    let mut m = SMatrix::<f64, NV, NV>::zeros();
    let mut r = rbd::RneaDerivatives::<f64, NV>::zeros();
    let mut d = rbd::AbaDerivatives::<f64, NV>::zeros();
    match function {
        "rnea" => around(&mut || x = G1::rnea(q, v, third)),
        "aba" => around(&mut || x = G1::aba(q, v, third)),
        "crba" => around(&mut || G1::crba_into(q, &mut m)),
        "minv" => around(&mut || G1::minv_into(q, &mut m)),
        "rnea_derivatives" => around(&mut || G1::rnea_derivatives_into(q, v, third, &mut r)),
        "aba_derivatives" => around(&mut || G1::aba_derivatives_into(q, v, third, &mut d)),
        other => panic!("no function {other}"),
    }
    subject::results(function, (&x, &m, &r, &d))
}
