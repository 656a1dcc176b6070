//! Dynamics under contacts by constrained articulated bodies (docs/math.md#constrained-bodies).
//!
//! If a contact has a limb of its own, its forces are eliminated with the limb's joints: what carries the
//! limb feels an articulated inertia that the contact adds to. No matrix has rows of two contacts.
//!
//! Motions are those in addition to the ones without joint accelerations, and handles those of
//! `contact_propagators.rs`.

use super::contact_propagators::{Handle, each_propagated, eliminate, reduce};
use super::contact_rows::{SideBySide, rows};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix, rnea};
use crate::algebra::{ArticulatedInertia, Components, Force, Motion};
use crate::signatures::contact_rows::{
    ACTIVITY, ContactRow, DEPENDENCE, GAINS, PULLS, ROW_FORCES, ROW_RESIDUAL,
};
use crate::signatures::signature::{DDQ, TAU_GIVEN, V};
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;
use std::collections::HashMap;

/// Contacts side by side on limbs that are theirs alone.
struct Limb<'r, 'g> {
    side: SideBySide<'r, 'g>,
    /// The first body, next to what carries the limb.
    first: usize,
    /// Accelerations of the rows without joint accelerations, with Baumgarte's terms.
    bias: Vec<Expr<'g>>,
    /// 1 in the lane of each active contact, 0 in the others.
    activity: Expr<'g>,
}

/// Contacts and the first bodies of their limbs, if each limb has as many joint coordinates as its contact
/// has rows.
fn first_bodies<'r, 'g>(
    robot: &'r SymbolicRobot<'g>,
    contacts: &[ContactRow],
) -> Option<Vec<(SideBySide<'r, 'g>, usize)>> {
    let sides = SideBySide::all(robot, contacts);
    let paths: Vec<Vec<usize>> = sides.iter().map(|side| side.frame.path.clone()).collect();
    let with_limb = |(k, side): (usize, SideBySide<'r, 'g>)| {
        let is_own = |body: &&usize| {
            let mut others = paths.iter().enumerate().filter(|(other, _)| *other != k);
            usize::from(robot.bodies[**body].lanes) == side.rows.len()
                && !others.any(|(_, path)| path.contains(body))
        };
        let own: Vec<usize> = paths[k].iter().rev().take_while(is_own).copied().collect();
        let coordinates: usize = own.iter().map(|i| robot.bodies[*i].columns.len()).sum();
        let is_enough = side.second.is_none() && coordinates >= side.kind.rows();
        own.last().filter(|_| is_enough).map(|first| (side, *first))
    };
    sides.into_iter().enumerate().map(with_limb).collect()
}

/// True if the robot's contacts have limbs of their own.
pub fn has_limbs(robot: &SymbolicRobot<'_>, contacts: &[ContactRow]) -> bool {
    first_bodies(robot, contacts).is_some()
}

/// A limb's contact, eliminated: its force is `-(L D L^T)^-1 (c + K^T a)` for the motion a of what carries
/// the limb. `L D L^T` is the limb's own Delassus matrix, K are the forces on what carries it.
struct Held<'g> {
    /// L below the diagonal, by rows.
    l: Vec<Vec<Expr<'g>>>,
    /// `D^-1`; zero if the contact is not active.
    d_inv: Vec<Expr<'g>>,
    /// `L^-1 K^T`.
    forces: Vec<Force<'g>>,
    /// `L^-1 c`.
    free: Vec<Expr<'g>>,
    /// Squares of quotients of a trace and each pivot, summed. Linear and angular rows have a trace each, for
    /// their units differ.
    dependence: Expr<'g>,
}

impl<'g> Held<'g> {
    /// Factors a matrix, of which the lower triangle is read.
    fn new(
        matrix: &ExprMatrix<'g>,
        activity: Expr<'g>,
        mut forces: Vec<Force<'g>>,
        mut free: Vec<Expr<'g>>,
    ) -> Self {
        let n = free.len();
        let (mut l, mut d_inv, mut dependence): (Vec<Vec<Expr>>, Vec<Expr>, _) =
            (Vec::new(), Vec::new(), Expr::ZERO);
        let traces = [0..3, 3..n].map(|rows| rows.map(|k| matrix[(k, k)]).sum::<Expr>());
        for a in 0..n {
            let (mut row, mut scaled): (Vec<Expr>, Vec<Expr>) = Default::default();
            for b in 0..a {
                let x = (0..b).fold(matrix[(a, b)], |x, j| x - scaled[j] * l[b][j]);
                scaled.push(x);
                row.push(x * d_inv[b]);
            }
            let pivot = (0..a).fold(matrix[(a, a)], |x, j| x - scaled[j] * row[j]);
            let reciprocal = pivot.recip() * activity;
            let quotient = traces[a / 3] * reciprocal;
            dependence += quotient * quotient;
            for (j, l) in row.iter().enumerate() {
                let (force, x) = (forces[j] * *l, free[j] * *l);
                forces[a] = forces[a] - force;
                free[a] -= x;
            }
            d_inv.push(reciprocal);
            l.push(row);
        }
        Self { l, d_inv, forces, free, dependence }
    }

    /// The inertia that what carries the limb feels, and the force `p` on it, with the contact's.
    fn add_to(&self, inertia: ArticulatedInertia<'g>, p: &mut Force<'g>) -> ArticulatedInertia<'g> {
        let scaled = self.forces.iter().zip(&self.d_inv).map(|(force, d_inv)| *force * *d_inv);
        let scaled: Vec<Force> = scaled.collect();
        for (scaled, free) in scaled.iter().zip(&self.free) {
            *p += *scaled * *free;
        }
        let negative: Vec<Force> = scaled.iter().map(|force| -*force).collect();
        inertia.minus_outer(&self.forces, &negative)
    }

    /// Forces of the rows, if what carries the limb moves like this.
    fn solve(&self, a: Motion<'g>) -> Vec<Expr<'g>> {
        let n = self.free.len();
        let mut f: Vec<Expr> =
            (0..n).map(|k| -(a.dot(self.forces[k]) + self.free[k]) * self.d_inv[k]).collect();
        for k in (0..n).rev() {
            for j in 0..k {
                let x = self.l[k][j] * f[k];
                f[j] -= x;
            }
        }
        f
    }
}

/// Accelerations and forces.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let sides = first_bodies(robot, contacts).expect("contacts have limbs of their own");
    let [activity, pulls, gains] = [ACTIVITY, PULLS, GAINS].map(|output| draft.earlier(output.name, output));
    let [kd, mu] = [0, 1].map(|k| robot.graph.input(gains.0, k));
    let [v, tau] = [V, TAU_GIVEN].map(|param| robot.coordinates(draft.param(param)));
    let activities: Vec<Expr> = sides.iter().map(|(side, _)| activity_of(side, contacts, activity)).collect();
    let mut limbs: Vec<Limb> = Vec::new();
    for ((side, first), activity) in sides.into_iter().zip(activities) {
        let [velocity, drift] = side.motion(&v);
        let pull = side.force(|row| robot.graph.input(pulls.0, row));
        let of_row = |k: usize| drift.component(k) + velocity.component(k) * kd + pull.component(k);
        let bias = (0..side.kind.rows()).map(of_row).collect();
        limbs.push(Limb { side, first, bias, activity });
    }
    let inward = Inward::new(robot, &limbs, (&v, &tau), mu);
    let outward = Outward::new(robot, &limbs, &inward);

    let [mut forces, mut residual] = [0; 2].map(|_| ExprMatrix::zeros(rows(contacts), 1));
    let mut dependence = ExprMatrix::zeros(1, 1);
    for ((limb, f), held) in limbs.iter().zip(&outward.forces).zip(&inward.held) {
        let Limb { side, bias, activity, .. } = limb;
        let tip = side.frame.path.last().map_or(Motion::ZERO, |body| outward.motions[*body]);
        let a = side.frame.tip.motion_to_child(tip);
        let left = Motion::by_components(|row| {
            bias.get(row).map_or(Expr::ZERO, |bias| (*bias + a.component(row)) * *activity)
        });
        let force = Motion::by_components(|row| f.get(row).copied().unwrap_or(Expr::ZERO));
        side.each_row(&force, |row, x| forces[(row, 0)] = x);
        side.each_row(&left, |row, x| residual[(row, 0)] = x);
        let of_limb = held.as_ref().expect("all bodies were visited").dependence;
        (0..side.rows.len()).for_each(|lane| dependence[(0, 0)] += of_limb.lane(lane));
    }
    draft.give(DDQ, robot.collect(&Coordinates(outward.accelerations)));
    draft.give(ROW_FORCES, forces);
    draft.give(ROW_RESIDUAL, residual);
    draft.give(DEPENDENCE, dependence);
}

/// What the pass from the leaves leaves to that from the root.
struct Inward<'g> {
    /// Of each body.
    handles: Vec<Vec<Handle<'g>>>,
    /// Torques that are left, of each body's columns.
    torques: Vec<Vec<Expr<'g>>>,
    /// The eliminated contacts of each limb; none before they are.
    held: Vec<Option<Held<'g>>>,
    /// By body and column of a limb: the limb, and the torques for a unit of each row's force.
    of_units: HashMap<(usize, usize), (usize, Motion<'g>)>,
}

impl<'g> Inward<'g> {
    fn new(
        robot: &SymbolicRobot<'g>,
        limbs: &[Limb<'_, 'g>],
        (v, tau): (&Coordinates<'g>, &Coordinates<'g>),
        mu: Expr<'g>,
    ) -> Self {
        let mut p = rnea::newton_euler_forces(robot, rnea::Terms { v: Some(v), a: None, fext: None });
        let mut inertia: Vec<ArticulatedInertia> = robot.bodies.iter().map(|b| b.inertia.into()).collect();
        let mut pass = Self {
            handles: vec![Vec::new(); inertia.len()],
            torques: vec![Vec::new(); inertia.len()],
            held: limbs.iter().map(|_| None).collect(),
            of_units: HashMap::new(),
        };
        for i in robot.inward() {
            let body = &robot.bodies[i];
            let (mut left, handles) = eliminate(body, inertia[i]);
            pass.torques[i] = reduce(body, &handles, (v.of(i), tau.of(i)), &mut p[i]);
            pass.handles[i] = handles;
            for (k, limb) in limbs.iter().enumerate().filter(|(_, limb)| limb.first == i) {
                let held = pass.hold(robot, (k, limb), mu);
                left = held.add_to(left, &mut p[i]);
                pass.held[k] = Some(held);
            }
            if robot.is_root(i) {
                continue;
            }
            let (moved, force) =
                (body.transform.articulated_to_parent(left), body.transform.force_to_parent(p[i]));
            for (parent, sum) in robot.to_carriers(i) {
                inertia[parent] = inertia[parent] + moved.map(sum);
                p[parent] += force.map(sum);
            }
        }
        pass
    }

    /// Eliminates the contact of a limb whose bodies were visited.
    fn hold(
        &mut self,
        robot: &SymbolicRobot<'g>,
        (k, limb): (usize, &Limb<'_, 'g>),
        mu: Expr<'g>,
    ) -> Held<'g> {
        let n = limb.side.kind.rows();
        let (mut matrix, mut free) = (ExprMatrix::zeros(n, n), limb.bias.clone());
        let Self { handles, torques, of_units, .. } = self;
        let handles_of = |i: usize| &handles[i][..];
        let forces =
            each_propagated(robot, handles_of, &limb.side, Some(limb.first), |at @ (i, c), units| {
                for a in 0..n {
                    let scaled = units.component(a) * handles[i][c].d_inv;
                    free[a] += scaled * torques[i][c];
                    (0..=a).for_each(|b| matrix[(a, b)] += scaled * units.component(b));
                }
                of_units.insert(at, (k, *units));
            });
        (0..n).for_each(|a| matrix[(a, a)] += mu);
        Held::new(&matrix, limb.activity, forces, free)
    }
}

/// What moves, and what holds.
struct Outward<'g> {
    /// Of each body, in addition to the motion without joint accelerations.
    motions: Vec<Motion<'g>>,
    /// Of each body's columns.
    accelerations: Vec<Vec<Expr<'g>>>,
    /// Of each limb's contact, row by row.
    forces: Vec<Vec<Expr<'g>>>,
}

impl<'g> Outward<'g> {
    fn new(robot: &SymbolicRobot<'g>, limbs: &[Limb<'_, 'g>], inward: &Inward<'g>) -> Self {
        let (motions, accelerations) = (Vec::new(), Vec::new());
        let mut pass = Self { motions, accelerations, forces: vec![Vec::new(); limbs.len()] };
        for i in robot.outward() {
            let body = &robot.bodies[i];
            let mut a = body.transform.motion_to_child(robot.of_carrier(i, &pass.motions, Motion::ZERO));
            for (k, _) in limbs.iter().enumerate().filter(|(_, limb)| limb.first == i) {
                pass.forces[k] = inward.held[k].as_ref().expect("all bodies were visited").solve(a);
            }
            let mut of_body = Vec::new();
            for (c, (s, handle)) in body.columns.iter().zip(&inward.handles[i]).enumerate() {
                let mut torque = inward.torques[i][c];
                if let Some((k, units)) = inward.of_units.get(&(i, c)) {
                    let of_rows = pass.forces[*k].iter().enumerate();
                    of_rows.for_each(|(row, f)| torque += units.component(row) * *f);
                }
                let x = torque * handle.d_inv - a.dot(handle.force);
                a += *s * x;
                of_body.push(x);
            }
            pass.motions.push(a);
            pass.accelerations.push(of_body);
        }
        pass
    }
}

/// 1 in the lane of each active contact.
fn activity_of<'g>(side: &SideBySide<'_, 'g>, contacts: &[ContactRow], activity: ArrayId) -> Expr<'g> {
    let of_lane = |row: &Option<usize>| {
        let contact = row.and_then(|row| contacts.iter().position(|contact| contact.row == row));
        contact.map_or(Expr::ZERO, |k| side.frame.robot.graph.input(activity.0, k))
    };
    side.frame.robot.graph.gather(&side.rows.iter().map(of_lane).collect::<Vec<_>>())
}
