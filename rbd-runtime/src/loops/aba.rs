//! Forward dynamics by articulated bodies (docs/math.md#loops-over-tables).
//!
//! Poses, velocities and forces are computed for eight bodies at once. The inward and outward
//! passes go one body at a time: each waits for the one before.

use super::algebra::{cross, cross_add, dot, scale, sub};
use super::articulated::{Articulated, Factors, Kept, RowFactor};
use super::composites::{self, Bodies};
use super::forward::{Coordinates, Work, blocks, frame, pick, pick_row, rows_of, segments, within};
use super::motion::{along_paths, rates};
use super::placements::{place, turning, world};
use super::scratch::Scratch;
use super::tables::{Joint, Tables, Topology, WORLD};
use super::{Given, LANES, Register};
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::{JointKind, Scalar};
use nalgebra::SVector;

/// Accelerations at (q, v, tau), with external forces in their bodies' frames, for a robot without
/// mimic joints.
///
/// `angles` are the sines and cosines of q, if they are known. All of `ddq` is written.
#[inline]
pub fn aba<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    state: [&[T]; 3],
    angles: Option<[&[T]; 2]>,
    fext: Option<&[SVector<T, 6>]>,
    ddq: &mut [T],
) {
    if tables.has_rows() {
        T::dispatch(Aba { tables, given: Given::new(state, angles, fext), ddq });
    }
}

struct Aba<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    ddq: &'a mut [T],
}

dispatched!(Aba<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Aba<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (tables, given, out) = (self.tables, self.given.recast(recast), recast.slice_mut(self.ddq));
        let topology = &tables.topology;
        let (world, zero) = (world(tables, given.q), S::zero());
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::new() };
        // Motion without joint accelerations, which are added last.
        let moving = Given { a: &[], ..given };
        place::<S, Q, L, P>(tables, topology, &world, &moving, &mut rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.v, [zero; 6], &w.hop);
        rates::<S, L, P>(topology, &rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.a, world.acceleration(), &w.hop);
        bodies::<S, L, P, true>(tables, &mut w);
        if !given.fext.is_empty() {
            external(tables, given.fext, &mut w);
        }
        // SAFETY: `inward` writes all rows of the joints, and `outward` reads no others.
        let mut factors = unsafe { Factors::new() };
        inward::<S, Q, P>(tables, &w, [given.v, given.a], &mut factors);
        outward(tables, &factors, out);
    }
}

/// Inertias of the bodies about their joints' origins, and the forces that they take without joint
/// accelerations. Forces are zero without `MOVING`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn bodies<T: Scalar, L: Register<Of = T>, const P: usize, const MOVING: bool>(
    tables: &Tables<'_, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        let at = b * LANES;
        let origin = frame::<T, L, P>(w, 3, at);
        let Bodies { spread: m, center: c, mass } =
            composites::bodies(tables, w, at, [L::splat(T::zero()); 3]);
        if MOVING {
            let (vw, aw) = (w.v.wide::<L, 3>(3, at), w.a.wide::<L, 3>(3, at));
            let vl = cross_add(vw, origin, w.v.wide::<L, 3>(0, at));
            let al = cross_add(aw, origin, w.a.wide::<L, 3>(0, at));
            let f = scale(mass, cross_add(vw, cross_add(vw, c, vl), cross_add(aw, c, al)));
            let trace = m[0][0] + m[1][1] + m[2][2];
            let sa = [dot(m[0], aw), dot(m[1], aw), dot(m[2], aw)];
            let sw = [dot(m[0], vw), dot(m[1], vw), dot(m[2], vw)];
            // J aw + w x J w, with J = tr(S) 1 - S.
            let n = cross_add(c, f, sub(sub(scale(trace, aw), sa), cross(vw, sw)));
            w.force.put(0, at, f);
            w.force.put(3, at, n);
        } else {
            w.force.put(0, at, [L::splat(T::zero()); 6]);
        }
        let h = scale(mass, c);
        w.inertia.put(0, at, h);
        let mut about = m;
        for i in 0..3 {
            for j in i..3 {
                about[i][j] = h[i].mul_add(c[j], m[i][j]);
            }
        }
        let trace = about[0][0] + about[1][1] + about[2][2];
        let mut k = 3;
        for i in 0..3 {
            for j in i..3 {
                let x = -about[i][j];
                w.inertia.store(k, at, if i == j { trace + x } else { x });
                k += 1;
            }
        }
    }
}

/// Subtracts external forces, which are in the bodies' joint frames.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn external<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    fext: &[SVector<T, 6>],
    w: &mut Work<T, P>,
) {
    for (joint, f) in tables.topology.joints.iter().zip(fext) {
        let row = last_row::<P>(tables, joint);
        let frame = w.frames.get(row);
        for half in 0..2 {
            let mut sum = w.force.get3(3 * half, row);
            for i in 0..3 {
                // Component i in the row's frame, then along the common axes.
                let mut x = T::zero();
                for j in 0..3 {
                    x = T::from_f64(tables.numbers.joint_frame.0[3 * j + i][row]).mul_add(f[3 * half + j], x);
                }
                for k in 0..3 {
                    sum[k] = (-frame[i][k]).mul_add(x, sum[k]);
                }
            }
            for k in 0..3 {
                w.force.set(3 * half + k, row, sum[k]);
            }
        }
    }
}

/// A joint's last row, where its body is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn last_row<const P: usize>(tables: &Tables<'_, P>, joint: &Joint) -> usize {
    (rows_of::<P>(&tables.topology, joint).end.max(1) - 1).min(P - 1)
}

/// Returns whether a row is a rotation.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turns(topology: &Topology<'_>, row: usize) -> bool {
    turning(topology, row / LANES) >> (row % LANES) & 1 == 1
}

/// Vector from the origin of the parent's joint to a joint's own origin.
#[cfg_attr(not(debug_assertions), inline(always))]
fn step<T: Scalar, const P: usize>(tables: &Tables<'_, P>, w: &Work<T, P>, joint: &Joint) -> [T; 3] {
    let topology = &tables.topology;
    let row = last_row::<P>(tables, joint);
    let [x, y, z, origin] = w.frames.get(within::<P>(topology, joint.parent));
    let mut d = [T::zero(); 3];
    if matches!(joint.kind, JointKind::Planar | JointKind::Floating) {
        let (crosses, segment) = segments(topology, joint);
        let own = w.frames.get(row)[3];
        for k in 0..3 {
            d[k] = own[k] - origin[k];
            if crosses {
                d[k] += w.hop[segment.min(P - 1)][k];
            }
        }
    } else {
        // Not the difference of the two origins, which would cancel digits.
        let t = w.drift.get3(9, row);
        for k in 0..3 {
            d[k] = x[k].mul_add(t[0], y[k].mul_add(t[1], z[k] * t[2]));
        }
    }
    d
}

/// Articulated bodies from the leaves to the root.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn inward<T: Scalar, Q: Limbs<T, 4>, const P: usize>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    [v, tau]: [&[T]; 2],
    factors: &mut Factors<T, P>,
) {
    let topology = &tables.topology;
    // Bodies that hang on a row but are not its next one in the order.
    let mut others = Kept::<T, Q, P>::new();
    let mut last = Articulated::<T, Q>::none();
    // The row that it hangs on, if any.
    let mut on = usize::MAX;
    for joint in topology.joints.iter().rev() {
        let rows = rows_of::<P>(topology, joint);
        let row = last_row::<P>(tables, joint);
        let i = &w.inertia;
        let mut body = Articulated::body(
            T::from_f64(tables.numbers.mass.0[0][row]),
            i.get3(0, row),
            [i.get(3, row), i.get(4, row), i.get(5, row), i.get(6, row), i.get(7, row), i.get(8, row)],
            [w.force.get3(0, row), w.force.get3(3, row)],
        );
        if on == row {
            body = body.and(&last);
        } else if on < P {
            others.add(on, last);
        }
        body = others.and(row, body);
        on = usize::MAX;
        let mut to_parent = [T::zero(); 3];
        if joint.parent != WORLD {
            to_parent = step(tables, w, joint);
            on = within::<P>(topology, joint.parent);
        }
        for row in rows.clone().rev() {
            let d = if row == rows.start { to_parent } else { [T::zero(); 3] };
            let z = w.frames.get(row)[2];
            let at = usize::from(pick_row(topology.coordinate, row));
            let rotor = T::from_f64(constant_of(tables.armature, at));
            let damping = T::from_f64(constant_of(tables.damping, at));
            let torque = (-damping).mul_add(pick(v, at), pick(tau, at));
            let factor;
            let turns = turns(topology, row);
            (body, factor) = body.freed(turns, z, torque, rotor, d);
            factors.set(row, RowFactor::new(&factor, [z[0], z[1], z[2]], d, turns));
        }
        last = body;
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn constant_of(x: &[f64], at: usize) -> f64 {
    match x.get(at) {
        Some(x) => *x,
        None => 0.0,
    }
}

/// Accelerations from the root to the leaves: of the joints, and the bodies' accelerations that the
/// joints add.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn outward<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    factors: &Factors<T, P>,
    out: &mut [T],
) {
    let topology = &tables.topology;
    let zero = T::zero();
    // SAFETY: a row is read only where `known` says that it was written.
    let mut all = unsafe { Scratch::<T, 6, P>::new() };
    let mut known = [false; P];
    let (mut linear, mut angular) = ([zero; 3], [zero; 3]);
    let mut before = WORLD;
    for joint in topology.joints {
        let row = last_row::<P>(tables, joint);
        let parent = within::<P>(topology, joint.parent);
        if joint.parent != before {
            (linear, angular) = ([zero; 3], [zero; 3]);
            if joint.parent != WORLD && known[parent.min(P - 1)] {
                (linear, angular) = (all.get3(0, parent), all.get3(3, parent));
            }
        }
        for row in rows_of::<P>(topology, joint) {
            // The angular part comes last, so that nothing waits for the linear acceleration.
            let of = factors.get(row);
            let mut acceleration = of.drive;
            for k in 0..3 {
                acceleration = (-of.along[0][k]).mul_add(linear[k], acceleration);
            }
            for k in 0..3 {
                acceleration = (-of.along[1][k]).mul_add(angular[k], acceleration);
            }
            let shift = cross(angular, of.step);
            for k in 0..3 {
                linear[k] += shift[k];
            }
            for k in 0..3 {
                if of.turns {
                    angular[k] = of.axis[k].mul_add(acceleration, angular[k]);
                } else {
                    linear[k] = of.axis[k].mul_add(acceleration, linear[k]);
                }
            }
            if let Some(out) = out.get_mut(usize::from(pick_row(topology.coordinate, row))) {
                *out = acceleration;
            }
        }
        for k in 0..3 {
            all.set(k, row, linear[k]);
            all.set(3 + k, row, angular[k]);
        }
        known[row.min(P - 1)] = true;
        before = row as u16;
    }
}
