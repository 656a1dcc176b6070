//! Second derivatives of inverse and forward dynamics by formula (docs/math.md#second-derivatives).
//!
//! Plain loops run over the columns of motion subspaces, with 6x6 matrices.

use super::aba::aba;
use super::aba_derivatives::aba_derivatives;
use super::common_frame::in_common_frame;
use super::data::Data;
use super::friction;
use crate::spatial::{
    Vector6, angular, dot, force_cross, force_cross_matrix, linear, motion_cross_matrix, mul, skew, tr_mul,
};
use crate::{Model, Scalar};
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, Matrix6};

/// Second derivatives of inverse dynamics.
///
/// Element `[k][(i, j)]` is tau_i, differentiated by component j of the first variable and k of the second.
/// Second derivatives by q are derivatives along e_k of the tangent derivative along e_j.
/// They are not symmetric among the coordinates of one joint with several.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaSecondDerivatives<T = f64> {
    /// Derivatives by q and q.
    pub d2tau_dqdq: Vec<DMatrix<T>>,
    /// Derivatives by q and v.
    pub d2tau_dqdv: Vec<DMatrix<T>>,
    /// Derivatives by v and v.
    pub d2tau_dvdv: Vec<DMatrix<T>>,
    /// Derivatives by q and a: `[k][(i, j)]` is the derivative of M_ik by q_j.
    pub d2tau_dqda: Vec<DMatrix<T>>,
}

/// Second derivatives of forward dynamics, in the layout of [`RneaSecondDerivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct AbaSecondDerivatives<T = f64> {
    /// Derivatives by q and q.
    pub d2ddq_dqdq: Vec<DMatrix<T>>,
    /// Derivatives by q and v.
    pub d2ddq_dqdv: Vec<DMatrix<T>>,
    /// Derivatives by v and v.
    pub d2ddq_dvdv: Vec<DMatrix<T>>,
    /// Derivatives by q and tau: `[k][(i, j)]` is the derivative of (M^-1)_ik by q_j.
    pub d2ddq_dqdtau: Vec<DMatrix<T>>,
}

/// Matrix of the map `m -> m x* f`.
fn bar<T: Scalar>(f: &Vector6<T>) -> Matrix6<T> {
    let (l, n) = (skew(&-linear(f)), skew(&-angular(f)));
    let mut x = Matrix6::zeros();
    x.fixed_view_mut::<3, 3>(0, 3).copy_from(&l);
    x.fixed_view_mut::<3, 3>(3, 0).copy_from(&l);
    x.fixed_view_mut::<3, 3>(3, 3).copy_from(&n);
    x
}

/// Change of an operator from motions to forces by the motion m.
fn carried<T: Scalar>(m: &Vector6<T>, operator: &Matrix6<T>) -> Matrix6<T> {
    force_cross_matrix(m) * operator - operator * motion_cross_matrix(m)
}

/// Coriolis operator, by its definition (docs/math.md#coriolis-operator).
fn coriolis<T: Scalar>(inertia: &Matrix6<T>, x: &Vector6<T>) -> Matrix6<T> {
    carried(x, inertia) + bar(&mul(inertia, x))
}

/// A column of a motion subspace: its body, its coordinate, and s, p, r, x in the common frame.
#[derive(Clone, Copy)]
struct Column<T: Scalar> {
    body: usize,
    coordinate: usize,
    s: Vector6<T>,
    p: Vector6<T>,
    r: Vector6<T>,
    x: Vector6<T>,
}

/// Sums over subtrees: inertia, Coriolis operator and force.
#[derive(Clone, Copy)]
struct Composite<T: Scalar> {
    i: Matrix6<T>,
    b: Matrix6<T>,
    f: Vector6<T>,
}

/// Computes second derivatives of inverse dynamics. Slow, and allocates.
///
/// External forces are constant in the body frames.
/// The order of the loops is that of [Singh-2023]'s algorithm.
pub fn rnea_second_derivatives<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    fext: Option<&[Vector6<T>]>,
) -> RneaSecondDerivatives<T> {
    in_common_frame(model, data, q, v, Some(a), Data::minus_gravity(model));
    let composites = composites(model, data, fext);
    let columns: Vec<Column<T>> = (0..model.bodies.len())
        .flat_map(|body| data.columns(body).enumerate().map(move |(k, at)| (body, k, at)))
        .map(|(body, k, at)| {
            let c = &data.common;
            let coordinate = model.bodies[body].idx_v + k;
            Column { body, coordinate, s: c.s[at], p: c.p[at], r: c.r[at], x: c.x[at] }
        })
        .collect();
    // Columns of a body and of all bodies above it, the body's own first.
    let mut paths: Vec<Vec<Column<T>>> = Vec::new();
    for (i, b) in model.bodies.iter().enumerate() {
        let mut path: Vec<_> = columns.iter().copied().filter(|c| c.body == i).collect();
        path.extend(b.parent.into_iter().flat_map(|p| paths[p].iter().copied()));
        paths.push(path);
    }
    let square = || vec![DMatrix::zeros(model.nv, model.nv); model.nv];
    let mut out = RneaSecondDerivatives {
        d2tau_dqdq: square(),
        d2tau_dqdv: square(),
        d2tau_dvdv: square(),
        d2tau_dqda: square(),
    };
    for a in &columns {
        for b in &paths[a.body] {
            let pair = Pair::new(&composites[a.body], a, b);
            for c in &paths[b.body] {
                pair.with(&mut out, c);
            }
        }
    }
    for body in &model.bodies {
        for (c, v) in v.iter().enumerate().skip(body.idx_v).take(body.kind.nv()) {
            out.d2tau_dvdv[c][(c, c)] += friction::curvature(model, body, *v);
        }
    }
    out
}

/// Composites of each body's subtree, in the common frame.
fn composites<T: Scalar>(model: &Model<T>, data: &Data<T>, fext: Option<&[Vector6<T>]>) -> Vec<Composite<T>> {
    let mut all: Vec<_> = (0..model.bodies.len())
        .map(|k| {
            let placement = &data.world_from_body[k];
            let i = model.bodies[k].inertia.transformed(placement).matrix();
            let (v, a) = (&data.common.v[k], &data.common.a[k]);
            let mut f = mul(&i, a) + force_cross(v, &mul(&i, v));
            if let Some(fext) = fext {
                f -= placement.act_force(&fext[k]);
            }
            Composite { i, b: coriolis(&i, v), f }
        })
        .collect();
    for (k, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            let Composite { i, b, f } = all[k];
            all[p].i += i;
            all[p].b += b;
            all[p].f += f;
        }
    }
    all
}

/// Factors of two columns, a the deeper one, for products with a third (docs/math.md#second-derivatives).
struct Pair<'a, T: Scalar> {
    a: &'a Column<T>,
    b: &'a Column<T>,
    of: &'a Composite<T>,
    x0: Vector6<T>,
    x1: Vector6<T>,
    k: Vector6<T>,
    y1: Vector6<T>,
    y3: Vector6<T>,
    z: Vector6<T>,
    zx: Vector6<T>,
    /// Vectors `ux` and `w`: from B and U for different bodies, and sums of products within one joint.
    ux: Vector6<T>,
    w: Vector6<T>,
}

impl<'a, T: Scalar> Pair<'a, T> {
    fn new(of: &'a Composite<T>, a: &'a Column<T>, b: &'a Column<T>) -> Self {
        let Composite { i, b: operator, f } = of;
        let (sa, sb) = (&a.s, &b.s);
        let (is, bts) = (mul(i, sa), tr_mul(operator, sa));
        let bs = coriolis(i, sa);
        let u1 = carried(sa, i);
        let u3 = carried(sa, operator) + coriolis(i, &a.p);
        let g = force_cross(sa, f) + mul(i, &a.r) + mul(operator, &a.p);
        let e = mul(operator, sa) + mul(i, &a.x);
        let (ux, w) = if a.body == b.body {
            let along = mul(operator, sb) + mul(i, &b.x);
            let ux = force_cross(sa, &along) + mul(&coriolis(i, sb), &a.p);
            (ux, force_cross(sa, &mul(i, sb)) + force_cross(sb, &is))
        } else {
            (mul(&u3, sb) + mul(&u1, &b.x), mul(&bs, sb))
        };
        Self {
            a,
            b,
            of,
            x0: force_cross(sb, &is),
            x1: force_cross(sb, &bts) - tr_mul(&bs, &b.p),
            k: tr_mul(&bs, sb),
            y1: mul(&u1, sb),
            y3: tr_mul(&u3, sb),
            z: force_cross(sb, &g) + mul(&u1, &b.r) + mul(&u3, &b.p),
            zx: force_cross(sb, &e) + mul(&bs, &b.p),
            ux,
            w,
        }
    }

    /// Adds the entries of these two columns and a third one, c, on the path to b.
    ///
    /// With mimic joints, several columns share a coordinate. Their sum is the contraction with `dq_full/dq`.
    fn with(&self, out: &mut RneaSecondDerivatives<T>, column: &Column<T>) {
        let (a, b, c) = (self.a.coordinate, self.b.coordinate, column.coordinate);
        let Column { s, p, r, x, .. } = column;
        // Arguments: output, first variable, second variable.
        let mut h = |r: usize, c: usize, d: usize, x: T| out.d2tau_dqdq[d][(r, c)] += x;
        let mut w = |r: usize, c: usize, d: usize, x: T| out.d2tau_dvdv[d][(r, c)] += x;
        let mut qv = |r: usize, c: usize, d: usize, x: T| out.d2tau_dqdv[d][(r, c)] += x;
        // Derivative of M_rc by q_d.
        let mut m = |r: usize, c: usize, d: usize, x: T| out.d2tau_dqda[c][(r, d)] += x;
        let (ab, bc) = (self.a.body != self.b.body, self.b.body != column.body);
        let deepest = dot(&self.x0, r) + dot(&self.x1, p);
        h(a, b, c, deepest);
        qv(a, c, b, -dot(&self.k, p));
        if ab {
            let between = dot(&self.y1, r) + dot(&self.y3, p);
            h(b, a, c, between);
            h(b, c, a, between);
            let ks = dot(&self.k, s);
            w(b, a, c, ks);
            w(b, c, a, ks);
            let ys = dot(&self.y1, s);
            m(b, c, a, ys);
            if bc {
                m(c, b, a, ys);
            }
            qv(b, a, c, dot(&self.y3, s) + dot(&self.y1, x));
            qv(b, c, a, dot(&self.k, p));
        }
        if bc {
            h(a, c, b, deepest);
            let ks = -dot(&self.k, s);
            w(a, b, c, ks);
            w(a, c, b, ks);
            let xs = dot(&self.x0, s);
            m(c, a, b, xs);
            m(a, c, b, xs);
            let above = dot(&self.z, s);
            h(c, a, b, above);
            qv(a, b, c, dot(&self.x1, s) + dot(&self.x0, x));
            let ws = dot(&self.w, s);
            w(c, a, b, ws);
            if ab {
                h(c, b, a, above);
                w(c, b, a, ws);
                qv(c, b, a, dot(&self.zx, s));
            }
            qv(c, a, b, dot(&self.ux, s));
        } else {
            let i = &self.of.i;
            let both = force_cross(&self.b.s, &mul(i, s)) + force_cross(s, &mul(i, &self.b.s));
            w(a, b, c, dot(&self.a.s, &both));
        }
    }
}

/// Computes second derivatives of forward dynamics. Slow, and allocates.
///
/// External forces are constant in the body frames.
/// The result follows from second derivatives of inverse dynamics at the accelerations of forward dynamics
/// (docs/math.md#second-derivatives).
pub fn aba_second_derivatives<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    fext: Option<&[Vector6<T>]>,
) -> AbaSecondDerivatives<T> {
    let ddq = aba(model, data, q, v, tau, fext).clone();
    let first = aba_derivatives(model, data, q, v, tau, fext).clone();
    let second = rnea_second_derivatives(model, data, q, v, ddq.as_slice(), fext);
    let n = model.nv;
    // Derivative dM/dq_c.
    let mass: Vec<DMatrix<T>> =
        (0..n).map(|c| DMatrix::from_fn(n, n, |r, k| second.d2tau_dqda[k][(r, c)])).collect();
    let inverse = &first.ddq_dtau;
    let solved = |x: DMatrix<T>| -(inverse * x);
    // Column c of page d: dM/dq_c times column d of a first derivative.
    let times = |by: &DMatrix<T>, c: usize, d: usize| &mass[c] * by.column(d);
    let page = |d: usize, own: &DMatrix<T>, by: &DMatrix<T>, both: bool| {
        let mut x = own.clone();
        for c in 0..n {
            let mut column = x.column_mut(c);
            column += times(by, c, d);
            if both {
                column += times(by, d, c);
            }
        }
        solved(x)
    };
    let by_tau = |e: usize| {
        let mut x = DMatrix::zeros(n, n);
        for d in 0..n {
            x.set_column(d, &times(inverse, d, e));
        }
        solved(x)
    };
    AbaSecondDerivatives {
        d2ddq_dqdq: (0..n).map(|d| page(d, &second.d2tau_dqdq[d], &first.ddq_dq, true)).collect(),
        d2ddq_dqdv: (0..n).map(|d| page(d, &second.d2tau_dqdv[d], &first.ddq_dv, false)).collect(),
        d2ddq_dvdv: second.d2tau_dvdv.iter().map(|w| solved(w.clone())).collect(),
        d2ddq_dqdtau: (0..n).map(by_tau).collect(),
    }
}
