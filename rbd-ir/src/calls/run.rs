//! What calls do, where kernels are run by the interpreter.

use super::{Call, cells};
use crate::kernel::ArrayId;
use crate::products::Panels;
use nalgebra::SVector;
use rbd_runtime::Scalar;
use rbd_runtime::loops::aba::aba;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::padded;
use rbd_runtime::loops::rnea::rnea;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};

/// Length of arrays over rows where loops are run without being compiled for a robot.
const LONGEST: usize = padded(128);

impl Call {
    /// Does what the loops do, with the terms that their tables name and no others.
    pub fn run<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let of = |id: ArrayId| memory[id.index()].clone();
        let result = match self {
            Self::Inverse { m, panels, .. } => inverse(&of(*m), panels),
            Self::MassMatrix { robot, q, n, .. } => {
                let mut m = vec![T::from_f64(f64::NAN); n * n];
                let tables = robot.tables::<LONGEST>().expect("robots that are run are small");
                crba(&tables, &of(*q), None, *n, &mut m);
                m
            }
            Self::Torques { robot, q, v, a, fext, .. } => {
                let or_none = |id: &Option<ArrayId>| id.map_or_else(Vec::new, of);
                let (q, v, a) = (of(*q), or_none(v), or_none(a));
                let fext = fext.map(|id| vectors(&of(id)));
                let tables = robot.tables::<LONGEST>().expect("robots that are run are small");
                let n = robot.coordinates();
                let mut tau = vec![T::from_f64(f64::NAN); n];
                rnea(&tables, [&q, &v, &a], None, fext.as_deref(), &mut tau);
                tau
            }
            Self::Accelerations { robot, q, v, tau, fext, .. } => {
                let (q, v, tau, fext) = (of(*q), of(*v), of(*tau), fext.map(|id| vectors(&of(id))));
                let tables = robot.tables::<LONGEST>().expect("robots that are run are small");
                let mut ddq = vec![T::from_f64(f64::NAN); v.len()];
                aba(&tables, [&q, &v, &tau], None, fext.as_deref(), &mut ddq);
                ddq
            }
            Self::Derivatives { .. } => return self.derivatives(memory),
            Self::ForwardDerivatives { .. } => return self.forward_derivatives(memory),
        };
        memory[self.results()[0].index()] = result;
    }

    /// By the loops themselves: they work on every scalar.
    fn derivatives<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let Self::Derivatives { robot, q, v, a, fext, out } = self else { return };
        let of = |id: ArrayId| memory[id.index()].clone();
        let (q, v) = (of(*q), of(*v));
        let a = a.map_or_else(|| vec![T::zero(); v.len()], of);
        let results = inverse_dynamics(robot, [&q, &v, &a], fext.map(of));
        for (id, result) in out.iter().zip(results) {
            memory[id.index()] = result;
        }
    }

    /// From those of inverse dynamics, and with products of whole matrices.
    fn forward_derivatives<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let Self::ForwardDerivatives { robot, terms, q, v, tau, fext, out } = self else { return };
        let of = |id: ArrayId| memory[id.index()].clone();
        let (q, v, tau, fext) = (of(*q), of(*v), of(*tau), fext.map(of));
        let [bias, _, _, m] = inverse_dynamics(robot, [&q, &v, &vec![T::zero(); v.len()]], fext.clone());
        let minv = inverse(&m, &terms.panels);
        let ddq = accelerations(&minv, &m, &tau, &bias);
        let [_, dq, dv, _] = inverse_dynamics(robot, [&q, &v, &ddq], fext);
        let minus_product = |d: Vec<T>| -> Vec<T> {
            d.chunks(v.len().max(1)).flat_map(|column| product(&minv, column)).map(|x| -x).collect()
        };
        let results = [ddq, minus_product(dq), minus_product(dv), minv.clone()];
        for (id, result) in out.iter().zip(results) {
            memory[id.index()] = result;
        }
    }
}

/// Torques and their derivatives, by the loops themselves.
fn inverse_dynamics<T: Scalar>(robot: &Owned, state: [&[T]; 3], fext: Option<Vec<T>>) -> [Vec<T>; 4] {
    let n = state[1].len();
    let mut results = [n, n * n, n * n, n * n].map(|n| vec![T::from_f64(f64::NAN); n]);
    let [tau, dq, dv, da] = &mut results;
    let fext = fext.map(|fext| vectors(&fext));
    let tables = robot.tables::<LONGEST>().expect("robots that are run are small");
    rnea_derivatives_of_slices(&tables, state, None, fext.as_deref(), Results { tau, dq, dv, da });
    results
}

/// Six numbers each.
fn vectors<T: Scalar>(x: &[T]) -> Vec<SVector<T, 6>> {
    x.chunks(6).map(SVector::from_column_slice).collect()
}

/// As `rbd_runtime::linalg::RefinedSolution`.
fn accelerations<T: Scalar>(minv: &[T], m: &[T], tau: &[T], bias: &[T]) -> Vec<T> {
    let drive: Vec<T> = tau.iter().zip(bias).map(|(t, b)| *t - *b).collect();
    let guess = product(minv, &drive);
    let left: Vec<T> = drive.iter().zip(product(m, &guess)).map(|(d, x)| *d - x).collect();
    guess.iter().zip(product(minv, &left)).map(|(g, x)| *g + x).collect()
}

fn product<T: Scalar>(a: &[T], x: &[T]) -> Vec<T> {
    let n = x.len();
    (0..n).map(|r| (0..n).fold(T::zero(), |sum, k| a[k * n + r].mul_add(x[k], sum))).collect()
}

/// What is not written is NaN, so that a term that should not be there is seen.
fn inverse<T: Scalar>(m: &[T], panels: &Panels) -> Vec<T> {
    let n = panels.n();
    let unset = T::from_f64(f64::NAN);
    // Row k of L in column k, and G by columns.
    let (mut l, mut g, mut out) = (vec![unset; n * n], vec![unset; n * n], vec![unset; n * n]);
    let mut d = vec![unset; n];
    for panel in &panels.factor {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let sum = block
                    .terms()
                    .fold(m[column * n + row], |sum, k| sum - l[k * n + row] * (l[k * n + column] * d[k]));
                l[column * n + row] = sum;
            }
        }
        for c in columns().rev() {
            d[c] = l[c * n + c];
            for row in 0..c {
                l[c * n + row] /= d[c];
            }
            for b in panel.columns.0..c {
                for row in 0..=b {
                    let change = l[c * n + row] * l[c * n + b] * d[c];
                    l[b * n + row] -= change;
                }
            }
        }
    }
    for panel in &panels.invert {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let terms = block.terms();
                g[column * n + row] =
                    terms.fold(T::zero(), |sum, k| sum - g[k * n + row] * l[k * n + column]);
            }
        }
        for c in columns().rev() {
            g[c * n..c * n + c].fill(T::zero());
            g[c * n + c] = T::one();
            for row in c + 1..panel.columns.1 {
                g[c * n + row] = T::zero();
            }
            for row in c + 1..n {
                for k in c + 1..panel.columns.1 {
                    let change = g[k * n + row] * l[k * n + c];
                    g[c * n + row] -= change;
                }
            }
        }
    }
    for group in &panels.gram {
        for block in &group.blocks {
            for (row, column) in cells(block.rows, group.columns) {
                let terms = block.terms();
                let sum = terms.fold(T::zero(), |sum, k| sum + g[k * n + row] * g[k * n + column] / d[k]);
                if row >= column {
                    out[column * n + row] = sum;
                    out[row * n + column] = sum;
                }
            }
        }
    }
    out
}
