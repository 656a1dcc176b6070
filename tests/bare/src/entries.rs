//! Every generated function of a robot, called once, behind a symbol that the linker keeps.

use nalgebra::{SMatrix, SVector};
use rbd_runtime::{AbaDerivatives, RneaDerivatives, Robot, Scalar};

/// What [`everything`] writes.
#[derive(Debug)]
pub struct Results<T, const NQ: usize, const NV: usize> {
    /// Neutral and integrated configuration.
    pub configurations: [SVector<T, NQ>; 2],
    /// Torques and accelerations, in the order of the functions.
    pub vectors: [SVector<T, NV>; 7],
    /// Mass matrix and its inverse, returned and written.
    pub matrices: [SMatrix<T, NV, NV>; 4],
    /// Derivatives of inverse dynamics, returned and written.
    pub rnea: [RneaDerivatives<T, NV>; 4],
    /// Derivatives of forward dynamics, returned and written.
    pub aba: [AbaDerivatives<T, NV>; 4],
}

/// Calls every function of a robot.
#[inline(always)]
pub fn everything<R: Robot<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    f: &R::Forces<T>,
    out: &mut Results<T, NQ, NV>,
) -> usize {
    out.configurations = [R::neutral(), R::integrate(q, v)];
    out.vectors = [
        R::rnea(q, v, a),
        R::rnea_fext(q, v, a, f),
        R::bias(q, v),
        R::gravity(q),
        R::aba(q, v, a),
        R::aba_fext(q, v, a, f),
        R::difference(q, q),
    ];
    let [m, minv, m_into, minv_into] = &mut out.matrices;
    (*m, *minv) = (R::crba(q), R::minv(q));
    R::crba_into(q, m_into);
    R::minv_into(q, minv_into);
    let [d, d_f, d_into, d_f_into] = &mut out.rnea;
    (*d, *d_f) = (R::rnea_derivatives(q, v, a), R::rnea_derivatives_fext(q, v, a, f));
    R::rnea_derivatives_into(q, v, a, d_into);
    R::rnea_derivatives_fext_into(q, v, a, f, d_f_into);
    let [d, d_f, d_into, d_f_into] = &mut out.aba;
    (*d, *d_f) = (R::aba_derivatives(q, v, a), R::aba_derivatives_fext(q, v, a, f));
    R::aba_derivatives_into(q, v, a, d_into);
    R::aba_derivatives_fext_into(q, v, a, f, d_f_into);
    R::JOINTS.len() + R::NAME.len() + R::NB
}

/// `name: Robot, scalar, NQ, NV;` makes a function `name` that calls [`everything`].
macro_rules! entries {
    ($($name:ident: $robot:ident, $scalar:ty, $nq:tt, $nv:tt;)*) => { $(
        /// Every function of this robot with this scalar.
        #[unsafe(no_mangle)]
        pub fn $name(
            q: &nalgebra::SVector<$scalar, $nq>,
            v: &nalgebra::SVector<$scalar, $nv>,
            a: &nalgebra::SVector<$scalar, $nv>,
            f: &<$robot as rbd_runtime::Mechanism<$nq, $nv>>::Forces<$scalar>,
            out: &mut Results<$scalar, $nq, $nv>,
        ) -> usize {
            everything::<$robot, $scalar, $nq, $nv>(q, v, a, f, out)
        }
    )* };
}
pub(crate) use entries;
