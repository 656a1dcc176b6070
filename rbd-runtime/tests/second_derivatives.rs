//! Second derivatives by formula against hyper-dual numbers, and laws that hold without either.

#[path = "second_derivatives/case.rs"]
mod case;
#[path = "../../rbd-build/tests/common/twice.rs"]
mod twice;
use crate::common::close;
use crate::plain::Plain;
use case::{Case, Contracted, multiplier, see};
use nalgebra::{DMatrix, DVector, SVector};
use rbd_runtime::loops::second::typed::{self, At};
use rbd_runtime::loops::second::{
    First, Given, aba_hessian, aba_second_derivatives, aba_second_derivatives_of_parts, rnea_hessian,
};
use rbd_runtime::model::Body;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::{AbaSecondDerivatives, Data, RneaSecondDerivatives, exact};
use rbd_runtime::{JointKind, Model, RneaHessian, Scalar, reference};
use twice::Twice;

/// Trees of each sort: prismatic and revolute, every kind, several floating joints, mimic joints.
fn trees() -> Vec<(Model<f64>, State)> {
    let plain = Options { bodies: 6, ..Options::default() };
    let mut all = Vec::new();
    for seed in crate::common::seeds(4) {
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
    reference::rnea_second_derivatives(model, &mut data, x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), fext)
}

/// In double-doubles: in doubles the reference loses as many digits as the tested code.
fn forward(model: &Model<f64>, x: &State, force: bool) -> AbaSecondDerivatives {
    let twice = |x: &[f64]| -> Vec<Twice> { x.iter().map(|x| Twice::from_f64(*x)).collect() };
    let model = model.cast::<Twice>();
    let fext: Vec<SVector<Twice, 6>> = x.fext.iter().map(|f| f.map(Twice::from_f64)).collect();
    let fext = force.then_some(&fext[..]);
    let (q, v, tau) = (twice(x.q.as_slice()), twice(x.v.as_slice()), twice(x.tau.as_slice()));
    let exact = reference::aba_second_derivatives(&model, &mut Data::new(&model), &q, &v, &tau, fext);
    let rounded = |pages: &[DMatrix<Twice>]| pages.iter().map(|m| m.map(Twice::to_f64)).collect();
    AbaSecondDerivatives {
        d2ddq_dqdq: rounded(&exact.d2ddq_dqdq),
        d2ddq_dqdv: rounded(&exact.d2ddq_dqdv),
        d2ddq_dvdv: rounded(&exact.d2ddq_dvdv),
        d2ddq_dqdtau: rounded(&exact.d2ddq_dqdtau),
    }
}

/// Agreement of second derivatives of forward dynamics.
///
/// They multiply up to three inverses of M. Ten digits remain up to a condition number of some
/// thousands, and nine beyond.
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

/// The tensors contracted with a multiplier: `sum_i mu_i d/dx_k d/dy_j tau_i` at (j, k).
fn contract(mu: &DVector<f64>, pages: &[DMatrix<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(mu.len(), mu.len(), |j, k| mu.dot(&pages[k].column(j)))
}

/// Number of rows for which the loops of these tests have room.
#[track_caller]
fn is_contracted_inverse(model: &Model<f64>, x: &State, force: bool, got: Contracted) {
    let (q, v, a, mu) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), multiplier(model.nv));
    let tensors = inverse(model, x, force);
    let first = model.rnea_derivatives(q, v, a, force.then_some(&x.fext));
    let (value, [dq, dv, da], [qq, qv, vv, qa]) = got;
    close("value", &[value], &[mu.dot(&first.tau)], 1e-13);
    close("dq", &dq, &first.dtau_dq.tr_mul(&mu), 1e-12);
    close("dv", &dv, &first.dtau_dv.tr_mul(&mu), 1e-12);
    close("da", &da, &first.dtau_da.tr_mul(&mu), 1e-12);
    close("dq dq", &qq, &contract(&mu, &tensors.d2tau_dqdq), 1e-12);
    close("dq dv", &qv, &contract(&mu, &tensors.d2tau_dqdv), 1e-12);
    close("dv dv", &vv, &contract(&mu, &tensors.d2tau_dvdv), 1e-12);
    close("dq da", &qa, &contract(&mu, &tensors.d2tau_dqda), 1e-12);
}

#[test]
fn contracted_inverse_dynamics_is_the_tensors() {
    for (model, x) in trees() {
        for force in [false, true] {
            let got = Case::<Plain>::new(&model, &x, force).rnea_hessian();
            is_contracted_inverse(&model, &x, force, got);
        }
    }
}

/// Results of another state are overwritten, structural zeros aside.
#[test]
fn contracted_inverse_dynamics_leaves_zeros_alone() {
    for (model, x) in trees() {
        let case = Case::<f64>::new(&model, &x, true);
        assert_eq!(case.rnea_hessian_on(0.0), case.rnea_hessian());
    }
}

#[test]
#[should_panic(expected = "is not zero where its function leaves zeros alone")]
fn contracted_inverse_dynamics_sees_what_is_no_zero() {
    for (model, x) in trees() {
        // Rows that share a coordinate are written whole.
        if model.bodies.iter().all(|body| body.mimic.is_none()) {
            let _ = Case::<f64>::new(&model, &x, true).rnea_hessian_on(1.0);
        }
    }
}

/// Contracted derivatives in the processor's registers.
#[test]
fn contracted_inverse_dynamics_in_registers() {
    for (model, x) in trees() {
        is_contracted_inverse(&model, &x, true, Case::<f64>::new(&model, &x, true).rnea_hessian());
    }
}

#[test]
fn contracted_forward_dynamics_is_the_tensors() {
    for (model, x) in trees() {
        let (q, v, tau) = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
        let (n, lambda) = (model.nv, multiplier(model.nv));
        let tolerance = by_condition(&model, &x);
        for force in [false, true] {
            let case = Case::<Plain>::new(&model, &x, force);
            let tensors = forward(&model, &x, force);
            let first = model.aba_derivatives(q, v, tau, force.then_some(&x.fext));
            let (mut ddq, mut by) = (vec![Plain(f64::NAN); n], [0; 3].map(|_| vec![Plain(f64::NAN); n * n]));
            let (value, gradient, blocks) = case.contracted(|out| {
                let first = First { ddq: &mut ddq, by: by.each_mut().map(|x| x.as_mut_slice()) };
                aba_hessian(&case.tables(), case.given(&case.tau), first, out);
            });
            close("ddq", &see(&ddq), &first.ddq, tolerance);
            close("ddq_dq", &see(&by[0]), &first.ddq_dq, tolerance);
            close("ddq_dv", &see(&by[1]), &first.ddq_dv, tolerance);
            close("ddq_dtau", &see(&by[2]), &first.ddq_dtau, tolerance);
            close("value", &[value], &[lambda.dot(&first.ddq)], tolerance);
            close("dq", &gradient[0], &first.ddq_dq.tr_mul(&lambda), tolerance);
            close("dv", &gradient[1], &first.ddq_dv.tr_mul(&lambda), tolerance);
            close("dtau", &gradient[2], &first.ddq_dtau.tr_mul(&lambda), tolerance);
            close("dq dq", &blocks[0], &contract(&lambda, &tensors.d2ddq_dqdq), tolerance);
            close("dq dv", &blocks[1], &contract(&lambda, &tensors.d2ddq_dqdv), tolerance);
            close("dv dv", &blocks[2], &contract(&lambda, &tensors.d2ddq_dvdv), tolerance);
            close("dq dtau", &blocks[3], &contract(&lambda, &tensors.d2ddq_dqdtau), tolerance);
        }
    }
}

#[test]
fn tensors_of_inverse_dynamics_are_the_references() {
    for (model, x) in trees() {
        let mut out = Case::<Plain>::new(&model, &x, false).cubes();
        // Into the same results twice.
        for force in [false, true] {
            let RneaSecondDerivatives { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda } =
                inverse(&model, &x, force);
            Case::new(&model, &x, force).tensors(&mut out);
            let all =
                [("dq dq", d2tau_dqdq), ("dq dv", d2tau_dqdv), ("dv dv", d2tau_dvdv), ("dq da", d2tau_dqda)];
            for (got, (name, expected)) in out.iter().zip(all) {
                close(name, &see(got), expected.iter().flatten(), 1e-12);
            }
        }
    }
}

#[test]
fn tensors_of_forward_dynamics_are_the_references() {
    for (model, x) in trees() {
        let n = model.nv;
        let case = Case::<Plain>::new(&model, &x, true);
        let mut out = [0; 4].map(|_| vec![Plain(f64::NAN); n * n * n]);
        let (mut ddq, mut by) = (vec![Plain(0.0); n], [0; 3].map(|_| vec![Plain(0.0); n * n]));
        let AbaSecondDerivatives { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau } =
            forward(&model, &x, true);
        let first = First { ddq: &mut ddq, by: by.each_mut().map(|x| x.as_mut_slice()) };
        let into = out.each_mut().map(|x| x.as_mut_slice());
        aba_second_derivatives(&case.tables(), case.given(&case.tau), first, into);
        let all =
            [("dq dq", d2ddq_dqdq), ("dq dv", d2ddq_dqdv), ("dv dv", d2ddq_dvdv), ("dq dtau", d2ddq_dqdtau)];
        for (got, (name, expected)) in out.iter().zip(&all) {
            close(name, &see(got), expected.iter().flatten(), by_condition(&model, &x));
        }
        // The results composed from parts.
        let mut out = [0; 4].map(|_| vec![Plain(f64::NAN); n * n * n]);
        let into = out.each_mut().map(|x| x.as_mut_slice());
        let first = by.each_ref().map(|x| x.as_slice());
        aba_second_derivatives_of_parts(&case.tables(), case.given(&ddq), first, into);
        for (got, (name, expected)) in out.iter().zip(&all) {
            close(name, &see(got), expected.iter().flatten(), by_condition(&model, &x));
        }
    }
}

/// Symmetric entries are equal to the last bit, and structural zeros are zero.
#[test]
fn symmetry_and_zeros_are_exact() {
    let mut seen = 0;
    for (model, x) in trees() {
        let n = model.nv;
        let case = Case::<Plain>::new(&model, &x, true);
        let joint = |c: usize| {
            let owns = |b: &Body<f64>| (b.idx_v..b.idx_v + b.nv()).contains(&c);
            model.bodies.iter().position(owns).expect("a joint")
        };
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let (_, _, [qq, _, vv, _]) = case.rnea_hessian();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            assert!(same(vv[(i, j)], vv[(j, i)]));
            assert!(joint(i) == joint(j) || same(qq[(i, j)], qq[(j, i)]));
        }
        if model.bodies.iter().any(|b| b.mimic.is_some()) {
            continue;
        }
        let mut out = case.cubes();
        case.tensors(&mut out);
        let data = Data::new(&model);
        let related = |i: usize, j: usize| data.related(joint(i), j);
        let afloat = model.bodies[0].kind == JointKind::Floating
            && model.bodies[1..].iter().all(|b| b.parent.is_some());
        for (i, j, k) in (0..n * n * n).map(|x| (x % n, x / n % n, x / n / n)) {
            let at = |t: usize, j: usize, k: usize| out[t][(k * n + j) * n + i].0;
            assert!(same(at(2, j, k), at(2, k, j)));
            assert!(joint(j) == joint(k) || same(at(0, j, k), at(0, k, j)));
            if !(related(i, j) && related(j, k) && related(i, k)) {
                assert!((0..4).all(|t| at(t, j, k) == 0.0), "row {i} by {j} and {k}");
                seen += 1;
            }
            // M does not depend on where the root is, nor does any torque on its position.
            if afloat {
                assert!(j >= 6 || at(3, j, k).abs() < 1e-12);
                assert!(j.min(k) >= 3 || at(0, j, k).abs() < 1e-11);
            }
        }
    }
    assert!(seen > 1000);
}

/// Without gravity, damping and accelerations torques are quadratic in the velocity.
#[test]
fn torques_are_homogeneous_in_the_velocity() {
    for (mut model, mut x) in trees() {
        let n = model.nv;
        model.gravity.fill(0.0);
        model.damping_enters = false;
        x.a.fill(0.0);
        let case = Case::<Plain>::new(&model, &x, false);
        let mut out = case.cubes();
        case.tensors(&mut out);
        let [_, qv, vv, _] = out;
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let tau = model.rnea(q, v, a);
        let by_q = model.rnea_derivatives(q, v, a, None).dtau_dq;
        let times = |of: &[Plain], j: usize, i: usize| -> f64 {
            (0..n).map(|k| of[(k * n + j) * n + i].0 * x.v[k]).sum()
        };
        // v . d2tau/dv2 . v = 2 tau, and d2tau/dqdv . v = 2 dtau/dq
        let twice = DVector::from_fn(n, |i, _| (0..n).map(|j| times(&vv, j, i) * x.v[j]).sum());
        close("dv dv", &twice, &(tau * 2.0), 1e-12);
        close("dq dv", &DMatrix::from_fn(n, n, |i, j| times(&qv, j, i)), &(by_q * 2.0), 1e-12);
    }
}

/// Vectors and matrices of a robot's sizes give the same numbers.
#[test]
fn typed_results_are_the_slices() {
    let options = Options { bodies: 3, floating: true, ..Options::default() };
    let model = random_model(3, &options);
    let x = random_state(&model, 4);
    assert_eq!((model.nq, model.nv), (9, 8));
    let case = Case::<Plain>::new(&model, &x, true);
    let (q, mu) = (SVector::<Plain, 9>::from_column_slice(&case.q), SVector::from_column_slice(&case.mu));
    let (v, a) = (SVector::<Plain, 8>::from_column_slice(&case.v), SVector::from_column_slice(&case.a));
    let at = At { q: &q, v: &v, a: &a, fext: &case.fext, turned: None };
    let mut out = RneaHessian::zeros();
    typed::rnea_hessian_into(&case.tables(), at, &mu, &mut out);
    let (value, [dq, ..], [qq, .., qa]) = case.rnea_hessian();
    assert_eq!((out.value.0, see(out.dq.as_slice())), (value, dq.as_slice().to_vec()));
    assert_eq!(see(out.dqdq.as_slice()), qq.as_slice());
    assert_eq!(see(out.dqda.as_slice()), qa.as_slice());
    let mut tensors = Box::new(rbd_runtime::RneaSecondDerivatives::zeros());
    typed::rnea_second_derivatives_into(&case.tables(), at, &mut tensors);
    let mut cubes = case.cubes();
    case.tensors(&mut cubes);
    for k in 0..8 {
        for (page, cube) in [(&tensors.d2tau_dqdq[k], &cubes[0]), (&tensors.d2tau_dqda[k], &cubes[3])] {
            assert_eq!(see(page.as_slice()), see(&cube[64 * k..][..64]));
        }
    }
}

/// Known sines and cosines are used, and angles are not.
#[test]
fn given_sines_and_cosines_take_the_place_of_angles() {
    for (model, x) in trees() {
        let case = Case::<Plain>::new(&model, &x, true);
        let (sin, cos): (Vec<_>, Vec<_>) = case.q.iter().map(|q| q.sin_cos()).unzip();
        let mut q = case.q.clone();
        let turns = |b: &&Body<f64>| matches!(b.kind, JointKind::Revolute | JointKind::Continuous);
        for body in model.bodies.iter().filter(turns) {
            // A joint that follows by another ratio needs its angle, and a sliding joint its
            // length.
            let needs = |b: &Body<f64>| !turns(&b) || b.mimic.is_some_and(|m| m.multiplier.abs() != 1.0);
            if !model.bodies.iter().any(|b| b.idx_q == body.idx_q && needs(b)) {
                q[body.idx_q] = Plain(f64::NAN);
            }
        }
        let given = Given { q: &q, turned: Some([&sin, &cos]), ..case.given(&case.a) };
        let (value, gradient, blocks) = case.contracted(|out| rnea_hessian(&case.tables(), given, out));
        let (same, same_gradient, same_blocks) = case.rnea_hessian();
        close("value", &[value], &[same], 1e-13);
        for (x, y) in gradient.iter().zip(&same_gradient) {
            close("gradient", x, y, 1e-12);
        }
        for (x, y) in blocks.iter().zip(&same_blocks) {
            close("block", x, y, 1e-12);
        }
    }
}
