//! The equations of a solution's modes, linearised and inverted once for derivatives by any parameters.

use super::dense::{self, add_product};
use super::joints::{self, JointLaw, JointMode, nearer};
use super::newton::{Sliding, linearise};
use super::problem::{FrictionProblem, Scaled, threes, threes_mut};
use super::real::{Real, abs, norm};
use super::residuals::worse;
use super::solve::take;
use super::{ContactMode, FrictionMemory};

/// A solution with the inverse of its modes' matrix, for derivatives by any parameters.
pub(crate) struct Linearised<'a, T> {
    at: Solution<'a, T>,
    solver: Solver<'a, T>,
    /// Memory for two matrices of as many columns.
    columns: &'a mut [T],
}

/// A solution in scaled units.
struct Solution<'a, T> {
    problem: Scaled<'a, T>,
    f: &'a [T],
    c: &'a [T],
    modes: &'a [ContactMode],
}

/// How columns are solved. Matrices are by columns, and their solutions in the units of the caller.
enum Solver<'a, T> {
    /// A product with the inverse of the matrix, which has the right sides' factors too.
    Exact(&'a [T]),
    /// Solutions that are corrected so many times.
    Corrected {
        /// Inverse, of a matrix whose diagonal is shifted if it has none itself.
        inverse: &'a [T],
        /// The matrix times -1.
        negative: &'a [T],
        times: usize,
    },
}

impl<'a, T: Real> Linearised<'a, T> {
    /// The solution of a problem with contacts alone.
    ///
    /// # Errors
    /// Without rows: an infinite margin, or NaN if the sizes do not fit.
    pub fn of_contacts(
        given: &FrictionProblem<'_, T>,
        (impulses, modes): (&[T], &'a [ContactMode]),
        memory: FrictionMemory<'a, T>,
    ) -> Result<Self, T> {
        let contacts = given.contacts();
        let fits = impulses.len() == 3 * contacts && modes.len() == contacts && memory.suffices(contacts);
        Self::of(given, &[], (contacts, fits), (impulses, modes), memory)
    }

    /// The solution of a problem with contacts and coordinates of joints.
    ///
    /// # Errors
    /// As those of [`Self::of_contacts`].
    pub fn with_joints(
        given: &FrictionProblem<'_, T>,
        laws: &[JointLaw<T>],
        (impulses, modes): (&[T], &'a [ContactMode]),
        memory: FrictionMemory<'a, T>,
    ) -> Result<Self, T> {
        let contacts = given.contacts_beside(laws.len());
        let rows = 3 * contacts + laws.len();
        let fits = impulses.len() == rows
            && modes.len() == contacts
            && given.velocity.len() >= rows
            && given.delassus.len() >= rows * rows
            && memory.matrices.len() >= FrictionMemory::<T>::matrices_of_rows(rows)
            && memory.vectors.len() >= FrictionMemory::<T>::vectors_of_rows(rows);
        Self::of(given, laws, (contacts, fits), (impulses, modes), memory)
    }

    /// The solution, if the sizes fit and there are rows.
    fn of(
        given: &FrictionProblem<'_, T>,
        laws: &[JointLaw<T>],
        (contacts, fits): (usize, bool),
        (impulses, modes): (&[T], &'a [ContactMode]),
        memory: FrictionMemory<'a, T>,
    ) -> Result<Self, T> {
        let n = 3 * contacts + laws.len();
        if !fits || n == 0 {
            let none = fits && given.friction.is_empty();
            return Err(T::from_f64(if none { f64::INFINITY } else { f64::NAN }));
        }
        let FrictionMemory { mut matrices, mut vectors } = memory;
        let [g, inverse, ab] = [n * n, n * n, 2 * n * n].map(|count| take(&mut matrices, count));
        let [friction, of_contact] = [contacts; 2].map(|count| take(&mut vectors, count));
        let [free, f, c] = [n; 3].map(|count| take(&mut vectors, count));
        let (joints, of_joint) = (take(&mut vectors, 3 * laws.len()), take(&mut vectors, laws.len()));
        let problem = Scaled::of(given, (g, &mut []), free, friction, of_contact, (laws, joints, of_joint));
        for ((f, impulse), s) in f.iter_mut().zip(impulses).zip(problem.factors()) {
            let unit = s * problem.velocity;
            *f = if unit > T::zero() { *impulse / unit } else { T::zero() };
        }
        problem.velocities(f, c);
        let at = Solution { problem, f, c, modes };
        let (solver, rest) = at.invert(ab, inverse);
        let columns = if rest.len() > vectors.len() { rest } else { vectors };
        Ok(Self { at, solver, columns })
    }

    /// Turns derivatives of velocities, a column a parameter, into those of impulses, as
    /// [`impulse_derivatives_with_joints`](super::impulse_derivatives_with_joints) says.
    pub fn solve(&mut self, columns: &mut [T], by: impl Fn(usize, usize) -> JointLaw<T>) {
        let n = self.at.problem.rows.max(1);
        if !self.at.problem.joints.is_empty() {
            for (k, column) in columns.chunks_exact_mut(n).enumerate() {
                self.at.take_laws(column, |joint| by(k, joint));
            }
        }
        // There is memory for three at least.
        let half = self.columns.len() / 2;
        let count = (half - half % n).max(n);
        for columns in columns.chunks_mut(count) {
            let Some((b, rest)) = self.columns.split_at_mut_checked(count) else { return };
            let (Some(b), Some(rest)) = (b.get_mut(..columns.len()), rest.get_mut(..columns.len())) else {
                return;
            };
            copy(columns, b);
            columns.fill(T::zero());
            match self.solver {
                Solver::Exact(inverse) => add_product(inverse, n, b, columns),
                Solver::Corrected { inverse, negative, times } => {
                    for b in b.chunks_exact_mut(n) {
                        self.at.to_right_side(b);
                    }
                    add_product(inverse, n, b, columns);
                    // Each correction solves (A + S) d = b - A x: A x = b at the end, and x is one of several
                    // solutions if A is singular.
                    for _ in 0..times {
                        copy(b, rest);
                        add_product(negative, n, columns, rest);
                        add_product(inverse, n, rest, columns);
                    }
                }
            }
        }
    }

    /// Distance of the nearest contact or coordinate from another mode.
    pub fn margin(&self) -> T {
        self.at.margin()
    }
}

impl<'a, T: Real> Solution<'a, T> {
    /// Inverts the modes' matrix. `ab` is memory, of which the rest is returned.
    fn invert(&self, ab: &'a mut [T], inverse: &'a mut [T]) -> (Solver<'a, T>, &'a mut [T]) {
        let n = self.problem.rows;
        let root = T::from_f64(T::EPSILON).sqrt();
        let largest = self.write_inverse(T::zero(), &mut *ab, &mut *inverse);
        // Products with the inverse of a nearly singular matrix lose the digits that cancel in solutions.
        if largest <= T::from_f64(1.0 / 512.0) / root {
            self.multiply_right_sides(inverse);
            return (Solver::Exact(inverse), ab);
        }
        let is_regular = largest <= T::from_f64(1.0 / 64.0) / root;
        if !is_regular {
            self.write_inverse(root, &mut *ab, &mut *inverse);
        }
        let (rows, negative) = ab.split_at_mut_checked(n * n).unwrap_or_default();
        linearise(&self.problem, (self.f, self.c), self.modes, T::zero(), (&mut *rows, n));
        for ((k, column), s) in negative.chunks_exact_mut(n.max(1)).enumerate().zip(self.problem.factors()) {
            // Nothing moves a row of factor zero.
            let unit = if s > T::zero() { -(T::one() / s) } else { T::zero() };
            for (to, row) in column.iter_mut().zip(rows.chunks_exact(n.max(1))) {
                *to = row.get(k).map_or(T::zero(), |x| *x * unit);
            }
        }
        (Solver::Corrected { inverse, negative, times: if is_regular { 1 } else { 2 } }, rows)
    }

    /// Writes the inverse of the modes' matrix, by columns, whose solutions are in the units of the caller.
    ///
    /// Returns its largest entry in scaled units; infinity if a pivot is lost in rounding. `shift` is added
    /// to the diagonal where the matrix is that of Delassus. `ab` is memory.
    fn write_inverse(&self, shift: T, ab: &mut [T], inverse: &mut [T]) -> T {
        let n = self.problem.rows;
        let width = 2 * n;
        linearise(&self.problem, (self.f, self.c), self.modes, shift, (&mut *ab, width));
        for (k, row) in ab.chunks_exact_mut(width.max(1)).enumerate() {
            for (j, x) in row.iter_mut().skip(n).enumerate() {
                *x = if j == k { T::one() } else { T::zero() };
            }
        }
        let is_regular = dense::solve(ab, n, width);
        let mut largest = if is_regular { T::zero() } else { T::from_f64(f64::INFINITY) };
        for (k, column) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
            let rows = ab.chunks_exact(width.max(1)).zip(self.problem.factors());
            for (to, (row, s)) in column.iter_mut().zip(rows) {
                let x = row.get(n + k).copied().unwrap_or(T::zero());
                largest = worse(largest, abs(x));
                *to = x * s;
            }
        }
        largest
    }

    /// Factors of a contact's right side, by rows: it is these times the derivative of the velocities.
    fn right_side(s: T, (f, c, mode, mu): ([T; 3], [T; 3], ContactMode, T)) -> [[T; 3]; 3] {
        let (zero, s) = (T::zero(), -s);
        match mode {
            ContactMode::Open => [[zero; 3]; 3],
            ContactMode::Stick => [[s, zero, zero], [zero, s, zero], [zero, zero, s]],
            ContactMode::Slide => {
                let [x, y] = Sliding::of(f, c, mu).rows();
                [[x[0] * s, x[1] * s, zero], [y[0] * s, y[1] * s, zero], [zero, zero, s]]
            }
        }
    }

    /// Factor of a coordinate's right side.
    fn right_side_of_joint(s: T, (law, f, c): ([T; 3], T, T)) -> T {
        match joints::mode(law, f, c).0 {
            JointMode::Moves if s > T::zero() => T::one() / s,
            JointMode::Moves => T::zero(),
            _ => -s,
        }
    }

    /// Multiplies a matrix by the factors of right sides.
    fn multiply_right_sides(&self, matrix: &mut [T]) {
        let n = self.problem.rows.max(1);
        let (of_contacts, of_joints) =
            matrix.split_at_mut_checked(self.problem.first_joint() * n).unwrap_or_default();
        let all = of_contacts.chunks_exact_mut(3 * n).zip(self.problem.of_contact).zip(self.contacts());
        for ((columns, s), contact) in all {
            let [x, y, z] = Self::right_side(*s, contact);
            let (first, rest) = columns.split_at_mut_checked(n).unwrap_or_default();
            let (second, third) = rest.split_at_mut_checked(n).unwrap_or_default();
            for ((a, b), c) in first.iter_mut().zip(second).zip(third) {
                let row = [*a, *b, *c];
                let by = |k: usize| row[0].mul_add(x[k], row[1].mul_add(y[k], row[2] * z[k]));
                (*a, *b, *c) = (by(0), by(1), by(2));
            }
        }
        let all = of_joints.chunks_exact_mut(n).zip(self.problem.of_joint).zip(self.joints());
        for ((column, s), joint) in all {
            let by = Self::right_side_of_joint(*s, joint);
            column.iter_mut().for_each(|x| *x *= by);
        }
    }

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

    /// Takes what laws of coordinates change from the derivatives of these coordinates' velocities.
    fn take_laws(&self, column: &mut [T], by: impl Fn(usize) -> JointLaw<T>) {
        let own = column.iter_mut().skip(self.problem.first_joint());
        for (k, (h, (law, f, c))) in own.zip(self.joints()).enumerate() {
            let JointLaw { friction, least, most } = by(k);
            *h = match joints::mode(law, f, c).0 {
                JointMode::Moves if c > T::zero() => -friction,
                JointMode::Moves if c < T::zero() => friction,
                JointMode::Moves => T::zero(),
                JointMode::Sticks => *h,
                JointMode::AtLeast => *h - least,
                JointMode::AtMost => *h - most,
            };
        }
    }

    /// Turns a column into the right side of the modes' equations.
    fn to_right_side(&self, column: &mut [T]) {
        let (of_contacts, of_joints) =
            column.split_at_mut_checked(self.problem.first_joint()).unwrap_or_default();
        let all = threes_mut(of_contacts).iter_mut().zip(self.problem.of_contact);
        for ((h, s), contact) in all.zip(self.contacts()) {
            let rows = Self::right_side(*s, contact);
            *h = rows.map(|row| row[0].mul_add(h[0], row[1].mul_add(h[1], row[2] * h[2])));
        }
        for ((h, s), joint) in of_joints.iter_mut().zip(self.problem.of_joint).zip(self.joints()) {
            *h *= Self::right_side_of_joint(*s, joint);
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

/// Copies numbers. Slices of other lengths do not panic.
fn copy<T: Real>(from: &[T], to: &mut [T]) {
    to.iter_mut().zip(from).for_each(|(to, x)| *to = *x);
}
