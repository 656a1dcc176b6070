//! Exact derivatives of inverse and forward dynamics, to rounding, by dual numbers.
//!
//! They use only [`rnea`] and [`aba`] and the manifold's `integrate`, and no formula for a
//! derivative. Slow, and meant for checks.

use super::{AbaDerivatives, AbaSecondDerivatives, Data, RneaDerivatives, RneaSecondDerivatives, aba, rnea};
use crate::spatial::Vector6;
use crate::{Model, Scalar};
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};
use num_dual::{Dual64, HyperDual64};

/// The argument to differentiate by.
#[derive(Clone, Copy, PartialEq)]
enum Argument {
    Q,
    V,
    /// The acceleration of inverse dynamics, the torque of forward dynamics.
    Third,
}
use Argument::{Q, Third, V};

/// One of the two functions of (q, v, third), made to run on another scalar.
struct Function<'m, T: Scalar> {
    model: Model<T>,
    data: Data<T>,
    forward: bool,
    q: Vec<T>,
    v: Vec<T>,
    third: Vec<T>,
    fext: Option<Vec<Vector6<T>>>,
    original: &'m Model<f64>,
}

impl<'m, T: Scalar> Function<'m, T> {
    fn new(
        original: &'m Model<f64>,
        forward: bool,
        [q, v, third]: [&[f64]; 3],
        fext: Option<&[Vector6<f64>]>,
    ) -> Self {
        let model = original.cast();
        let cast = |x: &[f64]| x.iter().copied().map(T::from_f64).collect::<Vec<_>>();
        Self {
            data: Data::new(&model),
            model,
            forward,
            q: cast(q),
            v: cast(v),
            third: cast(third),
            fext: fext.map(|f| f.iter().map(|f| f.map(T::from_f64)).collect()),
            original,
        }
    }

    /// The function's value where the arguments are moved in turn along coordinate directions.
    fn moved(&mut self, moves: &[(Argument, usize, T)]) -> DVector<T> {
        let (mut q, mut v, mut third) = (self.q.clone(), self.v.clone(), self.third.clone());
        for &(argument, j, step) in moves {
            match argument {
                V => v[j] += step,
                Third => third[j] += step,
                Q => {
                    let mut dq = vec![T::zero(); self.original.nv];
                    dq[j] = step;
                    q = self.model.integrate(&q, &dq).as_slice().to_vec();
                }
            }
        }
        let (model, data, fext) = (&self.model, &mut self.data, self.fext.as_deref());
        let f = if self.forward { aba } else { rnea };
        f(model, data, &q, &v, &third, fext).clone()
    }
}

/// Value, and derivatives by q, v and the third argument.
fn first(mut f: Function<'_, Dual64>) -> (DVector<f64>, [DMatrix<f64>; 3]) {
    let nv = f.original.nv;
    let value = f.moved(&[]).map(|x| x.re);
    let by = [Q, V, Third].map(|argument| {
        let mut out = DMatrix::zeros(nv, nv);
        for j in 0..nv {
            let moved = f.moved(&[(argument, j, Dual64::new(0.0, 1.0))]);
            out.set_column(j, &moved.map(|x| x.eps));
        }
        out
    });
    (value, by)
}

/// Derivatives by q and q, q and v, v and v, q and the third argument.
fn second(mut f: Function<'_, HyperDual64>) -> [Vec<DMatrix<f64>>; 4] {
    let nv = f.original.nv;
    let (by_first, by_second) = (HyperDual64::new(0.0, 1.0, 0.0, 0.0), HyperDual64::new(0.0, 0.0, 1.0, 0.0));
    [(Q, Q), (Q, V), (V, V), (Q, Third)].map(|(one, two)| {
        let page = |k| {
            let mut out = DMatrix::zeros(nv, nv);
            for j in 0..nv {
                // The derivative along e_j is taken at the point that e_k leads to: e_k moves first.
                let moved = f.moved(&[(two, k, by_second), (one, j, by_first)]);
                out.set_column(j, &moved.map(|x| x.eps1eps2));
            }
            out
        };
        (0..nv).map(page).collect()
    })
}

/// Inverse dynamics and its first derivatives.
pub fn rnea_derivatives(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    fext: Option<&[Vector6<f64>]>,
) -> RneaDerivatives<f64> {
    let (tau, [dtau_dq, dtau_dv, dtau_da]) = first(Function::new(model, false, [q, v, a], fext));
    RneaDerivatives { tau, dtau_dq, dtau_dv, dtau_da }
}

/// Forward dynamics and its first derivatives.
pub fn aba_derivatives(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    fext: Option<&[Vector6<f64>]>,
) -> AbaDerivatives<f64> {
    let (ddq, [ddq_dq, ddq_dv, ddq_dtau]) = first(Function::new(model, true, [q, v, tau], fext));
    AbaDerivatives { ddq, ddq_dq, ddq_dv, ddq_dtau }
}

/// Second derivatives of inverse dynamics.
pub fn rnea_second_derivatives(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    fext: Option<&[Vector6<f64>]>,
) -> RneaSecondDerivatives {
    let [d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda] =
        second(Function::new(model, false, [q, v, a], fext));
    RneaSecondDerivatives { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda }
}

/// Second derivatives of forward dynamics.
pub fn aba_second_derivatives(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    fext: Option<&[Vector6<f64>]>,
) -> AbaSecondDerivatives {
    let [d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau] =
        second(Function::new(model, true, [q, v, tau], fext));
    AbaSecondDerivatives { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau }
}
