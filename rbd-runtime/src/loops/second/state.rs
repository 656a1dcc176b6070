//! State of a robot for second derivatives, by the stages of first derivatives.
//!
//! Rows have motion subspaces and their rates (docs/math.md#subspace-rates).
//! Subtrees have inertia, Coriolis operator and force. A multiplier adds to both.
//! All vectors are in one frame: that of a floating base that carries everything, else the world's.

use super::super::algebra::*;
use super::super::composites::{Drift, Force, Moments, Summed, external, forces, over_subtrees};
use super::super::forward::{
    Coordinates, Work, World, blocks, constant, count, load, pick_row, rows_of, with_many,
};
use super::super::motion::{along_paths, of_parent, rates, second_rates};
use super::super::placements::{place, world};
use super::super::scratch::Scratch;
use super::super::tables::{Segment, Tables, Topology, WORLD};
use super::super::{Given, LANES, Register};
use super::packing::Block;
use crate::dispatch::Part;
use crate::limbs::Limbs;
use crate::{JointKind, Scalar};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use nalgebra::SVector;

/// Element of a vector, or zero beyond its end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn element<S: Scalar>(x: &[S], k: usize) -> S {
    if k < x.len() { x[k] } else { S::zero() }
}

/// Memory of a state. It is separate, so that moving a state copies no arrays.
pub struct Room<S, const P: usize> {
    rows: Coordinates<S, P>,
    work: Work<S, P>,
    /// Inertias and Coriolis operators of single bodies.
    own: (Scratch<S, 9, P>, Scratch<S, 12, P>),
    world: World<S>,
}

impl<S: Scalar, const P: usize> Room<S, P> {
    /// Initialises memory in place. A value that is made and then moved would be copied, tens of kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn within(memory: &mut MaybeUninit<Self>) -> &mut Self {
        let room = memory.as_mut_ptr();
        // SAFETY: all fields but three are numbers that may be uninitialised (see `Scratch`).
        // The three others are written here. `State::new` alone reads numbers, after it has filled `rows`.
        // Its stages run in the order in which they need each other's results.
        // The first `move_and_push` writes the source of `own`.
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

    /// Computes accelerations, rates, and forces on subtrees.
    ///
    /// With `FIRST`, also inertias and Coriolis operators of bodies.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn move_and_push<X: Register<Of = S>, const FIRST: bool>(
        &mut self,
        tables: &Tables<'_, P>,
        topology: &Topology<'_>,
        fext: &[SVector<S, 6>],
    ) {
        let Self { rows, work, world, .. } = self;
        rates::<S, X, P>(topology, rows, work);
        along_paths::<S, X, P>(topology, &mut work.a, world.acceleration(), &work.hop);
        second_rates::<S, X, P>(topology, world, work);
        forces::<S, X, P, FIRST>(tables, work);
        external(tables, fext, work);
        let mass = &tables.numbers.subtree_mass.0[0];
        over_subtrees::<S, X, Force, 6, P>(topology, mass, &work.hop, &mut work.force);
    }
}

/// Quantities of rows and their subtrees.
///
/// Readable rows are below the number of rows. Registers may extend one register beyond.
pub struct State<'a, S, const P: usize> {
    tables: &'a Tables<'a, P>,
    topology: Topology<'a>,
    room: &'a mut Room<S, P>,
}

/// Computation of a state, as a function of its own that all second derivatives of a robot share.
struct Filled<'a, S, Q, X, const P: usize> {
    tables: &'a Tables<'a, P>,
    topology: &'a Topology<'a>,
    given: &'a Given<'a, S>,
    of: PhantomData<(Q, X)>,
}

impl<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>, const P: usize> Part for Filled<'_, S, Q, X, P> {
    type Kept = Room<S, P>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, room: &mut Room<S, P>) {
        let Self { tables, topology, given, .. } = self;
        room.world = world_of(tables, given.q, !topology.segments.is_empty());
        let Room { rows, work, world, .. } = &mut *room;
        place::<S, Q, X, P>(tables, topology, world, given, rows, work);
        // From here on, all vectors refer to one point.
        work.hop[0] = [S::zero(); 4];
        along_paths::<S, X, P>(topology, &mut work.v, [S::zero(); 6], &work.hop);
        room.move_and_push::<X, true>(tables, topology, given.fext);
        let Room { work, own, .. } = &mut *room;
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            own.0.put(0, at, work.inertia.wide::<X, 9>(0, at));
            own.1.put(0, at, work.drift.wide::<X, 12>(0, at));
        }
        let mass = &tables.numbers.subtree_mass.0[0];
        over_subtrees::<S, X, Moments, 9, P>(topology, mass, &work.hop, &mut work.inertia);
        over_subtrees::<S, X, Drift, 12, P>(topology, mass, &work.hop, &mut work.drift);
    }
}

/// Terms of a multiplier at a state.
pub struct Multiplier<S, const P: usize> {
    /// Product `w_parent x s`, with the multiplier's motion w.
    pub o: Scratch<S, 6, P>,
    /// Sums over a subtree: `I w`, the moment of `B^T w`, and `B(I, w)`.
    pub of: Scratch<S, 21, P>,
    /// Multiplier's motion of each row's body.
    moved: Scratch<S, 6, P>,
}

impl<S: Scalar, const P: usize> Multiplier<S, P> {
    /// # Safety
    /// Given to [`State::multiply`] before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: `multiply` precedes any read, by the contract of this function.
        unsafe { Self { o: Scratch::new(), of: Scratch::new(), moved: Scratch::new() } }
    }
}

/// Product `m x [linear; angular]` for one row.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turn_row<T: Scalar>(m: [T; 6], linear: [T; 3], angular: [T; 3]) -> [T; 6] {
    let (v, w) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    let (a, b, c) = (cross(w, linear), cross(v, angular), cross(w, angular));
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]]
}

/// A floating base carries the reference point of all vectors.
const ROOT: &[Segment] = &[Segment { first: 0, end: WORLD, parent: WORLD, rides: true }];

/// Sums of a multiplier's terms over subtrees.
struct Multiplied;
impl<T: Scalar> Summed<T, 21> for Multiplied {
    /// No shift, since all vectors refer to one point.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_parent(x: [T; 21], _: [T; 3], _: T) -> [T; 21] {
        x
    }
}

/// True if the common frame is that of the first body, a floating base that carries everything.
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
    /// Computes the state of a robot with at least one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<Q: Limbs<S, 4>, X: Register<Of = S>>(
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

    /// Recomputes the state for other accelerations. Inertias and Coriolis operators stay valid.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn accelerate<X: Register<Of = S>>(&mut self, a: &[S], fext: &[SVector<S, 6>]) {
        self.room.rows.accelerate::<X>(&self.topology, a);
        self.room.move_and_push::<X, false>(self.tables, &self.topology, fext);
    }

    /// Computes the terms of a multiplier with one number for each velocity coordinate.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn multiply<X: Register<Of = S>>(&self, mu: &[S], to: &mut Multiplier<S, P>) {
        let Self { tables, topology, room, .. } = self;
        let Room { work, own, .. } = &**room;
        let Multiplier { o, of, moved: w } = to;
        let mut of_rows = [S::zero(); P];
        for row in 0..count::<P>(topology) {
            of_rows[row] = element(mu, usize::from(pick_row(topology.coordinate, row)));
        }
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            w.put(0, at, scale(load::<S, X, P>(&of_rows, at), self.s::<X>(at)));
        }
        w.clear::<X>(blocks::<P>(topology) * LANES);
        along_paths::<S, X, P>(topology, w, [S::zero(); 6], &work.hop);
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            let w = w.wide::<X, 6>(0, at);
            // For a joint of one row, the body's own motion contributes nothing, so its w replaces that of
            // the parent.
            o.put(0, at, motion_cross(w, self.s(at)));
            let mass = constant(&tables.numbers.mass, 0, at);
            let i = inertia_of(mass, own.0.wide(0, at));
            let (iw, r) = (inertia_times(i, w), coriolis(i, w));
            of.put(0, at, iw);
            of.put(6, at, coriolis_transposed(coriolis_of(own.1.wide(0, at)), w));
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
        let mass = &tables.numbers.subtree_mass.0[0];
        over_subtrees::<S, X, Multiplied, 21, P>(topology, mass, &work.hop, of);
    }

    /// Columns of motion subspaces from a row on, mimic ratios included.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn s<X: Register<Of = S>>(&self, row: usize) -> V6<X> {
        join(self.room.work.linear.wide(0, row), self.room.work.angular.wide(0, row))
    }
    /// Columns of motion subspaces of packed rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn s_of<X: Register<Of = S>>(&self, block: &Block) -> V6<X> {
        let mut out = [X::splat(S::zero()); 6];
        for (k, &(row, lanes)) in block.pieces().iter().enumerate() {
            // Invalid tables may point beyond the rows. Columns there are zero.
            let s = self.s::<X>(row.min(self.count()));
            for i in 0..6 {
                out[i] = if k == 0 { s[i] } else { out[i].select(s[i], lanes) };
            }
        }
        out
    }
    /// Rate `p + v x s`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn x<X: Register<Of = S>>(&self, row: usize) -> V6<X> {
        join(self.room.work.linear.wide(3, row), self.room.work.angular.wide(3, row))
    }
    /// Rate `a_parent x s + v_parent x p`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn r<X: Register<Of = S>>(&self, row: usize) -> V6<X> {
        join(self.room.work.linear.wide(6, row), self.room.work.angular.wide(6, row))
    }
    /// Rate `v_parent x s`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn p<X: Register<Of = S>>(&self, row: usize) -> V6<X> {
        join(self.room.work.p.wide(0, row), self.room.work.angular.wide(9, row))
    }
    /// Vectors s, p, r, x of one row.
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
    /// Inertias of subtrees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inertia<X: Register<Of = S>>(&self, row: usize) -> Inertia<X> {
        inertia_of(constant(&self.tables.numbers.subtree_mass, 0, row), self.room.work.inertia.wide(0, row))
    }
    /// Coriolis operators of subtrees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn coriolis<X: Register<Of = S>>(&self, row: usize) -> Coriolis<X> {
        coriolis_of(self.room.work.drift.wide(0, row))
    }
    /// Forces on subtrees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn force<X: Register<Of = S>>(&self, row: usize) -> V6<X> {
        self.room.work.force.wide(0, row)
    }
    /// Topology, with all rows in one segment.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn topology(&self) -> &Topology<'a> {
        &self.topology
    }
    /// True if the common frame is that of a floating base that carries everything.
    ///
    /// The base's rows then have zero p and, with a multiplier, zero o. Their r is linear, and zero along
    /// translations.
    /// Along translations, x has no angular components.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn floats(&self) -> bool {
        self.room.world.floating
    }
    /// Velocity of a floating base that carries everything ([`Self::floats`]), and minus gravity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_root(&self) -> Option<(V6<S>, V3<S>)> {
        let (v, world) = (&self.room.work.v, &self.room.world);
        if world.floating { Some((v.one(0), world.minus_gravity)) } else { None }
    }
    /// Number of rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn count(&self) -> usize {
        count::<P>(&self.topology)
    }
}

/// Vectors s, p, r, x of one row.
#[derive(Clone, Copy)]
pub struct Row<S> {
    pub s: V6<S>,
    pub p: V6<S>,
    pub r: V6<S>,
    pub x: V6<S>,
}

impl<S: Scalar> Row<S> {
    /// The vectors in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn splat<X: Register<Of = S>>(&self) -> Row<X> {
        Row { s: every(self.s), p: every(self.p), r: every(self.r), x: every(self.x) }
    }
}

/// The world. With `floats`, its axes are those of the floating base.
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
