//! The mass matrix where limbs are lanes: a row stands for as many degrees of freedom as it has lanes.

use super::joints::{Coordinates, Robot};
use super::{Array, crba};
use crate::graph::Expr;
use std::collections::BTreeMap;

/// The rows of a robot's degrees of freedom, and which of them lie on one path.
pub struct Rows {
    /// Body and column of each row.
    of: Vec<(usize, usize)>,
    /// Lanes of each row.
    lanes: Vec<u8>,
    /// For each row and lane, the degree of freedom and the joint's ratio to it.
    dofs: Vec<Vec<(usize, f64)>>,
    /// For each row, those of the bodies that carry it and of its own body, up to itself.
    ancestors: Vec<Vec<usize>>,
}

impl Rows {
    pub fn new(robot: &Robot<'_>) -> Self {
        let mut of = Vec::new();
        for i in robot.outward() {
            of.extend((0..robot.bodies[i].columns.len()).map(|k| (i, k)));
        }
        let lanes = of.iter().map(|&(i, _)| robot.bodies[i].lanes).collect();
        let dofs = of
            .iter()
            .map(|&(i, k)| robot.tree.bodies[i].lanes.iter().map(|l| (l.idx_v + k, l.multiplier)).collect())
            .collect();
        let on_path = |r: usize, s: usize| {
            let (i, j): (&(usize, usize), &(usize, usize)) = (&of[r], &of[s]);
            s <= r && robot.tree.path(i.0).any(|b| b == j.0)
        };
        let ancestors = (0..of.len()).map(|r| (0..=r).filter(|&s| on_path(r, s)).collect()).collect();
        Self { of, lanes, dofs, ancestors }
    }

    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// The row of a body's column.
    fn index(&self, body_column: (usize, usize)) -> usize {
        self.of.binary_search(&body_column).expect("rows are all the columns, in order")
    }

    /// A vector over the degrees of freedom, by rows.
    pub fn gather<'g>(&self, robot: &Robot<'g>, x: &Array<'g>) -> Vec<Expr<'g>> {
        self.vector(&robot.spread(&|dof| x[(dof, 0)]))
    }

    /// A quantity of the columns, one expression a row.
    pub fn vector<'g>(&self, x: &Coordinates<'g>) -> Vec<Expr<'g>> {
        self.of.iter().map(|&(i, k)| x.of(i)[k]).collect()
    }

    /// Rows as a quantity of the columns.
    pub fn coordinates<'g>(&self, x: &[Expr<'g>]) -> Coordinates<'g> {
        let bodies = self.of.last().map_or(0, |(i, _)| i + 1);
        let mut out = vec![Vec::new(); bodies];
        for (&(i, _), x) in self.of.iter().zip(x) {
            out[i].push(*x);
        }
        Coordinates(out)
    }
}

/// Sums that go from limbs to the trunk that carries them: kept in lanes until they are asked for, so that the lanes
/// of a sum are added up once, and not those of each term.
struct Gathered<'g> {
    /// By place and number of lanes.
    sums: BTreeMap<(usize, usize), BTreeMap<u8, Expr<'g>>>,
}

impl<'g> Gathered<'g> {
    fn new() -> Self {
        Self { sums: BTreeMap::new() }
    }

    /// Adds `x`, which stands for so many lanes.
    fn add(&mut self, at: (usize, usize), lanes: u8, x: Expr<'g>) {
        *self.sums.entry(at).or_default().entry(lanes).or_insert(Expr::ZERO) += x;
    }

    /// All that has been added.
    fn take(&mut self, at: (usize, usize)) -> Expr<'g> {
        let sums = self.sums.remove(&at).unwrap_or_default();
        sums.into_iter().map(|(lanes, sum)| sum.horizontal_sum(lanes)).sum()
    }
}

/// The lower triangle of the mass matrix, by rows.
pub fn mass_matrix<'g>(robot: &Robot<'g>, rows: &Rows) -> Array<'g> {
    let mut m = Array::zeros(rows.count(), rows.count());
    crba::for_each_entry(robot, |row, column, x| {
        let (row, column) = (rows.index(row), rows.index(column));
        if column <= row {
            m[(row, column)] = x;
        }
    });
    m
}

/// The factors of `M = L^T D L` by rows (Featherstone 2008, section 6.3), all lanes of a row at once.
pub struct PackedLtl<'g> {
    rows: Rows,
    l: Array<'g>,
    d_inv: Vec<Expr<'g>>,
}

impl<'g> PackedLtl<'g> {
    /// Factors the lower triangle of a mass matrix by rows.
    pub fn new(rows: Rows, m: &Array<'g>) -> Self {
        let n = rows.count();
        let mut l = m.clone();
        let mut d_inv = vec![Expr::ZERO; n];
        let mut gathered = Gathered::new();
        for k in (0..n).rev() {
            for &i in &rows.ancestors[k] {
                l[(k, i)] -= gathered.take((k, i));
            }
            d_inv[k] = l[(k, k)].recip();
            let path: Vec<usize> = rows.ancestors[k].iter().copied().filter(|&i| i != k).collect();
            let scaled: Vec<Expr> = path.iter().map(|&i| l[(k, i)] * d_inv[k]).collect();
            for (x, &i) in path.iter().enumerate() {
                for &j in &path[..=x] {
                    let change = scaled[x] * l[(k, j)];
                    if rows.lanes[i].max(rows.lanes[j]) < rows.lanes[k] {
                        gathered.add((i, j), rows.lanes[k], change);
                    } else {
                        l[(i, j)] -= change;
                    }
                }
            }
            for (x, &i) in path.iter().enumerate() {
                l[(k, i)] = scaled[x];
            }
        }
        Self { rows, l, d_inv }
    }

    /// What the rows stand for.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// `M^-1 b`, one expression a row.
    pub fn solve(&self, b: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut x = b.to_vec();
        let mut gathered = Gathered::new();
        for k in (0..x.len()).rev() {
            x[k] -= gathered.take((k, k));
            for i in self.rows.ancestors[k].iter().copied().filter(|&i| i != k) {
                let change = self.l[(k, i)] * x[k];
                if self.rows.lanes[i] < self.rows.lanes[k] {
                    gathered.add((i, i), self.rows.lanes[k], change);
                } else {
                    x[i] -= change;
                }
            }
        }
        for k in 0..x.len() {
            let mut sum = x[k] * self.d_inv[k];
            for i in self.rows.ancestors[k].iter().copied().filter(|&i| i != k) {
                sum -= self.l[(k, i)] * x[i];
            }
            x[k] = sum;
        }
        x
    }

    /// `M^-1 = L^-1 D^-1 L^-T` over the degrees of freedom.
    pub fn inverse(&self, nv: usize) -> Array<'g> {
        let (rows, n) = (&self.rows, self.rows.count());
        let g = self.inverse_of_l();
        let scaled = |i: usize, k: usize| g[(i, k)] * self.d_inv[k];
        let mut out = Array::zeros(nv, nv);
        for i in 0..n {
            for j in 0..=i {
                let common: Vec<usize> =
                    rows.ancestors[j].iter().copied().filter(|k| rows.ancestors[i].contains(k)).collect();
                let product = |k: usize| scaled(i, k) * g[(j, k)];
                if rows.lanes[i] == 1 || rows.lanes[j] == 1 {
                    let x: Expr = common.iter().map(|&k| product(k)).sum();
                    for (lane, &(row, r)) in rows.dofs[i].iter().enumerate() {
                        for (other, &(column, c)) in rows.dofs[j].iter().enumerate() {
                            // At most one of the two has lanes.
                            let x = x.lane(lane.max(other)) * Expr::constant(r * c);
                            (out[(row, column)], out[(column, row)]) = (x, x);
                        }
                    }
                    continue;
                }
                // Lanes on both sides: what goes through the limb itself stays in its lane, what goes
                // through the trunk that carries them all reaches every pair of lanes.
                let own: Expr = common.iter().filter(|&&k| rows.lanes[k] > 1).map(|&k| product(k)).sum();
                for (other, &(column, c)) in rows.dofs[j].iter().enumerate() {
                    let trunk: Expr = common
                        .iter()
                        .filter(|&&k| rows.lanes[k] == 1)
                        .map(|&k| scaled(i, k) * g[(j, k)].lane(other))
                        .sum();
                    for (lane, &(row, r)) in rows.dofs[i].iter().enumerate() {
                        if i == j && lane < other {
                            continue;
                        }
                        let mut x = trunk.lane(lane);
                        if lane == other {
                            x += own.lane(lane);
                        }
                        let x = x * Expr::constant(r * c);
                        (out[(row, column)], out[(column, row)]) = (x, x);
                    }
                }
            }
        }
        out
    }

    /// `G = L^-1` and `H = D^-1 G^T` over the degrees of freedom, whose product is `M^-1`.
    pub fn factors_of_inverse(&self, nv: usize) -> (Array<'g>, Array<'g>) {
        let (rows, by_rows) = (&self.rows, self.inverse_of_l());
        let (mut g, mut h) = (Array::zeros(nv, nv), Array::zeros(nv, nv));
        for k in 0..rows.count() {
            for &i in &rows.ancestors[k] {
                let scaled = by_rows[(k, i)] * self.d_inv[i];
                for (lane, &(row, ratio)) in rows.dofs[k].iter().enumerate() {
                    // An ancestor is of the same limb, or carries all of them.
                    let ancestor = rows.dofs[i][lane.min(rows.dofs[i].len() - 1)].0;
                    g[(row, ancestor)] = by_rows[(k, i)].lane(lane) * Expr::constant(ratio);
                    h[(ancestor, row)] = scaled.lane(lane) * Expr::constant(ratio);
                }
            }
        }
        (g, h)
    }

    /// `G = L^-1`, by rows: `g_k = e_k - sum_{i<k} l_ki g_i`.
    fn inverse_of_l(&self) -> Array<'g> {
        let n = self.rows.count();
        let mut g: Array = Array::zeros(n, n);
        for k in 0..n {
            g[(k, k)] = Expr::ONE;
            let path = &self.rows.ancestors[k];
            for (x, &j) in path.iter().enumerate().filter(|(_, j)| **j != k) {
                let through = path[x..].iter().filter(|&&i| i != k);
                g[(k, j)] = -through.map(|&i| self.l[(k, i)] * g[(i, j)]).sum::<Expr>();
            }
        }
        g
    }
}
