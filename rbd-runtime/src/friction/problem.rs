//! The problem, and the problem in the units in which it is solved.

use super::dense;
use super::joints::JointLaw;
use super::real::{Real, abs, dot, is_finite, max};

/// Contacts with friction at velocity level.
///
/// Find impulses f so that with `c = (G + R) f + g` each contact's f is in its cone, `c + s(c)` is in the
/// dual cone and both are complementary (docs/math.md#contacts-with-friction).
///
/// Each contact has three rows: two tangential ones, then the normal's.
#[derive(Clone, Copy, Debug)]
pub struct FrictionProblem<'a, T> {
    /// Delassus matrix G of `3 n` rows, 1/kg, symmetric: positive semidefinite.
    pub delassus: &'a [T],
    /// Velocities g of the contacts without impulses, m/s (3 n).
    pub velocity: &'a [T],
    /// Coefficients of friction, not negative (n). Larger ones than 1e6 are as 1e6.
    pub friction: &'a [T],
    /// Compliance R of the contacts, 1/kg, not negative (n): added to the diagonal of G.
    pub compliance: &'a [T],
}

impl<T: Real> FrictionProblem<'_, T> {
    /// Number of contacts: the fewest that all slices are long enough for.
    #[must_use]
    pub fn contacts(&self) -> usize {
        let n = self.friction.len().min(self.compliance.len()).min(self.velocity.len() / 3);
        if self.delassus.len() < 9 * n * n { 0 } else { n }
    }

    /// Number of contacts beside this many coordinates of joints: zero if the sizes do not fit.
    pub(super) fn contacts_beside(&self, joints: usize) -> usize {
        let n = self.friction.len().min(self.compliance.len());
        let rows = 3 * n + joints;
        if self.velocity.len() < rows || self.delassus.len() < rows * rows { 0 } else { n }
    }
}

/// The largest coefficient of friction: its square is a number in `f32` too.
const MOST_FRICTION: f64 = 1e6;

/// Numbers of a vector of contacts, three by three.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn threes<T>(of: &[T]) -> &[[T; 3]] {
    of.as_chunks().0
}

/// Numbers of a vector of contacts, three by three, to be written.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn threes_mut<T>(of: &mut [T]) -> &mut [[T; 3]] {
    of.as_chunks_mut().0
}

/// The problem in scaled units: blocks of the diagonal have trace 3, and the largest velocity is 1.
///
/// `c' = c s / V` and `f' = f / (s V)`, with `s = 1/sqrt(trace/3)` of each contact. Positive factors keep
/// cones and modes as they are.
pub(super) struct Scaled<'a, T> {
    /// Number of rows.
    pub rows: usize,
    /// The matrix, by columns, with the compliance and the addition of [`Self::soften`].
    pub g: &'a mut [T],
    /// Diagonal of the matrix before [`Self::soften`] adds to it.
    diagonal: &'a [T],
    /// Velocities without impulses.
    pub free: &'a [T],
    /// Coefficients of friction.
    pub friction: &'a mut [T],
    /// The factors s. Zero for a contact that no impulse moves.
    pub of_contact: &'a [T],
    /// Laws of joints' coordinates, whose rows follow the contacts': friction, least and largest velocity.
    pub joints: &'a [[T; 3]],
    /// The factors s of these coordinates, by which entries of the diagonal become 1.
    pub of_joint: &'a [T],
    /// The velocity V, m/s times the square root of kg.
    pub velocity: T,
}

impl<'a, T: Real> Scaled<'a, T> {
    /// Writes the scaled problem to the memory that is given. Its sizes must be those of the problem.
    pub fn of(
        problem: &FrictionProblem<'_, T>,
        (g, own): (&'a mut [T], &'a mut [T]),
        free: &'a mut [T],
        friction: &'a mut [T],
        of_contact: &'a mut [T],
        (laws, joints, of_joint): (&[JointLaw<T>], &'a mut [T], &'a mut [T]),
    ) -> Self {
        let (rows, zero, most) = (free.len(), T::zero(), T::from_f64(MOST_FRICTION));
        for (to, mu) in friction.iter_mut().zip(problem.friction) {
            // NaN and negative coefficients are none, and infinite ones would lead to NaN.
            let mu = if *mu > most { most } else { *mu };
            *to = if mu > zero { mu } else { zero };
        }
        let compliance = |k: usize| problem.compliance.get(k).copied().filter(|r| *r > zero).unwrap_or(zero);
        for ((column, from), j) in
            g.chunks_exact_mut(rows.max(1)).zip(problem.delassus.chunks_exact(rows.max(1))).zip(0..)
        {
            column.iter_mut().zip(from).for_each(|(to, x)| *to = *x);
            if let (Some(x), true) = (column.get_mut(j), j / 3 < friction.len()) {
                *x += compliance(j / 3);
            }
        }
        let diagonal = |k: usize| g.get(k * (rows + 1)).copied().unwrap_or(zero);
        let (mut largest, third) = (zero, T::from_f64(1.0 / 3.0));
        for (k, s) in of_contact.iter_mut().enumerate() {
            *s = (diagonal(3 * k) + diagonal(3 * k + 1) + diagonal(3 * k + 2)) * third;
            largest = max(largest, *s);
        }
        for s in of_contact.iter_mut() {
            // A contact that no impulse moves has none.
            let moves = *s > largest * T::from_f64(T::EPSILON * T::EPSILON) && is_finite(*s);
            *s = if moves { T::one() / s.sqrt() } else { zero };
        }
        let first = 3 * of_contact.len();
        for (k, s) in of_joint.iter_mut().enumerate() {
            let own = diagonal(first + k);
            let moves = own > zero && is_finite(own);
            *s = if moves { T::one() / own.sqrt() } else { zero };
        }
        let factors = || of_contact.iter().flat_map(|s| [*s; 3]).chain(of_joint.iter().copied());
        for (column, s) in g.chunks_exact_mut(rows.max(1)).zip(factors()) {
            let (of_contacts, of_joints) = column.split_at_mut_checked(first).unwrap_or_default();
            for (to, r) in threes_mut(of_contacts).iter_mut().zip(of_contact.iter()) {
                *to = to.map(|x| x * (s * *r));
            }
            for (to, r) in of_joints.iter_mut().zip(of_joint.iter()) {
                *to *= s * *r;
            }
        }
        for (k, to) in own.iter_mut().enumerate() {
            *to = g.get(k * (rows + 1)).copied().unwrap_or(zero);
        }
        let mut velocity = zero;
        for ((to, from), s) in free.iter_mut().zip(problem.velocity).zip(factors()) {
            *to = *from * s;
            velocity = max(velocity, abs(*to));
        }
        if !(velocity > zero && is_finite(velocity)) {
            velocity = T::one();
        }
        free.iter_mut().for_each(|x| *x /= velocity);
        for ((to, law), s) in threes_mut(joints).iter_mut().zip(laws).zip(of_joint.iter()) {
            *to = law.scaled(T::one() / (*s * velocity), *s / velocity);
        }
        let (diagonal, joints) = (own, threes(joints));
        Self { rows, g, diagonal, free, friction, of_contact, joints, of_joint, velocity }
    }

    /// Adds a compliance to all rows, in place of the one that was added before.
    pub fn soften(&mut self, by: T) {
        for (k, own) in self.diagonal.iter().enumerate() {
            if let Some(x) = self.g.get_mut(k * (self.rows + 1)) {
                *x = *own + by;
            }
        }
    }

    /// A column of the matrix, which is also a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn column(&self, k: usize) -> &[T] {
        self.g.get(k * self.rows..(k + 1) * self.rows).unwrap_or(&[])
    }

    /// Writes the velocities `c = G f + g`.
    pub fn velocities(&self, f: &[T], c: &mut [T]) {
        dense::affine(self.g, f, self.free, c);
    }

    /// The factors s of all rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn factors(&self) -> impl Iterator<Item = T> {
        let of_contacts = self.of_contact.iter().flat_map(|s| [*s; 3]);
        of_contacts.chain(self.of_joint.iter().copied())
    }

    /// Rows of contacts, after which those of joints follow.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn first_joint(&self) -> usize {
        self.rows - self.joints.len().min(self.rows)
    }

    /// Velocity of a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn velocity_of(&self, row: usize, f: &[T]) -> T {
        dot(self.column(row), f) + self.free.get(row).copied().unwrap_or(T::zero())
    }

    /// Velocities of a contact.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn velocities_of(&self, k: usize, f: &[T]) -> [T; 3] {
        core::array::from_fn(|r| {
            dot(self.column(3 * k + r), f) + self.free.get(3 * k + r).copied().unwrap_or(T::zero())
        })
    }
}
