//! Invertibility of the mass matrix M: every motion must be felt by some inertia.
//!
//! A model whose every body has mass and inertia about all axes needs no search. Otherwise M is
//! built, by composite inertias, in irregular positions. A motion without inertia in three of them
//! has none in any. This finds massless subtrees, point masses that spin about themselves, and two
//! joints that move alike with nothing between them.
//!
//! Models that are too large for eigenvalues of M are eliminated joint by joint as in the
//! articulated-body algorithm (docs/math.md#aba). There M is singular if a joint's block
//! `D = S^T I^A S` is, and mimic joints are judged as independent.

use super::assemble::Assembled;
use super::rigid::{self, Snap};
use super::unfelt;
use crate::urdf::findings::{At, Report};
use nalgebra::{DMatrix, Matrix3, Matrix6, Matrix6xX, Vector3};
use rbd_runtime::model::{Body, plane_basis};
use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{JointKind, Model};

/// Rounding, relative to the inertia of all that a joint carries.
const ROUNDING: f64 = 1e-12;
/// Square of the least radius of gyration, m^2: a nanometre.
const GYRATION: f64 = 1e-18;
/// Largest number of velocities for which the whole mass matrix is built.
const MOST_DENSE: usize = 100;

/// Reports joints with a motion without inertia. Returns a flag for each body.
pub(super) fn judge(assembled: &Assembled, root: At, report: &mut Report) -> Vec<bool> {
    let Assembled { model, places, .. } = assembled;
    if model.bodies.iter().all(is_solid) {
        return vec![false; model.bodies.len()];
    }
    let states: Vec<State> = (1..=3).map(|seed| State::at(model, Some(seed))).collect();
    let unfelt = unfelt(model, &states);
    if unfelt.contains(&true) {
        unfelt::refuse(assembled, root, &unfelt, &states[0].carried, report);
        return unfelt;
    }
    let neutral = self::unfelt(model, &[State::at(model, None)]);
    if let Some((place, _)) = places.iter().zip(&neutral).find(|(_, u)| **u) {
        report.warn(
            "singular-at-neutral",
            place.at,
            &*place.subject,
            "in the neutral position nothing that it carries resists its motion: M is singular there",
            "give the links between its joints mass and inertia, or set its `armature`",
        );
    }
    unfelt
}

/// For each body, whether its joint has a motion without inertia in any of the positions.
fn unfelt(model: &Model<f64>, states: &[State]) -> Vec<bool> {
    if model.nv > MOST_DENSE {
        // A position may by chance be close to a singular one and lose digits: the majority
        // decides.
        let mut votes = vec![0; model.bodies.len()];
        for state in states {
            votes.iter_mut().zip(state.unfelt_alone(model)).for_each(|(v, u)| *v += usize::from(u));
        }
        return votes.iter().map(|v| 2 * v > states.len()).collect();
    }
    // Eigenvalues tell the number of motions without inertia; pivots tell which ones.
    let masses: Vec<_> = states.iter().map(|s| s.mass_matrix(model)).collect();
    let count = masses.iter().map(unfelt_motions).min().unwrap_or(0);
    let mut pivots = vec![f64::INFINITY; model.nv];
    for mass in masses {
        pivots.iter_mut().zip(scaled_pivots(mass)).for_each(|(p, q)| *p = p.min(q));
    }
    let mut order: Vec<usize> = (0..model.nv).collect();
    order.sort_by(|&a, &b| pivots[a].total_cmp(&pivots[b]));
    let unfelt = &order[..count];
    let of = |b: &Body<f64>| (b.idx_v..b.idx_v + b.nv()).any(|k| unfelt.contains(&k));
    model.bodies.iter().map(of).collect()
}

/// Number of motions without inertia of a scaled mass matrix.
fn unfelt_motions(mass: &DMatrix<f64>) -> usize {
    let eigen = nalgebra::SymmetricEigen::try_new(mass.clone(), f64::EPSILON, 100_000);
    eigen.map_or(0, |e| e.eigenvalues.iter().filter(|x| x.abs() <= ROUNDING).count())
}

/// The pivots of a scaled mass matrix, eliminated from the last coordinate to the first.
fn scaled_pivots(mut m: DMatrix<f64>) -> Vec<f64> {
    let mut pivots = vec![0.0; m.nrows()];
    for k in (0..m.nrows()).rev() {
        let pivot: f64 = m[(k, k)];
        pivots[k] = pivot.abs();
        if pivot.abs() > ROUNDING {
            for r in 0..k {
                let factor = m[(r, k)] / pivot;
                for c in 0..k {
                    m[(r, c)] -= factor * m[(k, c)];
                }
            }
        }
    }
    pivots
}

/// Returns whether a body has inertia against every motion by itself.
fn is_solid(body: &Body<f64>) -> bool {
    let Inertia { mass, h, j } = &body.inertia;
    if *mass <= 0.0 {
        return false;
    }
    let com = h / *mass;
    let central = j - (Matrix3::from_diagonal_element(com.norm_squared()) - com * com.transpose()) * *mass;
    let principal = super::inertial::principal(&central);
    principal[0] > 1e-9 * principal[2] && principal[0] > GYRATION * *mass
}

/// A model in one position.
struct State {
    /// Each body's pose in its parent.
    poses: Vec<Placement<f64>>,
    /// Inertia of each body's subtree, itself included, in its frame.
    carried: Vec<Inertia<f64>>,
    /// Each joint's motions in the body's frame, the linear ones first, and the number of linear
    /// ones.
    motions: Vec<(Matrix6xX<f64>, usize)>,
}

impl State {
    /// In an irregular position, or in the neutral one without a seed.
    fn at(model: &Model<f64>, seed: Option<u64>) -> Self {
        // Splitmix-like steps: any irregular numbers will do if they are always the same.
        let mut bits = seed.unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut coordinate = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seed.is_some() { 0.3 + 2.4 * (bits >> 11) as f64 / (1u64 << 53) as f64 } else { 0.0 }
        };
        let mut q: Vec<[f64; 3]> = Vec::with_capacity(model.bodies.len());
        for _ in &model.bodies {
            q.push([coordinate(), coordinate(), coordinate()]);
        }
        for (i, body) in model.bodies.iter().enumerate() {
            if let Some(m) = body.mimic {
                q[i][0] = m.multiplier * q[m.joint][0] + m.offset;
            }
        }
        let poses: Vec<_> =
            model.bodies.iter().zip(&q).map(|(b, q)| rigid::compose(&b.placement, &moved(b, q))).collect();
        let mut carried: Vec<_> = model.bodies.iter().map(|b| b.inertia).collect();
        for i in (0..model.bodies.len()).rev() {
            if let Some(parent) = model.bodies[i].parent {
                let seen = rigid::in_outer_frame(&poses[i], &carried[i]);
                rigid::add(&mut carried[parent], &seen);
            }
        }
        Self { poses, carried, motions: model.bodies.iter().map(motions).collect() }
    }

    /// Judges joints as if none followed another. If M is regular then, it is regular with mimic
    /// joints.
    fn unfelt_alone(&self, model: &Model<f64>) -> Vec<bool> {
        let mut unfelt = vec![false; model.bodies.len()];
        let mut articulated: Vec<_> = model.bodies.iter().map(|b| matrix(&b.inertia)).collect();
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let (s, linear) = &self.motions[i];
            let u = articulated[i] * s;
            let mut d = s.transpose() * &u;
            for k in 0..d.nrows() {
                d[(k, k)] += body.armature;
            }
            let (along, about) = self.scale(i);
            if is_regular(&d, *linear, ROUNDING * along, ROUNDING * about)
                && let Some(inverse) = d.try_inverse()
            {
                articulated[i] -= &u * inverse * u.transpose();
            } else {
                // It is taken as locked from here on, so that the joints above are judged by themselves.
                unfelt[i] = true;
            }
            if let Some(parent) = body.parent {
                let x = motion_to_child(&self.poses[i]);
                let seen = x.transpose() * articulated[i] * x;
                articulated[parent] += (seen + seen.transpose()) * 0.5;
            }
        }
        unfelt
    }

    /// M by composite inertias, with rows and columns of mimic joints merged.
    ///
    /// Each coordinate is scaled by the inertia of all that it carries, about its frame's origin.
    /// If it carries nothing, its row is zero.
    fn mass_matrix(&self, model: &Model<f64>) -> DMatrix<f64> {
        let n = model.nv;
        let mut m = DMatrix::<f64>::zeros(n, n);
        let mut scale = vec![0.0; n];
        for (i, body) in model.bodies.iter().enumerate() {
            let ratio = body.mimic.map_or(1.0, |m| m.multiplier);
            let (s, linear) = &self.motions[i];
            let mut force = matrix(&self.carried[i]) * s;
            let (along, about) = self.scale(i);
            for c in 0..s.ncols() {
                let k = body.idx_v + c;
                m[(k, k)] += ratio * ratio * body.armature;
                scale[k] += ratio * ratio * (body.armature + if c < *linear { along } else { about });
            }
            let mut at = i;
            loop {
                let above = &model.bodies[at];
                let other = above.mimic.map_or(1.0, |m| m.multiplier);
                let block = self.motions[at].0.transpose() * &force * (ratio * other);
                for r in 0..block.nrows() {
                    for c in 0..block.ncols() {
                        m[(above.idx_v + r, body.idx_v + c)] += block[(r, c)];
                        if at != i {
                            m[(body.idx_v + c, above.idx_v + r)] += block[(r, c)];
                        }
                    }
                }
                let Some(parent) = above.parent else { break };
                force = motion_to_child(&self.poses[at]).transpose() * force;
                at = parent;
            }
        }
        let unit: Vec<f64> = scale.iter().map(|s| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
        DMatrix::from_fn(n, n, |r, c| m[(r, c)] * unit[r] * unit[c])
    }

    /// Mass and inertia of all that body i carries, along a line and about one: the scale that
    /// tells inertia from rounding.
    fn scale(&self, i: usize) -> (f64, f64) {
        let Inertia { mass, j, .. } = &self.carried[i];
        (*mass, j.amax() + GYRATION / ROUNDING * mass)
    }
}

/// Returns whether a joint's block has no motion without inertia. The linear part comes first, then
/// the angular part with the linear motions eliminated.
fn is_regular(d: &DMatrix<f64>, linear: usize, along: f64, about: f64) -> bool {
    let least = |m: DMatrix<f64>| {
        let scale = m.amax();
        if scale == 0.0 {
            return 0.0;
        }
        let eigen = nalgebra::SymmetricEigen::try_new(m / scale, f64::EPSILON, 1000);
        eigen.map_or(0.0, |e| e.eigenvalues.iter().fold(f64::INFINITY, |a, x| a.min(x.abs())) * scale)
    };
    let angular = d.nrows() - linear;
    let mut rest = d.view((linear, linear), (angular, angular)).into_owned();
    if linear > 0 {
        let a = d.view((0, 0), (linear, linear)).into_owned();
        let b = d.view((0, linear), (linear, angular)).into_owned();
        if least(a.clone()) <= along {
            return false;
        }
        let Some(inverse) = a.try_inverse() else { return false };
        rest -= b.transpose() * inverse * b;
    }
    angular == 0 || least(rest) > about
}

/// Pose that the joint adds to its placement.
fn moved(body: &Body<f64>, q: &[f64; 3]) -> Placement<f64> {
    let [x, y, z] = *q;
    let (rotation, translation) = match body.kind {
        JointKind::Revolute | JointKind::Continuous => (rigid::turn(&body.axis, x), Vector3::zeros()),
        JointKind::Prismatic => (Matrix3::identity(), body.axis * x),
        JointKind::Planar => {
            let (ex, ey) = plane_basis(&body.axis);
            (rigid::turn(&body.axis, z), ex * x + ey * y)
        }
        JointKind::Spherical => {
            (rigid::origin(Vector3::zeros(), Vector3::new(x, y, z), Snap::Written).rotation, Vector3::zeros())
        }
        JointKind::Floating => {
            let Placement { rotation, translation } =
                rigid::origin(Vector3::new(z, x, y), Vector3::new(x, y, z), Snap::Written);
            (rotation, translation)
        }
    };
    Placement { rotation, translation }
}

fn motions(body: &Body<f64>) -> (Matrix6xX<f64>, usize) {
    let e = [Vector3::x(), Vector3::y(), Vector3::z()];
    let (along, about): (Vec<Vector3<f64>>, Vec<Vector3<f64>>) = match body.kind {
        JointKind::Revolute | JointKind::Continuous => (vec![], vec![body.axis]),
        JointKind::Prismatic => (vec![body.axis], vec![]),
        JointKind::Planar => {
            let (x, y) = plane_basis(&body.axis);
            (vec![x, y], vec![body.axis])
        }
        JointKind::Spherical => (vec![], e.to_vec()),
        JointKind::Floating => (e.to_vec(), e.to_vec()),
    };
    let mut s = Matrix6xX::zeros(along.len() + about.len());
    for (c, v) in along.iter().enumerate() {
        s.fixed_view_mut::<3, 1>(0, c).copy_from(v);
    }
    for (c, v) in about.iter().enumerate() {
        s.fixed_view_mut::<3, 1>(3, along.len() + c).copy_from(v);
    }
    (s, along.len())
}

/// `[m 1, -[h]; [h], J]`.
fn matrix(inertia: &Inertia<f64>) -> Matrix6<f64> {
    let mut i = Matrix6::zeros();
    let h = inertia.h.cross_matrix();
    i.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::from_diagonal_element(inertia.mass));
    i.fixed_view_mut::<3, 3>(0, 3).copy_from(&-h);
    i.fixed_view_mut::<3, 3>(3, 0).copy_from(&h);
    i.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia.j);
    i
}

/// Motions of the parent, in the child's frame: w' = R^T w, nu' = R^T (nu + w x p).
fn motion_to_child(pose: &Placement<f64>) -> Matrix6<f64> {
    let rt = pose.rotation.transpose();
    let mut x = Matrix6::zeros();
    x.fixed_view_mut::<3, 3>(0, 0).copy_from(&rt);
    x.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-rt * pose.translation.cross_matrix()));
    x.fixed_view_mut::<3, 3>(3, 3).copy_from(&rt);
    x
}
