//! A few robots with other scalars than `f64`: each instantiation is compiled anew.

use crate::random::{tree_0, tree_1, tree_2};
#[cfg(feature = "all-robots")]
use crate::random::{tree_3, tree_4};
use crate::robots::{hyq_fixed, iiwa14_fixed};
use crate::{Compiled, Subject};
use num_complex::Complex;
use num_dual::Dual64;
use rbd_runtime::Scalar;
use rbd_runtime::lanes::{F32x8, F32x16, F64x4, F64x8};

/// A robot with `f64` and with another scalar.
#[derive(Clone, Copy)]
pub struct Pair<T> {
    /// With `f64`.
    pub double: Subject<f64>,
    /// With the other.
    pub other: Subject<T>,
}

const fn pair<X: Compiled, T: Scalar>(name: &'static str) -> Pair<T> {
    Pair { double: Subject::of::<X>(name), other: Subject::of::<X>(name) }
}

/// Single precision.
pub static F32: &[Pair<f32>] = &[
    pair::<tree_0::Tree0, _>("tree_0"),
    pair::<tree_1::Tree1, _>("tree_1"),
    #[cfg(feature = "all-robots")]
    pair::<tree_2::Tree2, _>("tree_2"),
    pair::<iiwa14_fixed::Iiwa14, _>("iiwa14"),
];
/// Dual numbers: exact first derivatives.
pub static DUAL: &[Pair<Dual64>] = &[
    pair::<tree_0::Tree0, _>("tree_0"),
    #[cfg(feature = "all-robots")]
    pair::<tree_3::Tree3, _>("tree_3"),
];
/// Complex numbers: derivatives by the complex step.
pub static COMPLEX: &[Pair<Complex<f64>>] = &[pair::<tree_1::Tree1, _>("tree_1")];
/// Lanes.
pub static LANES_64X4: &[Pair<F64x4>] = &[
    #[cfg(feature = "all-robots")]
    pair::<tree_1::Tree1, _>("tree_1"),
    pair::<tree_2::Tree2, _>("tree_2"),
    pair::<hyq_fixed::Hyq, _>("hyq"),
];
/// Lanes.
pub static LANES_64X8: &[Pair<F64x8>] = &[
    #[cfg(feature = "all-robots")]
    pair::<tree_4::Tree4, _>("tree_4"),
    pair::<tree_2::Tree2, _>("tree_2"),
];
/// Lanes, for the robots of [`F32`] where possible.
pub static LANES_32X8: &[(Subject<f32>, Subject<F32x8>)] =
    &[(Subject::of::<tree_0::Tree0>("tree_0"), Subject::of::<tree_0::Tree0>("tree_0"))];
/// Lanes.
pub static LANES_32X16: &[(Subject<f32>, Subject<F32x16>)] =
    &[(Subject::of::<tree_1::Tree1>("tree_1"), Subject::of::<tree_1::Tree1>("tree_1"))];
