//! Routines as the interpreter of kernels runs them.

use super::{cells, robot, terms};
use crate::calls::{Call, Routine};
use crate::products::Panels;
use nalgebra::SVector;
use rbd_runtime::Scalar;
use rbd_runtime::loops::aba::aba;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::rnea::rnea;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use rbd_runtime::loops::{Tables, padded};

/// Length of arrays over rows where loops are run without being compiled for a robot.
const LONGEST: usize = padded(128);

/// Runs a routine on a kernel's arrays, with the terms that its tables name and no others.
///
/// # Panics
/// If a robot is larger than tests have them.
pub fn run<T: Scalar>(call: &Call, memory: &mut [Vec<T>]) {
    let given = |k: usize| call.arguments[k].map(|id| memory[id.index()].clone());
    let or_empty = |k: usize| given(k).unwrap_or_default();
    let results: Vec<Vec<T>> = match call.routine {
        Routine::Inverse => vec![inverse(&or_empty(0), &terms(call).panels)],
        Routine::Crba => {
            let n = robot(call).coordinates();
            let mut m = unset(n * n);
            crba(&tables(call), &or_empty(0), None, n, &mut m);
            vec![m]
        }
        Routine::Rnea | Routine::Aba => {
            let [q, v, third] = [0, 1, 2].map(or_empty);
            let forces = given(3).map(|fext| vectors(&fext));
            let (mut out, state) = (unset(robot(call).coordinates()), [&q[..], &v, &third]);
            match call.routine {
                Routine::Rnea => rnea(&tables(call), state, None, forces.as_deref(), &mut out),
                _ => aba(&tables(call), state, None, forces.as_deref(), &mut out),
            }
            vec![out]
        }
        Routine::RneaDerivatives => {
            let (q, v) = (or_empty(0), or_empty(1));
            let a = given(2).unwrap_or_else(|| vec![T::zero(); v.len()]);
            inverse_dynamics(call, [&q, &v, &a], given(3)).into()
        }
        Routine::AbaDerivatives => {
            let [q, v, tau] = [0, 1, 2].map(or_empty);
            forward_dynamics(call, [&q, &v, &tau], given(3)).into()
        }
    };
    for (id, result) in call.results.iter().zip(results) {
        memory[id.index()] = result;
    }
}

/// Numbers that are yet to be written: NaN, so that one that is not written is seen.
fn unset<T: Scalar>(len: usize) -> Vec<T> {
    vec![T::from_f64(f64::NAN); len]
}

fn tables(call: &Call) -> Tables<'_, LONGEST> {
    robot(call).tables().expect("robots that are run are small")
}

/// From those of inverse dynamics, and with products of whole matrices.
fn forward_dynamics<T: Scalar>(call: &Call, [q, v, tau]: [&[T]; 3], fext: Option<Vec<T>>) -> [Vec<T>; 4] {
    let [bias, _, _, m] = inverse_dynamics(call, [q, v, &vec![T::zero(); v.len()]], fext.clone());
    let minv = inverse(&m, &terms(call).panels);
    let ddq = accelerations(&minv, &m, tau, &bias);
    let [_, dq, dv, _] = inverse_dynamics(call, [q, v, &ddq], fext);
    let minus_product = |d: Vec<T>| -> Vec<T> {
        d.chunks(v.len().max(1)).flat_map(|column| product(&minv, column)).map(|x| -x).collect()
    };
    let (dq, dv) = (minus_product(dq), minus_product(dv));
    [ddq, dq, dv, minv]
}

/// Torques and their derivatives, by the loops themselves.
fn inverse_dynamics<T: Scalar>(call: &Call, state: [&[T]; 3], fext: Option<Vec<T>>) -> [Vec<T>; 4] {
    let n = state[1].len();
    let mut results = [n, n * n, n * n, n * n].map(unset);
    let [tau, dq, dv, da] = &mut results;
    let fext = fext.map(|fext| vectors(&fext));
    rnea_derivatives_of_slices(&tables(call), state, None, fext.as_deref(), Results { tau, dq, dv, da });
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
