//! Compiled functions with other scalars than `f64`.

use crate::common::{condition, error, inputs, inverts, named};
use generated_tests::scalars::{COMPLEX, DUAL, F32, LANES_32X8, LANES_32X16, LANES_64X4, LANES_64X8, Pair};
use generated_tests::{Inputs, Subject};
use nalgebra::{DMatrix, SVector};
use num_complex::Complex;
use num_dual::Dual64;
use rbd_build::Function;
use rbd_runtime::Scalar;
use rbd_runtime::random::random_state;

/// Single precision: rounded inputs give the results of double precision, up to a few roundings for
/// each body on the way, times the condition number if M is inverted.
#[test]
fn single_precision_agrees_with_double() {
    for Pair { double, other } in F32 {
        let model = (double.model)();
        for seed in 0..4 {
            let x = inputs(&random_state(&model, seed)).cast::<f32>();
            let widened = widen(&x);
            let m = model.crba(&widened.q);
            for function in double.functions() {
                let rounding = 32.0 * model.bodies.len() as f64 * f64::from(f32::EPSILON);
                let limit = if inverts(function) { rounding * condition(&m) } else { rounding };
                let expected = double.run(function, &widened);
                for (name, got) in other.run(function, &x) {
                    let e = error(&got.map(f64::from), named(&expected, name), 1.0);
                    assert!(e < limit, "{}, {}, {name}: {e:.1e} > {limit:.1e}", double.name, function.name());
                }
            }
        }
    }
}

fn widen(x: &Inputs<f32>) -> Inputs<f64> {
    let list = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect();
    Inputs {
        q: list(&x.q),
        v: list(&x.v),
        a: list(&x.a),
        tau: list(&x.tau),
        fext: x.fext.iter().map(|f| f.map(f64::from)).collect(),
    }
}

/// Derivatives of generated functions run on numbers that carry a derivative are those that the
/// generator wrote. `seed` is the scalar that moves by one, `part` its derivative.
fn derivatives_by<T: Scalar>(pair: &Pair<T>, seed: T, part: fn(T) -> f64) {
    use Function::{Aba, AbaDerivatives, AbaDerivativesFext, AbaFext};
    use Function::{Rnea, RneaDerivatives, RneaDerivativesFext, RneaFext};
    let Pair { double, other } = pair;
    let model = (double.model)();
    for state in 0..2 {
        let x = inputs(&random_state(&model, state));
        let m = model.crba(&x.q);
        let carried = x.cast::<T>();
        for (function, derivatives) in [
            (Rnea, RneaDerivatives),
            (RneaFext, RneaDerivativesFext),
            (Aba, AbaDerivatives),
            (AbaFext, AbaDerivativesFext),
        ] {
            let by = |moved: &dyn Fn(&[T]) -> Inputs<T>| {
                let columns = (0..model.nv).map(|j| {
                    let mut e = vec![T::zero(); model.nv];
                    e[j] = seed;
                    other.run(function, &moved(&e))[0].1.column(0).map(part)
                });
                DMatrix::from_columns(&columns.collect::<Vec<_>>())
            };
            let plus = |a: &[T], e: &[T]| a.iter().zip(e).map(|(a, e)| *a + *e).collect::<Vec<T>>();
            let expected = [
                by(&|e| Inputs { q: (other.integrate)(&carried.q, e), ..carried.clone() }),
                by(&|e| Inputs { v: plus(&carried.v, e), ..carried.clone() }),
                by(&|e| Inputs { a: plus(&carried.a, e), tau: plus(&carried.tau, e), ..carried.clone() }),
            ];
            let rounding = model.nv as f64 * f64::EPSILON * condition(&m);
            let limit = if inverts(function) { rounding.max(1e-11) } else { 1e-11 };
            let got = double.run(derivatives, &x);
            for ((name, got), expected) in got[1..].iter().zip(&expected) {
                let e = error(got, expected, 1.0);
                assert!(e < limit, "{}, {}, {name}: {e:.1e}", double.name, derivatives.name());
            }
        }
    }
}

/// Forward-mode differentiation of compiled code.
#[test]
fn derivatives_are_those_of_dual_numbers() {
    for pair in DUAL {
        derivatives_by(pair, Dual64::new(0.0, 1.0), |x| x.eps);
    }
}

/// The complex step through compiled code.
#[test]
fn derivatives_are_those_of_the_complex_step() {
    const STEP: f64 = 1e-30;
    for pair in COMPLEX {
        derivatives_by(pair, Complex::new(0.0, STEP), |x| x.im / STEP);
    }
}

/// Each lane is the scalar's result for its state, independent of other lanes.
///
/// Only roundings may differ, since a scalar's function may use other instructions, or limbs as
/// lanes. The difference is multiplied by the condition number if M is inverted.
fn lanes<S: Scalar, T: Scalar, const N: usize>(
    scalar: &Subject<S>,
    lanes: &Subject<T>,
    pack: fn([S; N]) -> T,
    unpack: fn(T) -> [S; N],
    widen: fn(S) -> f64,
    epsilon: f64,
) {
    let model = (scalar.model)();
    let states: [Inputs<S>; N] = std::array::from_fn(|k| inputs(&random_state(&model, 10 + k as u64)).cast());
    let packed = |get: &dyn Fn(&Inputs<S>) -> &[S]| -> Vec<T> {
        (0..get(&states[0]).len()).map(|i| pack(std::array::from_fn(|k| get(&states[k])[i]))).collect()
    };
    let x = Inputs {
        q: packed(&|x| &x.q),
        v: packed(&|x| &x.v),
        a: packed(&|x| &x.a),
        tau: packed(&|x| &x.tau),
        fext: (0..model.bodies.len())
            .map(|b| SVector::from_iterator(packed(&|x| x.fext[b].as_slice())))
            .collect(),
    };
    for function in scalar.functions() {
        let together = lanes.run(function, &x);
        for (k, state) in states.iter().enumerate() {
            let q: Vec<f64> = state.q.iter().map(|x| widen(*x)).collect();
            let rounding = 32.0 * model.bodies.len() as f64 * epsilon;
            let limit = if inverts(function) { rounding * condition(&model.crba(&q)) } else { rounding };
            for ((name, alone), (_, together)) in scalar.run(function, state).iter().zip(&together) {
                let lane = together.map(|x| widen(unpack(x)[k]));
                let e = error(&lane, &alone.map(widen), 1.0);
                assert!(e < limit, "{}, {}, {name}, lane {k}: {e:.1e}", scalar.name, function.name());
            }
        }
    }
}

/// Without optimisation each of a function's thousands of values has its own place on the stack,
/// several times. With 64 bytes a value, that is more than the two megabytes of a test's thread.
#[test]
fn each_lane_is_a_state_of_its_own() {
    let every_width = || {
        let (wide, narrow) = (f64::EPSILON, f64::from(f32::EPSILON));
        for Pair { double, other } in LANES_64X4 {
            lanes(double, other, From::from, From::from, |x| x, wide);
        }
        for Pair { double, other } in LANES_64X8 {
            lanes(double, other, From::from, From::from, |x| x, wide);
        }
        for (single, other) in LANES_32X8 {
            lanes(single, other, From::from, From::from, f64::from, narrow);
        }
        for (single, other) in LANES_32X16 {
            lanes(single, other, From::from, From::from, f64::from, narrow);
        }
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(every_width).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
