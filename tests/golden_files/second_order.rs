//! Second derivatives of generated types against the generic reference.
//!
//! The robots of the recorded files have every feature of tables (tests/golden).
//! `rbd-runtime/tests/second_derivatives.rs` tests the loops themselves.

use super::{body, double_pendulum, gripper};
use nalgebra::{DMatrix, SMatrix, SVector};
use rbd::Scalar;
use rbd::reference::{self, Data};

#[allow(dead_code)]
#[path = "../../rbd-runtime/tests/common/plain.rs"]
mod plain;
use plain::Plain;

trait Number: Scalar {
    fn number(self) -> f64;
}
impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}
impl Number for Plain {
    fn number(self) -> f64 {
        self.0
    }
}

/// Equal to eleven digits of the largest entry. Entries that are exactly zero may have the rounding
/// error of numbers of size one.
fn close<T: Number>(what: &str, found: &[T], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        let found = found.number();
        // Not by the largest of all differences: NaN must not pass.
        assert!((found - expected).abs() <= 1e-11 * largest, "{what}: {found} for {expected}");
    }
}

fn flat<T: Scalar, const N: usize>(tensor: &[SMatrix<T, N, N>; N]) -> Vec<T> {
    tensor.iter().flat_map(|m| m.as_slice()).copied().collect()
}

fn columns(tensor: &[DMatrix<f64>]) -> Vec<f64> {
    tensor.iter().flat_map(|m| m.as_slice()).copied().collect()
}

/// The Hessian block of the weighted sum: entry (j, k) is the sum over i of `weights[i] tensor[k][(i, j)]`.
fn contracted(tensor: &[DMatrix<f64>], weights: &[f64]) -> Vec<f64> {
    let weights = nalgebra::DVector::from_column_slice(weights);
    columns(
        &tensor
            .iter()
            .map(|m| DMatrix::from_column_slice(m.ncols(), 1, m.tr_mul(&weights).as_slice()))
            .collect::<Vec<_>>(),
    )
}

macro_rules! agrees {
    ($robot:ty, $t:ty, $nq:literal, $nv:literal) => {{
        let name = stringify!($robot);
        let wave = |rate: f64| SVector::<f64, $nv>::from_fn(|i, _| (1.0 + rate * i as f64).sin());
        let of = |x: SVector<f64, $nv>| x.map(<$t>::from_f64);
        let [v, a, w] = [wave(0.7), wave(1.3), wave(2.1)];
        let q: SVector<f64, $nq> = <$robot>::integrate(&<$robot>::neutral(), &wave(2.9));
        let forces: [SVector<f64, 6>; <$robot>::NB] =
            std::array::from_fn(|b| SVector::from_fn(|i, _| (0.3 + (b + 2 * i) as f64).cos()));
        let (tq, tv, ta, tw) = (q.map(<$t>::from_f64), of(v), of(a), of(w));
        let tf = forces.map(|f| f.map(<$t>::from_f64));
        let model = <$robot>::model::<f64>();
        let data = &mut Data::new(&model);
        for fext in [None, Some(&forces)] {
            let list = fext.map(|f| f.as_slice());
            let (x, y) = (q.as_slice(), v.as_slice());
            let expected = reference::rnea_second_derivatives(&model, data, x, y, a.as_slice(), list);
            let (h, t) = match fext {
                None => (
                    <$robot>::rnea_hessian(&tq, &tv, &ta, &tw),
                    <$robot>::rnea_second_derivatives(&tq, &tv, &ta),
                ),
                Some(_) => (
                    <$robot>::rnea_hessian_fext(&tq, &tv, &ta, &tf, &tw),
                    <$robot>::rnea_second_derivatives_fext(&tq, &tv, &ta, &tf),
                ),
            };
            for (tensor, block, expected) in [
                (&t.d2tau_dqdq, &h.dqdq, &expected.d2tau_dqdq),
                (&t.d2tau_dqdv, &h.dqdv, &expected.d2tau_dqdv),
                (&t.d2tau_dvdv, &h.dvdv, &expected.d2tau_dvdv),
                (&t.d2tau_dqda, &h.dqda, &expected.d2tau_dqda),
            ] {
                close(name, &flat(tensor), &columns(expected));
                close(name, block.as_slice(), &contracted(expected, w.as_slice()));
            }

            let first = reference::rnea_derivatives(&model, data, x, y, a.as_slice(), list);
            close(name, &[h.value], &[first.tau.dot(&w)]);
            close(name, h.dq.as_slice(), first.dtau_dq.tr_mul(&w).as_slice());
            close(name, h.dv.as_slice(), first.dtau_dv.tr_mul(&w).as_slice());
            close(name, h.da.as_slice(), first.dtau_da.tr_mul(&w).as_slice());

            let expected = reference::aba_second_derivatives(&model, data, x, y, a.as_slice(), list);
            let (h, t) = match fext {
                None => (
                    <$robot>::aba_hessian(&tq, &tv, &ta, &tw),
                    <$robot>::aba_second_derivatives(&tq, &tv, &ta),
                ),
                Some(_) => (
                    <$robot>::aba_hessian_fext(&tq, &tv, &ta, &tf, &tw),
                    <$robot>::aba_second_derivatives_fext(&tq, &tv, &ta, &tf),
                ),
            };
            // With the first derivatives. The second call writes over everything that is not zero.
            let (mut again, mut by) = (rbd::AbaHessian::zeros(), rbd::AbaDerivatives::<$t, $nv>::zeros());
            for _ in 0..2 {
                let zero = <$t>::from_f64(0.0);
                by.ddq_dq.iter_mut().filter(|x| **x != zero).for_each(|x| *x = <$t>::from_f64(f64::NAN));
                match fext {
                    None => <$robot>::aba_hessian_with_first_into(&tq, &tv, &ta, &tw, &mut by, &mut again),
                    Some(_) => <$robot>::aba_hessian_fext_with_first_into(
                        &tq, &tv, &ta, &tf, &tw, &mut by, &mut again,
                    ),
                }
            }
            assert!(again.dqdq == h.dqdq && again.dq == h.dq);
            for (tensor, block, expected) in [
                (&t.d2ddq_dqdq, &h.dqdq, &expected.d2ddq_dqdq),
                (&t.d2ddq_dqdv, &h.dqdv, &expected.d2ddq_dqdv),
                (&t.d2ddq_dvdv, &h.dvdv, &expected.d2ddq_dvdv),
                (&t.d2ddq_dqdtau, &h.dqdtau, &expected.d2ddq_dqdtau),
            ] {
                close(name, &flat(tensor), &columns(expected));
                close(name, block.as_slice(), &contracted(expected, w.as_slice()));
            }
            let first = reference::aba_derivatives(&model, data, x, y, a.as_slice(), list);
            for (found, expected) in
                [(&by.ddq_dq, &first.ddq_dq), (&by.ddq_dv, &first.ddq_dv), (&by.ddq_dtau, &first.ddq_dtau)]
            {
                close(name, found.as_slice(), expected.as_slice());
            }
            close(name, by.ddq.as_slice(), first.ddq.as_slice());
            close(name, &[h.value], &[first.ddq.dot(&w)]);
            close(name, h.dq.as_slice(), first.ddq_dq.tr_mul(&w).as_slice());
            close(name, h.dv.as_slice(), first.ddq_dv.tr_mul(&w).as_slice());
            close(name, h.dtau.as_slice(), first.ddq_dtau.tr_mul(&w).as_slice());
        }
    }};
}

/// Doubles, whose loops are compiled for each type of processor, and a number type whose loops are
/// compiled once.
#[test]
fn second_derivatives_agree_with_the_reference() {
    agrees!(double_pendulum::DoublePendulum, f64, 2, 2);
    agrees!(gripper::Gripper, Plain, 2, 2);
    agrees!(body::Body, Plain, 7, 6);
}
