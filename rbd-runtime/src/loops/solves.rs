//! Solutions of `M x = b` for many b, by articulated bodies (docs/math.md#solving-by-articulated-bodies).
//!
//! M is neither formed nor inverted: each b takes an inward pass of forces and an outward pass of
//! accelerations, by the factors of [`aba`](super::aba). That is O(n) a column, where a product
//! with M^-1 is O(n^2) on a chain. Lanes are columns.

use super::algebra::{V3, add, cross_add, dot, scale_add};
use super::articulated::Factors;
use super::forward::{pick, pick_row, rows_of};
use super::tables::{Topology, WORLD};
use super::{LANES, Lane, Register};
use crate::Scalar;
use crate::dispatch::Part;
use core::mem::MaybeUninit;

/// Eight right-hand sides, and then their solutions, a row of all after the other.
#[repr(C, align(64))]
pub(super) struct Panel<T, const P: usize>([[T; LANES]; P]);

impl<T: Scalar, const P: usize> Panel<T, P> {
    /// Takes columns of `n` rows, at most as many as lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(&mut self, x: &[T], n: usize) {
        for (c, x) in x.chunks_exact(n.max(1)).enumerate() {
            for (to, x) in self.0.iter_mut().zip(x) {
                to[c % LANES] = *x;
            }
        }
    }

    /// Gives columns back, as [`Self::read`] takes them, with the other sign.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write_negative(&self, x: &mut [T], n: usize) {
        for (c, x) in x.chunks_exact_mut(n.max(1)).enumerate() {
            for (from, x) in self.0.iter().zip(x) {
                *x = -from[c % LANES];
            }
        }
    }
}

/// A spatial force or motion in each lane.
#[derive(Clone, Copy)]
struct Spatial<L> {
    linear: V3<L>,
    angular: V3<L>,
}

impl<L: Lane> Spatial<L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        let zero = [L::number(0.0); 3];
        Self { linear: zero, angular: zero }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn and(&self, other: &Self) -> Self {
        Self { linear: add(self.linear, other.linear), angular: add(self.angular, other.angular) }
    }
}

/// `x - a.b`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn less_dot<L: Lane>(x: L, a: V3<L>, b: V3<L>) -> L {
    (-a[0]).mul_add(b[0], (-a[1]).mul_add(b[1], (-a[2]).mul_add(b[2], x)))
}

/// Solves systems of one robot in one state.
pub(super) struct Solver<'a, T, L, const P: usize> {
    topology: &'a Topology<'a>,
    factors: &'a Factors<T, P>,
    /// Number of rows that have factors.
    rows: usize,
    /// For each row, the row before it on its path, or [`WORLD`].
    above: [u16; P],
    /// For each row, whether a row hangs on it that is not the next one.
    branches: [bool; P],
    /// For each row that branches, the sum of its other children's forces, and later its acceleration.
    kept: [MaybeUninit<Spatial<L>>; P],
    /// For each row that branches, whether there are forces yet.
    loaded: [bool; P],
    /// For each row, whether a right-hand side may be other than zero.
    live: [bool; P],
    /// True if all rows are on one path.
    is_chain: bool,
}

impl<'a, T: Scalar, L: Register<Of = T>, const P: usize> Solver<'a, T, L, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(topology: &'a Topology<'a>, factors: &'a Factors<T, P>) -> Self {
        // Rows that joints cover from the first on: these have factors, for any tables.
        let mut rows = 0;
        for joint in topology.joints {
            let own = rows_of::<P>(topology, joint);
            if own.start != rows {
                break;
            }
            rows = own.end;
        }
        let mut above = [WORLD; P];
        let mut branches = [false; P];
        let mut is_chain = true;
        for row in 0..rows {
            let row = row.min(P - 1);
            let is_first = usize::from(pick_row(topology.first, row)) == row;
            let on = if is_first { pick_row(topology.parent, row) } else { (row as u16).wrapping_sub(1) };
            // A row hangs on an earlier one.
            above[row] = if usize::from(on) < row { on } else { WORLD };
            let follows = row == 0 || usize::from(on) + 1 == row;
            is_chain &= follows;
            if !follows && above[row] != WORLD {
                branches[usize::from(above[row]).min(P - 1)] = true;
            }
        }
        let kept = [const { MaybeUninit::uninit() }; P];
        Self { topology, factors, rows, above, branches, kept, loaded: [false; P], live: [true; P], is_chain }
    }

    /// `x = -M^-1 x` for columns from `from` on of an `n` by `n` matrix.
    ///
    /// Only entries of rows on a path with their column are read; all others count as zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn negative(&mut self, x: &mut [T], n: usize, from: usize) {
        let n = n.min(self.rows);
        let mut panel = Panel::<T, P>([[T::zero(); LANES]; P]);
        self.live = [true; P];
        let mut at = from;
        while at < n {
            let columns = (n - at).min(LANES);
            let Some(x) = x.get_mut(at * n..(at + columns) * n) else { return };
            if self.is_chain {
                panel.read(x, n);
            } else {
                self.read_relatives(x, n, at, &mut panel);
            }
            self.solve(&mut panel, n);
            panel.write_negative(x, n);
            at += LANES;
        }
    }

    /// Reads columns from `at` on, as [`Panel::read`], with zeros in rows on no path with their column.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_relatives(&mut self, x: &[T], n: usize, at: usize, panel: &mut Panel<T, P>) {
        panel.0[..n.min(P)].fill([T::zero(); LANES]);
        self.live = [false; P];
        for (c, x) in x.chunks_exact(n.max(1)).enumerate() {
            // The joint's own rows and all that it carries.
            let first = usize::from(pick_row(self.topology.first, at + c));
            let end = usize::from(pick_row(self.topology.end, at + c)).min(n);
            for row in first..end {
                panel.0[row.min(P - 1)][c % LANES] = pick(x, row);
                self.live[row.min(P - 1)] = true;
            }
            let mut on = self.above[first.min(P - 1)];
            // Towards the root: each row is before the last.
            while usize::from(on) < n {
                let row = usize::from(on).min(P - 1);
                panel.0[row][c % LANES] = pick(x, row);
                self.live[row] = true;
                on = self.above[row];
            }
        }
    }

    /// All of `M^-1`, `n` by `n`, by columns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inverse(&mut self, out: &mut [T], n: usize) {
        let n = n.min(self.rows);
        let mut panel = Panel::<T, P>([[T::zero(); LANES]; P]);
        self.live = [false; P];
        let mut at = 0;
        while at < n {
            let end = (at + LANES).min(n);
            // Solutions beyond the columns' own rows are known by symmetry.
            panel.0[..end.min(P)].fill([T::zero(); LANES]);
            for row in at..end {
                panel.0[row.min(P - 1)][(row - at) % LANES] = T::one();
                self.live[row.min(P - 1)] = true;
            }
            self.solve(&mut panel, end);
            for row in at..end {
                self.live[row.min(P - 1)] = false;
            }
            // Rows of the transpose are columns of the panel.
            for (row, x) in panel.0[..at.min(P)].iter().enumerate() {
                let Some(out) = out.get_mut(row * n + at..).and_then(|out| out.get_mut(..end - at)) else {
                    return;
                };
                for (out, x) in out.iter_mut().zip(x) {
                    *out = *x;
                }
            }
            for c in 0..end - at {
                let column = out.get_mut((at + c) * n..).and_then(|x| x.get_mut(..at + c + 1));
                let Some(column) = column else { return };
                for (row, x) in panel.0.iter().zip(column) {
                    *x = row[c % LANES];
                }
                for row in at..at + c {
                    if let Some(out) = out.get_mut(row * n + at + c) {
                        *out = panel.0[row.min(P - 1)][c % LANES];
                    }
                }
            }
            at += LANES;
        }
    }

    /// Solves for the right-hand sides of a panel, whose rows from `end` on are zero. Solutions are
    /// given for rows before `end`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn solve(&mut self, panel: &mut Panel<T, P>, end: usize) {
        T::in_part(Passes { end: end.min(self.rows), of: self }, panel);
    }

    /// Forces from the leaves to the root: each row's torque that is left, over its inertia.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn inward(&mut self, panel: &mut Panel<T, P>, end: usize) {
        let mut force = Spatial::<L>::zero();
        // The row that this force acts on.
        let mut on = WORLD;
        for row in (0..end).rev() {
            let row = row.min(P - 1);
            if usize::from(on) != row {
                self.keep(on, &force);
                force = Spatial::zero();
                if !self.live[row] && !self.loaded[row] {
                    on = WORLD;
                    continue;
                }
            }
            if self.loaded[row] {
                // SAFETY: it was written, or the flag would not be set.
                force = force.and(unsafe { self.kept[row].assume_init_ref() });
                self.loaded[row] = false;
            }
            let of = self.factors.get(row);
            let (axis, step) = (splats::<T, L>(of.axis), splats::<T, L>(of.step));
            let right = L::load(&panel.0[row]);
            let left = if of.turns {
                less_dot(right, axis, force.angular)
            } else {
                less_dot(right, axis, force.linear)
            };
            (left * L::splat(of.by)).store(&mut panel.0[row]);
            let angular = cross_add(step, force.linear, force.angular);
            force.angular = scale_add(left, splats::<T, L>(of.along[1]), angular);
            force.linear = scale_add(left, splats::<T, L>(of.along[0]), force.linear);
            on = self.above[row];
        }
    }

    /// Adds a force to those of a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(&mut self, on: u16, force: &Spatial<L>) {
        if on == WORLD {
            return;
        }
        let on = usize::from(on).min(P - 1);
        let mut sum = *force;
        if self.loaded[on] {
            // SAFETY: it was written, or the flag would not be set.
            sum = sum.and(unsafe { self.kept[on].assume_init_ref() });
        }
        self.kept[on] = MaybeUninit::new(sum);
        self.loaded[on] = true;
    }

    /// Accelerations from the root to the leaves.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outward(&mut self, panel: &mut Panel<T, P>, end: usize) {
        let mut motion = Spatial::<L>::zero();
        let mut before = WORLD;
        for row in 0..end {
            let row = row.min(P - 1);
            let above = self.above[row];
            if above != before {
                motion = Spatial::zero();
                let above = usize::from(above).min(P - 1);
                if above < row && self.branches[above] {
                    // SAFETY: every earlier row that branches was written below.
                    motion = unsafe { *self.kept[above].assume_init_ref() };
                }
            }
            let of = self.factors.get(row);
            let (axis, step) = (splats::<T, L>(of.axis), splats::<T, L>(of.step));
            let x = less_dot(L::load(&panel.0[row]), splats::<T, L>(of.along[0]), motion.linear)
                - dot(splats::<T, L>(of.along[1]), motion.angular);
            x.store(&mut panel.0[row]);
            motion.linear = cross_add(motion.angular, step, motion.linear);
            if of.turns {
                motion.angular = scale_add(x, axis, motion.angular);
            } else {
                motion.linear = scale_add(x, axis, motion.linear);
            }
            if self.branches[row] {
                self.kept[row] = MaybeUninit::new(motion);
            }
            before = row as u16;
        }
    }
}

/// Inward and outward pass over a panel, as a function of their own: one for all matrices.
struct Passes<'s, 'a, T, L, const P: usize> {
    of: &'s mut Solver<'a, T, L, P>,
    end: usize,
}

impl<T: Scalar, L: Register<Of = T>, const P: usize> Part for Passes<'_, '_, T, L, P> {
    type Kept = Panel<T, P>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, panel: &mut Self::Kept) {
        self.of.inward(panel, self.end);
        self.of.outward(panel, self.end);
    }
}

/// Three numbers, each in every lane.
#[cfg_attr(not(debug_assertions), inline(always))]
fn splats<T: Scalar, L: Register<Of = T>>(x: [T; 3]) -> V3<L> {
    [L::splat(x[0]), L::splat(x[1]), L::splat(x[2])]
}
