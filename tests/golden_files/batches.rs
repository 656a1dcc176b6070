//! Every function by `batch()` equals calls one by one: of a fixed robot, a floating one, and one whose
//! functions are loops over tables.

use super::double_pendulum::DoublePendulum;
use nalgebra::{SMatrix, SVector};
use rbd::batch::Float;
use rbd::{
    AbaDerivatives, AbaHessian, AbaSecondDerivatives, CentroidalDerivatives, KineticEnergyDerivatives,
    Mechanism, RneaDerivatives, RneaHessian, RneaSecondDerivatives,
};
use std::fmt::Debug;

rbd::rbd_robot! {
    struct Tables { urdf: "robots/double_pendulum.urdf", shape: loops }
}

rbd::rbd_robot! {
    struct Body { urdf: "tests/golden/body.urdf", base: floating }
}

const LANES: usize = <f64 as Float>::LANES;

/// A result as numbers, one list for each of its parts.
trait Parts {
    fn parts(&self) -> Vec<&[f64]>;
}

impl Parts for f64 {
    fn parts(&self) -> Vec<&[f64]> {
        vec![std::slice::from_ref(self)]
    }
}

impl<const R: usize, const C: usize> Parts for SMatrix<f64, R, C> {
    fn parts(&self) -> Vec<&[f64]> {
        vec![self.as_slice()]
    }
}

impl<const N: usize> Parts for [SMatrix<f64, N, N>; N] {
    fn parts(&self) -> Vec<&[f64]> {
        self.iter().map(|page| page.as_slice()).collect()
    }
}

macro_rules! parts {
    ($($name:ident: $($field:ident)*;)*) => { $(
        impl<const NV: usize> Parts for $name<f64, NV> {
            fn parts(&self) -> Vec<&[f64]> {
                [$(self.$field.parts()),*].concat()
            }
        }
    )* };
}
parts! {
    RneaDerivatives: tau dtau_dq dtau_dv dtau_da;
    AbaDerivatives: ddq ddq_dq ddq_dv ddq_dtau;
    CentroidalDerivatives: momentum rate dmomentum_dq drate_dq drate_dv drate_da;
    KineticEnergyDerivatives: energy denergy_dq denergy_dv;
    RneaHessian: value dq dv da dqdq dqdv dvdv dqda;
    AbaHessian: value dq dv dtau dqdq dqdv dvdv dqdtau;
    RneaSecondDerivatives: d2tau_dqdq d2tau_dqdv d2tau_dvdv d2tau_dqda;
    AbaSecondDerivatives: d2ddq_dqdq d2ddq_dqdv d2ddq_dvdv d2ddq_dqdtau;
}

/// Compares to some roundings of the largest number of each part.
fn agree(name: &str, found: &impl Parts, expected: &impl Parts) {
    for (k, (found, expected)) in found.parts().into_iter().zip(expected.parts()).enumerate() {
        let largest = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (i, (a, b)) in found.iter().zip(expected).enumerate() {
            let apart = (a - b).abs();
            assert!(apart <= 1e-14 * largest, "{name}, result {k}, number {i}: {a:e}, not {b:e}");
        }
    }
}

/// Batches of no state, of less than a group, a group, more, and many groups, the last not full.
fn of_every_length<O: Clone + Parts + Debug>(
    name: &str,
    zeros: &O,
    one: impl Fn(usize, &mut O),
    batch: impl Fn(usize, &mut [O]),
) {
    let mut expected = vec![zeros.clone(); STATES];
    expected.iter_mut().enumerate().for_each(|(k, out)| one(k, out));
    for states in [0, 1, LANES - 1, LANES, LANES + 1, STATES] {
        let mut found = vec![zeros.clone(); states];
        // Twice: results of an earlier call are as good as zeros.
        for _ in 0..2 {
            batch(states, &mut found);
        }
        for (found, expected) in found.iter().zip(&expected) {
            agree(name, found, expected);
        }
    }
}

const STATES: usize = 100;

/// A function, its arguments, and zeros of its result: one that returns it, or that writes it.
macro_rules! functions {
    ($robot:ident, $done:ident: $($kind:ident $name:ident $into:ident($($input:ident)*) = $zeros:expr;)*) => { $(
        $done.push(stringify!($name));
        of_every_length(
            stringify!($name),
            &$zeros,
            |k, out| functions!($kind $robot $name $into [$(&$input[k]),*] out),
            |n, out| $robot::batch().$name($(&$input[..n],)* out),
        );
    )* };
    (returns $robot:ident $name:ident $into:ident [$($input:expr),*] $out:ident) => { *$out = $robot::$name($($input),*) };
    (writes $robot:ident $name:ident $into:ident [$($input:expr),*] $out:ident) => { $robot::$into($($input),*, $out) };
}

macro_rules! check {
    ($robot:ty, $nq:literal, $nv:literal) => {{
        type R = $robot;
        let wave =
            |rate: f64, k: usize| SVector::<f64, $nv>::from_fn(|i, _| (k as f64 + rate * i as f64).sin());
        let all = |rate: f64| (0..STATES).map(|k| wave(rate, k)).collect::<Vec<_>>();
        let q: Vec<SVector<f64, $nq>> =
            (0..STATES).map(|k| R::integrate(&R::neutral(), &wave(2.9, k))).collect();
        let (v, a, tau, mu, lambda) = (all(0.7), all(1.3), all(1.9), all(2.3), all(3.1));
        let force =
            |k: usize, b: usize| SVector::<f64, 6>::from_fn(|i, _| (k as f64 + (b + 2 * i) as f64).cos());
        let fext: Vec<[SVector<f64, 6>; R::NB]> =
            (0..STATES).map(|k| std::array::from_fn(|b| force(k, b))).collect();
        let mut done: Vec<&str> = Vec::new();
        type Vector<const N: usize> = SVector<f64, N>;
        type Square = SMatrix<f64, $nv, $nv>;
        functions! { R, done:
            returns rnea rnea(q v a) = Vector::<$nv>::zeros();
            returns rnea_fext rnea_fext(q v a fext) = Vector::<$nv>::zeros();
            returns bias bias(q v) = Vector::<$nv>::zeros();
            returns gravity gravity(q) = Vector::<$nv>::zeros();
            returns aba aba(q v tau) = Vector::<$nv>::zeros();
            returns aba_fext aba_fext(q v tau fext) = Vector::<$nv>::zeros();
            writes crba crba_into(q) = Square::zeros();
            writes minv minv_into(q) = Square::zeros();
            writes rnea_derivatives rnea_derivatives_into(q v a) = RneaDerivatives::zeros();
            writes rnea_derivatives_fext rnea_derivatives_fext_into(q v a fext) = RneaDerivatives::zeros();
            writes aba_derivatives aba_derivatives_into(q v tau) = AbaDerivatives::zeros();
            writes aba_derivatives_fext aba_derivatives_fext_into(q v tau fext) = AbaDerivatives::zeros();
            returns center_of_mass center_of_mass(q) = Vector::<3>::zeros();
            returns center_of_mass_velocity center_of_mass_velocity(q v) = Vector::<3>::zeros();
            writes center_of_mass_jacobian center_of_mass_jacobian_into(q) = SMatrix::<f64, 3, $nv>::zeros();
            returns centroidal_momentum centroidal_momentum(q v) = Vector::<6>::zeros();
            writes centroidal_momentum_matrix centroidal_momentum_matrix_into(q) = SMatrix::<f64, 6, $nv>::zeros();
            returns centroidal_momentum_rate centroidal_momentum_rate(q v a) = Vector::<6>::zeros();
            writes centroidal_derivatives centroidal_derivatives_into(q v a) = CentroidalDerivatives::zeros();
            returns kinetic_energy kinetic_energy(q v) = 0.0;
            writes kinetic_energy_derivatives kinetic_energy_derivatives_into(q v) = KineticEnergyDerivatives::zeros();
            returns potential_energy potential_energy(q) = 0.0;
            writes coriolis_matrix coriolis_matrix_into(q v) = Square::zeros();
            writes rnea_hessian rnea_hessian_into(q v a mu) = RneaHessian::zeros();
            writes rnea_hessian_fext rnea_hessian_fext_into(q v a fext mu) = RneaHessian::zeros();
            writes aba_hessian aba_hessian_into(q v tau lambda) = AbaHessian::zeros();
            writes aba_hessian_fext aba_hessian_fext_into(q v tau fext lambda) = AbaHessian::zeros();
            writes rnea_second_derivatives rnea_second_derivatives_into(q v a) = RneaSecondDerivatives::zeros();
            writes rnea_second_derivatives_fext rnea_second_derivatives_fext_into(q v a fext)
                = RneaSecondDerivatives::zeros();
            writes aba_second_derivatives aba_second_derivatives_into(q v tau) = AbaSecondDerivatives::zeros();
            writes aba_second_derivatives_fext aba_second_derivatives_fext_into(q v tau fext)
                = AbaSecondDerivatives::zeros();
        }
        // The robot states a cost for each of them and for no other.
        let stated = <R as Mechanism<$nq, $nv>>::COSTS;
        assert_eq!(done, stated.iter().map(|cost| cost.function()).collect::<Vec<_>>());
    }};
}

#[test]
fn a_fixed_robots_batches_are_calls_one_by_one() {
    check!(DoublePendulum, 2, 2);
}

#[test]
fn a_floating_robots_batches_are_calls_one_by_one() {
    check!(Body, 7, 6);
}

#[test]
fn batches_of_loops_are_calls_one_by_one() {
    check!(Tables, 2, 2);
}

/// Generic code has batches by the traits.
fn accelerations<R: rbd::ForwardDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &[SVector<f32, NQ>],
    v: &[SVector<f32, NV>],
) -> Vec<SVector<f32, NV>> {
    let mut ddq = vec![SVector::zeros(); q.len()];
    R::batch().aba(q, v, v, &mut ddq);
    ddq
}

#[test]
fn batches_are_of_any_robot_and_in_single_precision() {
    let (q, v) = (vec![SVector::from([0.3_f32, -0.7]); 11], vec![SVector::from([0.5_f32, 0.1]); 11]);
    let found = accelerations::<DoublePendulum, 2, 2>(&q, &v);
    let expected = DoublePendulum::aba(&q[0], &v[0], &v[0]);
    assert!(found.iter().all(|found| (found - expected).amax() <= 1e-5 * expected.amax()), "{found:?}");
}

/// A batch of enough work for several threads.
#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_threads() {
    let states = 20_000;
    let q: Vec<SVector<f64, 2>> = (0..states).map(|k| SVector::from([k as f64, 0.7 * k as f64])).collect();
    let (mut one, mut others) =
        (vec![AbaDerivatives::zeros(); states], vec![AbaDerivatives::zeros(); states]);
    DoublePendulum::batch().aba_derivatives(&q, &q, &q, &mut one);
    for threads in [0, 1, 2, 3, usize::MAX] {
        DoublePendulum::batch().threads(threads).aba_derivatives(&q, &q, &q, &mut others);
        assert!(one == others, "{threads} threads");
    }
}

#[test]
#[should_panic(expected = "every argument must have 5 states")]
fn lengths_must_agree() {
    let q = [SVector::zeros(); 4];
    DoublePendulum::batch().crba(&q, &mut [SMatrix::<f64, 2, 2>::zeros(); 5]);
}

#[test]
#[should_panic(expected = "every argument must have 5 states")]
fn lengths_must_agree_of_loops() {
    let q = [SVector::zeros(); 4];
    Tables::batch().crba(&q, &mut [SMatrix::<f64, 2, 2>::zeros(); 5]);
}

/// As `_into` functions do, whatever a batch has in its lanes.
#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "`out` is not zero where its function leaves zeros alone")]
fn a_result_that_is_not_zero_where_zeros_are_left_is_reported() {
    let (q, v) = ([Body::neutral(); LANES], [SVector::zeros(); LANES]);
    let mut out = [AbaDerivatives::zeros(); LANES];
    // No acceleration depends on where a free body is.
    out[LANES - 1].ddq_dq[(0, 0)] = 1.0;
    Body::batch().aba_derivatives(&q, &v, &v, &mut out);
}
