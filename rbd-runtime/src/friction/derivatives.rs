//! Derivatives of the solution by modes, by the implicit function theorem.

use super::dense;
use super::joints::{self, JointLaw, JointMode, nearer};
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
    let fits = impulses.len() == 3 * contacts && modes.len() == contacts && memory.suffices(contacts);
    let constant = |_, _| JointLaw::zero();
    by_modes(given, (&[], constant), (contacts, fits), (impulses, modes), columns, memory)
}

/// Derivatives of the impulses of [`solve_with_joints`](super::solve_with_joints): [`impulse_derivatives`]
/// with dry friction and limits of joints.
///
/// - `joints` (m): the law of each coordinate.
/// - `by(p, k)`: derivative of the law of coordinate `k` by the parameter of column `p`.
/// - `impulses` (3 n + m), N s, N m s, and `modes` (n): the solution.
/// - `columns` (3 n + m each): as those of [`impulse_derivatives`], with the rows of coordinates last.
/// - `memory`: [`FrictionMemory::matrices_of_rows`] and [`FrictionMemory::vectors_of_rows`] numbers.
///
/// Coordinates keep their modes too:
///
/// - moving: the impulse changes with the bound of friction, `df = -sign(c) dF`;
/// - held by friction: `dc = 0`;
/// - at a limit: `dc` is the change of the limit's velocity.
///
/// The margin is the least of those of contacts and of coordinates, each scaled to one kilogram, or one
/// kg m^2. A coordinate changes its mode where it begins to move or stops, and where it meets or leaves a
/// limit. Formulas and sources are in docs/math.md#contacts-with-friction.
pub fn impulse_derivatives_with_joints<T: Real>(
    given: &FrictionProblem<'_, T>,
    (joints, by): (&[JointLaw<T>], impl Fn(usize, usize) -> JointLaw<T>),
    (impulses, modes): (&[T], &[ContactMode]),
    columns: &mut [T],
    memory: FrictionMemory<'_, T>,
) -> T {
    let contacts = given.contacts_beside(joints.len());
    let rows = 3 * contacts + joints.len();
    let fits = impulses.len() == rows
        && modes.len() == contacts
        && given.velocity.len() >= rows
        && given.delassus.len() >= rows * rows
        && memory.matrices.len() >= FrictionMemory::<T>::matrices_of_rows(rows)
        && memory.vectors.len() >= FrictionMemory::<T>::vectors_of_rows(rows);
    by_modes(given, (joints, by), (contacts, fits), (impulses, modes), columns, memory)
}

/// [`impulse_derivatives_with_joints`], if the sizes fit.
fn by_modes<T: Real>(
    given: &FrictionProblem<'_, T>,
    (laws, by): (&[JointLaw<T>], impl Fn(usize, usize) -> JointLaw<T>),
    (contacts, fits): (usize, bool),
    (impulses, modes): (&[T], &[ContactMode]),
    columns: &mut [T],
    memory: FrictionMemory<'_, T>,
) -> T {
    let n = 3 * contacts + laws.len();
    if !fits || n == 0 {
        columns.fill(T::zero());
        let none = fits && given.friction.is_empty();
        return T::from_f64(if none { f64::INFINITY } else { f64::NAN });
    }
    let FrictionMemory { mut matrices, mut vectors } = memory;
    let [g, x, ab] = [n * n, n * n, 2 * n * n].map(|count| take(&mut matrices, count));
    let [friction, of_contact] = [contacts; 2].map(|count| take(&mut vectors, count));
    let [free, f, c] = [n; 3].map(|count| take(&mut vectors, count));
    let (joints, of_joint) = (take(&mut vectors, 3 * laws.len()), take(&mut vectors, laws.len()));
    let problem = Scaled::of(given, (g, &mut []), free, friction, of_contact, (laws, joints, of_joint));
    for ((f, impulse), s) in f.iter_mut().zip(impulses).zip(problem.factors()) {
        let unit = s * problem.velocity;
        *f = if unit > T::zero() { *impulse / unit } else { T::zero() };
    }
    problem.velocities(f, c);
    let at = Solution { problem: &problem, f, c, modes };
    for (k, columns) in columns.chunks_mut((n * n).max(1)).enumerate() {
        at.derivatives(columns, |column, joint| by(k * n + column, joint), x, ab);
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

    /// Law, impulse and velocity of each coordinate of joints.
    fn joints(&self) -> impl Iterator<Item = ([T; 3], T, T)> {
        let rows = self.f.iter().zip(self.c).skip(self.problem.first_joint());
        rows.zip(self.problem.joints).map(|((f, c), law)| (*law, *f, *c))
    }

    /// True if a row asks for a velocity, so that its matrix is that of Delassus.
    fn is_held(&self, row: usize) -> bool {
        match row.checked_sub(self.problem.first_joint()) {
            Some(joint) => self
                .joints()
                .nth(joint)
                .is_some_and(|(law, f, c)| joints::mode(law, f, c).0 != JointMode::Moves),
            None => match self.modes.get(row / 3) {
                Some(ContactMode::Stick) => true,
                Some(ContactMode::Slide) => row % 3 == 2,
                _ => false,
            },
        }
    }

    /// Derivatives of at most as many columns as there are rows, with those of the laws of joints. `x` and
    /// `ab` are memory.
    fn derivatives(
        &self,
        columns: &mut [T],
        by: impl Fn(usize, usize) -> JointLaw<T>,
        x: &mut [T],
        ab: &mut [T],
    ) {
        let n = self.problem.rows;
        let width = n + columns.len() / n.max(1);
        let shift = T::from_f64(T::EPSILON).sqrt();
        for (k, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
            self.right_side(column, |joint| by(k, joint));
        }
        x.fill(T::zero());
        for _ in 0..SOLUTIONS {
            // (A + S) x = b + S x, with the last x on the right: A x = b at the end, and x is one of several
            // solutions if A is singular.
            linearise(self.problem, (self.f, self.c), self.modes, shift, (&mut *ab, width));
            for (k, row) in ab.chunks_exact_mut(width.max(1)).take(n).enumerate() {
                let shift = if self.is_held(k) { shift } else { T::zero() };
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
            for ((to, x), s) in column.iter_mut().zip(x).zip(self.problem.factors()) {
                *to = *x * s;
            }
        }
    }

    /// Turns the derivative of the velocities into the right side of the modes' equations.
    fn right_side(&self, column: &mut [T], by: impl Fn(usize) -> JointLaw<T>) {
        let (of_contacts, of_joints) =
            column.split_at_mut_checked(self.problem.first_joint()).unwrap_or_default();
        let all = threes_mut(of_contacts).iter_mut().zip(self.problem.of_contact).zip(self.contacts());
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
        let all = of_joints.iter_mut().zip(self.problem.of_joint).zip(self.joints()).enumerate();
        for (k, ((h, s), (law, f, c))) in all {
            let JointLaw { friction, least, most } = by(k);
            *h = match joints::mode(law, f, c).0 {
                JointMode::Moves if *s == T::zero() || c == T::zero() => T::zero(),
                JointMode::Moves => (if c > T::zero() { -friction } else { friction }) / *s,
                JointMode::Sticks => -(*h * *s),
                JointMode::AtLeast => (least - *h) * *s,
                JointMode::AtMost => (most - *h) * *s,
            };
        }
    }

    /// Distance of the nearest contact or coordinate from another mode.
    fn margin(&self) -> T {
        let mut margin = T::from_f64(f64::INFINITY);
        for (f, c, mode, mu) in self.contacts() {
            let (push, sliding) = (f[2], norm([c[0], c[1]]));
            let own = match mode {
                ContactMode::Open => c[2],
                ContactMode::Stick => nearer(push, mu.mul_add(push, -norm([f[0], f[1]]))),
                // Without friction, sliding and sticking are one.
                ContactMode::Slide => {
                    if mu > T::zero() {
                        nearer(push, sliding)
                    } else {
                        push
                    }
                }
            };
            margin = nearer(margin, own);
        }
        self.joints().fold(margin, |margin, (law, f, c)| nearer(margin, joints::margin(law, f, c)))
    }
}
