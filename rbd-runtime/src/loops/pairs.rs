//! Matrices over degrees of freedom from what is known of each: windows of rows against columns
//! (docs/math.md#loops-over-tables).

use super::forward::{Work, World, count};
use super::tables::{Segment, Strip, Topology, WORLD, Window};
use super::vector::{Scratch, V3, v3};
use super::{LANES, Register};
use crate::Scalar;

/// The halves of forces on subtrees that do, and do not, depend on the point, and t4.
pub(super) struct Forces<T, const P: usize> {
    /// Linear halves of t1, t2, t3.
    pub linear: Scratch<T, 9, P>,
    /// Angular halves.
    pub angular: Scratch<T, 9, P>,
    /// Angular half of t4; its linear half is zero.
    pub t4: Scratch<T, 3, P>,
}

impl<T: Scalar, const P: usize> Forces<T, P> {
    /// # Safety
    /// What is read was written; see [`Scratch`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { linear: Scratch::new(), angular: Scratch::new(), t4: Scratch::new() } }
    }
}

/// Which matrices are written: all.
pub(super) const ALL: u8 = 0;
/// Those that do not depend on the acceleration.
pub(super) const BY_V_AND_A: u8 = 1;
/// The derivative by q alone.
pub(super) const BY_Q: u8 = 2;
/// The mass matrix alone, for which of a row no more is known than s and t1.
pub(super) const BY_A: u8 = 3;

/// The derivatives of inverse dynamics by q, v and a, nv by nv, those that `WHAT` says: straight to the results or,
/// where several rows are one coordinate, through matrices over rows. Without armature and damping.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn matrices<T: Scalar, L: Register<T>, const P: usize, const WHAT: u8>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    out: [&mut [T]; 3],
    nv: usize,
) {
    if nv == count::<P>(topology) {
        pairs::<T, L, P, WHAT>(topology, w, t, world, out, nv);
    } else {
        merged::<T, L, P, WHAT>(topology, w, t, world, out, nv);
    }
}

/// Adds up rows and columns of matrices over rows in the coordinates that they belong to.
#[cfg_attr(not(debug_assertions), inline(always))]
fn merged<T: Scalar, L: Register<T>, const P: usize, const WHAT: u8>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    out: [&mut [T]; 3],
    nv: usize,
) {
    let rows = count::<P>(topology);
    let mut all = [[[T::zero(); P]; P]; 3];
    let [dq, dv, da] = &mut all;
    let flat = [dq.as_flattened_mut(), dv.as_flattened_mut(), da.as_flattened_mut()];
    pairs::<T, L, P, WHAT>(topology, w, t, world, flat, P);
    for (all, out) in all.iter().zip(out) {
        out.fill(T::zero());
        for (column, &c) in all[..rows].iter().zip(topology.coordinate) {
            let from = (usize::from(c) * nv).min(out.len());
            let to = &mut out[from..];
            for (&x, &r) in column[..rows].iter().zip(topology.coordinate) {
                if let Some(to) = to.get_mut(usize::from(r)) {
                    *to += x;
                }
            }
        }
    }
}

/// The points of all segments related to one, as vectors from its own point.
#[cfg_attr(not(debug_assertions), inline(always))]
fn points<T: Scalar, const P: usize>(segments: &[Segment], own: usize, hop: &[[T; 4]; P]) -> [[T; 3]; P] {
    let mut points = [[T::zero(); 3]; P];
    let mut at = own;
    // Towards the root: at most as many steps as there are segments.
    for _ in 0..segments.len().min(P) {
        let Some(segment) = segments.get(at) else { break };
        if segment.parent == WORLD {
            break;
        }
        let parent = usize::from(segment.parent).min(P - 1);
        for k in 0..3 {
            points[parent][k] = points[at.min(P - 1)][k] - hop[at.min(P - 1)][k];
        }
        at = parent;
    }
    // Away from it; unrelated segments get numbers that nothing reads.
    for (i, segment) in segments.iter().enumerate().take(P).skip(own + 1) {
        if segment.parent != WORLD && usize::from(segment.parent) >= own {
            let parent = usize::from(segment.parent).min(P - 1);
            for k in 0..3 {
                points[i][k] = points[parent][k] + hop[i][k];
            }
        }
    }
    points
}

/// All entries of the three matrices over rows, each once. `columns` is their stride.
#[cfg_attr(not(debug_assertions), inline(always))]
fn pairs<T: Scalar, L: Register<T>, const P: usize, const WHAT: u8>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    [dq, dv, da]: [&mut [T]; 3],
    stride: usize,
) {
    let rows = count::<P>(topology);
    // Of one length, so that one comparison a column is enough.
    let length = |written: bool| if written { rows * stride } else { 0 };
    let (Some(dq), Some(dv), Some(da)) = (
        dq.get_mut(..length(WHAT == ALL || WHAT == BY_Q)),
        dv.get_mut(..length(WHAT == ALL || WHAT == BY_V_AND_A)),
        da.get_mut(..length(WHAT != BY_Q)),
    ) else {
        return;
    };
    // SAFETY: a strip's columns are moved, whole blocks of them, before they are read.
    let (mut motions, mut forces) = unsafe { (Scratch::<T, 9, P>::new(), Scratch::<T, 9, P>::new()) };
    let mut here = usize::from(WORLD);
    let mut points_here = [[T::zero(); 3]; P];
    for window in topology.windows {
        let segment = usize::from(window.segment);
        if topology.segments.len() > 1 && here != segment {
            here = segment;
            points_here = points(topology.segments, segment, &w.hop);
        }
        let strips = topology.strips.get(window.strips.0 as usize..window.strips.1 as usize);
        let strips = strips.unwrap_or_default();
        let root = if world.floating && usize::from(window.first) >= ROOT { ROOT } else { 0 };
        if let (true, Some(strip)) = (root > 0, strips.first()) {
            let out = [&mut *dq, &mut *dv, &mut *da];
            let at = (window, strip.below);
            root_columns::<T, L, P, WHAT>(at, w, t, world, points_here[0], out, (rows, stride));
        }
        for strip in strips {
            let (from, to) = (usize::from(strip.from).max(root), usize::from(strip.to).min(rows));
            let theirs = topology.segment.get(from).map_or(segment, |s| usize::from(*s));
            let (mut linear, mut angular) = (&w.linear, &t.angular);
            if theirs != segment && strip.above | strip.below != 0 {
                let d = V3::<T, L>::splat(points_here[theirs.min(P - 1)]);
                for at in (from / LANES * LANES..to).step_by(LANES) {
                    for k in (0..if WHAT == BY_A { 3 } else { 9 }).step_by(3) {
                        if strip.below != 0 {
                            // At a point that is -d from theirs.
                            let moved = d.cross_add(w.angular.load3(k, at), w.linear.load3(k, at));
                            motions.store3(k, at, moved);
                        }
                        if strip.above != 0 {
                            let moved = d.cross_add(t.linear.load3(k, at), t.angular.load3(k, at));
                            forces.store3(k, at, moved);
                        }
                    }
                }
                (linear, angular) = (&motions, &forces);
            }
            let columns = Columns { motions: (linear, &w.angular), forces: (&t.linear, angular) };
            let out = [&mut *dq, &mut *dv, &mut *da];
            if usize::from(window.first) + LANES <= rows {
                fill::<T, L, P, WHAT, true>(window, strip, w, t, &columns, (from, to), out, (rows, stride));
            } else {
                fill::<T, L, P, WHAT, false>(window, strip, w, t, &columns, (from, to), out, (rows, stride));
            }
        }
    }
}

/// Columns of a floating base, which is the first joint.
const ROOT: usize = 6;

/// The columns of a floating base in a window of other rows: its own are unit vectors and its parent is at rest, so that
/// nothing is left of the products but components of three cross products. `d` leads from the window's point to the base's;
/// lanes that it does not carry are zero.
#[cfg_attr(not(debug_assertions), inline(always))]
fn root_columns<T: Scalar, L: Register<T>, const P: usize, const WHAT: u8>(
    (window, carried): (&Window, u8),
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    d: [T; 3],
    [dq, dv, da]: [&mut [T]; 3],
    (rows, stride): (usize, usize),
) {
    let first = usize::from(window.first).min(rows);
    let reach = LANES.min(rows - first);
    let (l, n) = (t.linear.load3::<L>(0, first), t.angular.load3::<L>(0, first));
    let n = n - V3::splat(d).cross(l);
    for k in 0..3 {
        put(&mut *da, k * stride + first, reach, l.c[k].keep(carried));
        put(&mut *da, (3 + k) * stride + first, reach, n.c[k].keep(carried));
    }
    if WHAT != BY_A {
        // t1 . (v x e) = (t1 x v) . e, and so on; t4 is the same at every point.
        let (vl, vw) = (V3::<T, L>::splat(w.v.get3(0, ROOT - 1)), V3::splat(w.v.get3(3, ROOT - 1)));
        let by_linear = l.cross(vw);
        let by_angular = n.cross_add(vw, l.cross_add(vl, t.t4.load3(0, first)));
        let by_turning = l.cross(V3::splat(world.minus_gravity));
        for k in 0..3 {
            put(&mut *dv, k * stride + first, reach, by_linear.c[k].keep(carried));
            put(&mut *dv, (3 + k) * stride + first, reach, by_angular.c[k].keep(carried));
            put(&mut *dq, k * stride + first, reach, L::splat(T::zero()));
            put(&mut *dq, (3 + k) * stride + first, reach, by_turning.c[k].keep(carried));
        }
    }
}

/// Columns at the window's point: linear and angular halves.
struct Columns<'a, T, const P: usize> {
    motions: (&'a Scratch<T, 9, P>, &'a Scratch<T, 12, P>),
    forces: (&'a Scratch<T, 9, P>, &'a Scratch<T, 9, P>),
}

/// The entries of one window in one strip. `WHOLE`: there are rows for all lanes.
#[allow(clippy::too_many_arguments, reason = "a part of `pairs`")]
#[cfg_attr(not(debug_assertions), inline(always))]
fn fill<T: Scalar, L: Register<T>, const P: usize, const WHAT: u8, const WHOLE: bool>(
    window: &Window,
    strip: &Strip,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    columns: &Columns<'_, T, P>,
    (from, to): (usize, usize),
    [dq, dv, da]: [&mut [T]; 3],
    (rows, stride): (usize, usize),
) {
    let first = usize::from(window.first).min(rows);
    let (sl, sw) = (w.linear.load3::<L>(0, first), w.angular.load3::<L>(0, first));
    let (fl, fw) = (t.linear.load3::<L>(0, first), t.angular.load3::<L>(0, first));
    let u = if WHAT != BY_A { t.t4.load3::<L>(0, first) } else { V3::zero() };
    let (above, below) = (strip.above, strip.below);
    let zero = L::splat(T::zero());
    // A register may reach into the next window's rows, which are written after these, but not into the next column.
    let reach = if WHOLE { LANES } else { LANES.min(rows - first) };
    for column in from..to {
        let (mut q, mut v, mut a) = (zero, zero, zero);
        if above != 0 {
            let (l, n) = columns.forces;
            if WHAT != BY_Q {
                a = sl.dot_add(all3(l, 0, column), sw.dot(all3(n, 0, column))).keep(above);
            }
            if WHAT != BY_Q && WHAT != BY_A {
                v = sl.dot_add(all3(l, 3, column), sw.dot(all3(n, 3, column))).keep(above);
            }
            if WHAT != BY_V_AND_A && WHAT != BY_A {
                q = sl.dot_add(all3(l, 6, column), sw.dot(all3(n, 6, column))).keep(above);
            }
        }
        if below != 0 {
            let (l, n) = columns.motions;
            let s = all3(n, 0, column);
            if WHAT != BY_Q {
                a = a.select(fl.dot_add(all3(l, 0, column), fw.dot(s)), below);
            }
            if WHAT != BY_Q && WHAT != BY_A {
                let x = fl.dot_add(all3(l, 3, column), fw.dot_add(all3(n, 3, column), u.dot(s)));
                v = v.select(x, below);
            }
            if WHAT != BY_V_AND_A && WHAT != BY_A {
                let p = u.dot(all3(n, 9, column));
                q = q.select(fl.dot_add(all3(l, 6, column), fw.dot_add(all3(n, 6, column), p)), below);
            }
        }
        let at = column * stride + first;
        if WHAT != BY_V_AND_A && WHAT != BY_A {
            put(&mut *dq, at, reach, q);
        }
        if WHAT != BY_Q && WHAT != BY_A {
            put(&mut *dv, at, reach, v);
        }
        if WHAT != BY_Q {
            put(&mut *da, at, reach, a);
        }
    }
}

/// Three numbers of a row in all lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn all3<T: Scalar, L: Register<T>, const K: usize, const P: usize>(
    x: &Scratch<T, K, P>,
    k: usize,
    row: usize,
) -> V3<T, L> {
    v3([x.all(k, row), x.all(k + 1, row), x.all(k + 2, row)])
}

/// The first `reach` lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn put<T: Scalar, L: Register<T>>(to: &mut [T], at: usize, reach: usize, x: L) {
    if let Some(to) = to.get_mut(at..at + reach) {
        x.store_first(to);
    }
}
