//! Inverse dynamics and its first derivatives (docs/math.md#loops-over-tables).

use super::composites::{Drift, Force, Moments, external, forces, over_subtrees};
use super::forward::{
    Coordinates, Work, along_paths, axes, blocks, constant, gather, placements, rates, relative,
    second_rates, world,
};
use super::tables::{Segment, Strip, Tables, Topology, WORLD, Window};
use super::vector::{Scratch, V3, v3};
use super::{LANES, Register};
use crate::dispatch::{Kernel, Recast};
use crate::limbs::{LimbScalar, Limbs, Plain};
use crate::{RneaDerivatives, Scalar};
use nalgebra::SVector;

/// tau, its derivatives by q, v and a at (q, v, a), with external forces that are constant in their bodies' frames.
/// Everything in `out` is written.
#[inline]
pub fn rnea_derivatives<T: Scalar, const P: usize, const NQ: usize, const NV: usize>(
    tables: &Tables<'_, P>,
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    fext: Option<&[SVector<T, 6>]>,
    out: &mut RneaDerivatives<T, NV>,
) {
    rnea_derivatives_of_slices(
        tables,
        [q.as_slice(), v.as_slice(), a.as_slice()],
        fext,
        Results {
            tau: out.tau.as_mut_slice(),
            dq: out.dtau_dq.as_mut_slice(),
            dv: out.dtau_dv.as_mut_slice(),
            da: out.dtau_da.as_mut_slice(),
        },
    );
}

/// Where results go: matrices column after column, nv by nv.
#[derive(Debug)]
pub struct Results<'a, T> {
    /// Torques.
    pub tau: &'a mut [T],
    /// Their derivative by the configuration.
    pub dq: &'a mut [T],
    /// By the velocity.
    pub dv: &'a mut [T],
    /// By the acceleration: the mass matrix.
    pub da: &'a mut [T],
}

/// [`rnea_derivatives`] for sizes that are known at run time only: q, v and a, and results.
pub fn rnea_derivatives_of_slices<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    state: [&[T]; 3],
    fext: Option<&[SVector<T, 6>]>,
    out: Results<'_, T>,
) {
    T::dispatch(Derivatives { tables, state, fext, out });
}

struct Derivatives<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    state: [&'a [T]; 3],
    fext: Option<&'a [SVector<T, 6>]>,
    out: Results<'a, T>,
}

impl<T: Scalar, const P: usize> Kernel<T> for Derivatives<'_, T, P> {
    type Output = ();
    const WIDE: bool = true;

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        self.with::<S, Plain<S, 4>, Plain<S, LANES>>(recast);
    }
    #[inline(always)]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) {
        self.with::<S, S::X4, S::X8>(recast);
    }
}

impl<T: Scalar, const P: usize> Derivatives<'_, T, P> {
    #[inline(always)]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<S>>(self, recast: Recast<T, S>) {
        let [q, v, a] = self.state;
        let state = [recast.slice(q), recast.slice(v), recast.slice(a)];
        let fext = match self.fext {
            Some(fext) => Some(recast.vectors(fext)),
            None => None,
        };
        let out = Results {
            tau: recast.slice_mut(self.out.tau),
            dq: recast.slice_mut(self.out.dq),
            dv: recast.slice_mut(self.out.dv),
            da: recast.slice_mut(self.out.da),
        };
        derivatives::<S, Q, L, P>(self.tables, state, fext, out);
    }
}

/// The halves of forces on subtrees that do, and do not, depend on the point, and t4.
struct Forces<T, const P: usize> {
    /// Linear halves of t1, t2, t3.
    linear: Scratch<T, 9, P>,
    /// Angular halves.
    angular: Scratch<T, 9, P>,
    /// Angular half of t4; its linear half is zero.
    t4: Scratch<T, 3, P>,
}

/// The body of the kernel.
#[inline(always)]
fn derivatives<T: Scalar, Q: Limbs<T, 4>, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    [q, v, a]: [&[T]; 3],
    fext: Option<&[SVector<T, 6>]>,
    out: Results<'_, T>,
) {
    let topology = &tables.topology;
    let rows: Coordinates<T, P> = gather(topology, q, v, a);
    let world = world(tables, q);
    let zero = T::zero();
    // SAFETY: the stages below are in the order in which they need one another's results.
    let mut w = unsafe { Work::<T, P>::new() };
    relative::<T, L, P>(tables, &rows, &mut w);
    placements::<T, Q, P>(tables, &world, q, &mut w);
    axes::<T, L, P>(tables, &rows, &mut w);
    along_paths(topology, &mut w.v, [zero; 6], &w.hop);
    rates::<T, L, P>(tables, &rows, &mut w);
    let g = world.minus_gravity;
    along_paths(topology, &mut w.a, [g[0], g[1], g[2], zero, zero, zero], &w.hop);
    second_rates::<T, L, P>(tables, &world, &mut w);
    forces::<T, L, P, true>(tables, &mut w);
    if let Some(fext) = fext {
        external(tables, fext, &mut w);
    }
    let mass = &tables.subtree_mass.0[0];
    over_subtrees::<T, L, Moments, 9, P>(topology, mass, &w.hop, &mut w.inertia);
    over_subtrees::<T, L, Drift, 12, P>(topology, mass, &w.hop, &mut w.drift);
    over_subtrees::<T, L, Force, 6, P>(topology, mass, &w.hop, &mut w.force);
    // SAFETY: `of_subtrees` fills all three before anything reads them.
    let mut t = unsafe { Forces { linear: Scratch::new(), angular: Scratch::new(), t4: Scratch::new() } };
    let mut tau = [zero; P];
    of_subtrees::<T, L, P>(tables, &w, &mut t, &mut tau);
    write::<T, L, P>(tables, &w, &t, &tau, [v, a], out);
}

/// Composite inertia, Coriolis operator and force of eight subtrees.
struct Composite<T, L> {
    mass: L,
    h: V3<T, L>,
    /// Rows of the second moments.
    s: [V3<T, L>; 3],
    trace: L,
    l: V3<T, L>,
    /// Rows of the operator's angular block.
    b: [V3<T, L>; 3],
    f: V3<T, L>,
    n: V3<T, L>,
}

impl<T: Scalar, L: Register<T>> Composite<T, L> {
    #[inline(always)]
    fn load<const P: usize>(tables: &Tables<'_, P>, w: &Work<T, P>, at: usize) -> Self {
        let i = &w.inertia;
        let (xx, xy, xz): (L, L, L) = (i.load(3, at), i.load(4, at), i.load(5, at));
        let (yy, yz, zz): (L, L, L) = (i.load(6, at), i.load(7, at), i.load(8, at));
        Self {
            mass: constant(&tables.subtree_mass, 0, at),
            h: i.load3(0, at),
            s: [v3([xx, xy, xz]), v3([xy, yy, yz]), v3([xz, yz, zz])],
            trace: xx + yy + zz,
            l: w.drift.load3(0, at),
            b: [w.drift.load3(3, at), w.drift.load3(6, at), w.drift.load3(9, at)],
            f: w.force.load3(0, at),
            n: w.force.load3(3, at),
        }
    }
    /// `I [linear; angular] + [f; n]`.
    #[inline(always)]
    fn inertia_add(
        &self,
        (l, a): (V3<T, L>, V3<T, L>),
        (f, n): (V3<T, L>, V3<T, L>),
    ) -> (V3<T, L>, V3<T, L>) {
        let f = a.cross_add(self.h, l.scale_add(self.mass, f));
        let n = self.h.cross_add(l, a.scale_add(self.trace, n));
        (f, v3([n.c[0] - self.s[0].dot(a), n.c[1] - self.s[1].dot(a), n.c[2] - self.s[2].dot(a)]))
    }
    /// `B [.; angular]`, which is `-[l x angular; b angular]`.
    #[inline(always)]
    fn drift(&self, a: V3<T, L>) -> (V3<T, L>, V3<T, L>) {
        (a.cross(self.l), v3([-self.b[0].dot(a), -self.b[1].dot(a), -self.b[2].dot(a)]))
    }
    /// The angular half of `B^T [linear; angular]`, which is `l x linear - b^T angular`.
    #[inline(always)]
    fn drift_transposed(&self, l: V3<T, L>, a: V3<T, L>) -> V3<T, L> {
        let x = self.l.cross(l);
        let b = self.b[0].scale_add(a.c[0], self.b[1].scale_add(a.c[1], self.b[2].scale(a.c[2])));
        x - b
    }
}

/// t1, t2, t3 with the change of the subtree's force, t4, and tau without armature and damping.
#[inline(always)]
fn of_subtrees<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    t: &mut Forces<T, P>,
    tau: &mut [T; P],
) {
    let blocks = blocks::<P>(&tables.topology);
    for b in 0..blocks {
        let at = b * LANES;
        let c = Composite::<T, L>::load(tables, w, at);
        let (sl, sw) = (w.linear.load3::<L>(0, at), w.angular.load3::<L>(0, at));
        let zero = V3::zero();
        if let Some(tau) = tau.get_mut(at..).and_then(<[T]>::first_chunk_mut) {
            sl.dot_add(c.f, sw.dot(c.n)).store(tau);
        }
        let (f, n) = c.inertia_add((sl, sw), (zero, zero));
        t.linear.store3(0, at, f);
        t.angular.store3(0, at, n);
        t.t4.store3(0, at, c.drift_transposed(sl, sw));
        let (xl, xw) = (w.linear.load3::<L>(3, at), w.angular.load3::<L>(3, at));
        let (f, n) = c.inertia_add((xl, xw), c.drift(sw));
        t.linear.store3(3, at, f);
        t.angular.store3(3, at, n);
        let (rl, rw) = (w.linear.load3::<L>(6, at), w.angular.load3::<L>(6, at));
        let (f, n) = c.drift(w.angular.load3::<L>(9, at));
        let (f, n) = (sw.cross_add(c.f, f), sw.cross_add(c.n, sl.cross_add(c.f, n)));
        let (f, n) = c.inertia_add((rl, rw), (f, n));
        t.linear.store3(6, at, f);
        t.angular.store3(6, at, n);
    }
    t.linear.clear::<L>(blocks * LANES);
    t.angular.clear::<L>(blocks * LANES);
    t.t4.clear::<L>(blocks * LANES);
}

/// Fills the results, straight or, where several rows are one coordinate, through matrices over rows.
#[inline(always)]
fn write<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    tau: &[T; P],
    [v, a]: [&[T]; 2],
    out: Results<'_, T>,
) {
    let topology = &tables.topology;
    let (nv, rows) = (out.tau.len(), topology.rows.min(P));
    if nv == rows {
        out.tau.copy_from_slice(&tau[..nv]);
        pairs::<T, L, P>(topology, w, t, [&mut *out.dq, &mut *out.dv, &mut *out.da], nv);
    } else {
        merged::<T, L, P>(
            topology,
            w,
            t,
            tau,
            Results { tau: &mut *out.tau, dq: &mut *out.dq, dv: &mut *out.dv, da: &mut *out.da },
        );
    }
    let both = tables.armature.iter().zip(tables.damping);
    for (i, (((tau, &v), &a), (&armature, &damping))) in
        out.tau.iter_mut().zip(v).zip(a).zip(both).enumerate()
    {
        let (armature, damping) = (T::from_f64(armature), T::from_f64(damping));
        *tau = armature.mul_add(a, damping.mul_add(v, *tau));
        let diagonal = i * (nv + 1);
        if let Some(m) = out.da.get_mut(diagonal) {
            *m += armature;
        }
        if let Some(d) = out.dv.get_mut(diagonal) {
            *d += damping;
        }
    }
}

/// Adds up rows and columns of matrices over rows in the coordinates that they belong to.
#[inline(always)]
fn merged<T: Scalar, L: Register<T>, const P: usize>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    tau: &[T; P],
    out: Results<'_, T>,
) {
    let rows = topology.rows.min(P);
    let nv = out.tau.len();
    out.tau.fill(T::zero());
    for (&at, &x) in topology.coordinate.iter().zip(tau) {
        if let Some(tau) = out.tau.get_mut(usize::from(at)) {
            *tau += x;
        }
    }
    let mut all = [[[T::zero(); P]; P]; 3];
    let [dq, dv, da] = &mut all;
    let flat = [dq.as_flattened_mut(), dv.as_flattened_mut(), da.as_flattened_mut()];
    pairs::<T, L, P>(topology, w, t, flat, P);
    for (all, out) in all.iter().zip([out.dq, out.dv, out.da]) {
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
#[inline(always)]
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
#[inline(always)]
fn pairs<T: Scalar, L: Register<T>, const P: usize>(
    topology: &Topology<'_>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    [dq, dv, da]: [&mut [T]; 3],
    stride: usize,
) {
    let rows = topology.rows.min(P);
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
        for strip in strips.unwrap_or_default() {
            let (from, to) = (usize::from(strip.from), usize::from(strip.to).min(rows));
            let theirs = topology.segment.get(from).map_or(segment, |s| usize::from(*s));
            let (mut linear, mut angular) = (&w.linear, &t.angular);
            if theirs != segment && strip.above | strip.below != 0 {
                let d = V3::<T, L>::splat(points_here[theirs.min(P - 1)]);
                for at in (from / LANES * LANES..to).step_by(LANES) {
                    for k in [0, 3, 6] {
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
            fill::<T, L, P>(window, strip, w, t, &columns, (from, to), out, (rows, stride));
        }
    }
}

/// Columns at the window's point: linear and angular halves.
struct Columns<'a, T, const P: usize> {
    motions: (&'a Scratch<T, 9, P>, &'a Scratch<T, 12, P>),
    forces: (&'a Scratch<T, 9, P>, &'a Scratch<T, 9, P>),
}

/// The entries of one window in one strip.
#[allow(clippy::too_many_arguments, reason = "a part of `pairs`")]
#[inline(always)]
fn fill<T: Scalar, L: Register<T>, const P: usize>(
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
    let u = t.t4.load3::<L>(0, first);
    let (above, below) = (strip.above, strip.below);
    let zero = L::splat(T::zero());
    // A register may reach into the next window's rows, which are written after these, but not into the next column.
    let reach = LANES.min(rows - first);
    for column in from..to {
        let (mut q, mut v, mut a) = (zero, zero, zero);
        if above != 0 {
            let (l, n) = columns.forces;
            let f1 = all3::<T, L, 9, P>(l, 0, column);
            let n1 = all3::<T, L, 9, P>(n, 0, column);
            a = (sl.dot(f1) + sw.dot(n1)).keep(above);
            v = (sl.dot(all3(l, 3, column)) + sw.dot(all3(n, 3, column))).keep(above);
            q = (sl.dot(all3(l, 6, column)) + sw.dot(all3(n, 6, column))).keep(above);
        }
        if below != 0 {
            let (l, n) = columns.motions;
            let (s, x, r, p) =
                (all3(n, 0, column), all3(n, 3, column), all3(n, 6, column), all3(n, 9, column));
            a = a.select(fl.dot(all3(l, 0, column)) + fw.dot(s), below);
            v = v.select(fl.dot(all3(l, 3, column)) + fw.dot_add(x, u.dot(s)), below);
            q = q.select(fl.dot(all3(l, 6, column)) + fw.dot_add(r, u.dot(p)), below);
        }
        let at = column * stride + first;
        put(&mut *dq, at, reach, q);
        put(&mut *dv, at, reach, v);
        put(&mut *da, at, reach, a);
    }
}

/// Three numbers of a row in all lanes.
#[inline(always)]
fn all3<T: Scalar, L: Register<T>, const K: usize, const P: usize>(
    x: &Scratch<T, K, P>,
    k: usize,
    row: usize,
) -> V3<T, L> {
    v3([x.all(k, row), x.all(k + 1, row), x.all(k + 2, row)])
}

/// The first `reach` lanes.
#[inline(always)]
fn put<T: Scalar, L: Register<T>>(to: &mut [T], at: usize, reach: usize, x: L) {
    if let Some(to) = to.get_mut(at..at + reach) {
        x.store_first(to);
    }
}
