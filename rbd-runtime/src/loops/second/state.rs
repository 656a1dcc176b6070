//! A robot's state for second derivatives: of each row, its motion subspace and the subspace's rates
//! (docs/math.md#subspace-rates), of each subtree the inertia, Coriolis operator and force. All in one frame: that of a
//! floating base that alone is on the world, else the world's. By the stages of first derivatives, and what the multiplier
//! adds.

use super::super::composites::{Drift, Force, Moments, Summed, external, forces, over_subtrees};
use super::super::forward::{
    Coordinates, Work, World, blocks, constant, count, load, pick_row, rows_of, turned, with_many,
};
use super::super::motion::{along_paths, axes, of_parent, rates, second_rates};
use super::super::placements::{placements, relative, world};
use super::super::tables::{Rows, Segment, Tables, Topology, WORLD};
use super::super::vector::Scratch;
use super::super::{LANES, Register};
use super::operators::*;
use super::packing::Block;
use super::vectors::*;
use crate::dispatch::Part;
use crate::limbs::Limbs;
use crate::{JointKind, Scalar};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use nalgebra::SVector;

/// What a state is made from. Slices that are too short count as zero beyond their end.
pub struct Given<'a, S> {
    /// Configuration.
    pub q: &'a [S],
    /// Velocity.
    pub v: &'a [S],
    /// Acceleration; zero, where empty.
    pub a: &'a [S],
    /// What torques are multiplied with; zero, where empty.
    pub mu: &'a [S],
    /// Force on each joint's body in its joint frame; none, where empty.
    pub fext: &'a [SVector<S, 6>],
    /// Sines and cosines of the configuration's coordinates, if they are given.
    pub turned: Option<[&'a [S]; 2]>,
}

/// The element of a vector, or zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn element<S: Scalar>(x: &[S], k: usize) -> S {
    if k < x.len() { x[k] } else { S::zero() }
}

/// Memory for a state. Apart from it, so that no state is moved.
pub struct Room<S, const P: usize> {
    rows: Coordinates<S, P>,
    work: Work<S, P>,
    /// Inertias and Coriolis operators of the bodies themselves.
    own: (Scratch<S, 9, P>, Scratch<S, 12, P>),
    world: World<S>,
}

impl<S: Scalar, const P: usize> Room<S, P> {
    /// Makes a room of memory, in place: one that is made and then moved is copied, all of its tens of kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn within(memory: &mut MaybeUninit<Self>) -> &mut Self {
        let room = memory.as_mut_ptr();
        // SAFETY: all fields but these three are numbers that may be uninitialised (see `Scratch`), and these are written. Only
        // `State::new` reads the others, once it has filled `rows`: its stages are in the order in which they need one another's
        // results, and the first `move_and_push` writes what `own` is copied from.
        unsafe {
            (&raw mut (*room).work.hop).write([[S::zero(); 4]; P]);
            (&raw mut (*room).rows.turned).write(None);
            (&raw mut (*room).world).write(World {
                columns: [[S::zero(); 4]; 3],
                minus_gravity: [S::zero(); 3],
                floating: false,
            });
            memory.assume_init_mut()
        }
    }

    /// Accelerations, rates, and forces on subtrees; with `FIRST`, bodies' inertias and Coriolis operators.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn move_and_push<X: Register<S>, const FIRST: bool>(
        &mut self,
        tables: &Tables<'_, P>,
        topology: &Topology<'_>,
        fext: &[SVector<S, 6>],
    ) {
        let Self { rows, work, world, .. } = self;
        let (g, zero) = (world.minus_gravity, S::zero());
        rates::<S, X, P>(topology, rows, work);
        along_paths::<S, X, P>(topology, &mut work.a, [g[0], g[1], g[2], zero, zero, zero], &work.hop);
        second_rates::<S, X, P>(topology, world, work);
        forces::<S, X, P, FIRST>(tables, work);
        external(tables, fext, work);
        let mass = &tables.subtree_mass.0[0];
        over_subtrees::<S, X, Force, 6, P>(topology, mass, &work.hop, &mut work.force);
    }
}

/// Everything that a row or its subtree has. Rows to read are below the number of rows, and for registers there is one
/// register more.
pub struct State<'a, S, const P: usize> {
    tables: &'a Tables<'a, P>,
    topology: Topology<'a>,
    room: &'a mut Room<S, P>,
}

/// What fills a room: a function of its own, which all of a robot's second derivatives call.
struct Filled<'a, S, Q, X, const P: usize> {
    tables: &'a Tables<'a, P>,
    topology: &'a Topology<'a>,
    given: &'a Given<'a, S>,
    of: PhantomData<(Q, X)>,
}

impl<S: Scalar, Q: Limbs<S, 4>, X: Register<S>, const P: usize> Part for Filled<'_, S, Q, X, P> {
    type Kept = Room<S, P>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, room: &mut Room<S, P>) {
        let Self { tables, topology, given, .. } = self;
        room.world = world_of(tables, given.q, !topology.segments.is_empty());
        room.rows.gather::<X>(topology, [given.q, given.v, given.a]);
        if let Some(of) = given.turned {
            room.rows.turned = Some(turned(tables, given.q, of));
        }
        let Room { rows, work, world, .. } = &mut *room;
        relative::<S, X, P>(tables, rows, work);
        placements::<S, Q, P>(tables, topology, world, given.q, work);
        // All vectors refer to one point from now on, wherever it is.
        work.hop[0] = [S::zero(); 4];
        axes::<S, X, P>(tables, rows, work);
        along_paths::<S, X, P>(topology, &mut work.v, [S::zero(); 6], &work.hop);
        room.move_and_push::<X, true>(tables, topology, given.fext);
        let Room { work, own, .. } = &mut *room;
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            own.0.put(0, at, work.inertia.wide::<X, 9>(0, at));
            own.1.put(0, at, work.drift.wide::<X, 12>(0, at));
        }
        let mass = &tables.subtree_mass.0[0];
        over_subtrees::<S, X, Moments, 9, P>(topology, mass, &work.hop, &mut work.inertia);
        over_subtrees::<S, X, Drift, 12, P>(topology, mass, &work.hop, &mut work.drift);
    }
}

/// What a multiplier adds to a state.
pub struct Multiplier<S, const P: usize> {
    /// `w_parent x s`, with the multiplier's motion.
    pub o: Scratch<S, 6, P>,
    /// `sum I w`, the moment of `sum B^T w`, and `sum B(I, w)` over a subtree: what the multiplier makes of the inertias.
    pub of: Scratch<S, 21, P>,
    /// Its motion of each row's body.
    moved: Scratch<S, 6, P>,
}

impl<S: Scalar, const P: usize> Multiplier<S, P> {
    /// # Safety
    /// Given to [`State::multiply`] before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { o: Scratch::new(), of: Scratch::new(), moved: Scratch::new() } }
    }
}

/// `m x [linear; angular]` of one row.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turn_row<T: Scalar>(m: [T; 6], linear: [T; 3], angular: [T; 3]) -> [T; 6] {
    let (v, w) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    let (a, b, c) = (cross(w, linear), cross(v, angular), cross(w, angular));
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]]
}

/// A floating base takes the point that all vectors refer to with it.
const ROOT: &[Segment] = &[Segment { first: 0, end: WORLD, parent: WORLD, rides: true }];

/// Sums of what the multiplier makes of inertias.
struct Multiplied;
impl<T: Scalar> Summed<T, 21> for Multiplied {
    /// There is one point only.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_parent(x: [T; 21], _: [T; 3], _: T) -> [T; 21] {
        x
    }
}

/// Whether the common frame is that of the first body.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn floats(topology: &Topology<'_>) -> bool {
    let mut floats = false;
    for (k, joint) in topology.joints.iter().enumerate() {
        match k {
            0 => floats = matches!(joint.kind, JointKind::Floating) && joint.parent == WORLD,
            _ => floats &= joint.parent != WORLD,
        }
    }
    floats
}

impl<'a, S: Scalar, const P: usize> State<'a, S, P> {
    /// Of a robot with at least one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<Q: Limbs<S, 4>, X: Register<S>>(
        tables: &'a Tables<'a, P>,
        given: &Given<'_, S>,
        room: &'a mut Room<S, P>,
    ) -> Self {
        const { assert!(P / LANES * LANES == P && P > LANES, "whole registers, and one to spare") };
        let floats = floats(&tables.topology);
        let segments = if floats { ROOT } else { &[] };
        let topology = Topology { segment: &[], segments, ..tables.topology };
        S::in_part(Filled::<S, Q, X, P> { tables, topology: &topology, given, of: PhantomData }, room);
        Self { tables, topology, room }
    }

    /// The same state with other accelerations. Inertias and Coriolis operators are what they were.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn accelerate<X: Register<S>>(&mut self, a: &[S], fext: &[SVector<S, 6>]) {
        self.room.rows.accelerate::<X>(&self.topology, a);
        self.room.move_and_push::<X, false>(self.tables, &self.topology, fext);
    }

    /// What a multiplier, one number for each velocity coordinate, adds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn multiply<X: Register<S>>(&self, mu: &[S], to: &mut Multiplier<S, P>) {
        let Self { tables, topology, room, .. } = self;
        let Room { work, own, .. } = &**room;
        let Multiplier { o, of, moved: w } = to;
        let mut of_rows = [S::zero(); P];
        for row in 0..count::<P>(topology) {
            of_rows[row] = element(mu, usize::from(pick_row(topology.coordinate, row)));
        }
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            w.put(0, at, scale(Wide::new(load::<S, X, P>(&of_rows, at)), self.s::<X>(at)));
        }
        w.clear::<X>(blocks::<P>(topology) * LANES);
        along_paths::<S, X, P>(topology, w, [S::zero(); 6], &work.hop);
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            let w = w.wide::<X, 6>(0, at);
            // Along its own single degree of freedom the body's motion does not matter.
            o.put(0, at, motion_cross(w, self.s(at)));
            let mass = load_constants(&tables.mass, at);
            let i = inertia(mass, own.0.wide(0, at));
            let (iw, r) = (inertia_times(i, w), coriolis(i, w));
            of.put(0, at, iw);
            of.put(6, at, coriolis_transposed(operator(own.1.wide(0, at)), w));
            of.put(9, at, r);
        }
        for joint in with_many(topology) {
            if joint.kind.nv() > 1 {
                let w = of_parent(w, topology, joint, [S::zero(); 6], &work.hop);
                for row in rows_of::<P>(topology, joint) {
                    let (linear, angular) = (work.linear.get3(0, row), work.angular.get3(0, row));
                    o.set_all(row, turn_row(w, linear, angular));
                }
            }
        }
        let mass = &tables.subtree_mass.0[0];
        over_subtrees::<S, X, Multiplied, 21, P>(topology, mass, &work.hop, of);
    }

    /// Columns of the motion subspaces from this row on, mimic ratios included.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn s<X: Register<S>>(&self, row: usize) -> V6<Wide<S, X>> {
        join(self.room.work.linear.wide(0, row), self.room.work.angular.wide(0, row))
    }
    /// Columns of the motion subspaces of these rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn s_of<X: Register<S>>(&self, block: &Block) -> V6<Wide<S, X>> {
        let mut out = [Wide::splat(S::zero()); 6];
        for (k, &(row, lanes)) in block.pieces().iter().enumerate() {
            // Tables that no tree makes lead beyond the rows: what is there from the last one on is zero.
            let s = self.s::<X>(row.min(self.count()));
            for i in 0..6 {
                out[i] = if k == 0 { s[i] } else { out[i].select(s[i], lanes) };
            }
        }
        out
    }
    /// `p + v x s`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn x<X: Register<S>>(&self, row: usize) -> V6<Wide<S, X>> {
        join(self.room.work.linear.wide(3, row), self.room.work.angular.wide(3, row))
    }
    /// `a_parent x s + v_parent x p`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn r<X: Register<S>>(&self, row: usize) -> V6<Wide<S, X>> {
        join(self.room.work.linear.wide(6, row), self.room.work.angular.wide(6, row))
    }
    /// `v_parent x s`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn p<X: Register<S>>(&self, row: usize) -> V6<Wide<S, X>> {
        join(self.room.work.p.wide(0, row), self.room.work.angular.wide(9, row))
    }
    /// The four of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_row(&self, row: usize) -> Row<S> {
        let Work { linear, angular, p, .. } = &self.room.work;
        Row {
            s: join(linear.get3(0, row), angular.get3(0, row)),
            p: join(p.get3(0, row), angular.get3(9, row)),
            r: join(linear.get3(6, row), angular.get3(6, row)),
            x: join(linear.get3(3, row), angular.get3(3, row)),
        }
    }
    /// Inertias of the subtrees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inertia<X: Register<S>>(&self, row: usize) -> Inertia<Wide<S, X>> {
        inertia(load_constants(&self.tables.subtree_mass, row), self.room.work.inertia.wide(0, row))
    }
    /// Their Coriolis operators.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn coriolis<X: Register<S>>(&self, row: usize) -> Coriolis<Wide<S, X>> {
        operator(self.room.work.drift.wide(0, row))
    }
    /// Forces on the subtrees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn force<X: Register<S>>(&self, row: usize) -> V6<Wide<S, X>> {
        self.room.work.force.wide(0, row)
    }
    /// What moves what, all in one segment.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn topology(&self) -> &Topology<'a> {
        &self.topology
    }
    /// Whether the common frame is that of a floating base, which carries everything. Then of its rows p and, with a multiplier, o
    /// are zero, r has linear components alone and is zero along translations, and so are the angular components of their x.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn floats(&self) -> bool {
        self.room.world.floating
    }
    /// Velocity, and acceleration that stands for gravity, of a floating base that carries everything ([`Self::floats`]).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_root(&self) -> Option<(V6<S>, V3<S>)> {
        let (v, world) = (&self.room.work.v, &self.room.world);
        if world.floating { Some((v.one(0), world.minus_gravity)) } else { None }
    }
    /// How many rows there are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn count(&self) -> usize {
        count::<P>(&self.topology)
    }
}

/// s, p, r, x.
#[derive(Clone, Copy)]
pub struct Row<S> {
    pub s: V6<S>,
    pub p: V6<S>,
    pub r: V6<S>,
    pub x: V6<S>,
}

impl<S: Scalar> Row<S> {
    /// In every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn splat<X: Register<S>>(&self) -> Row<Wide<S, X>> {
        Row { s: every(self.s), p: every(self.p), r: every(self.r), x: every(self.x) }
    }
}

/// The world, whose axes are those of a floating base only where that carries all other joints.
#[cfg_attr(not(debug_assertions), inline(always))]
fn world_of<S: Scalar, const P: usize>(tables: &Tables<'_, P>, q: &[S], floats: bool) -> World<S> {
    if floats {
        return world(tables, q);
    }
    let (o, one) = (S::zero(), S::one());
    let [x, y, z] = tables.gravity;
    let minus_gravity = [S::from_f64(-x), S::from_f64(-y), S::from_f64(-z)];
    World { columns: [[one, o, o, o], [o, one, o, o], [o, o, one, o]], minus_gravity, floating: false }
}

/// An inertia from its first moment and its second moments xx, xy, xz, yy, yz, zz.
#[cfg_attr(not(debug_assertions), inline(always))]
fn inertia<L: Lane>([mass]: [L; 1], x: [L; 9]) -> Inertia<L> {
    let [hx, hy, hz, xx, xy, xz, yy, yz, zz] = x;
    [mass, hx, hy, hz, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy]
}

/// A Coriolis operator from twice the momentum, and the rows of minus its angular block.
#[cfg_attr(not(debug_assertions), inline(always))]
fn operator<L: Lane>(x: [L; 12]) -> Coriolis<L> {
    let [lx, ly, lz, a, b, c, d, e, f, g, h, i] = x;
    [-lx, -ly, -lz, -a, -d, -g, -b, -e, -h, -c, -f, -i]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn load_constants<S: Scalar, X: Register<S>, const P: usize>(
    rows: &Rows<f64, 1, P>,
    at: usize,
) -> [Wide<S, X>; 1] {
    [Wide::new(constant(rows, 0, at))]
}
