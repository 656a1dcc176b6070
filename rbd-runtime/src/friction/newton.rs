//! Newton's steps by modes: the equations of open, sticking and sliding contacts, linearised.

use super::ContactMode;
use super::cone::mode;
use super::dense;
use super::joints::{self, JointMode};
use super::problem::{Scaled, threes};
use super::real::{Real, max, norm};

/// Direction of friction of a contact that slides, and its rate of turning.
pub(super) struct Sliding<T> {
    /// Direction of `f_t - c_t`; zero if there is none.
    pub e: [T; 2],
    /// Rate at which the bound of friction turns with the direction.
    turn: T,
}

impl<T: Real> Sliding<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of(f: [T; 3], c: [T; 3], mu: T) -> Self {
        let zero = T::zero();
        let z = [f[0] - c[0], f[1] - c[1]];
        let across = norm(z);
        let e = if across > zero { [z[0] / across, z[1] / across] } else { [zero; 2] };
        let turn = if across > zero { mu * max(f[2], zero) / across } else { zero };
        Self { e, turn }
    }

    /// A row of the derivative of `mu f_n e` by `f_t - c_t`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, r: usize) -> [T; 2] {
        let own = if r == 0 { self.e[0] } else { self.e[1] };
        core::array::from_fn(|b| {
            let unit = if b == r { T::one() } else { T::zero() };
            (unit - own * self.e[b]) * self.turn
        })
    }

    /// The derivative of `mu f_n e` by `f_t - c_t`, by rows.
    pub fn rows(&self) -> [[T; 2]; 2] {
        [self.row(0), self.row(1)]
    }
}

/// Writes rows of the matrix by which impulses of the modes change, and what is left of their equations.
///
/// With `dc = G df`:
///
/// - open: `f = 0`;
/// - stick: `c = 0`;
/// - slide: `c_n = 0` and `f_t = mu f_n e`, where `e` is the direction of `f_t - c_t`: opposite to the
///   sliding at the solution, and defined at small velocities too.
///
/// `shift` is added to the diagonal where the matrix is that of Delassus, so that redundant contacts have
/// one solution. Source: Alart and Curnier, 1991 (docs/math.md#contacts-with-friction).
pub(super) fn linearise<T: Real>(
    problem: &Scaled<'_, T>,
    (f, c): (&[T], &[T]),
    modes: &[ContactMode],
    shift: T,
    (ab, width): (&mut [T], usize),
) {
    let (zero, one) = (T::zero(), T::one());
    let contacts = threes(f).iter().zip(threes(c)).zip(problem.friction.iter().zip(modes));
    let first = problem.first_joint();
    linearise_joints(problem, (f, c), shift, (&mut *ab, width));
    let rows = ab.get_mut(..first * width).unwrap_or_default().chunks_exact_mut((3 * width).max(1));
    for (k, (rows, ((f, c), (mu, mode)))) in rows.zip(contacts).enumerate() {
        let [x, y, z] = core::array::from_fn(|r| problem.column(3 * k + r));
        let sliding = Sliding::of(*f, *c, *mu);
        let [e0, e1] = sliding.e;
        // By row: impulse, velocity, column, and what a sliding contact has along the two tangents. No row is
        // found by an index, whose check would be a panic.
        let own = [
            (f[0], c[0], x, Some((sliding.row(0), e0))),
            (f[1], c[1], y, Some((sliding.row(1), e1))),
            (f[2], c[2], z, None),
        ];
        for (r, (row, (impulse, velocity, column, along))) in
            rows.chunks_exact_mut(width.max(1)).zip(own).enumerate()
        {
            let put = |row: &mut [T], at: usize, x: T| {
                if let Some(to) = row.get_mut(at) {
                    *to += x;
                }
            };
            let rest = |row: &mut [T], x: T| {
                if let Some(to) = row.get_mut(problem.rows) {
                    *to = x;
                }
            };
            match (mode, along) {
                (ContactMode::Open, _) => {
                    row.fill(zero);
                    put(row, 3 * k + r, one);
                    rest(row, -impulse);
                }
                (ContactMode::Slide, Some((h, e))) => {
                    for ((to, x), y) in row.iter_mut().zip(x).zip(y) {
                        *to = h[0].mul_add(*x, h[1] * *y);
                    }
                    put(row, 3 * k + r, one);
                    put(row, 3 * k, -h[0]);
                    put(row, 3 * k + 1, -h[1]);
                    put(row, 3 * k + 2, -(*mu * e));
                    rest(row, *mu * f[2] * e - impulse);
                }
                (ContactMode::Stick | ContactMode::Slide, _) => {
                    row.iter_mut().zip(column).for_each(|(to, x)| *to = *x);
                    put(row, 3 * k + r, shift);
                    rest(row, -velocity);
                }
            }
        }
    }
}

/// Writes the rows of joints: their velocities where limits or friction hold them, else their impulses.
fn linearise_joints<T: Real>(
    problem: &Scaled<'_, T>,
    (f, c): (&[T], &[T]),
    shift: T,
    (ab, width): (&mut [T], usize),
) {
    let first = problem.first_joint();
    let rows = ab.get_mut(first * width..).unwrap_or_default().chunks_exact_mut(width.max(1));
    for (k, (row, law)) in rows.zip(problem.joints).enumerate() {
        let at = first + k;
        let (Some(f), Some(c)) = (f.get(at), c.get(at)) else { continue };
        let (diagonal, rest) = match joints::mode(*law, *f, *c) {
            (JointMode::Moves, impulse) => {
                row.fill(T::zero());
                (T::one(), impulse - *f)
            }
            (_, velocity) => {
                row.iter_mut().zip(problem.column(at)).for_each(|(to, x)| *to = *x);
                (shift, velocity - *c)
            }
        };
        if let Some(to) = row.get_mut(at) {
            *to += diagonal;
        }
        if let Some(to) = row.get_mut(problem.rows) {
            *to = rest;
        }
    }
}

/// Writes the modes, and adds Newton's step to the impulses.
pub(super) fn step<T: Real>(
    problem: &Scaled<'_, T>,
    f: &mut [T],
    c: &[T],
    modes: &mut [ContactMode],
    shift: T,
    ab: &mut [T],
) {
    let (n, width) = (problem.rows, problem.rows + 1);
    let contacts = threes(f).iter().zip(threes(c)).zip(problem.friction.iter());
    for (to, ((f, c), mu)) in modes.iter_mut().zip(contacts) {
        *to = mode(*f, *c, *mu);
    }
    linearise(problem, (f, c), modes, shift, (&mut *ab, width));
    dense::solve(ab, n, width);
    for (f, row) in f.iter_mut().zip(ab.chunks_exact(width.max(1))) {
        if let Some(x) = row.get(n) {
            *f += *x;
        }
    }
}
