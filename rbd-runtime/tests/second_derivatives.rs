//! Second derivatives by formula against hyper-dual numbers, and what must hold of them without either.

mod common;
use common::close;
use nalgebra::DMatrix;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::{
    AbaSecondDerivatives, Data, RneaSecondDerivatives, aba_second_derivatives, exact, rnea_second_derivatives,
};
use rbd_runtime::{JointKind, Model};

/// Trees of each sort: prismatic and revolute, every kind, several floating joints, mimic joints.
fn trees() -> Vec<(Model<f64>, State)> {
    let plain = Options { bodies: 6, ..Options::default() };
    let mut all = Vec::new();
    for seed in 0..4 {
        let floating = seed % 2 == 0;
        all.push(random_model(seed, &Options { floating, ..plain.clone() }));
        all.push(random_model(20 + seed, &Options { mimic: 0.0, ..Options::everything(5, floating) }));
        all.push(random_model(40 + seed, &Options { mimic: 0.5, ..Options::everything(6, floating) }));
        all.push(random_model(60 + seed, &Options { mimic: 0.5, floating, ..plain.clone() }));
        for kind in [JointKind::Floating, JointKind::Planar, JointKind::Spherical] {
            let kinds = vec![kind, JointKind::Revolute];
            all.push(random_model(80 + seed, &Options { bodies: 4, floating, kinds, ..plain.clone() }));
        }
    }
    for kind in [JointKind::Prismatic, JointKind::Planar, JointKind::Spherical] {
        assert!(all.iter().any(|m| m.bodies.iter().any(|b| b.kind == kind)));
    }
    let floating = |m: &Model<f64>| m.bodies.iter().filter(|b| b.kind == JointKind::Floating).count();
    assert!(all.iter().any(|m| floating(m) > 1));
    assert!(all.iter().any(|m| m.bodies.iter().filter(|b| b.mimic.is_some()).count() > 2));
    let state = |m: &Model<f64>| random_state(m, 7);
    all.into_iter().map(|m| (m.clone(), state(&m))).collect()
}

fn inverse(model: &Model<f64>, x: &State, force: bool) -> RneaSecondDerivatives {
    let fext = force.then_some(x.fext.as_slice());
    let mut data = Data::new(model);
    rnea_second_derivatives(model, &mut data, x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), fext)
}

fn forward(model: &Model<f64>, x: &State, force: bool) -> AbaSecondDerivatives {
    let fext = force.then_some(x.fext.as_slice());
    let mut data = Data::new(model);
    aba_second_derivatives(model, &mut data, x.q.as_slice(), x.v.as_slice(), x.tau.as_slice(), fext)
}

/// What second derivatives of forward dynamics agree to: they hold up to three inverses of M one after the other, so
/// that ten digits are left up to a condition number of some thousands, and nine beyond.
fn by_condition(model: &Model<f64>, x: &State) -> f64 {
    let spectrum = model.crba(x.q.as_slice()).symmetric_eigenvalues();
    if spectrum.max() > 5e3 * spectrum.min() { 1e-9 } else { 1e-10 }
}

#[track_caller]
fn pages(what: &str, got: &[DMatrix<f64>], expected: &[DMatrix<f64>], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    close(what, got.iter().flatten(), expected.iter().flatten(), tolerance);
}

#[test]
fn inverse_dynamics_as_by_hyper_dual_numbers() {
    for (model, x) in trees() {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        for force in [false, true] {
            let exact = exact::rnea_second_derivatives(&model, q, v, a, force.then_some(&x.fext));
            let got = inverse(&model, &x, force);
            pages("dq dq", &got.d2tau_dqdq, &exact.d2tau_dqdq, 1e-12);
            pages("dq dv", &got.d2tau_dqdv, &exact.d2tau_dqdv, 1e-12);
            pages("dv dv", &got.d2tau_dvdv, &exact.d2tau_dvdv, 1e-12);
            pages("dq da", &got.d2tau_dqda, &exact.d2tau_dqda, 1e-12);
        }
    }
}

#[test]
fn forward_dynamics_as_by_hyper_dual_numbers() {
    for (model, x) in trees() {
        let (q, v, tau) = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
        let exact = exact::aba_second_derivatives(&model, q, v, tau, Some(&x.fext));
        let got = forward(&model, &x, true);
        let tolerance = by_condition(&model, &x);
        pages("dq dq", &got.d2ddq_dqdq, &exact.d2ddq_dqdq, tolerance);
        pages("dq dv", &got.d2ddq_dqdv, &exact.d2ddq_dqdv, tolerance);
        pages("dv dv", &got.d2ddq_dvdv, &exact.d2ddq_dvdv, tolerance);
        pages("dq dtau", &got.d2ddq_dqdtau, &exact.d2ddq_dqdtau, tolerance);
    }
}
