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
    cross: [[f64; N]; NV],
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
    pub const ZERO: Self =
        Self { rows: [[0.0; N]; NV], w: [[0.0; N]; NV], cross: [[0.0; N]; NV], h: [[0.0; N]; N] };
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

/// Sums over k of `rows[k] by[k]`, for four columns at once.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "over iterators, sums are not kept in registers")]
fn sums<const K: usize>(rows: &[[f64; N]; K], by: [&[f64; K]; 4], out: [&mut [f64; N]; 4]) {
    let mut sum = [[F64x8::splat(0.0); REGISTERS]; 4];
    for k in 0..K {
        let eights = rows[k].as_chunks::<8>().0;
        for r in 0..REGISTERS {
            let x = F64x8::from_array(eights[r]);
            for c in 0..4 {
                sum[c][r] = x.mul_add(F64x8::splat(by[c][k]), sum[c][r]);
            }
        }
    }
    for c in 0..4 {
        let to = out[c].as_chunks_mut::<8>().0;
        for r in 0..REGISTERS {
            to[r] = sum[c][r].to_array();
        }
    }
}

/// `out = rows^T by`, four columns of `by` at a time.
#[inline(never)]
fn product<const K: usize, const C: usize>(
    rows: &[[f64; N]; K],
    by: &[[f64; K]; C],
    out: &mut [[f64; N]; C],
) {
    let mut none = [[0.0; N]; 3];
    for (by, out) in by.chunks(4).zip(out.chunks_mut(4)) {
        let last = by.len() - 1;
        let from = std::array::from_fn(|k| &by[k.min(last)]);
        let [a, b, c] = &mut none;
        match out {
            [w, x, y, z] => sums(rows, from, [w, x, y, z]),
            [w, x, y] => sums(rows, from, [w, x, y, a]),
            [w, x] => sums(rows, from, [w, x, a, b]),
            [w] => sums(rows, from, [w, a, b, c]),
            _ => {}
        }
    }
}

/// Writes a step's gain, and the value before it in place of that after it. Returns the decreases of first
/// and second order that it promises.
pub fn step(node: &Node, value: &mut Value, gain: &mut Gain, memory: &mut Memory) -> [f64; 2] {
    let Memory { rows, w, cross, h } = memory;
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
    product(rows, &m, w);
    product(w, f, h);
    product(rows, &jq.after(&e), cross);
    let mut qq = jq.after(&value.qq);
    qq.iter_mut().for_each(|column| *column = jq.transposed_times(column));

    // Blocks qq, of which the symmetric part counts, vq and uq. The block of q and u is asked for below.
    for ((h, cross), qq) in h.iter_mut().zip(&*cross).zip(&qq) {
        add(h, cross);
        for ((h, cross), qq) in h.iter_mut().zip(cross).zip(qq) {
            *h += cross + qq;
        }
    }
    for (k, h) in h[NX..].iter_mut().enumerate() {
        for (h, cross) in h.iter_mut().zip(&*cross) {
            *h += cross[NX + k];
        }
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
    product(rows, &[along], &mut g);
    let [mut g] = g;
    add(&mut g, &node.by);
    g.iter_mut().zip(jq.transposed_times(pq)).for_each(|(g, x)| *g += x);
    solve(h, &g, value, gain)
}

/// Minimises over the torques, by Cholesky's factors of their block.
fn solve(h: &[[f64; N]; N], g: &[f64; N], value: &mut Value, gain: &mut Gain) -> [f64; 2] {
    let Gain { k: z, by_x: y } = gain;
    let mut l = [[0.0; NU]; NU];
    for i in 0..NU {
        for j in 0..=i {
            let sum = (0..j).fold(h[NX + j][NX + i], |sum, k| sum - l[i][k] * l[j][k]);
            l[i][j] = if i == j { sum.sqrt() } else { sum / l[j][j] };
        }
        assert!(l[i][i] > 0.0, "a convex step");
        // Rows of L^-1 times the block by torques and state, and times the gradient.
        let mut row: [f64; NX] = *h[NX + i].first_chunk().expect("the state's");
        let mut number = g[NX + i];
        for k in 0..i {
            number -= l[i][k] * z[k];
            for (to, y) in row.iter_mut().zip(&y[k]) {
                *to = y.mul_add(-l[i][k], *to);
            }
        }
        let inverse = 1.0 / l[i][i];
        z[i] = number * inverse;
        y[i] = row.map(|x| x * inverse);
    }
    value.by = *g.first_chunk().expect("the state's");
    for (y, z) in y.iter().zip(&*z) {
        for (by, y) in value.by.iter_mut().zip(y) {
            *by = y.mul_add(-z, *by);
        }
    }
    for (j, h) in h.iter().enumerate().take(NX) {
        let mut column: [f64; NX] = *h.first_chunk().expect("the state's");
        for y in &*y {
            let by = -y[j];
            for (to, y) in column.iter_mut().zip(y) {
                *to = y.mul_add(by, *to);
            }
        }
        let of_v = *column.last_chunk().expect("of v");
        if j < NV {
            (value.qq[j], value.vq[j]) = (*column.first_chunk().expect("of q"), of_v);
        } else {
            value.vv[j - NV] = of_v;
        }
    }
    symmetrise(&mut value.qq);
    symmetrise(&mut value.vv);
    let promised: f64 = z.iter().map(|z| z * z).sum();
    // L^-T of both.
    for i in (0..NU).rev() {
        let inverse = 1.0 / l[i][i];
        z[i] *= inverse;
        y[i] = y[i].map(|x| x * inverse);
        let (before, from) = y.split_at_mut(i);
        for (k, row) in before.iter_mut().enumerate() {
            z[k] -= l[i][k] * z[i];
            for (to, y) in row.iter_mut().zip(&from[0]) {
                *to = y.mul_add(-l[i][k], *to);
            }
        }
    }
    [promised, -promised]
}
