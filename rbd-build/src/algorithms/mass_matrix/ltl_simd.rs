//! The mass matrix with limbs as SIMD lanes: a row stands for as many degrees of freedom as it has
//! lanes.
//!
//! An entry has the lanes of its row, the deeper of the two. Lanes that the column's body does not
//! carry are zero.

use super::super::ancestors::Ancestor;
use super::super::robot::{Coordinates, SymbolicRobot};
use super::super::simd_transfer::Carrying;
use super::super::{ExprMatrix, crba};
use crate::algebra::Force;
use rbd_ir::graph::Expr;
use std::collections::BTreeMap;

/// Rows of a robot's degrees of freedom, and the pairs of them on one path.
pub struct Rows {
    /// Body and column of each row.
    of: Vec<(usize, usize)>,
    /// Lanes of each row.
    lanes: Vec<u8>,
    /// For each row and lane, the degree of freedom and the joint's ratio to it.
    dofs: Vec<Vec<(usize, f64)>>,
    /// For each row, the rows of its ancestors and of its own body, up to itself.
    ancestors: Vec<Vec<usize>>,
    /// For each row and each ancestor, which lane carries which.
    carrying: BTreeMap<(usize, usize), Carrying>,
}

impl Rows {
    pub fn new(robot: &SymbolicRobot<'_>) -> Self {
        let mut of = Vec::new();
        for i in robot.outward() {
            of.extend((0..robot.bodies[i].columns.len()).map(|k| (i, k)));
        }
        let lanes = of.iter().map(|&(i, _)| robot.bodies[i].lanes).collect();
        let dofs = of
            .iter()
            .map(|&(i, k)| robot.tree.bodies[i].lanes.iter().map(|l| (l.idx_v + k, l.multiplier)).collect())
            .collect();
        let mut ancestors = vec![Vec::new(); of.len()];
        let mut carrying = BTreeMap::new();
        for (r, &(i, _)) in of.iter().enumerate() {
            for (s, &(j, _)) in of[..=r].iter().enumerate() {
                let carried = robot.carrying(j, i);
                if carried.iter().any(Option::is_some) {
                    ancestors[r].push(s);
                    carrying.insert((r, s), carried);
                }
            }
        }
        Self { of, lanes, dofs, ancestors, carrying }
    }

    /// Lanes of a row.
    pub fn lanes_of(&self, k: usize) -> usize {
        usize::from(self.lanes[k])
    }

    /// The degree of freedom of a row's lane.
    pub fn dof(&self, k: usize, lane: usize) -> usize {
        self.dofs[k][lane].0
    }

    /// The ancestors of a row without itself.
    pub fn above(&self, k: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.ancestors[k].iter().copied().filter(move |&i| i != k)
    }

    /// Returns whether row `i` is an ancestor of row `k`.
    pub fn is_above(&self, k: usize, i: usize) -> bool {
        self.ancestors[k].contains(&i)
    }

    /// Returns whether some lane of row `k` is carried by both.
    fn carried_by_both(&self, k: usize, i: usize, j: usize) -> bool {
        self.carrying[&(k, i)].iter().zip(&self.carrying[&(k, j)]).any(|(i, j)| i.is_some() && j.is_some())
    }

    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// The row of a body's column.
    pub fn index(&self, body_column: (usize, usize)) -> usize {
        self.of.binary_search(&body_column).expect("rows are all the columns, in order")
    }

    /// A vector over the degrees of freedom, by rows.
    pub fn gather<'g>(&self, robot: &SymbolicRobot<'g>, x: &ExprMatrix<'g>) -> Vec<Expr<'g>> {
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

/// Sums from limbs to their ancestors.
///
/// They stay in lanes until they are needed, so that the lanes of a sum are added up once and not
/// for each term.
struct Gathered<'g> {
    /// By matrix entry and by which lane carries which.
    sums: BTreeMap<(usize, usize), BTreeMap<Carrying, Expr<'g>>>,
}

impl<'g> Gathered<'g> {
    fn new() -> Self {
        Self { sums: BTreeMap::new() }
    }

    /// Adds `x` of lanes that are carried so.
    fn add(&mut self, at: (usize, usize), carrying: &Carrying, x: Expr<'g>) {
        *self.sums.entry(at).or_default().entry(carrying.clone()).or_insert(Expr::ZERO) += x;
    }

    /// The sum of everything that was added at an entry, in `lanes` lanes.
    fn take(&mut self, robot: &SymbolicRobot<'g>, at: (usize, usize), lanes: u8) -> Expr<'g> {
        let sums = self.sums.remove(&at).unwrap_or_default();
        sums.into_iter().map(|(carrying, sum)| robot.add_up(&carrying, lanes, sum)).sum()
    }
}

/// The lower triangle of the mass matrix, by rows.
pub fn mass_matrix<'g>(robot: &SymbolicRobot<'g>, rows: &Rows) -> ExprMatrix<'g> {
    lower_triangle(robot, rows, |visit| crba::for_each_entry(robot, visit))
}

/// The lower triangle of a matrix by rows: torques of forces on bodies, one for each of a body's columns.
pub fn torques_of_forces<'g>(
    robot: &SymbolicRobot<'g>,
    rows: &Rows,
    force_of: impl Fn(usize, usize) -> Force<'g>,
) -> ExprMatrix<'g> {
    lower_triangle(robot, rows, |visit| crba::for_each_entry_of(robot, force_of, visit))
}

/// The lower triangle of a matrix by rows, from a visit of its entries.
fn lower_triangle<'g>(
    robot: &SymbolicRobot<'g>,
    rows: &Rows,
    for_each_entry: impl FnOnce(&mut dyn FnMut(&Ancestor, (usize, usize), Expr<'g>)),
) -> ExprMatrix<'g> {
    // By lanes first: a row's lanes may come to a column on different ways.
    let mut entries: BTreeMap<(usize, usize), Vec<Expr<'g>>> = BTreeMap::new();
    for_each_entry(&mut |on, (a, b), x| {
        let (row, column) = (rows.index((on.descendant, a)), rows.index((on.body, b)));
        if column <= row {
            let lanes = usize::from(rows.lanes[row]);
            let entry = entries.entry((row, column)).or_insert_with(|| vec![Expr::ZERO; lanes]);
            for (k, lane) in on.lanes.clone().enumerate() {
                entry[lane] = x.lane(k);
            }
        }
    });
    let mut m = ExprMatrix::zeros(rows.count(), rows.count());
    for (place, lanes) in entries {
        m[place] = robot.graph.gather(&lanes);
    }
    m
}

/// The factors of `M = L^T D L` by rows (docs/math.md#ltl-factorisation), all lanes of a row at once.
pub struct PackedLtl<'g> {
    rows: Rows,
    l: ExprMatrix<'g>,
    d_inv: Vec<Expr<'g>>,
}

impl<'g> PackedLtl<'g> {
    /// Factors the lower triangle of a mass matrix by rows.
    pub fn new(robot: &SymbolicRobot<'g>, rows: Rows, m: &ExprMatrix<'g>) -> Self {
        let n = rows.count();
        let mut l = m.clone();
        let mut d_inv = vec![Expr::ZERO; n];
        let mut gathered = Gathered::new();
        for k in (0..n).rev() {
            for &i in &rows.ancestors[k] {
                l[(k, i)] -= gathered.take(robot, (k, i), rows.lanes[k]);
            }
            d_inv[k] = l[(k, k)].recip();
            let path: Vec<usize> = rows.above(k).collect();
            let scaled: Vec<Expr> = path.iter().map(|&i| l[(k, i)] * d_inv[k]).collect();
            for (x, &i) in path.iter().enumerate() {
                for &j in path[..=x].iter().filter(|&&j| rows.carried_by_both(k, i, j)) {
                    let change = scaled[x] * l[(k, j)];
                    if rows.lanes[i] < rows.lanes[k] {
                        gathered.add((i, j), &rows.carrying[&(k, i)], change);
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

    /// The rows of the matrix.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Factors that were made before: L below the diagonal, and the diagonal of `D^-1`.
    pub fn of_factors(rows: Rows, l: ExprMatrix<'g>, d_inv: Vec<Expr<'g>>) -> Self {
        Self { rows, l, d_inv }
    }

    /// The entry of L in a row and one of its ancestors.
    pub fn entry(&self, k: usize, i: usize) -> Expr<'g> {
        self.l[(k, i)]
    }

    /// The diagonal of `D^-1`.
    pub fn d_inv(&self) -> &[Expr<'g>] {
        &self.d_inv
    }

    /// `M^-1 b`, one expression a row.
    pub fn solve(&self, robot: &SymbolicRobot<'g>, b: &[Expr<'g>]) -> Vec<Expr<'g>> {
        self.solve_outward(robot, self.solve_inward(robot, b))
    }

    /// `L^-T b`, from the leaves to the root.
    pub fn solve_inward(&self, robot: &SymbolicRobot<'g>, b: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let rows = &self.rows;
        let mut x = b.to_vec();
        let mut gathered = Gathered::new();
        for k in (0..x.len()).rev() {
            x[k] -= gathered.take(robot, (k, k), rows.lanes[k]);
            for i in rows.above(k) {
                let change = self.l[(k, i)] * x[k];
                if rows.lanes[i] < rows.lanes[k] {
                    gathered.add((i, i), &rows.carrying[&(k, i)], change);
                } else {
                    x[i] -= change;
                }
            }
        }
        x
    }

    /// `L^-1 D^-1 x`, from the root to the leaves.
    pub fn solve_outward(&self, robot: &SymbolicRobot<'g>, mut x: Vec<Expr<'g>>) -> Vec<Expr<'g>> {
        for k in 0..x.len() {
            let mut sum = x[k] * self.d_inv[k];
            for i in self.rows.above(k) {
                sum -= self.l[(k, i)] * self.in_lanes(robot, i, k, x[i]);
            }
            x[k] = sum;
        }
        x
    }

    /// `x` of row `i` in the lanes of row `k`, which row `i` carries.
    fn in_lanes(&self, robot: &SymbolicRobot<'g>, i: usize, k: usize, x: Expr<'g>) -> Expr<'g> {
        // A scalar meets only lanes that it carries: its factor is zero in the others.
        if x.lanes() == 1 { x } else { robot.outward_lanes(self.rows.of[i].0, self.rows.of[k].0, x) }
    }

    /// `M^-1 = L^-1 D^-1 L^-T` over the degrees of freedom.
    pub fn inverse(&self, robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
        let (rows, n) = (&self.rows, self.rows.count());
        let g = self.inverse_of_l(robot);
        let scaled = |i: usize, k: usize| g[(i, k)] * self.in_lanes(robot, k, i, self.d_inv[k]);
        let mut out = ExprMatrix::zeros(robot.tree.nv, robot.tree.nv);
        for i in 0..n {
            for j in 0..=i {
                let common = rows.ancestors[j].iter().copied().filter(|k| rows.ancestors[i].contains(k));
                if rows.lanes[i] == 1 || rows.lanes[j] == 1 {
                    let x: Expr = common.map(|k| scaled(i, k) * g[(j, k)]).sum();
                    for (lane, &(row, r)) in rows.dofs[i].iter().enumerate() {
                        for (other, &(column, c)) in rows.dofs[j].iter().enumerate() {
                            // At most one of the two has lanes.
                            let x = x.lane(lane.max(other)) * Expr::constant(r * c);
                            (out[(row, column)], out[(column, row)]) = (x, x);
                        }
                    }
                    continue;
                }
                // Both rows have lanes. The part through the limb stays in its lane; the part
                // through the common trunk reaches every pair of lanes.
                let (limb, trunk): (Vec<usize>, Vec<usize>) = common.partition(|&k| rows.lanes[k] > 1);
                let meets = |lane: usize, other: usize| {
                    limb.iter().any(|&k| {
                        let on = rows.carrying[&(i, k)][lane];
                        on.is_some() && on == rows.carrying[&(j, k)][other]
                    })
                };
                let same_limb = |lane: usize| (0..rows.dofs[j].len()).find(|&other| meets(lane, other));
                let other_lanes: Carrying = (0..rows.dofs[i].len()).map(same_limb).collect();
                let in_limb = |x| robot.rearranged(&other_lanes, x);
                let own: Expr = limb.iter().map(|&k| scaled(i, k) * in_limb(g[(j, k)])).sum();
                for (other, &(column, c)) in rows.dofs[j].iter().enumerate() {
                    let trunk: Expr = trunk
                        .iter()
                        .filter(|&&k| rows.carrying[&(j, k)][other].is_some())
                        .map(|&k| scaled(i, k) * g[(j, k)].lane(other))
                        .sum();
                    for (lane, &(row, r)) in rows.dofs[i].iter().enumerate() {
                        if i == j && lane < other {
                            continue;
                        }
                        let mut x = trunk.lane(lane);
                        if other_lanes[lane] == Some(other) {
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

    /// `G = L^-1` and the diagonal of `D^-1` over the degrees of freedom, with `M^-1 = G D^-1 G^T`.
    pub fn factors_of_inverse(&self, robot: &SymbolicRobot<'g>) -> (ExprMatrix<'g>, ExprMatrix<'g>) {
        let (rows, by_rows, nv) = (&self.rows, self.inverse_of_l(robot), robot.tree.nv);
        let (mut g, mut diagonal) = (ExprMatrix::zeros(nv, nv), ExprMatrix::zeros(nv, 1));
        for k in 0..rows.count() {
            for &i in &rows.ancestors[k] {
                for (lane, on) in rows.carrying[&(k, i)].iter().enumerate() {
                    let Some(on) = *on else { continue };
                    let ((row, ratio), (ancestor, _)) = (rows.dofs[k][lane], rows.dofs[i][on]);
                    g[(row, ancestor)] = by_rows[(k, i)].lane(lane) * Expr::constant(ratio);
                }
            }
            for (lane, &(dof, _)) in rows.dofs[k].iter().enumerate() {
                diagonal[(dof, 0)] = self.d_inv[k].lane(lane);
            }
        }
        (g, diagonal)
    }

    /// `G = L^-1`, by rows: `g_k = e_k - sum_{i<k} l_ki g_i`.
    fn inverse_of_l(&self, robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
        let n = self.rows.count();
        let mut g: ExprMatrix = ExprMatrix::zeros(n, n);
        for k in 0..n {
            g[(k, k)] = Expr::ONE;
            for j in self.rows.above(k) {
                let through = self.rows.above(k).filter(|&i| i >= j);
                let term = |i: usize| self.l[(k, i)] * self.in_lanes(robot, i, k, g[(i, j)]);
                g[(k, j)] = -through.map(term).sum::<Expr>();
            }
        }
        g
    }
}
