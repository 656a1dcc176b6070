//! Every function of a generated robot against the generic algorithm of `rbd::reference`.
//!
//! The reference's workspace is made beforehand; results of matrix size are written into place on both sides.

use criterion::Criterion;
use nalgebra::{SMatrix, SVector};
use rbd::reference::{self, Data};
use rbd::{AbaDerivatives, Dynamics, Model, RneaDerivatives, Scalar};
use std::hint::black_box;

/// Three waves: a tangent vector away from zero, a velocity, and an acceleration or torque.
pub fn waves<T: Scalar, const NV: usize>() -> [SVector<T, NV>; 3] {
    [0.7, 1.3, 2.1].map(|rate| SVector::from_fn(|i, _| T::from_f64((1.0 + rate * i as f64).sin())))
}

/// Each function of a robot, generated and by the reference.
pub fn robot<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    c: &mut Criterion,
    name: &str,
    model: &Model<f64>,
    fext: &R::Forces<f64>,
) {
    let [dq, v, x] = &waves::<f64, NV>();
    let q = &R::integrate(&R::neutral(), dq);
    let slices = (q.as_slice(), v.as_slice(), x.as_slice());
    let data = &mut Data::new(model);
    let matrix = &mut SMatrix::zeros();
    let by_a = &mut RneaDerivatives::zeros();
    let by_tau = &mut AbaDerivatives::zeros();
    macro_rules! pair {
        ($function:ident, $generated:expr, $reference:expr) => {
            let mut group = c.benchmark_group(format!("dynamics.{name}.{}", stringify!($function)));
            group.bench_function("generated", |b| {
                b.iter(|| {
                    let (q, v, x, fext) = black_box((q, v, x, fext));
                    $generated(q, v, x, fext)
                })
            });
            group.bench_function("reference", |b| {
                b.iter(|| {
                    let (m, (q, v, x), fext) = black_box((model, slices, fext.as_ref()));
                    $reference(m, &mut *data, q, v, x, fext);
                    black_box(&*data);
                })
            });
            group.finish();
        };
    }
    pair!(rnea, |q, v, a, _| R::rnea(q, v, a), |m, d, q, v, a, _| _ = reference::rnea(m, d, q, v, a, None));
    pair!(rnea_fext, |q, v, a, f| R::rnea_fext(q, v, a, f), |m, d, q, v, a, f| _ =
        reference::rnea(m, d, q, v, a, Some(f)));
    pair!(bias, |q, v, _, _| R::bias(q, v), |m, d, q, v, _, _| _ = reference::bias(m, d, q, v));
    pair!(gravity, |q, _, _, _| R::gravity(q), |m, d, q, _, _, _| _ = reference::gravity(m, d, q));
    pair!(aba, |q, v, tau, _| R::aba(q, v, tau), |m, d, q, v, tau, _| _ =
        reference::aba(m, d, q, v, tau, None));
    pair!(aba_fext, |q, v, tau, f| R::aba_fext(q, v, tau, f), |m, d, q, v, tau, f| _ =
        reference::aba(m, d, q, v, tau, Some(f)));
    pair!(crba, |q, _, _, _| R::crba_into(q, black_box(&mut *matrix)), |m, d, q, _, _, _| _ =
        reference::crba(m, d, q));
    pair!(minv, |q, _, _, _| R::minv_into(q, black_box(&mut *matrix)), |m, d, q, _, _, _| _ =
        reference::minv(m, d, q));
    pair!(
        rnea_derivatives,
        |q, v, a, _| R::rnea_derivatives_into(q, v, a, black_box(&mut *by_a)),
        |m, d, q, v, a, _| _ = reference::rnea_derivatives(m, d, q, v, a, None)
    );
    pair!(
        aba_derivatives,
        |q, v, tau, _| R::aba_derivatives_into(q, v, tau, black_box(&mut *by_tau)),
        |m, d, q, v, tau, _| _ = reference::aba_derivatives(m, d, q, v, tau, None)
    );
}
