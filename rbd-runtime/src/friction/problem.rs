//! The problem, and the problem in the units in which it is solved.

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
    /// Coefficients of friction, not negative (n).
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
}

/// Numbers of a vector of contacts, three by three.
#[inline(always)]
pub(super) fn threes<T>(of: &[T]) -> &[[T; 3]] {
    of.as_chunks().0
}

/// Numbers of a vector of contacts, three by three, to be written.
#[inline(always)]
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
    /// The matrix, by columns, with the compliance.
    pub g: &'a [T],
    /// Velocities without impulses.
    pub free: &'a [T],
    /// Coefficients of friction.
    pub friction: &'a mut [T],
    /// The factors s. Zero for a contact that no impulse moves.
    pub of_contact: &'a [T],
    /// The velocity V, m/s times the square root of kg.
    pub velocity: T,
}

impl<'a, T: Real> Scaled<'a, T> {
    /// Writes the scaled problem to the memory that is given. Its sizes must be those of the problem.
    pub fn of(
        problem: &FrictionProblem<'_, T>,
        g: &'a mut [T],
        free: &'a mut [T],
        friction: &'a mut [T],
        of_contact: &'a mut [T],
    ) -> Self {
        let (rows, zero) = (free.len(), T::zero());
        for (to, mu) in friction.iter_mut().zip(problem.friction) {
            // NaN and negative coefficients are none.
            *to = if *mu > zero { *mu } else { zero };
        }
        let compliance = |k: usize| problem.compliance.get(k).copied().filter(|r| *r > zero).unwrap_or(zero);
        for ((column, from), j) in
            g.chunks_exact_mut(rows.max(1)).zip(problem.delassus.chunks_exact(rows.max(1))).zip(0..)
        {
            column.iter_mut().zip(from).for_each(|(to, x)| *to = *x);
            if let Some(x) = column.get_mut(j) {
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
        for (columns, s) in g.chunks_exact_mut((3 * rows).max(1)).zip(of_contact.iter()) {
            for column in columns.chunks_exact_mut(rows.max(1)) {
                for (to, r) in threes_mut(column).iter_mut().zip(of_contact.iter()) {
                    to.iter_mut().for_each(|x| *x *= *s * *r);
                }
            }
        }
        let mut velocity = zero;
        for ((to, from), s) in
            threes_mut(free).iter_mut().zip(threes(problem.velocity)).zip(of_contact.iter())
        {
            *to = from.map(|x| x * *s);
            velocity = to.iter().fold(velocity, |most, x| max(most, abs(*x)));
        }
        if !(velocity > zero && is_finite(velocity)) {
            velocity = T::one();
        }
        free.iter_mut().for_each(|x| *x /= velocity);
        Self { rows, g, free, friction, of_contact, velocity }
    }

    /// A column of the matrix, which is also a row.
    #[inline(always)]
    pub fn column(&self, k: usize) -> &[T] {
        self.g.get(k * self.rows..(k + 1) * self.rows).unwrap_or(&[])
    }

    /// Writes the velocities `c = G f + g`.
    pub fn velocities(&self, f: &[T], c: &mut [T]) {
        for ((c, free), column) in c.iter_mut().zip(self.free).zip(self.g.chunks_exact(self.rows.max(1))) {
            *c = dot(column, f) + *free;
        }
    }

    /// Velocities of a contact.
    #[inline(always)]
    pub fn velocities_of(&self, k: usize, f: &[T]) -> [T; 3] {
        core::array::from_fn(|r| {
            dot(self.column(3 * k + r), f) + self.free.get(3 * k + r).copied().unwrap_or(T::zero())
        })
    }
}
