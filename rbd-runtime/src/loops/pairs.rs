//! Matrices over degrees of freedom from the quantities of each: windows of rows against columns
//! (docs/math.md#loops-over-tables).

use super::algebra::{V3, V6, angular, cross, cross_add, dot, dot_add, every, linear, sub};
use super::forward::{Work, World, blocks, count};
use super::scratch::Scratch;
use super::tables::{Segment, Strip, Topology, WORLD};
use super::{LANES, Register};
use crate::__private::NOT_ZERO;
use crate::Scalar;
use core::marker::PhantomData;

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
    /// Every number is written before it is read; see [`Scratch`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { linear: Scratch::new(), angular: Scratch::new(), t4: Scratch::new() } }
    }
    /// Sets eight rows of t1 (`k` is 0), t2 (3) or t3 (6).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put<L: Register<Of = T>>(&mut self, k: usize, at: usize, x: V6<L>) {
        self.linear.put(k, at, linear(x));
        self.angular.put(k, at, angular(x));
    }
    /// Zeros in the block after the last: registers are read from any row on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn clear_after<L: Register<Of = T>>(&mut self, topology: &Topology<'_>) {
        let end = blocks::<P>(topology) * LANES;
        self.linear.clear::<L>(end);
        self.angular.clear::<L>(end);
        self.t4.clear::<L>(end);
    }
}

/// Selection of matrices: all.
pub(super) const ALL: u8 = 0;
/// Selection of the matrices that do not depend on the acceleration.
pub(super) const BY_V_AND_A: u8 = 1;
/// The derivative by q alone.
pub(super) const BY_Q: u8 = 2;
/// Selection of the mass matrix alone. Of each row only s and t1 are known.
pub(super) const BY_A: u8 = 3;

/// Sets the points of all segments related to one, as vectors from its own point. Others keep numbers that
/// are never read.
#[cfg_attr(not(debug_assertions), inline(always))]
fn set_points<T: Scalar, const P: usize>(
    points: &mut [[T; 3]; P],
    segments: &[Segment],
    own: usize,
    hop: &[[T; 4]; P],
) {
    points[own.min(P - 1)] = [T::zero(); 3];
    let mut at = own;
    // Towards the root: at most one step a segment.
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
    // Away from the root. A subtree's segments follow one another, as its rows do.
    for (i, segment) in segments.iter().enumerate().take(P).skip(own + 1) {
        if segment.parent == WORLD || usize::from(segment.parent) < own {
            break;
        }
        let (i, parent) = (i.min(P - 1), usize::from(segment.parent).min(P - 1));
        for k in 0..3 {
            points[i][k] = points[parent][k] + hop[i][k];
        }
    }
}

/// The matrices by q, v and a over rows; `WHAT` selects the ones to write.
///
/// Columns are `stride` apart, at least the number of rows.
struct Out<'a, T, const WHAT: u8> {
    to: [*mut T; 3],
    rows: usize,
    stride: usize,
    of: PhantomData<&'a mut [T]>,
}

impl<'a, T: Scalar, const WHAT: u8> Out<'a, T, WHAT> {
    const WRITTEN: [bool; 3] = [WHAT == ALL || WHAT == BY_Q, WHAT == ALL || WHAT == BY_V_AND_A, WHAT != BY_Q];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_written(which: usize) -> bool {
        Self::WRITTEN[which.min(2)]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(out: [&'a mut [T]; 3], rows: usize, stride: usize) -> Option<Self> {
        let mut fits = rows <= stride;
        for k in 0..3 {
            fits &= !Self::WRITTEN[k] || out[k].len() >= rows * stride;
        }
        let [dq, dv, da] = out;
        let to = [dq.as_mut_ptr(), dv.as_mut_ptr(), da.as_mut_ptr()];
        fits.then_some(Self { to, rows, stride, of: PhantomData })
    }

    /// Stores lanes from row `first` on, as far as there are rows, in this column of matrix `k`, if
    /// that is selected.
    ///
    /// Lanes may reach into another window, which is written after this one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put<L: Register<Of = T>>(&mut self, k: usize, (column, first): (usize, usize), x: L) {
        self.put_if::<L, false>(k, (column, first), x);
    }

    /// Stores as [`Self::put`]. With `WHOLE` there are rows for all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put_if<L: Register<Of = T>, const WHOLE: bool>(
        &mut self,
        k: usize,
        (column, first): (usize, usize),
        x: L,
    ) {
        if !Self::WRITTEN[k] || column >= self.rows || first >= self.rows {
            return;
        }
        let to = self.to[k].wrapping_add(column * self.stride + first);
        let left = self.rows - first;
        // SAFETY: the matrix has `rows` columns of `stride` numbers (`new`), and the slice lies
        // within: `first + left <= stride`.
        unsafe {
            if left >= LANES {
                x.store(&mut *to.cast::<[T; LANES]>());
            } else if !WHOLE {
                x.store_first(core::slice::from_raw_parts_mut(to, left));
            }
        }
    }

    /// Panics if an entry in these columns and so many rows from `first` on is not zero, in builds with debug
    /// assertions.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_zeros(&self, (from, to): (usize, usize), (first, rows): (usize, usize)) {
        if !cfg!(debug_assertions) {
            return;
        }
        let end = (first + rows).min(self.rows);
        for (to_matrix, is_written) in self.to.iter().zip(Self::WRITTEN) {
            for column in from..to.min(if is_written { self.rows } else { 0 }) {
                for row in first..end {
                    // SAFETY: the matrix has `rows` columns of `stride` numbers, of which `rows` are there
                    // (`new`).
                    let x = unsafe { *to_matrix.wrapping_add(column * self.stride + row) };
                    assert!(x == T::zero(), "{NOT_ZERO}");
                }
            }
        }
    }
}

/// Computes the entries of the three matrices over rows, each once. Columns are `stride` apart. Entries that
/// are zero in every state are written, unless `leaves_zeros`: they are zero already.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pairs<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    out: [&mut [T]; 3],
    (stride, leaves_zeros): (usize, bool),
) {
    let rows = count::<P>(topology);
    let Some(mut out) = Out::<T, WHAT>::new(out, rows, stride) else { return };
    // SAFETY: whole blocks of a strip's columns are moved before they are read.
    let (mut motions, mut forces) = unsafe { (Scratch::<T, 9, P>::new(), Scratch::<T, 9, P>::new()) };
    let mut here = usize::from(WORLD);
    let mut points_here = [[T::zero(); 3]; P];
    for window in topology.windows {
        let segment = usize::from(window.segment);
        if topology.segments.len() > 1 && here != segment {
            here = segment;
            set_points(&mut points_here, topology.segments, segment, &w.hop);
        }
        let strips = topology.strips.get(window.strips.0 as usize..window.strips.1 as usize);
        let strips = strips.unwrap_or_default();
        // The base's rows are known as its columns are, if they have a window of their own.
        let base = window.first == 0 && usize::from(window.rows) == ROOT;
        let root = if world.floating && (base || usize::from(window.first) >= ROOT) { ROOT } else { 0 };
        let first = usize::from(window.first).min(rows);
        if let (true, Some(strip)) = (root > 0, strips.first()) {
            root_columns::<T, L, P, WHAT>((first, strip.below), w, t, world, points_here[0], &mut out);
        }
        let own = Own::<L>::load::<P, WHAT>(w, t, first);
        for strip in strips {
            let (from, to) = (usize::from(strip.from).max(root), usize::from(strip.to).min(rows));
            if from >= to {
                continue;
            }
            if strip.above | strip.below == 0 {
                if leaves_zeros {
                    out.check_zeros((from, to), (first, usize::from(window.rows)));
                    continue;
                }
                let zero = L::splat(T::zero());
                for column in from..to {
                    for k in 0..3 {
                        out.put(k, (column, first), zero);
                    }
                }
                continue;
            }
            let theirs = topology.segment.get(from).map_or(segment, |s| usize::from(*s));
            if root > 0 && base {
                root_rows::<T, L, P, WHAT>(t, points_here[theirs.min(P - 1)], (from, to), &mut out);
                continue;
            }
            let (mut linear, mut angular) = (&w.linear, &t.angular);
            if theirs != segment {
                let d: V3<L> = every(points_here[theirs.min(P - 1)]);
                for at in (from / LANES * LANES..to).step_by(LANES) {
                    for (which, k) in [(2, 0), (1, 3), (0, 6)] {
                        if !Out::<T, WHAT>::is_written(which) {
                            continue;
                        }
                        if strip.below != 0 {
                            // At a point that is -d from theirs.
                            let moved = cross_add(d, w.angular.wide(k, at), w.linear.wide(k, at));
                            motions.put(k, at, moved);
                        }
                        if strip.above != 0 {
                            let moved = cross_add(d, t.linear.wide(k, at), t.angular.wide(k, at));
                            forces.put(k, at, moved);
                        }
                    }
                }
                (linear, angular) = (&motions, &forces);
            }
            let columns = Columns { motions: (linear, &w.angular), forces: (&t.linear, angular) };
            if first + LANES <= rows {
                fill::<T, L, P, WHAT, true>(first, strip, &own, &columns, (from, to), &mut out);
            } else {
                fill::<T, L, P, WHAT, false>(first, strip, &own, &columns, (from, to), &mut out);
            }
        }
    }
}

/// Columns of a floating base, which is the first joint.
const ROOT: usize = 6;

/// Columns of a floating base in a window of other rows.
///
/// The base's own columns are unit vectors, and its parent is at rest. Only components of three
/// cross products remain. `d` leads from the window's point to the base's. Lanes that the base does
/// not carry are zero.
#[cfg_attr(not(debug_assertions), inline(always))]
fn root_columns<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    (first, carried): (usize, u8),
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    d: [T; 3],
    out: &mut Out<'_, T, WHAT>,
) {
    let (l, n) = (t.linear.wide::<L, 3>(0, first), t.angular.wide::<L, 3>(0, first));
    let n = sub(n, cross(every(d), l));
    for k in 0..3 {
        out.put(2, (k, first), l[k].keep(carried));
        out.put(2, (3 + k, first), n[k].keep(carried));
    }
    if WHAT != BY_A {
        // t1 . (v x e) = (t1 x v) . e, and so on; t4 is the same at every point.
        let (vl, vw) = (every(w.v.get3(0, ROOT - 1)), every(w.v.get3(3, ROOT - 1)));
        let by_linear = cross(l, vw);
        let by_angular = cross_add(n, vw, cross_add(l, vl, t.t4.wide(0, first)));
        let by_turning = cross(l, every(world.minus_gravity));
        for k in 0..3 {
            out.put(1, (k, first), by_linear[k].keep(carried));
            out.put(1, (3 + k, first), by_angular[k].keep(carried));
            out.put(0, (k, first), L::splat(T::zero()));
            out.put(0, (3 + k, first), by_turning[k].keep(carried));
        }
    }
}

/// Rows of a floating base in columns that it carries: the forces themselves, moved by `d` from the
/// columns' point to the base's.
///
/// Rows beyond the base's become zero. Their windows are written later.
#[cfg_attr(not(debug_assertions), inline(always))]
fn root_rows<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    t: &Forces<T, P>,
    d: [T; 3],
    (from, to): (usize, usize),
    out: &mut Out<'_, T, WHAT>,
) {
    let d: V3<L> = every(d);
    for k in 0..3 {
        if !Out::<T, WHAT>::is_written(k) {
            continue;
        }
        let of = 3 * (2 - k);
        for at in (from / LANES * LANES..to).step_by(LANES) {
            let l = t.linear.wide::<L, 3>(of, at);
            let n = cross_add(d, l, t.angular.wide(of, at));
            let columns = L::transposed([l[0], l[1], l[2], n[0], n[1], n[2]]);
            for c in 0..LANES {
                if at + c >= from && at + c < to {
                    out.put(k, (at + c, 0), columns[c].keep((1 << ROOT) - 1));
                }
            }
        }
    }
}

/// Columns at the window's point: linear and angular halves.
struct Columns<'a, T, const P: usize> {
    motions: (&'a Scratch<T, 9, P>, &'a Scratch<T, 12, P>),
    forces: (&'a Scratch<T, 9, P>, &'a Scratch<T, 9, P>),
}

/// Quantities of a window's rows, which stay in registers.
struct Own<L> {
    /// s.
    motion: (V3<L>, V3<L>),
    /// t1.
    force: (V3<L>, V3<L>),
    /// Angular half of t4.
    turning: V3<L>,
}

impl<T: Scalar, L: Register<Of = T>> Own<L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load<const P: usize, const WHAT: u8>(w: &Work<T, P>, t: &Forces<T, P>, first: usize) -> Self {
        Self {
            motion: (w.linear.wide(0, first), w.angular.wide(0, first)),
            force: (t.linear.wide(0, first), t.angular.wide(0, first)),
            turning: if WHAT == BY_A { [L::splat(T::zero()); 3] } else { t.t4.wide(0, first) },
        }
    }
}

/// Computes the entries of one window in one strip. With `WHOLE` there are rows for all lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fill<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8, const WHOLE: bool>(
    first: usize,
    strip: &Strip,
    own: &Own<L>,
    columns: &Columns<'_, T, P>,
    (from, to): (usize, usize),
    out: &mut Out<'_, T, WHAT>,
) {
    let ((sl, sw), (fl, fw), u) = (own.motion, own.force, own.turning);
    let (above, below) = (strip.above, strip.below);
    let zero = L::splat(T::zero());
    for column in from..to {
        let (mut q, mut v, mut a) = (zero, zero, zero);
        if above != 0 {
            let (l, n) = columns.forces;
            if WHAT != BY_Q {
                a = dot_add(sl, all3(l, 0, column), dot(sw, all3(n, 0, column))).keep(above);
            }
            if WHAT != BY_Q && WHAT != BY_A {
                v = dot_add(sl, all3(l, 3, column), dot(sw, all3(n, 3, column))).keep(above);
            }
            if WHAT != BY_V_AND_A && WHAT != BY_A {
                q = dot_add(sl, all3(l, 6, column), dot(sw, all3(n, 6, column))).keep(above);
            }
        }
        if below != 0 {
            let (l, n) = columns.motions;
            let s = all3(n, 0, column);
            if WHAT != BY_Q {
                a = a.select(dot_add(fl, all3(l, 0, column), dot(fw, s)), below);
            }
            if WHAT != BY_Q && WHAT != BY_A {
                let x = dot_add(fl, all3(l, 3, column), dot_add(fw, all3(n, 3, column), dot(u, s)));
                v = v.select(x, below);
            }
            if WHAT != BY_V_AND_A && WHAT != BY_A {
                let p = dot(u, all3(n, 9, column));
                q = q.select(dot_add(fl, all3(l, 6, column), dot_add(fw, all3(n, 6, column), p)), below);
            }
        }
        out.put_if::<L, WHOLE>(0, (column, first), q);
        out.put_if::<L, WHOLE>(1, (column, first), v);
        out.put_if::<L, WHOLE>(2, (column, first), a);
    }
}

/// Three numbers of a row in all lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn all3<T: Scalar, L: Register<Of = T>, const K: usize, const P: usize>(
    x: &Scratch<T, K, P>,
    k: usize,
    row: usize,
) -> V3<L> {
    [x.all(k, row), x.all(k + 1, row), x.all(k + 2, row)]
}
