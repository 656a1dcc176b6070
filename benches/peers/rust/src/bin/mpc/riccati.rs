//! One step of the backward pass, with the structure of semi-implicit Euler's steps.
//!
//! With `x = (q, v)`, velocities after a step change by `F (dq, dv, du)`, and configurations by
//! `Jq dq + T F (dq, dv, du)`: `Jq` and `T = dt Ju` are the Jacobians of `integrate`, diagonal but for the
//! base. So the value's Hessian P enters as `F^T M F` with `M = T^T Pqq T + T^T Pqv + Pvq T + Pvv`, as
//! `E F` in the rows of q with `E^T = (T^T Pqq + Pvq) Jq`, and as `Jq^T Pqq Jq`. All of these have NV rows or
//! columns, not twice as many.
//!
//! Matrices are arrays of columns.

use super::{NU, NV, NX};
use rbd::Scalar;
use rbd::lanes::F64x8;

pub type Block = [[f64; NV]; NV];
pub type Base = [[f64; 6]; 6];

/// State and torques.
pub const N: usize = NX + NU;
const REGISTERS: usize = N / 8;
const _: () = assert!(N % 8 == 0);

/// Gradient and Hessian of the value. The block by q and v is the transposed one.
#[derive(Clone)]
pub struct Value {
    pub by: [f64; NX],
    pub qq: Block,
    pub vq: Block,
    pub vv: Block,
}

/// A step's linear dynamics and quadratic cost.
#[derive(Clone)]
pub struct Node {
    pub f: [[f64; NV]; N],
    /// The base's blocks of Jq and of T. Elsewhere they are 1 and `dt`.
    pub jq: Base,
    pub t: Base,
    pub dt: f64,
    pub by: [f64; N],
    /// Hessian of the cost: the base's block, and the diagonal elsewhere.
    pub of_base: Base,
    pub diagonal: [f64; N],
}

/// Torques change by `-k - by_x dx`. Rows of `by_x`.
#[derive(Clone)]
pub struct Gain {
    pub k: [f64; NU],
    pub by_x: [[f64; NX]; NU],
}

/// Memory of a step.
pub struct Memory {
    rows: [[f64; N]; NV],
    w: [[f64; N]; NV],
    h: [[f64; N]; N],
}

impl Node {
    pub const ZERO: Self = Self {
        f: [[0.0; NV]; N],
        jq: [[0.0; 6]; 6],
        t: [[0.0; 6]; 6],
        dt: 0.0,
        by: [0.0; N],
        of_base: [[0.0; 6]; 6],
        diagonal: [0.0; N],
    };
}

impl Gain {
    pub const ZERO: Self = Self { k: [0.0; NU], by_x: [[0.0; NX]; NU] };
}

impl Memory {
    pub const ZERO: Self = Self { rows: [[0.0; N]; NV], w: [[0.0; N]; NV], h: [[0.0; N]; N] };
}

/// A matrix of the base's block and a number on the diagonal elsewhere.
#[derive(Clone, Copy)]
struct AlmostDiagonal<'a>(&'a Base, f64);

impl AlmostDiagonal<'_> {
    /// `self^T b`, of one column.
    fn transposed_times(self, b: &[f64; NV]) -> [f64; NV] {
        let mut out = b.map(|x| x * self.1);
        for (out, column) in out.iter_mut().zip(self.0) {
            *out = column.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
        }
        out
    }

    /// `b self`.
    fn after(self, b: &Block) -> Block {
        let mut out = *b;
        for column in &mut out[6..] {
            for x in column {
                *x *= self.1;
            }
        }
        for (out, by) in out.iter_mut().zip(self.0) {
            *out = [0.0; NV];
            for (column, by) in b.iter().zip(by) {
                for (out, x) in out.iter_mut().zip(column) {
                    *out = x.mul_add(*by, *out);
                }
            }
        }
        out
    }
}

fn add<const R: usize>(to: &mut [f64; R], from: &[f64; R]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// Makes a matrix the mean of itself and its transposed one.
fn symmetrise<const R: usize>(of: &mut [[f64; R]; R]) {
    for j in 1..R {
        let (before, from) = of.split_at_mut(j);
        let column = &mut from[0];
        for (x, before) in column.iter_mut().zip(before) {
            let mean = 0.5 * (*x + before[j]);
            (*x, before[j]) = (mean, mean);
        }
    }
}

/// Sums over k of `rows[k] by[k]`, for four columns at once, of the first `8 R` rows.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "over iterators, sums are not kept in registers")]
fn sums<const K: usize, const R: usize>(rows: &[[f64; N]; K], by: [&[f64; K]; 4], out: [&mut [f64; N]; 4]) {
    let mut sum = [[F64x8::splat(0.0); R]; 4];
    for k in 0..K {
        let eights = rows[k].as_chunks::<8>().0;
        for r in 0..R {
            let x = F64x8::from_array(eights[r]);
            for c in 0..4 {
                sum[c][r] = x.mul_add(F64x8::splat(by[c][k]), sum[c][r]);
            }
        }
    }
    for c in 0..4 {
        let to = out[c].as_chunks_mut::<8>().0;
        for r in 0..R {
            to[r] = sum[c][r].to_array();
        }
    }
}

/// `out = rows^T by`, four columns of `by` at a time, and of each at least as many rows as `rows_of` says of
/// the last of the four.
#[inline(never)]
fn product<const K: usize>(
    rows: &[[f64; N]; K],
    by: &[[f64; K]],
    out: &mut [[f64; N]],
    rows_of: impl Fn(usize) -> usize,
) {
    let mut none = [[0.0; N]; 3];
    for (group, (by, out)) in by.chunks(4).zip(out.chunks_mut(4)).enumerate() {
        let last = by.len() - 1;
        let from = std::array::from_fn(|k| &by[k.min(last)]);
        let [a, b, c] = &mut none;
        let to = match out {
            [w, x, y, z] => [w, x, y, z],
            [w, x, y] => [w, x, y, a],
            [w, x] => [w, x, a, b],
            [w] => [w, a, b, c],
            _ => return,
        };
        match rows_of(4 * group + last).div_ceil(8) {
            0..=3 => sums::<K, 3>(rows, from, to),
            4 => sums::<K, 4>(rows, from, to),
            5 => sums::<K, 5>(rows, from, to),
            _ => sums::<K, REGISTERS>(rows, from, to),
        }
    }
}

/// Writes a step's gain, and the value before it in place of that after it. Returns the decreases of first
/// and second order that it promises.
pub fn step(node: &Node, value: &mut Value, gain: &mut Gain, memory: &mut Memory) -> [f64; 2] {
    let Memory { rows, w, h } = memory;
    let Node { f, jq, t, dt, .. } = node;
    let (jq, t) = (AlmostDiagonal(jq, 1.0), AlmostDiagonal(t, *dt));
    for (c, column) in f.iter().enumerate() {
        for (row, x) in rows.iter_mut().zip(column) {
            row[c] = *x;
        }
    }
    // T^T Pqq + Pvq, of which E is made; with Pvq once more, M.
    let mut e: Block = value.qq.each_ref().map(|column| t.transposed_times(column));
    e.iter_mut().zip(&value.vq).for_each(|(to, from)| add(to, from));
    let mut m = e;
    m.iter_mut().zip(&value.vq).for_each(|(to, from)| add(to, from));
    let mut m = t.after(&m);
    m.iter_mut().zip(&value.vv).for_each(|(to, from)| add(to, from));
    symmetrise(&mut m);
    product(rows, &m, w, |_| N);

    // What is on the diagonal and above it. In columns of q the symmetric part counts, of which E F has two
    // halves; in others its rows are those of q.
    let add_e = |w: &mut [[f64; N]; NV], e: &Block| {
        for (column, e) in e.iter().enumerate() {
            w.iter_mut().zip(e).for_each(|(row, e)| row[column] += e);
        }
    };
    let e = jq.after(&e);
    add_e(w, &e);
    let (of_q, others) = h.split_at_mut(NV);
    product(w, &f[NV..], others, |column| NV + column + 1);
    add_e(w, &e);
    product(w, &f[..NV], of_q, |_| NV);
    let mut qq = jq.after(&value.qq);
    qq.iter_mut().for_each(|column| *column = jq.transposed_times(column));
    for (h, qq) in h.iter_mut().zip(&qq) {
        h.iter_mut().zip(qq).for_each(|(h, qq)| *h += qq);
    }
    for (k, x) in node.diagonal.iter().enumerate() {
        h[k][k] += x;
    }
    for (h, of_base) in h.iter_mut().zip(&node.of_base) {
        for (h, x) in h.iter_mut().zip(of_base) {
            *h += x;
        }
    }

    // Gradient: F^T (T^T pq + pv), and Jq^T pq in the rows of q.
    let pq: &[f64; NV] = value.by.first_chunk().expect("of q");
    let pv: &[f64; NV] = value.by.last_chunk().expect("of v");
    let mut along = t.transposed_times(pq);
    add(&mut along, pv);
    let mut g = [[0.0; N]];
    product(rows, &[along], &mut g, |_| N);
    let [mut g] = g;
    add(&mut g, &node.by);
    g.iter_mut().zip(jq.transposed_times(pq)).for_each(|(g, x)| *g += x);
    solve(h, &g, value, gain)
}

/// Columns of the state, in whole registers.
const PADDED: usize = NX.next_multiple_of(8);

/// Minimises over the torques, by Cholesky's factors of their block. Of `h` what is on the diagonal and
/// above it counts, and all of the block of q.
fn solve(h: &[[f64; N]; N], g: &[f64; N], value: &mut Value, gain: &mut Gain) -> [f64; 2] {
    let z = &mut gain.k;
    let mut y = [[0.0; PADDED]; NU];
    let mut l = [[0.0; NU]; NU];
    let mut inverses = [0.0; NU];
    for i in 0..NU {
        // Rows of L^-1 times the block by torques and state, and times the gradient.
        let mut row: [f64; PADDED] = *h[NX + i].first_chunk().expect("the state's");
        let mut number = g[NX + i];
        for j in 0..=i {
            let sum = (0..j).fold(h[NX + i][NX + j], |sum, k| l[i][k].mul_add(-l[j][k], sum));
            if j == i {
                assert!(sum > 0.0, "a convex step");
                inverses[i] = 1.0 / sum.sqrt();
            } else {
                l[i][j] = sum * inverses[j];
                number -= l[i][j] * z[j];
                for (to, y) in row.iter_mut().zip(&y[j]) {
                    *to = y.mul_add(-l[i][j], *to);
                }
            }
        }
        z[i] = number * inverses[i];
        y[i] = row.map(|x| x * inverses[i]);
    }
    value.by = *g.first_chunk().expect("the state's");
    for (y, z) in y.iter().zip(&*z) {
        for (by, y) in value.by.iter_mut().zip(y) {
            *by = y.mul_add(-z, *by);
        }
    }
    for columns in 0..NX / 4 {
        let left = (4 * columns..4 * columns + 4).map(|j| left_of::<{ PADDED / 8 }>(&h[j], &y, j));
        for (j, column) in (4 * columns..).zip(left) {
            if j < NV {
                value.qq[j] = *column.first_chunk().expect("of q");
            } else {
                for (to, x) in value.vq.iter_mut().zip(&column) {
                    to[j - NV] = *x;
                }
                for (k, x) in column[NV..=j].iter().enumerate() {
                    (value.vv[j - NV][k], value.vv[k][j - NV]) = (*x, *x);
                }
            }
        }
    }
    symmetrise(&mut value.qq);
    let promised: f64 = z.iter().map(|z| z * z).sum();
    // L^-T of both.
    for i in (0..NU).rev() {
        z[i] *= inverses[i];
        y[i] = y[i].map(|x| x * inverses[i]);
        let (before, from) = y.split_at_mut(i);
        for (k, row) in before.iter_mut().enumerate() {
            z[k] -= l[i][k] * z[i];
            for (to, y) in row.iter_mut().zip(&from[0]) {
                *to = y.mul_add(-l[i][k], *to);
            }
        }
    }
    for (to, y) in gain.by_x.iter_mut().zip(&y) {
        *to = *y.first_chunk().expect("the state's");
    }
    [promised, -promised]
}

/// A column of the value's Hessian: that of the step, without what torques take off.
#[inline(always)]
fn left_of<const R: usize>(h: &[f64; N], y: &[[f64; PADDED]; NU], column: usize) -> [f64; PADDED] {
    let mut sum: [F64x8; R] = std::array::from_fn(|r| F64x8::from_array(h.as_chunks::<8>().0[r]));
    for y in y {
        let by = F64x8::splat(-y[column]);
        let eights = y.as_chunks::<8>().0;
        for (sum, y) in sum.iter_mut().zip(eights) {
            *sum = F64x8::from_array(*y).mul_add(by, *sum);
        }
    }
    let mut out = [0.0; PADDED];
    for (to, sum) in out.as_chunks_mut::<8>().0.iter_mut().zip(sum) {
        *to = sum.to_array();
    }
    out
}
