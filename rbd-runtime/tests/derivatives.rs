//! Derivatives by formula, by dual numbers, by the complex step and by differences: four ways that
//! share little.

use crate::common::{by_columns, close, for_all};
use nalgebra::{DMatrix, DVector, SVector};
use num_complex::Complex;
use num_dual::{Dual64, DualSVec64};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::{Data, exact, rnea};
use rbd_runtime::{JointKind, Model, Scalar};

type C = Complex<f64>;

/// The derivative of `f` at `x` along its manifold or a plain vector, by differences of eighth
/// order with steps of 1e-2: error about 1e-12.
fn differences(n: usize, mut f: impl FnMut(&[f64]) -> DVector<f64>) -> DMatrix<f64> {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let h = 1e-2;
    by_columns(n, |j| {
        let mut at = |step: f64| {
            let mut e = vec![0.0; n];
            e[j] = step;
            f(&e)
        };
        let sum = (1..=4).map(|k| (at(k as f64 * h) - at(-(k as f64) * h)) * weights[k - 1]);
        sum.reduce(|a, b| a + b).unwrap() / h
    })
}

fn plus(x: &DVector<f64>, e: &[f64]) -> DVector<f64> {
    x + DVector::from_column_slice(e)
}

/// The chain rule on the recursive Newton-Euler algorithm against dual numbers, with forces,
/// armature and damping.
#[test]
fn inverse_dynamics_derivatives_are_those_of_dual_numbers() {
    for_all(|model, x| {
        for fext in [None, Some(x.fext.as_slice())] {
            let args = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
            let got = model.rnea_derivatives(args.0, args.1, args.2, fext);
            let exact = exact::rnea_derivatives(model, args.0, args.1, args.2, fext);
            close("tau", &got.tau, &exact.tau, 1e-14);
            close("dtau_dq", &got.dtau_dq, &exact.dtau_dq, 1e-12);
            close("dtau_dv", &got.dtau_dv, &exact.dtau_dv, 1e-12);
            close("dtau_da", &got.dtau_da, &exact.dtau_da, 1e-12);
        }
    });
}

/// Forward dynamics: the derivative of the articulated body algorithm itself by dual numbers.
#[test]
fn forward_dynamics_derivatives_are_those_of_dual_numbers() {
    for_all(|model, x| {
        for fext in [None, Some(x.fext.as_slice())] {
            let args = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
            let got = model.aba_derivatives(args.0, args.1, args.2, fext);
            let exact = exact::aba_derivatives(model, args.0, args.1, args.2, fext);
            close("ddq", &got.ddq, &exact.ddq, 1e-13);
            close("ddq_dq", &got.ddq_dq, &exact.ddq_dq, 1e-10);
            close("ddq_dv", &got.ddq_dv, &exact.ddq_dv, 1e-10);
            close("ddq_dtau", &got.ddq_dtau, &exact.ddq_dtau, 1e-10);
        }
    });
}

/// The complex step and differences of inverse dynamics agree with dual numbers.
#[test]
fn complex_step_and_differences_agree_with_dual_numbers() {
    for_all(|model, x| {
        let exact = exact::rnea_derivatives(model, x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), None);
        let (nv, a) = (model.nv, x.a.as_slice());

        let in_c: Model<C> = model.cast();
        let cast = |x: &DVector<f64>| x.map(|x| C::new(x, 0.0));
        let (q, v, a_c) = (cast(&x.q), cast(&x.v), cast(&x.a));
        let h = 1e-100;
        let by_step = |by_q: bool| {
            by_columns(nv, |j| {
                let e = DVector::from_fn(nv, |k, _| C::new(0.0, if k == j { h } else { 0.0 }));
                let (q, v) = if by_q {
                    (in_c.integrate(q.as_slice(), e.as_slice()), v.clone())
                } else {
                    (q.clone(), &v + e)
                };
                in_c.rnea(q.as_slice(), v.as_slice(), a_c.as_slice()).map(|x| x.im / h)
            })
        };
        close("complex step, q", &by_step(true), &exact.dtau_dq, 1e-13);
        close("complex step, v", &by_step(false), &exact.dtau_dv, 1e-13);

        let by_q =
            differences(nv, |e| model.rnea(model.integrate(x.q.as_slice(), e).as_slice(), x.v.as_slice(), a));
        close("differences, q", &by_q, &exact.dtau_dq, 1e-10);
        let by_v = differences(nv, |e| model.rnea(x.q.as_slice(), plus(&x.v, e).as_slice(), a));
        close("differences, v", &by_v, &exact.dtau_dv, 1e-11);
    });
}

/// Four directions at once with vector dual numbers: the type fits the scalar trait.
#[test]
fn vector_dual_numbers_give_several_columns_at_once() {
    type D = DualSVec64<4>;
    let model = random_model(3, &Options { bodies: 4, ..Options::default() });
    let x = random_state(&model, 0);
    let exact = exact::rnea_derivatives(&model, x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), None);
    let in_d: Model<D> = model.cast();
    let cast = |x: &DVector<f64>| x.map(D::from_f64);
    let e = DVector::from_fn(4, |k, _| {
        let mut e = D::from_f64(0.0);
        e.eps = num_dual::Derivative::some(SVector::from_fn(|r, _| if r == k { 1.0 } else { 0.0 }));
        e
    });
    let q = in_d.integrate(cast(&x.q).as_slice(), e.as_slice());
    let tau = in_d.rnea(q.as_slice(), cast(&x.v).as_slice(), cast(&x.a).as_slice());
    let got = DMatrix::from_fn(4, 4, |i, j| tau[i].eps.0.map_or(0.0, |eps| eps[j]));
    close("dtau_dq", &got, &exact.dtau_dq, 1e-13);
}

/// Small trees for the cubes of second derivatives.
fn small() -> Vec<(Model<f64>, State)> {
    (0..6)
        .map(|seed| {
            let floating = seed % 2 == 0;
            let options = Options { mimic: 0.4, ..Options::everything(3 + floating as usize, floating) };
            let model = random_model(1000 + seed, &options);
            let state = random_state(&model, seed);
            (model, state)
        })
        .collect()
}

/// Second derivatives of inverse dynamics by hyper-dual numbers against dual numbers run through
/// the chain rule.
#[test]
fn second_derivatives_of_inverse_dynamics() {
    for (model, x) in small() {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let f = x.fext.as_slice();
        let second = exact::rnea_second_derivatives(&model, q, v, a, Some(f));
        let in_d: Model<Dual64> = model.cast();
        let cast = |x: &[f64]| x.iter().copied().map(Dual64::from).collect::<Vec<_>>();
        let f: Vec<_> = f.iter().map(|f| f.map(Dual64::from)).collect();
        for k in 0..model.nv {
            let mut e = vec![Dual64::from(0.0); model.nv];
            e[k].eps = 1.0;
            let moved_q = in_d.integrate(&cast(q), &e);
            let by_q = in_d.rnea_derivatives(moved_q.as_slice(), &cast(v), &cast(a), Some(&f));
            let mut moved_v = cast(v);
            moved_v[k].eps = 1.0;
            let by_v = in_d.rnea_derivatives(&cast(q), &moved_v, &cast(a), Some(&f));
            let eps = |m: &DMatrix<Dual64>| m.map(|x| x.eps);
            close("dq dq", &second.d2tau_dqdq[k], &eps(&by_q.dtau_dq), 1e-12);
            close("dq dv", &second.d2tau_dqdv[k], &eps(&by_v.dtau_dq), 1e-12);
            close("dv dv", &second.d2tau_dvdv[k], &eps(&by_v.dtau_dv), 1e-12);
            // column k of page j is that of dM/dq_k
            let by_a = by_columns(model.nv, |j| second.d2tau_dqda[j].column(k).into_owned());
            close("dq da", &by_a, &eps(&by_q.dtau_da), 1e-12);
        }
    }
}

/// Second derivatives of forward dynamics by hyper-dual numbers against dual numbers run through the formula.
#[test]
fn second_derivatives_of_forward_dynamics() {
    for (model, x) in small() {
        let (q, v, tau) = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
        let second = exact::aba_second_derivatives(&model, q, v, tau, None);
        let in_d: Model<Dual64> = model.cast();
        let cast = |x: &[f64]| x.iter().copied().map(Dual64::from).collect::<Vec<_>>();
        for k in 0..model.nv {
            let mut e = vec![Dual64::from(0.0); model.nv];
            e[k].eps = 1.0;
            let moved_q = in_d.integrate(&cast(q), &e);
            let by_q = in_d.aba_derivatives(moved_q.as_slice(), &cast(v), &cast(tau), None);
            let mut moved_v = cast(v);
            moved_v[k].eps = 1.0;
            let by_v = in_d.aba_derivatives(&cast(q), &moved_v, &cast(tau), None);
            let eps = |m: &DMatrix<Dual64>| m.map(|x| x.eps);
            close("dq dq", &second.d2ddq_dqdq[k], &eps(&by_q.ddq_dq), 1e-10);
            close("dq dv", &second.d2ddq_dqdv[k], &eps(&by_v.ddq_dq), 1e-10);
            close("dv dv", &second.d2ddq_dvdv[k], &eps(&by_v.ddq_dv), 1e-10);
            let by_tau = by_columns(model.nv, |j| second.d2ddq_dqdtau[j].column(k).into_owned());
            close("dq dtau", &by_tau, &eps(&by_q.ddq_dtau), 1e-10);
        }
    }
}

/// On a joint of several coordinates the second derivative by q is not symmetric.
///
/// The difference is the bracket of the two directions:
/// `H[r,c,d] - H[r,d,c] = sum_e G^e_dc dtau_r/dq_e` with `s_d x s_c = sum_e G^e_dc s_e`.
#[test]
fn second_derivatives_differ_by_the_bracket() {
    let kinds = vec![JointKind::Spherical];
    let model = random_model(5, &Options { bodies: 2, kinds, ..Options::default() });
    let x = random_state(&model, 1);
    let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
    let h = exact::rnea_second_derivatives(&model, q, v, a, None).d2tau_dqdq;
    let first = model.rnea_derivatives(q, v, a, None).dtau_dq;
    for joint in [0, 3] {
        for (c, d, e) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)].map(|(c, d, e)| (joint + c, joint + d, joint + e))
        {
            // e_d x e_c = -e_e
            let difference = h[d].column(c) - h[c].column(d);
            assert!(difference.amax() > 1e-3, "the test must have something to see");
            close("bracket", &difference, &-first.column(e), 1e-12);
        }
    }
}

/// Body velocity and acceleration derivatives against dual numbers through the forward sweep of
/// inverse dynamics without gravity.
#[test]
fn kinematics_derivatives_are_those_of_dual_numbers() {
    use rbd_runtime::reference::kinematics_derivatives;
    for_all(|model, x| {
        let mut weightless = model.clone();
        weightless.gravity.fill(0.0);
        let in_d: Model<Dual64> = weightless.cast();
        let cast = |x: &DVector<f64>| x.map(Dual64::from);
        let (mut data, mut data_d) = (Data::new(model), Data::new(&in_d));
        let bodies = model.bodies.len();
        let exact = |by_q: bool, data: &mut Data<Dual64>| {
            let mut out = vec![(DMatrix::zeros(6, model.nv), DMatrix::zeros(6, model.nv)); bodies];
            for j in 0..model.nv {
                let e = DVector::from_fn(model.nv, |k, _| Dual64::new(0.0, if k == j { 1.0 } else { 0.0 }));
                let (q, v, a) = (cast(&x.q), cast(&x.v), cast(&x.a));
                let (q, v) = if by_q { (in_d.integrate(q.as_slice(), e.as_slice()), v) } else { (q, v + e) };
                rnea(&in_d, data, q.as_slice(), v.as_slice(), a.as_slice(), None);
                for (i, (dv, da)) in out.iter_mut().enumerate() {
                    dv.set_column(j, &data.v[i].map(|x| x.eps));
                    da.set_column(j, &data.a[i].map(|x| x.eps));
                }
            }
            out
        };
        let (by_q, by_v) = (exact(true, &mut data_d), exact(false, &mut data_d));
        for body in 0..bodies {
            let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
            let got = kinematics_derivatives(model, &mut data, q, v, a, body);
            close("dv_dq", &got.dv_dq, &by_q[body].0, 1e-12);
            close("da_dq", &got.da_dq, &by_q[body].1, 1e-12);
            close("dv_dv", &got.dv_dv, &by_v[body].0, 1e-12);
            close("da_dv", &got.da_dv, &by_v[body].1, 1e-12);
        }
    });
}
