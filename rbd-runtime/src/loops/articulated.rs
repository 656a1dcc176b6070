//! Articulated bodies: inertia of a body and its subtree at the body's joint, with all joints of
//! the subtree free (docs/math.md#loops-over-tables).
//!
//! Bodies are processed one at a time, since each waits for those that it carries. Vectors of three
//! are in four lanes, the last of them zero.

use crate::Scalar;
use crate::limbs::Limbs;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Articulated-body inertia and bias force: `[f; n] = [M H; H^T J] [a; aw] + p`, by columns.
///
/// The inertia is a symmetric 6x6 matrix. The bias force is the force at zero joint acceleration.
#[derive(Clone, Copy)]
pub(super) struct Articulated<T, Q> {
    m: [Q; 3],
    h: [Q; 3],
    j: [Q; 3],
    p: [Q; 2],
    of: PhantomData<T>,
}

/// Factor of a degree of freedom: its acceleration is `drive - along . a`.
///
/// The argument a is the parent's acceleration at the point to which the inertia was moved.
#[derive(Clone, Copy)]
pub(super) struct Factor<T, Q> {
    /// The inertia's column, linear and angular, over the inertia along the degree of freedom.
    pub along: [Q; 2],
    /// The torque that is left, over the inertia along the degree of freedom.
    pub drive: T,
    /// One over the inertia along the degree of freedom.
    pub by: T,
}

/// A [`Factor`] as later passes over rows read it.
#[derive(Clone, Copy)]
pub(super) struct RowFactor<T> {
    /// Linear and angular half of [`Factor::along`].
    pub along: [[T; 3]; 2],
    /// See [`Factor`].
    pub drive: T,
    /// See [`Factor`].
    pub by: T,
    /// Axis of the degree of freedom.
    pub axis: [T; 3],
    /// Vector from the point to which the inertia was moved to the row's own point.
    pub step: [T; 3],
    /// True for a rotation, false for a translation.
    pub turns: bool,
}

impl<T: Scalar> RowFactor<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<Q: Limbs<T, 4>>(factor: &Factor<T, Q>, axis: [T; 3], step: [T; 3], turns: bool) -> Self {
        let [linear, angular] = [factor.along[0].lanes(), factor.along[1].lanes()];
        let along = [[linear[0], linear[1], linear[2]], [angular[0], angular[1], angular[2]]];
        Self { along, drive: factor.drive, by: factor.by, axis, step, turns }
    }
}

/// Factors of up to `P` rows: all that the inward pass leaves for outward passes.
pub(super) struct Factors<T, const P: usize>([MaybeUninit<RowFactor<T>>; P]);

impl<T: Scalar, const P: usize> Factors<T, P> {
    /// # Safety
    /// No row is read that was not written.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; P])
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, row: usize) -> &RowFactor<T> {
        // SAFETY: by the condition of `new`.
        unsafe { self.0[row.min(P - 1)].assume_init_ref() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set(&mut self, row: usize, factor: RowFactor<T>) {
        self.0[row.min(P - 1)] = MaybeUninit::new(factor);
    }
}

/// A vector of three.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn vector<T: Scalar, Q: Limbs<T, 4>>(x: [T; 3]) -> Q {
    Q::gather([x[0], x[1], x[2], T::zero()])
}

/// y, z, x.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rotated<T: Scalar, Q: Limbs<T, 4>>(x: Q) -> Q {
    let [x, y, z, o] = x.lanes();
    Q::gather([y, z, x, o])
}

/// `d x x`, from d and [`rotated`] d.
#[cfg_attr(not(debug_assertions), inline(always))]
fn cross<T: Scalar, Q: Limbs<T, 4>>([d, rotated_d]: [Q; 2], x: Q) -> Q {
    rotated(d * rotated(x) - rotated_d * x)
}

/// `m x`, by columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn combined<T: Scalar, Q: Limbs<T, 4>>(m: &[Q; 3], x: [Q; 3]) -> Q {
    m[2].mul_add(x[2], m[1].mul_add(x[1], m[0] * x[0]))
}

/// Broadcasts each of the first three lanes to all lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn splats<T: Scalar, Q: Limbs<T, 4>>(x: [T; 4]) -> [Q; 3] {
    [Q::splat(x[0]), Q::splat(x[1]), Q::splat(x[2])]
}

impl<T: Scalar, Q: Limbs<T, 4>> Articulated<T, Q> {
    /// Nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn none() -> Self {
        let o = Q::splat(T::zero());
        Self { m: [o; 3], h: [o; 3], j: [o; 3], p: [o; 2], of: PhantomData }
    }

    /// A rigid body: its mass, first moment, rotational inertia xx, xy, xz, yy, yz, zz, and force and moment.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn body(m: T, [x, y, z]: [T; 3], j: [T; 6], p: [[T; 3]; 2]) -> Self {
        let o = T::zero();
        Self {
            m: [vector([m, o, o]), vector([o, m, o]), vector([o, o, m])],
            h: [vector([o, -z, y]), vector([z, o, -x]), vector([-y, x, o])],
            j: [vector([j[0], j[1], j[2]]), vector([j[1], j[3], j[4]]), vector([j[2], j[4], j[5]])],
            p: [vector(p[0]), vector(p[1])],
            of: PhantomData,
        }
    }

    /// Sum of two articulated bodies at the same point.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn and(mut self, other: &Self) -> Self {
        for k in 0..3 {
            self.m[k] = self.m[k] + other.m[k];
            self.h[k] = self.h[k] + other.h[k];
            self.j[k] = self.j[k] + other.j[k];
        }
        self.p = [self.p[0] + other.p[0], self.p[1] + other.p[1]];
        self
    }

    /// Articulated body that remains after freeing the joint, at the point `d` before this one.
    ///
    /// The joint rotates (`turns`) about an axis z through this point, or else moves along z. Its
    /// torque or force also accelerates a rotor. The whole inertia is moved first and the joint's
    /// part is subtracted after: the move then need not wait for the factor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn freed(self, turns: bool, z: [T; 4], torque: T, rotor: T, d: [T; 3]) -> (Self, Factor<T, Q>) {
        let (axis, by_z) = (Q::gather(z), splats(z));
        let (u, along, taken);
        if turns {
            u = [combined(&self.h, by_z), combined(&self.j, by_z)];
            (along, taken) = (u[1], self.p[1]);
        } else {
            let h = [(self.h[0] * axis).sum(), (self.h[1] * axis).sum(), (self.h[2] * axis).sum()];
            u = [combined(&self.m, by_z), vector(h)];
            (along, taken) = (u[0], self.p[0]);
        }
        let (inertia, torque) = ((axis * along).sum() + rotor, torque - (axis * taken).sum());
        let step = vector(d);
        let u = [u[0], u[1] + cross([step, rotated(step)], u[0])];
        self.at(d).without(u, inertia, torque)
    }

    /// The inertia less `u u^T / inertia`, with the remaining torque's part added to the force.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn without(mut self, u: [Q; 2], inertia: T, torque: T) -> (Self, Factor<T, Q>) {
        let by = T::one() / inertia;
        let along = [u[0] * Q::splat(by), u[1] * Q::splat(by)];
        let (minus, torques) = ([-along[0], -along[1]], Q::splat(torque));
        self.p = [along[0].mul_add(torques, self.p[0]), along[1].mul_add(torques, self.p[1])];
        let (linear, angular) = (splats::<T, Q>(u[0].lanes()), splats::<T, Q>(u[1].lanes()));
        for k in 0..3 {
            self.m[k] = minus[0].mul_add(linear[k], self.m[k]);
            self.h[k] = minus[0].mul_add(angular[k], self.h[k]);
            self.j[k] = minus[1].mul_add(angular[k], self.j[k]);
        }
        (self, Factor { along, drive: torque * by, by })
    }

    /// The articulated body at the point `d` before this one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(self, d: [T; 3]) -> Self {
        let half = T::from_f64(0.5);
        // A motion w there has the linear part E w = w x d here. H + M E / 2 and H + M E, by
        // columns.
        let [x, y, z] = [Q::splat(d[0] * half), Q::splat(d[1] * half), Q::splat(d[2] * half)];
        let m = &self.m;
        let moved =
            [m[2].mul_add(y, -(m[1] * z)), m[0].mul_add(z, -(m[2] * x)), m[1].mul_add(x, -(m[0] * y))];
        let (mut h, mut turned) = (self.h, self.h);
        let d = vector::<T, Q>(d);
        let step = [d, rotated(d)];
        for k in 0..3 {
            let middle = self.h[k] + moved[k];
            h[k] = middle + moved[k];
            turned[k] = cross(step, middle);
        }
        // J + E^T (H + M E / 2) and the transpose of that.
        let [a, b, c] = [turned[0].lanes(), turned[1].lanes(), turned[2].lanes()];
        let mut j = self.j;
        for k in 0..3 {
            j[k] = j[k] + (turned[k] + vector([a[k], b[k], c[k]]));
        }
        let [f, n] = self.p;
        Self { m: self.m, h, j, p: [f, n + cross(step, f)], of: PhantomData }
    }
}

/// Articulated bodies of up to `P` rows, each read only where it was written.
pub(super) struct Kept<T, Q, const P: usize> {
    all: [MaybeUninit<Articulated<T, Q>>; P],
    is: [bool; P],
}

impl<T: Scalar, Q: Limbs<T, 4>, const P: usize> Kept<T, Q, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        Self { all: [const { MaybeUninit::uninit() }; P], is: [false; P] }
    }
    /// Sum of this body and the bodies stored at a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn and(&self, row: usize, body: Articulated<T, Q>) -> Articulated<T, Q> {
        let row = row.min(P - 1);
        if self.is[row] {
            // SAFETY: it was written, or the flag would not be set.
            body.and(unsafe { self.all[row].assume_init_ref() })
        } else {
            body
        }
    }
    /// Adds to the bodies stored at a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn add(&mut self, row: usize, body: Articulated<T, Q>) {
        let row = row.min(P - 1);
        self.all[row] = MaybeUninit::new(self.and(row, body));
        self.is[row] = true;
    }
}
