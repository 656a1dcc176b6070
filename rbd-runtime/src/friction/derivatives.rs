//! Derivatives of the solution by modes, by the implicit function theorem.

use super::dense;
use super::newton::{Sliding, linearise};
use super::problem::{FrictionProblem, Scaled, threes, threes_mut};
use super::real::{Real, norm};
use super::solve::take;
use super::{ContactMode, FrictionMemory};

/// Solutions by a matrix whose diagonal is shifted, each after the first from the last one.
const SOLUTIONS: usize = 3;

/// Derivatives of the impulses of [`solve`](super::solve), through the solution and not through its
/// iterations.
///
/// - `impulses` (3 n), N s, and `modes` (n): the solution.
/// - `columns` (3 n each): of each parameter the derivative of the velocities at constant impulses,
///   `dG f + dg`, in m/s per unit of the parameter. Receives the derivative of the impulses, N s per unit.
///
/// Each contact keeps its mode:
///
/// - open: `df = 0`;
/// - stick: `dc = 0`;
/// - slide: `dc_n = 0`, and `f_t` stays on the cone, opposite to the sliding, whose direction may change.
///
/// Returns how far the nearest contact is from another mode; at zero there is no derivative. The margin has
/// no unit: it is scaled to contacts of one kilogram, and by the largest velocity without impulses. It is
/// infinite without contacts.
///
/// Redundant contacts share derivatives in one of many ways: the diagonal is shifted by the square root of a
/// rounding error, and solutions are corrected twice. The derivatives of velocities are unique.
///
/// If the sizes do not fit, the columns are zero and the margin is NaN. Nothing is allocated. Formulas and
/// sources are in docs/math.md#contacts-with-friction.
pub fn impulse_derivatives<T: Real>(
    given: &FrictionProblem<'_, T>,
    (impulses, modes): (&[T], &[ContactMode]),
    columns: &mut [T],
    memory: FrictionMemory<'_, T>,
) -> T {
    let contacts = given.contacts();
    let n = 3 * contacts;
    let fits = impulses.len() == n && modes.len() == contacts && memory.suffices(contacts);
    if !fits || n == 0 {
        columns.fill(T::zero());
        let none = fits && given.friction.is_empty();
        return T::from_f64(if none { f64::INFINITY } else { f64::NAN });
    }
    let FrictionMemory { mut matrices, mut vectors } = memory;
    let [g, x, ab] = [n * n, n * n, 2 * n * n].map(|count| take(&mut matrices, count));
    let [friction, of_contact] = [contacts; 2].map(|count| take(&mut vectors, count));
    let [free, f, c] = [n; 3].map(|count| take(&mut vectors, count));
    let problem = Scaled::of(given, g, free, friction, of_contact, (&[], &mut [], &mut []));
    for ((f, impulse), s) in threes_mut(f).iter_mut().zip(threes(impulses)).zip(problem.of_contact) {
        let unit = *s * problem.velocity;
        *f = impulse.map(|x| if unit > T::zero() { x / unit } else { T::zero() });
    }
    problem.velocities(f, c);
    let at = Solution { problem: &problem, f, c, modes };
    for columns in columns.chunks_mut((n * n).max(1)) {
        at.derivatives(columns, x, ab);
    }
    at.margin()
}

/// A solution in scaled units.
struct Solution<'a, T> {
    problem: &'a Scaled<'a, T>,
    f: &'a [T],
    c: &'a [T],
    modes: &'a [ContactMode],
}

impl<T: Real> Solution<'_, T> {
    /// Impulses, velocities, mode and coefficient of friction of each contact.
    fn contacts(&self) -> impl Iterator<Item = ([T; 3], [T; 3], ContactMode, T)> {
        let both = threes(self.f).iter().zip(threes(self.c));
        both.zip(self.modes.iter().zip(self.problem.friction.iter()))
            .map(|((f, c), (mode, mu))| (*f, *c, *mode, *mu))
    }

    /// Derivatives of at most as many columns as there are rows. `x` and `ab` are memory.
    fn derivatives(&self, columns: &mut [T], x: &mut [T], ab: &mut [T]) {
        let n = self.problem.rows;
        let width = n + columns.len() / n.max(1);
        let shift = T::from_f64(T::EPSILON).sqrt();
        for column in columns.chunks_exact_mut(n.max(1)) {
            self.right_side(column);
        }
        x.fill(T::zero());
        for _ in 0..SOLUTIONS {
            // (A + S) x = b + S x, with the last x on the right: A x = b at the end, and x is one of several
            // solutions if A is singular.
            linearise(self.problem, (self.f, self.c), self.modes, shift, (&mut *ab, width));
            for (k, row) in ab.chunks_exact_mut(width.max(1)).take(n).enumerate() {
                let is_shifted = match self.modes.get(k / 3) {
                    Some(ContactMode::Stick) => true,
                    Some(ContactMode::Slide) => k % 3 == 2,
                    _ => false,
                };
                let shift = if is_shifted { shift } else { T::zero() };
                let columns = columns.chunks_exact(n.max(1)).zip(x.chunks_exact(n.max(1)));
                for (to, (b, x)) in row.iter_mut().skip(n).zip(columns) {
                    if let (Some(b), Some(x)) = (b.get(k), x.get(k)) {
                        *to = shift.mul_add(*x, *b);
                    }
                }
            }
            dense::solve(ab, n, width);
            for (k, row) in ab.chunks_exact(width.max(1)).take(n).enumerate() {
                for (from, x) in row.iter().skip(n).zip(x.chunks_exact_mut(n.max(1))) {
                    if let Some(to) = x.get_mut(k) {
                        *to = *from;
                    }
                }
            }
        }
        for (column, x) in columns.chunks_exact_mut(n.max(1)).zip(x.chunks_exact(n.max(1))) {
            for ((to, x), s) in threes_mut(column).iter_mut().zip(threes(x)).zip(self.problem.of_contact) {
                *to = x.map(|x| x * *s);
            }
        }
    }

    /// What the derivative of the velocities adds to the modes' equations, on their right side.
    fn right_side(&self, column: &mut [T]) {
        let all = threes_mut(column).iter_mut().zip(self.problem.of_contact).zip(self.contacts());
        for ((h, s), (f, c, mode, mu)) in all {
            let [x, y, z] = h.map(|x| -(x * *s));
            *h = match mode {
                ContactMode::Open => [T::zero(); 3],
                ContactMode::Stick => [x, y, z],
                ContactMode::Slide => {
                    let [a, b] = Sliding::of(f, c, mu).turned([x, y]);
                    [a, b, z]
                }
            };
        }
    }

    /// How far the nearest contact is from another mode.
    fn margin(&self) -> T {
        let mut margin = T::from_f64(f64::INFINITY);
        for (f, c, mode, mu) in self.contacts() {
            let (push, sliding) = (f[2], norm([c[0], c[1]]));
            let own = match mode {
                ContactMode::Open => [c[2], c[2]],
                ContactMode::Stick => [push, mu.mul_add(push, -norm([f[0], f[1]]))],
                // Without friction, sliding and sticking are one.
                ContactMode::Slide => [push, if mu > T::zero() { sliding } else { push }],
            };
            for x in own {
                // NaN stays.
                margin = if x >= margin { margin } else { x };
            }
        }
        margin
    }
}
