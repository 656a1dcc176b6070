//! Times of the runtime's building blocks, as compiled and with the processor's best instructions.
//!
//! `cargo bench -p rbd-runtime --bench timings`; with `-- solver`, matrix operations of solvers.
//! Times are the minimum of many runs; compare within one run.

use nalgebra::{SMatrix, SVector};
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::lanes::{F32x8, F32x16, F64x4, F64x8};
use rbd_runtime::linalg::{self, Cholesky, ColumnGroup, NegativeProduct, RowBlock};
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds a call.
fn time(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 2000;
    let run = |_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    (0..40).map(run).fold(f64::INFINITY, f64::min)
}

struct Angles<'a, T, const N: usize> {
    q: &'a SVector<T, N>,
    sin: &'a mut SVector<T, N>,
    cos: &'a mut SVector<T, N>,
}
impl<T: Scalar, const N: usize> Dispatched<T> for Angles<'_, T, N> {
    type Output = ();
    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (sin, cos) = S::sin_cos_all(recast.matrix(self.q).data.0[0]);
        recast.matrix_mut(self.sin).data.0[0] = sin;
        recast.matrix_mut(self.cos).data.0[0] = cos;
    }
}

fn sin_cos<T: Scalar, const N: usize>(name: &str) {
    let q = SVector::<T, N>::from_fn(|i, _| T::from_f64(0.9 * i as f64 - 3.0));
    let (mut sin, mut cos) = (q, q);
    let compiled = time(|| {
        let kernel = Angles { q: black_box(&q), sin: black_box(&mut sin), cos: black_box(&mut cos) };
        kernel.run(Recast::identity());
    });
    let chosen = time(|| {
        T::dispatch(Angles { q: black_box(&q), sin: black_box(&mut sin), cos: black_box(&mut cos) });
    });
    println!("sin and cos, {N:2} {name:6}: as compiled {compiled:6.1}, dispatched {chosen:6.1} ns");
}

fn sin_cos_std<const N: usize>() {
    let q = SVector::<f64, N>::from_fn(|i, _| 0.9 * i as f64 - 3.0);
    let (mut sin, mut cos) = (q, q);
    let std = time(|| {
        let (q, sin, cos) = (black_box(&q), black_box(&mut sin), black_box(&mut cos));
        for i in 0..N {
            (sin[i], cos[i]) = q[i].sin_cos();
        }
    });
    println!("sin and cos, {N:2} f64   : std {std:6.1} ns");
}

fn product<const N: usize>(groups: &[ColumnGroup<'_>]) {
    let minv = SMatrix::<f64, N, N>::from_fn(|r, c| ((r * 7 + c * 3) % 11) as f64 * 0.1);
    let (d, mut out) = (minv.transpose(), minv);
    let nalgebra = time(|| {
        let out = black_box(&mut out);
        black_box(&minv).mul_to(black_box(&d), out);
        out.neg_mut();
    });
    let full = [ColumnGroup { columns: (0, N), blocks: &[RowBlock { rows: (0, N), terms: &[(0, N)] }] }];
    // In place and again and again: a product's size would run away, so that it begins anew each time.
    let mut here = |groups: &[ColumnGroup<'_>], choose: bool| {
        time(|| {
            out = *black_box(&d);
            let kernel =
                NegativeProduct { a: black_box(&minv), x: black_box(&mut out), groups: black_box(groups) };
            if choose { f64::dispatch(kernel) } else { kernel.run(Recast::identity()) }
        })
    };
    // Without groups the last is as the one before.
    let groups = if groups.is_empty() { &full } else { groups };
    let (compiled, chosen, pruned) = (here(&full, false), here(&full, true), here(groups, true));
    println!(
        "-M^-1 D, {N:2}: nalgebra {nalgebra:6.0}, as compiled {compiled:6.0}, dispatched {chosen:6.0}, \
         with {} groups {pruned:6.0} ns",
        groups.len()
    );
}

/// Matrix operations of a step of a Riccati recursion, with `N` states and `M` controls.
fn solver<const N: usize, const M: usize>() {
    let matrix =
        |seed: usize| SMatrix::<f64, N, N>::from_fn(|r, c| ((r * 7 + c * 3 + seed) % 11) as f64 * 0.1);
    let (a, v) = (matrix(1), matrix(2));
    let b = SMatrix::<f64, N, M>::from_fn(|r, c| ((r * 5 + c) % 7) as f64 * 0.1);
    let m = b.transpose() * b + SMatrix::<f64, M, M>::identity();
    let rhs = SMatrix::<f64, M, N>::from_fn(|r, c| (r + c) as f64);
    let row = |what: &str, nalgebra: f64, here: f64| {
        println!("{what:28}, {N:2} states, {M:2} controls: nalgebra {nalgebra:6.0}, here {here:6.0} ns");
    };
    let (mut out, mut sum) = (a, a);
    let theirs = time(|| black_box(&a).mul_to(black_box(&v), black_box(&mut out)));
    row("A B", theirs, time(|| linalg::mul_into(black_box(&a), black_box(&v), black_box(&mut out))));
    let theirs = time(|| black_box(&a).tr_mul_to(black_box(&v), black_box(&mut out)));
    row("A^T B", theirs, time(|| linalg::tr_mul_into(black_box(&a), black_box(&v), black_box(&mut out))));
    let theirs = time(|| black_box(&mut sum).gemm_tr(1e-9, black_box(&a), black_box(&a), 1.0));
    let small = a * 1e-5;
    let here =
        time(|| linalg::add_symmetric_tr_mul(black_box(&small), black_box(&small), black_box(&mut sum)));
    row("C += A^T A, symmetric", theirs, here);
    let x = a.column(0).clone_owned();
    let mut y = x;
    let theirs = time(|| black_box(&a).mul_to(black_box(&x), black_box(&mut y)));
    row("A x", theirs, time(|| linalg::mul_into(black_box(&a), black_box(&x), black_box(&mut y))));
    let theirs = time(|| {
        black_box(black_box(m).cholesky());
    });
    let here = time(|| {
        let _ = black_box(Cholesky::new(black_box(&m)));
    });
    row("Cholesky", theirs, here);
    let (Some(theirs), Ok(own)) = (m.cholesky(), Cholesky::new(&m)) else { return };
    let mut gains = rhs;
    let nalgebra = time(|| {
        gains = rhs;
        theirs.solve_mut(black_box(&mut gains));
    });
    let here = time(|| {
        gains = rhs;
        own.solve_in_place(black_box(&mut gains));
    });
    row("Quu^-1 Qux, factored", nalgebra, here);
}

fn main() {
    if std::env::args().any(|argument| argument == "solver") {
        solver::<14, 7>();
        solver::<36, 12>();
        return;
    }
    sin_cos_std::<7>();
    sin_cos::<f64, 7>("f64");
    sin_cos::<f32, 7>("f32");
    sin_cos_std::<32>();
    sin_cos::<f64, 32>("f64");
    sin_cos::<f32, 32>("f32");
    sin_cos::<F64x4, 7>("F64x4");
    sin_cos::<F64x8, 7>("F64x8");
    sin_cos::<F32x8, 7>("F32x8");
    sin_cos::<F32x16, 7>("F32x16");
    product::<7>(&[]);
    let base: (usize, usize) = (0, 6);
    product::<18>(&[
        ColumnGroup { columns: base, blocks: &[RowBlock { rows: (0, 18), terms: &[(0, 18)] }] },
        ColumnGroup { columns: (6, 9), blocks: &[RowBlock { rows: (0, 18), terms: &[(0, 9)] }] },
        ColumnGroup { columns: (9, 12), blocks: &[RowBlock { rows: (0, 18), terms: &[base, (9, 12)] }] },
        ColumnGroup { columns: (12, 15), blocks: &[RowBlock { rows: (0, 18), terms: &[base, (12, 15)] }] },
        ColumnGroup { columns: (15, 18), blocks: &[RowBlock { rows: (0, 18), terms: &[base, (15, 18)] }] },
    ]);
    product::<38>(&[
        ColumnGroup { columns: base, blocks: &[RowBlock { rows: (0, 38), terms: &[(0, 38)] }] },
        ColumnGroup { columns: (6, 12), blocks: &[RowBlock { rows: (0, 38), terms: &[(0, 12)] }] },
        ColumnGroup { columns: (12, 18), blocks: &[RowBlock { rows: (0, 38), terms: &[base, (12, 18)] }] },
        ColumnGroup { columns: (18, 20), blocks: &[RowBlock { rows: (0, 38), terms: &[base, (18, 38)] }] },
        ColumnGroup { columns: (20, 28), blocks: &[RowBlock { rows: (0, 38), terms: &[base, (18, 28)] }] },
        ColumnGroup {
            columns: (28, 36),
            blocks: &[RowBlock { rows: (0, 38), terms: &[base, (18, 20), (28, 36)] }],
        },
        ColumnGroup {
            columns: (36, 38),
            blocks: &[RowBlock { rows: (0, 38), terms: &[base, (18, 20), (36, 38)] }],
        },
    ]);
}
