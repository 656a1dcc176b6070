//! All second derivatives of inverse dynamics (docs/math.md#second-derivatives): the loops of
//! [Singh-2023] over columns of a path, in one frame.
//!
//! Limbs may be lanes: the entries of different limbs have no terms in common.
//!
//! In link frames the columns would be unit vectors. But their factors would have to be moved along
//! each path, which costs as much.

use super::one_frame::{Column, OneFrame, Subtree};
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, Force, SpatialInertia, Vec3};
use crate::algorithms::strategy::Algorithm;
use crate::signatures::second_order::{D2TAU_DQDA, D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV};
use crate::signatures::signature::{A, FEXT, V};
use crate::tree::Lane;
use rbd_ir::graph::Expr;

/// The four tensors.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, a, fext) = (draft.param(V), draft.param(A), draft.optional(FEXT));
    let Algorithm::OneFrame(body) = draft.strategy.algorithm else {
        unreachable!("{} is no way to tensors", draft.strategy)
    };
    let (v, a) = (robot.coordinates(v), robot.coordinates(a));
    let one = OneFrame::new(robot, body.map(usize::from), [&v, &a], fext);
    let mut tensors = Tensors::new(robot, &one);
    for i in robot.inward() {
        tensors.of_body(robot, &one, i);
    }
    // Joint friction is of one velocity.
    for i in robot.outward() {
        for (k, v) in v.of(i).iter().enumerate() {
            let (row, curvature) =
                (&tensors.rows_of(robot, i, (i, k)), robot.bodies[i].resistance_curvature(*v));
            for (lane, to) in places(tensors.rows, [row; 3]).enumerate() {
                tensors.vv[to] += curvature.lane(lane);
            }
        }
    }
    let coordinates = Coordinates::of(robot);
    let Tensors { qq, qv, vv, qa, .. } = tensors;
    for (output, entries) in [(D2TAU_DQDQ, qq), (D2TAU_DQDV, qv), (D2TAU_DVDV, vv), (D2TAU_DQDA, qa)] {
        draft.give(output, coordinates.merged(robot.tree.nv, &entries));
    }
}

/// Tensors over rows, which are the columns of all joints' motion subspaces.
///
/// Entry (row, first, second) is the derivative of the row's torque by the first variable's
/// coordinate of one row and the second variable's coordinate of another.
struct Tensors<'g> {
    /// The first row of each lane of each body.
    first: Vec<Vec<usize>>,
    rows: usize,
    qq: Vec<Expr<'g>>,
    qv: Vec<Expr<'g>>,
    vv: Vec<Expr<'g>>,
    qa: Vec<Expr<'g>>,
}

/// Products of a column with its subtree's quantities.
struct Own<'g> {
    /// `I s`.
    momentum: Force<'g>,
    /// The moment of `B^T s`, whose force is zero.
    turned: Vec3<'g>,
    /// `B(I, s)`.
    operator: Coriolis<'g>,
    /// `s o I`.
    variation: SpatialInertia<'g>,
    /// `s o B + B(I, p)`.
    rate: Coriolis<'g>,
    /// `s x* F + I r + B p`.
    by_q: Force<'g>,
    /// `B s + I x`.
    by_v: Force<'g>,
}

impl<'g> Own<'g> {
    fn new(Column { s, p, r, x }: Column<'g>, Subtree { inertia, coriolis, force }: Subtree<'g>) -> Self {
        Self {
            momentum: inertia * s,
            turned: coriolis.transpose_mul(s).ang,
            operator: Coriolis::new(inertia, s),
            variation: inertia.variation(s),
            rate: coriolis.variation(s) + Coriolis::new(inertia, p),
            by_q: s.cross_force(force) + inertia * r + coriolis * p,
            by_v: coriolis * s + inertia * x,
        }
    }
}

/// A row in each lane of a body.
type Rows = Vec<usize>;

impl<'g> Tensors<'g> {
    fn new(robot: &SymbolicRobot<'g>, one: &OneFrame<'g>) -> Self {
        let mut rows = 0;
        let mut next = |count: usize| {
            rows += count;
            rows - count
        };
        let lanes = |i: usize| robot.tree.bodies[i].lanes.iter();
        let first = robot.outward().map(|i| lanes(i).map(|_| next(one.columns[i].len())).collect()).collect();
        let zeros = || vec![Expr::ZERO; rows * rows * rows];
        Self { first, rows, qq: zeros(), qv: zeros(), vv: zeros(), qa: zeros() }
    }

    /// The row of column `k` of body `j`, which carries body `i` or is it, for each lane of `i`.
    fn rows_of(&self, robot: &SymbolicRobot<'g>, i: usize, (j, k): (usize, usize)) -> Rows {
        // A body on the path carries every lane.
        robot.carrying(j, i).into_iter().flatten().map(|lane| self.first[j][lane] + k).collect()
    }

    /// Entries whose deepest column belongs to this body.
    fn of_body(&mut self, robot: &SymbolicRobot<'g>, one: &OneFrame<'g>, i: usize) {
        let own: Vec<Own> = one.columns[i].iter().map(|c| Own::new(*c, one.subtrees[i])).collect();
        // The path, with the rows of each body's columns.
        let rows_of = |j: usize| (0..one.columns[j].len()).map(|k| self.rows_of(robot, i, (j, k))).collect();
        let path: Vec<(usize, Vec<Rows>)> = one.path(i).map(|j| (j, rows_of(j))).collect();
        for (ka, of_a) in own.iter().enumerate() {
            let (a, s_a, p_a) = (&path[0].1[ka], one.columns[i][ka].s, one.columns[i][ka].p);
            for (at, (j, rows)) in path.iter().enumerate() {
                let j = *j;
                for (kb, (b, column_b)) in rows.iter().zip(&one.columns[j]).enumerate() {
                    let Column { s: s_b, p: p_b, r: r_b, x: x_b } = *column_b;
                    let x0 = s_b.cross_force(of_a.momentum);
                    let (along, rate) = (of_a.variation * s_b, of_a.variation * p_b);
                    // B(I, p_b)^T s_a is p_b x* I s_a less the variation's part of p_b.
                    let x1 = s_b.ang.cross(of_a.turned) + (p_b.cross_force(of_a.momentum) - rate).ang;
                    // B(I, s_a)^T s_b: zero for a column with itself.
                    let k = if a == b { Vec3::ZERO } else { (along - x0).ang };
                    let turned = of_a.rate.transpose_mul(s_b).ang;
                    let z = s_b.cross_force(of_a.by_q) + of_a.variation * r_b + of_a.rate * p_b;
                    let zx = s_b.cross_force(of_a.by_v) + of_a.operator * p_b;
                    let ux = of_a.rate * s_b + of_a.variation * x_b;
                    let beyond = of_a.operator * s_b;
                    // Of two columns of one joint.
                    let both = (j == i).then(|| {
                        let of_b = &own[kb];
                        let by_v = s_a.cross_force(of_b.by_v) + of_b.operator * p_a;
                        (s_a.cross_force(of_b.momentum) + x0, by_v)
                    });
                    for (l, rows) in &path[at..] {
                        for (kc, (c, Column { s, p, r, x })) in rows.iter().zip(&one.columns[*l]).enumerate()
                        {
                            let (same, kp) = (*l == j, k.dot(p.ang));
                            let qq = r.dot(x0) + x1.dot(p.ang);
                            self.set_qq([a, b, c], qq, !same);
                            self.set_qv([a, c, b], -kp);
                            if j != i {
                                self.set_qq([b, a, c], r.dot(along) + turned.dot(p.ang), true);
                                self.set_vv([b, a, c], k.dot(s.ang));
                                let qa = s.dot(along);
                                self.set_qa([b, a, c], qa);
                                self.set_qa([c, a, b], qa);
                                self.set_qv([b, a, c], turned.dot(s.ang) + x.dot(along));
                                self.set_qv([b, c, a], kp);
                            }
                            if same {
                                // A column with itself, and the only column of a joint, contribute
                                // nothing.
                                let alone = j == i && one.columns[i].len() == 1;
                                if kc <= kb && !alone {
                                    self.set_vv([a, b, c], -s.dot(along));
                                }
                                continue;
                            }
                            let qa = s.dot(x0);
                            self.set_vv([a, b, c], -k.dot(s.ang));
                            self.set_qa([c, b, a], qa);
                            self.set_qa([a, b, c], qa);
                            self.set_qq([c, a, b], s.dot(z), j != i);
                            self.set_qv([c, b, a], s.dot(zx));
                            self.set_qv([a, b, c], x1.dot(s.ang) + x.dot(x0));
                            match both {
                                None => {
                                    self.set_vv([c, a, b], s.dot(beyond));
                                    self.set_qv([c, a, b], s.dot(ux));
                                }
                                Some((vv, qv)) => {
                                    if kb <= ka {
                                        self.set_vv([c, a, b], s.dot(vv));
                                    }
                                    self.set_qv([c, a, b], s.dot(qv));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Sets an entry of each lane, in both orders of the variables if the order does not matter.
    fn set_qq(&mut self, at: [&Rows; 3], x: Expr<'g>, is_symmetric: bool) {
        set(&mut self.qq, self.rows, at, x);
        if is_symmetric {
            set(&mut self.qq, self.rows, swapped(at), x);
        }
    }

    fn set_qv(&mut self, at: [&Rows; 3], x: Expr<'g>) {
        set(&mut self.qv, self.rows, at, x);
    }

    fn set_vv(&mut self, at: [&Rows; 3], x: Expr<'g>) {
        set(&mut self.vv, self.rows, at, x);
        set(&mut self.vv, self.rows, swapped(at), x);
    }

    fn set_qa(&mut self, at: [&Rows; 3], x: Expr<'g>) {
        set(&mut self.qa, self.rows, at, x);
    }
}

/// Places of an entry of each lane, in a tensor over so many rows.
fn places(rows: usize, [row, first, second]: [&Rows; 3]) -> impl Iterator<Item = usize> {
    let each = row.iter().zip(first).zip(second);
    each.map(move |((row, first), second)| (second * rows + first) * rows + row)
}

/// Sets an entry of each lane of a tensor.
fn set<'g>(tensor: &mut [Expr<'g>], rows: usize, at: [&Rows; 3], x: Expr<'g>) {
    for (lane, to) in places(rows, at).enumerate() {
        tensor[to] = x.lane(lane);
    }
}

/// The variables in the other order.
fn swapped([row, first, second]: [&Rows; 3]) -> [&Rows; 3] {
    [row, second, first]
}

/// The coordinate that each row moves with, and how far.
struct Coordinates(Vec<(usize, f64)>);

impl Coordinates {
    fn of(robot: &SymbolicRobot<'_>) -> Self {
        let of_body = |i: usize| {
            let columns = 0..robot.bodies[i].columns.len();
            let of_lane = move |lane: &Lane| {
                columns.clone().map({
                    let (first, multiplier) = (lane.idx_v, lane.multiplier);
                    move |k| (first + k, multiplier)
                })
            };
            robot.tree.bodies[i].lanes.iter().flat_map(of_lane)
        };
        Self(robot.outward().flat_map(of_body).collect())
    }

    /// A tensor over coordinates, its pages side by side: entries of rows that share a coordinate add up.
    fn merged<'g>(&self, nv: usize, entries: &[Expr<'g>]) -> ExprMatrix<'g> {
        let mut out = ExprMatrix::zeros(nv, nv * nv);
        let mut entries = entries.iter();
        for (second, by_second) in &self.0 {
            for (first, by_first) in &self.0 {
                for ((row, by_row), x) in self.0.iter().zip(&mut entries) {
                    let by = by_row * by_first * by_second;
                    out[(*row, second * nv + first)] += *x * Expr::constant(by);
                }
            }
        }
        out
    }
}
