//! Joint friction of the reference: derivatives against dual numbers, forward against inverse
//! dynamics, and that it only dissipates.

use crate::common::{by_columns, close, unit};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use num_dual::Dual64;
use rbd_runtime::loops::second::{Friction, JointFriction};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::{self, Data, exact};
use rbd_runtime::{Model, RneaHessian};

fn for_all(check: impl FnMut(&Model<f64>, &State)) {
    for_all_of(7, check);
}

fn for_all_of(bodies: usize, mut check: impl FnMut(&Model<f64>, &State)) {
    for seed in crate::common::seeds(12) {
        let options = Options { friction: true, ..Options::everything(bodies, seed % 2 == 0) };
        let model = random_model(seed, &options);
        assert!(model.bodies.iter().any(|b| b.friction > 0.0) && model.friction_smoothing.is_some());
        check(&model, &random_state(&model, seed));
    }
}

#[test]
fn derivatives_are_exact() {
    for_all(|model, x| {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let got = model.rnea_derivatives(q, v, a, None);
        let d: Model<Dual64> = model.cast();
        let dual = |x: &DVector<f64>, e: &DVector<f64>| x.zip_map(e, Dual64::new);
        let zero = DVector::<f64>::zeros(model.nv);
        let exact = by_columns(model.nv, |j| {
            let v = dual(&x.v, &unit(model.nv, j));
            let (q, a) = (x.q.map(Dual64::from), dual(&x.a, &zero));
            d.rnea(q.as_slice(), v.as_slice(), a.as_slice()).map(|x| x.eps)
        });
        close("dtau_dv", &got.dtau_dv, &exact, 1e-12);
        let exact = by_columns(model.nv, |j| {
            let v = dual(&x.v, &unit(model.nv, j));
            let (q, tau) = (x.q.map(Dual64::from), dual(&x.tau, &zero));
            d.aba(q.as_slice(), v.as_slice(), tau.as_slice()).map(|x| x.eps)
        });
        close("ddq_dv", &model.aba_derivatives(q, v, x.tau.as_slice(), None).ddq_dv, &exact, 1e-9);
    });
}

#[test]
fn forward_dynamics_undoes_inverse_dynamics() {
    for_all(|model, x| {
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let tau = model.rnea(q, v, x.a.as_slice());
        close("ddq", &model.aba(q, v, tau.as_slice()), &x.a, 1e-9);
    });
}

/// Each joint's friction depends on its own velocity alone: at most F, nearly F at high speed, and
/// always against the motion.
#[test]
fn friction_resists() {
    for_all(|model, x| {
        let mut free = model.clone();
        free.friction_smoothing = None;
        let (q, zero) = (x.q.as_slice(), DVector::<f64>::zeros(model.nv));
        let friction = |v: &DVector<f64>| {
            let of = |model: &Model<f64>| model.rnea(q, v.as_slice(), zero.as_slice());
            of(model) - of(&free)
        };
        close("at rest", &friction(&zero), &zero, 0.0);
        let fast: DVector<f64> = &x.v * 1e4;
        for (v, nearly) in [(&x.v, false), (&fast, true)] {
            let got = friction(v);
            let mut most: DVector<f64> = DVector::zeros(model.nv);
            for b in &model.bodies {
                let ratio = b.mimic.map_or(1.0, |m| m.multiplier.abs());
                (b.idx_v..b.idx_v + b.kind.nv()).for_each(|c| most[c] += ratio * b.friction);
            }
            // Beside torques of 1e8, differences have few digits.
            let rounding = if nearly { 1e-5 } else { 1e-9 };
            for c in 0..model.nv {
                assert!(got[c] * v[c] >= -rounding * v[c].abs(), "{c}: {} at {}", got[c], v[c]);
                assert!(got[c].abs() <= most[c] + rounding);
                assert!(!nearly || v[c].abs() < 100.0 || got[c].abs() > 0.999 * most[c] - rounding);
            }
        }
    });
}

fn second(model: &Model<f64>, x: &State) -> reference::RneaSecondDerivatives {
    let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
    reference::rnea_second_derivatives(model, &mut Data::new(model), q, v, a, None)
}

/// Only second derivatives by one velocity twice are nonzero.
#[test]
fn second_derivatives_are_exact() {
    for_all_of(4, |model, x| {
        let (q, v, a, tau) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), x.tau.as_slice());
        let (got, exact) = (second(model, x), exact::rnea_second_derivatives(model, q, v, a, None));
        for (got, exact) in [
            (&got.d2tau_dqdq, &exact.d2tau_dqdq),
            (&got.d2tau_dqdv, &exact.d2tau_dqdv),
            (&got.d2tau_dvdv, &exact.d2tau_dvdv),
            (&got.d2tau_dqda, &exact.d2tau_dqda),
        ] {
            got.iter().zip(exact).for_each(|(got, exact)| close("of torques", got, exact, 1e-10));
        }
        let got = reference::aba_second_derivatives(model, &mut Data::new(model), q, v, tau, None);
        let exact = exact::aba_second_derivatives(model, q, v, tau, None);
        got.d2ddq_dvdv
            .iter()
            .zip(&exact.d2ddq_dvdv)
            .for_each(|(got, exact)| close("of ddq", got, exact, 1e-8));
        got.d2ddq_dqdv
            .iter()
            .zip(&exact.d2ddq_dqdv)
            .for_each(|(got, exact)| close("of ddq", got, exact, 1e-8));
    });
}

/// The friction term of second derivatives by tables is the reference's difference with and without
/// friction.
#[test]
fn what_tables_lack_is_added() {
    const NV: usize = 3;
    let options = Options { bodies: 3, friction: true, ..Options::default() };
    let mut model = random_model(7, &options);
    (model.bodies[0].friction, model.bodies[1].friction, model.bodies[2].friction) = (1.5, 0.0, 0.7);
    let x = random_state(&model, 7);
    let joint = |c: usize| JointFriction { coordinate: c, ratio: 1.0, friction: model.bodies[c].friction };
    let joints = [joint(0), joint(2)];
    let friction = Friction { joints: &joints, smoothing: model.friction_smoothing.expect("some") };
    let mut free = model.clone();
    free.friction_smoothing = None;
    let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
    let (with, without) = (second(&model, &x), second(&free, &x));
    let velocity = SVector::<f64, NV>::from_column_slice(v);

    let mut tensor = [SMatrix::<f64, NV, NV>::zeros(); NV];
    friction.add_to_torques(&velocity, &mut tensor);
    for (k, page) in tensor.iter().enumerate() {
        let expected = &with.d2tau_dvdv[k] - &without.d2tau_dvdv[k];
        close("tensor", &DMatrix::from_column_slice(NV, NV, page.as_slice()), &expected, 1e-10);
    }
    assert!(tensor[0][(0, 0)] != 0.0 && tensor[1].amax() == 0.0);

    let mu = SVector::<f64, NV>::new(0.3, -1.2, 2.0);
    let mut hessian = RneaHessian::zeros();
    friction.add_to_hessian(&velocity, &mu, &mut hessian);
    let torques = model.rnea(q, v, a) - free.rnea(q, v, a);
    assert!((hessian.value - torques.dot(&DVector::from_column_slice(mu.as_slice()))).abs() < 1e-12);
    let slopes = model.rnea_derivatives(q, v, a, None).dtau_dv - free.rnea_derivatives(q, v, a, None).dtau_dv;
    for c in 0..NV {
        assert!((hessian.dv[c] - mu[c] * slopes[(c, c)]).abs() < 1e-12);
        assert!((hessian.dvdv[(c, c)] - mu[c] * tensor[c][(c, c)]).abs() < 1e-12);
    }

    let minv = SMatrix::<f64, NV, NV>::from_column_slice(model.minv(q).as_slice());
    let mut accelerations = [SMatrix::<f64, NV, NV>::zeros(); NV];
    friction.add_to_accelerations(&velocity, &minv, &mut accelerations);
    for c in 0..NV {
        let expected = -minv.column(c) * tensor[c][(c, c)];
        assert!((accelerations[c].column(c) - expected).amax() < 1e-12);
    }
}
