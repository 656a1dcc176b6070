//! Textbook spatial algebra: 6-vectors `[linear; angular]` for motions, `[force; moment]` for forces.
//! Nothing is pruned here; this is what generated code is compared with.

use nalgebra::{Matrix3, SVector, Vector3};

/// A spatial motion `[linear; angular]` or force `[force; moment]`.
pub type Vector6<T> = SVector<T, 6>;

/// The pose of frame b in frame a: a point with coordinates x in b has `rotation * x + translation` in a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement<T> {
    /// Columns are b's axes in a.
    pub rotation: Matrix3<T>,
    /// b's origin in a, metres.
    pub translation: Vector3<T>,
}

/// A spatial inertia by its ten numbers, about the origin of the frame that it is expressed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia<T> {
    /// Mass, kg.
    pub mass: T,
    /// First moment `mass * centre_of_mass`, kg m. Kept rather than the centre itself: it stays
    /// meaningful where regrouping leaves no mass.
    pub h: Vector3<T>,
    /// Rotational inertia about the frame's origin, kg m^2, symmetric.
    pub j: Matrix3<T>,
}
