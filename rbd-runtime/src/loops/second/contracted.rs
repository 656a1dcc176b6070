//! Value, gradient and Hessians of `mu . tau` (docs/math.md#contracted-second-derivatives), and the first derivatives of tau by
//! the same loops: for each row d, registers of rows that its joint carries.

use super::super::tables::{Rows, Tables};
use super::super::{LANES, Register};
use super::operators::*;
use super::square::{Square, add_to};
use super::state::State;
use super::vectors::*;
use crate::Scalar;

/// What is multiplied with a shallower row's columns, for each row: of first derivatives.
pub struct Forces<S, const P: usize> {
    /// `s x* F + I r + B p`.
    pub by_q: Rows<S, 6, P>,
    /// `B s + I x`.
    pub by_v: Rows<S, 6, P>,
    /// `I s`.
    pub by_a: Rows<S, 6, P>,
}

/// The same for the Hessians.
struct Contracted<S, const P: usize> {
    /// g1.
    along_r: Rows<S, 6, P>,
    /// g2.
    along_p: Rows<S, 6, P>,
    /// h1.
    back: Rows<S, 3, P>,
    /// hv.
    by_vv: Rows<S, 6, P>,
    /// `s x* P`.
    turned: Rows<S, 6, P>,
}

/// `mu . tau` and its derivatives.
pub struct Hessian<'a, S> {
    /// The value, in the first place.
    pub value: &'a mut [S],
    /// Gradient by q, v and a.
    pub gradient: [&'a mut [S]; 3],
    /// Second derivatives by q and q, q and v, v and v, q and a: column after column.
    pub blocks: [&'a mut [S]; 4],
}

/// Derivatives of tau, column after column.
pub struct Jacobians<'a, S> {
    /// By q and v.
    pub by: [&'a mut [S]; 2],
}

/// Makes all of it zero.
#[inline(always)]
pub fn clear<S: Scalar>(x: &mut [S]) {
    for x in x {
        *x = S::zero();
    }
}

/// The coordinates of the rows, where they are not the rows themselves.
#[inline(always)]
fn merged<'a, const P: usize>(tables: &Tables<'a, P>) -> &'a [u16] {
    if tables.topology.merges() { tables.topology.coordinate } else { &[] }
}

impl<S: Scalar, const P: usize> Forces<S, P> {
    /// Of a state.
    #[inline(always)]
    pub fn new<X: Register<S>>(tables: &Tables<'_, P>, state: &State<S, P>) -> Self {
        let mut out = Self { by_q: Rows::zeros(), by_v: Rows::zeros(), by_a: Rows::zeros() };
        let mut row = 0;
        while row < tables.topology.rows {
            let (i, b) = (state.inertia.load::<X>(row), state.coriolis.load::<X>(row));
            let (s, p) = (state.s.load::<X>(row), state.p.load::<X>(row));
            let (r, x) = (state.r.load::<X>(row), state.x.load::<X>(row));
            let g = add(inertia_times(i, r), coriolis_times(b, angular(p)));
            out.by_q.store(row, add(force_cross(s, state.force.load::<X>(row)), g));
            out.by_v.store(row, add(coriolis_times(b, angular(s)), inertia_times(i, x)));
            out.by_a.store(row, inertia_times(i, s));
            row += LANES;
        }
        out
    }

    /// M, full and symmetric to the last bit, armature included.
    #[inline(always)]
    pub fn mass<X: Register<S>>(&self, tables: &Tables<'_, P>, state: &State<S, P>, out: &mut [S]) {
        let (topology, merged, n) = (&tables.topology, merged(tables), tables.damping.len());
        clear(out);
        let mut da = Square { of: out, n, merged };
        for joint in topology.joints {
            let (first, count) = (usize::from(joint.first), joint.kind.nv());
            if first >= topology.end.len() {
                return;
            }
            let end = usize::from(topology.end[first]);
            for d in first..first + count {
                let s = state.s.splat::<X>(d);
                let mut c = d;
                while c < end {
                    let lanes = (end - c).min(LANES);
                    let m = dot(self.by_a.load::<X>(c), s);
                    da.column(c, d, m, 0, lanes);
                    da.row(d, c, m, usize::from(c == d), lanes);
                    c += LANES;
                }
            }
        }
        for k in 0..n.min(tables.armature.len()) {
            if let Some(m) = da.of.get_mut(k * n + k) {
                *m += S::from_f64(tables.armature[k]);
            }
        }
    }

    /// First derivatives of tau by q and v, damping included.
    #[inline(always)]
    pub fn jacobians<X: Register<S>>(
        &self,
        tables: &Tables<'_, P>,
        state: &State<S, P>,
        out: Jacobians<'_, S>,
    ) {
        let (topology, merged) = (&tables.topology, merged(tables));
        let n = tables.damping.len();
        let [by_q, by_v] = out.by;
        clear(by_q);
        clear(by_v);
        let mut dq = Square { of: by_q, n, merged };
        let mut dv = Square { of: by_v, n, merged };
        let mut moment = Rows::<S, 3, P>::zeros();
        let mut row = 0;
        while row < topology.rows {
            let b = state.coriolis.load::<X>(row);
            moment.store(row, coriolis_transposed(b, state.s.load::<X>(row)));
            row += LANES;
        }
        for joint in topology.joints {
            let (first, count) = (usize::from(joint.first), joint.kind.nv());
            if first >= topology.end.len() {
                return;
            }
            let end = usize::from(topology.end[first]);
            for d in first..first + count {
                let (s, p) = (state.s.splat::<X>(d), state.p.splat::<X>(d));
                let (r, x) = (state.r.splat::<X>(d), state.x.splat::<X>(d));
                let mut c = first;
                while c < end {
                    let lanes = (end - c).min(LANES);
                    // The lanes of the joint's own rows.
                    let own = (first + count).saturating_sub(c).min(lanes);
                    let (is, bs) = (self.by_a.load::<X>(c), moment.load::<X>(c));
                    dq.column(c, d, dot_add(is, r, dot(bs, angular(p))), 0, lanes);
                    dv.column(c, d, dot_add(is, x, dot(bs, angular(s))), 0, lanes);
                    dq.row(d, c, dot(self.by_q.load::<X>(c), s), own, lanes);
                    dv.row(d, c, dot(self.by_v.load::<X>(c), s), own, lanes);
                    c += LANES;
                }
            }
        }
        for k in 0..n {
            if let Some(x) = dv.of.get_mut(k * n + k) {
                *x += S::from_f64(tables.damping[k]);
            }
        }
    }
}

impl<S: Scalar, const P: usize> Contracted<S, P> {
    #[inline(always)]
    fn new<X: Register<S>>(tables: &Tables<'_, P>, state: &State<S, P>) -> Self {
        let mut out = Self {
            along_r: Rows::zeros(),
            along_p: Rows::zeros(),
            back: Rows::zeros(),
            by_vv: Rows::zeros(),
            turned: Rows::zeros(),
        };
        let mut row = 0;
        while row < tables.topology.rows {
            let (i, b) = (state.inertia.load::<X>(row), state.coriolis.load::<X>(row));
            let (s, p, o) = (state.s.load::<X>(row), state.p.load::<X>(row), state.o.load::<X>(row));
            let (momentum, moment, operator) = parts(state.multiplied.load::<X>(row));
            let turned = force_cross(s, momentum);
            out.turned.store(row, turned);
            out.along_r.store(row, add(inertia_times(i, o), turned));
            let twice = force_cross(p, momentum);
            let g = sub(add(twice, twice), coriolis_times(operator, angular(p)));
            let m = add(coriolis_transposed(b, o), cross(angular(s), moment));
            out.along_p.store(row, join(linear(g), add(angular(g), m)));
            out.back.store(row, neg(coriolis_transposed(operator, s)));
            out.by_vv.store(row, sub(turned, coriolis_times(operator, angular(s))));
            row += LANES;
        }
        out
    }
}

/// `P`, `Q` and `R` of a register of rows.
#[inline(always)]
fn parts<L: Lane>(x: [L; 21]) -> (V6<L>, V3<L>, [L; 12]) {
    (
        [x[0], x[1], x[2], x[3], x[4], x[5]],
        [x[6], x[7], x[8]],
        [x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16], x[17], x[18], x[19], x[20]],
    )
}

/// Value and gradient of `mu . tau`.
#[inline(always)]
fn gradient<S: Scalar, X: Register<S>, const P: usize>(
    tables: &Tables<'_, P>,
    state: &State<S, P>,
    [v, a, mu]: [&[S]; 3],
    value: &mut [S],
    [by_q, by_v, by_a]: [&mut [S]; 3],
) {
    let topology = &tables.topology;
    clear(by_q);
    clear(by_v);
    clear(by_a);
    let mut row = 0;
    // w . f over the roots' subtrees is the sum over all rows of mu (s . F).
    let mut sum = S::zero();
    while row < topology.rows {
        let count = (topology.rows - row).min(LANES);
        let (momentum, moment, _) = parts(state.multiplied.load::<X>(row));
        let (s, p) = (state.s.load::<X>(row), state.p.load::<X>(row));
        let (r, x, o) = (state.r.load::<X>(row), state.x.load::<X>(row), state.o.load::<X>(row));
        let force = state.force.load::<X>(row);
        let q = dot_add(o, force, dot_add(r, momentum, dot(angular(p), moment)));
        add_to(by_q, topology.coordinate, row, q, count);
        add_to(by_v, topology.coordinate, row, dot_add(x, momentum, dot(angular(s), moment)), count);
        add_to(by_a, topology.coordinate, row, dot(s, momentum), count);
        let tau = dot(s, force).lanes();
        for k in 0..count {
            if row + k < topology.coordinate.len() {
                let c = usize::from(topology.coordinate[row + k]);
                if c < mu.len() {
                    sum = mu[c].mul_add(tau[k], sum);
                }
            }
        }
        row += LANES;
    }
    let n = mu.len().min(tables.armature.len()).min(tables.damping.len());
    for c in 0..n.min(v.len()).min(a.len()).min(by_v.len()).min(by_a.len()) {
        let (armature, damping) = (S::from_f64(tables.armature[c]), S::from_f64(tables.damping[c]));
        sum = mu[c].mul_add(armature.mul_add(a[c], damping * v[c]), sum);
        by_v[c] = damping.mul_add(mu[c], by_v[c]);
        by_a[c] = armature.mul_add(mu[c], by_a[c]);
    }
    if let Some(value) = value.first_mut() {
        *value = sum;
    }
}

/// `mu . tau` and its derivatives at a state that was filled with the same v, a and mu.
#[inline(always)]
pub fn hessian<S: Scalar, X: Register<S>, const P: usize>(
    tables: &Tables<'_, P>,
    state: &State<S, P>,
    forces: &Forces<S, P>,
    given: [&[S]; 3],
    out: Hessian<'_, S>,
) {
    gradient::<S, X, P>(tables, state, given, out.value, out.gradient);
    let with = Contracted::new::<X>(tables, state);
    let (topology, merged) = (&tables.topology, merged(tables));
    let n = tables.damping.len();
    let [qq, qv, vv, qa] = out.blocks;
    clear(qq);
    clear(qv);
    clear(vv);
    clear(qa);
    let mut qq = Square { of: qq, n, merged };
    let mut qv = Square { of: qv, n, merged };
    let mut vv = Square { of: vv, n, merged };
    let mut qa = Square { of: qa, n, merged };
    for joint in topology.joints {
        let (first, count) = (usize::from(joint.first), joint.kind.nv());
        if first >= topology.end.len() {
            return;
        }
        let end = usize::from(topology.end[first]);
        for d in first..first + count {
            let (s, p, r) = (state.s.splat::<X>(d), state.p.splat::<X>(d), state.r.splat::<X>(d));
            let (x, o) = (state.x.splat::<X>(d), state.o.splat::<X>(d));
            let mut c = first;
            if count > 1 {
                // Within one joint every ordered pair is on its own; what is symmetric is made once.
                qq.column(c, d, by_qq(forces, &with, c, o, r, p), 0, count);
                qv.row(d, c, by_qv(forces, &with, c, o, p), 0, count);
                qa.row(d, c, dot(forces.by_a.load::<X>(c), o), 0, count);
                let own = dot(with.by_vv.load::<X>(c), s);
                vv.column(c, d, own, d - first, count);
                vv.row(d, c, own, d - first + 1, count);
                c += count;
            }
            while c < end {
                let lanes = (end - c).min(LANES);
                // A joint of one row has its own entry in the first lane.
                let skip = usize::from(c == d);
                let h = by_qq(forces, &with, c, o, r, p);
                qq.column(c, d, h, 0, lanes);
                qq.row(d, c, h, skip, lanes);
                let (g1, g2) = (with.along_r.load::<X>(c), with.along_p.load::<X>(c));
                let sg = dot(g1, s);
                qv.column(c, d, dot_add(g2, s, dot(g1, x)), 0, lanes);
                qv.row(d, c, by_qv(forces, &with, c, o, p), skip, lanes);
                qa.column(c, d, sg, 0, lanes);
                qa.row(d, c, dot(forces.by_a.load::<X>(c), o), skip, lanes);
                let w = dot_add(with.by_vv.load::<X>(c), s, dot(with.turned.load::<X>(c), s));
                vv.column(c, d, w, 0, lanes);
                vv.row(d, c, w, skip, lanes);
                c += LANES;
            }
        }
    }
}

/// By q_d of the derivative by q_c, for rows from c on.
#[inline(always)]
fn by_qq<S: Scalar, X: Register<S>, const P: usize>(
    forces: &Forces<S, P>,
    with: &Contracted<S, P>,
    c: usize,
    o: V6<Wide<S, X>>,
    r: V6<Wide<S, X>>,
    p: V6<Wide<S, X>>,
) -> Wide<S, X> {
    dot_add(
        forces.by_q.load::<X>(c),
        o,
        dot_add(with.along_r.load::<X>(c), r, dot(with.along_p.load::<X>(c), p)),
    )
}

/// By v_c of the derivative by q_d, for rows from c on.
#[inline(always)]
fn by_qv<S: Scalar, X: Register<S>, const P: usize>(
    forces: &Forces<S, P>,
    with: &Contracted<S, P>,
    c: usize,
    o: V6<Wide<S, X>>,
    p: V6<Wide<S, X>>,
) -> Wide<S, X> {
    dot_add(forces.by_v.load::<X>(c), o, dot(with.back.load::<X>(c), angular(p)))
}
