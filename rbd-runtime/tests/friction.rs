//! Joint friction of the reference: its derivatives against dual numbers, forward against inverse dynamics, and that it takes
//! power and nothing else.

mod common;

use common::{by_columns, close, unit};
use nalgebra::DVector;
use num_dual::Dual64;
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model, random_state};

fn for_all(mut check: impl FnMut(&Model<f64>, &State)) {
    for seed in 0..12 {
        let options = Options { friction: true, ..Options::everything(7, seed % 2 == 0) };
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

/// Each joint feels its own velocity alone: at most F, nearly F when fast, and always against the motion.
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
