//! Accuracy of second derivatives of inverse dynamics, by method (the study of section V.C in
//! [Singh-2023], docs/math.md):
//!
//!     cargo bench -p rbd-benches --bench accuracy
//!     cargo bench -p rbd-benches --bench accuracy | python3 tools/accuracy_picture.py
//!
//! Compares all four tensors at random states with the generic reference in twice the digits of a
//! double. Prints for each method the mean of absolute errors, their root mean square, and the
//! largest error relative to its tensor's largest entry.

// Name of the crate in the file below.
extern crate rbd as rbd_runtime;
#[path = "../rbd-build/tests/common/twice.rs"]
mod twice;

use nalgebra::{DMatrix, SMatrix, SVector};
use num_complex::Complex;
use num_dual::Dual64;
use rbd::random::random_state;
use rbd::reference::{self, Data, exact};
use rbd::{InverseDynamics, InverseDynamicsDerivatives, Mechanism, Model, Scalar, SecondDerivatives};
use twice::Twice;

rbd::rbd_robot! {
    pub struct Iiwa14 { urdf: "../robots/iiwa14.urdf", functions: [dynamics, second_derivatives] }
}
rbd::rbd_robot! {
    pub struct Hyq { urdf: "../robots/hyq.urdf", base: floating, functions: [dynamics, second_derivatives] }
}

const STATES: u64 = 50;

/// The tensors by (q, q), (q, v), (v, v) and (q, a): pages by the second variable, each NV x NV by columns.
type Tensors = [Vec<f64>; 4];

/// Arguments of inverse dynamics as they are moved.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Q,
    V,
    A,
}

/// A state, and the argument of the second derivatives.
struct State<const NQ: usize, const NV: usize> {
    q: SVector<f64, NQ>,
    v: SVector<f64, NV>,
    a: SVector<f64, NV>,
}

impl<const NQ: usize, const NV: usize> State<NQ, NV> {
    /// First derivatives by q and v, with component `k` of an argument moved by `step`.
    fn first<R, T>(&self, by: By, k: usize, step: T) -> [SMatrix<T, NV, NV>; 2]
    where
        R: Mechanism<NQ, NV> + InverseDynamicsDerivatives<NQ, NV>,
        T: Scalar,
    {
        let (q, v, a) = self.moved::<R, T>(&[(by, k, step)]);
        let d = R::rnea_derivatives(&q, &v, &a);
        [d.dtau_dq, d.dtau_dv]
    }

    fn moved<R: Mechanism<NQ, NV>, T: Scalar>(
        &self,
        moves: &[(By, usize, T)],
    ) -> (SVector<T, NQ>, SVector<T, NV>, SVector<T, NV>) {
        let (mut q, mut v, mut a) =
            (self.q.map(T::from_f64), self.v.map(T::from_f64), self.a.map(T::from_f64));
        for (by, k, step) in moves {
            let mut along = SVector::<T, NV>::zeros();
            along[*k] = *step;
            match by {
                By::Q => q = R::integrate(&q, &along),
                By::V => v += along,
                By::A => a += along,
            }
        }
        (q, v, a)
    }
}

/// Tensors from the derivative of both first derivatives along each direction.
fn by_first<const NV: usize>(derivative: impl Fn(By, usize) -> [SMatrix<f64, NV, NV>; 2]) -> Tensors {
    let pages = |by: By, which: usize| -> Vec<f64> {
        (0..NV).flat_map(|k| derivative(by, k)[which].iter().copied().collect::<Vec<_>>()).collect()
    };
    [pages(By::Q, 0), pages(By::V, 0), pages(By::V, 1), pages(By::A, 0)]
}

fn flat(pages: &[DMatrix<f64>]) -> Vec<f64> {
    pages.iter().flat_map(|page| page.iter().copied()).collect()
}

fn flat_pages<const NV: usize>(pages: &[SMatrix<f64, NV, NV>]) -> Vec<f64> {
    pages.iter().flat_map(|page| page.iter().copied()).collect()
}

/// Sums of errors over entries and states.
#[derive(Default)]
struct Errors {
    absolute: f64,
    squared: f64,
    entries: f64,
    relative: f64,
}

impl Errors {
    fn add(&mut self, found: &Tensors, truth: &Tensors) {
        for (found, truth) in found.iter().zip(truth) {
            assert_eq!(found.len(), truth.len());
            let largest = truth.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (x, y) in found.iter().zip(truth) {
                let error = (x - y).abs();
                self.absolute += error;
                self.squared += error * error;
                self.entries += 1.0;
                self.relative = self.relative.max(error / largest);
            }
        }
    }
}

fn study<R, const NQ: usize, const NV: usize>(robot: &str, model: &Model<f64>)
where
    R: Mechanism<NQ, NV>
        + InverseDynamics<NQ, NV>
        + InverseDynamicsDerivatives<NQ, NV>
        + SecondDerivatives<NQ, NV>,
{
    let names = [
        "analytical, generated",
        "AD: duals through generated first derivatives",
        "AD: hyper-duals through the generic RNEA",
        "complex step of generated first derivatives, 1e-30",
        "central differences of generated first derivatives, 1e-5",
        "second differences of generated torques, 1e-3",
    ];
    let mut errors: [Errors; 6] = Default::default();
    let exact_model = model.cast::<Twice>();
    for seed in 0..STATES {
        let x = random_state(model, seed);
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let state = State {
            q: SVector::<f64, NQ>::from_column_slice(q),
            v: SVector::<f64, NV>::from_column_slice(v),
            a: SVector::<f64, NV>::from_column_slice(a),
        };
        let twice = |x: &[f64]| x.iter().map(|x| Twice::from_f64(*x)).collect::<Vec<_>>();
        let truth = reference::rnea_second_derivatives(
            &exact_model,
            &mut Data::new(&exact_model),
            &twice(q),
            &twice(v),
            &twice(a),
            None,
        );
        let rounded = |pages: &[DMatrix<Twice>]| -> Vec<f64> {
            pages.iter().flat_map(|page| page.iter().map(|x| x.to_f64()).collect::<Vec<_>>()).collect()
        };
        let truth = [
            rounded(&truth.d2tau_dqdq),
            rounded(&truth.d2tau_dqdv),
            rounded(&truth.d2tau_dvdv),
            rounded(&truth.d2tau_dqda),
        ];

        let ours = R::rnea_second_derivatives(&state.q, &state.v, &state.a);
        let hyper = exact::rnea_second_derivatives(model, q, v, a, None);
        let central = |by, k| {
            let [plus, minus] = [1e-5, -1e-5].map(|h| state.first::<R, f64>(by, k, h));
            [(plus[0] - minus[0]) / 2e-5, (plus[1] - minus[1]) / 2e-5]
        };
        let torque = |moves: &[(By, usize, f64)]| {
            let (q, v, a) = state.moved::<R, f64>(moves);
            R::rnea(&q, &v, &a)
        };
        let second = |first: By, by: By, k: usize| {
            let h = 1e-3;
            // The second variable moves first. It may move the configuration about which the first
            // one is differentiated.
            let at = |j: usize, s: f64, t: f64| torque(&[(by, k, t * h), (first, j, s * h)]);
            let column = |j| {
                (at(j, 1.0, 1.0) - at(j, 1.0, -1.0) - at(j, -1.0, 1.0) + at(j, -1.0, -1.0)) / (4.0 * h * h)
            };
            SMatrix::<f64, NV, NV>::from_columns(&std::array::from_fn::<_, NV, _>(column))
        };
        let differences = |first, by| -> Vec<f64> {
            (0..NV).flat_map(|k| second(first, by, k).iter().copied().collect::<Vec<_>>()).collect()
        };
        let found: [Tensors; 6] = [
            [
                flat_pages(&ours.d2tau_dqdq),
                flat_pages(&ours.d2tau_dqdv),
                flat_pages(&ours.d2tau_dvdv),
                flat_pages(&ours.d2tau_dqda),
            ],
            by_first(|by, k| {
                state.first::<R, Dual64>(by, k, Dual64::new(0.0, 1.0)).map(|m| m.map(|x| x.eps))
            }),
            [
                flat(&hyper.d2tau_dqdq),
                flat(&hyper.d2tau_dqdv),
                flat(&hyper.d2tau_dvdv),
                flat(&hyper.d2tau_dqda),
            ],
            by_first(|by, k| {
                state
                    .first::<R, Complex<f64>>(by, k, Complex::new(0.0, 1e-30))
                    .map(|m| m.map(|x| x.im / 1e-30))
            }),
            by_first(central),
            [
                differences(By::Q, By::Q),
                differences(By::Q, By::V),
                differences(By::V, By::V),
                differences(By::Q, By::A),
            ],
        ];
        for (errors, found) in errors.iter_mut().zip(&found) {
            errors.add(found, &truth);
        }
    }
    println!("\n| {robot} | mean absolute | RMS | largest, relative |");
    println!("|---|---:|---:|---:|");
    for (name, e) in names.iter().zip(&errors) {
        let (mean, rms) = (e.absolute / e.entries, (e.squared / e.entries).sqrt());
        println!("| {name} | {mean:.1e} | {rms:.1e} | {:.1e} |", e.relative);
    }
}

fn main() {
    study::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>("iiwa14", &Iiwa14::model());
    study::<Hyq, { Hyq::NQ }, { Hyq::NV }>("hyq, floating", &Hyq::model());
}
