//! Derivatives of the solution by modes, by the implicit function theorem.

use super::joints::JointLaw;
use super::linearised::Linearised;
use super::problem::FrictionProblem;
use super::real::Real;
use super::{ContactMode, FrictionMemory};

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
/// Redundant contacts share derivatives in one of many ways. The derivatives of velocities are unique.
///
/// If the sizes do not fit, the columns are zero and the margin is NaN. Nothing is allocated. Formulas and
/// sources are in docs/math.md#contacts-with-friction.
pub fn impulse_derivatives<T: Real>(
    given: &FrictionProblem<'_, T>,
    (impulses, modes): (&[T], &[ContactMode]),
    columns: &mut [T],
    memory: FrictionMemory<'_, T>,
) -> T {
    let constant = |_, _| JointLaw::zero();
    through(Linearised::of_contacts(given, (impulses, modes), memory), columns, constant)
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
    through(Linearised::with_joints(given, joints, (impulses, modes), memory), columns, by)
}

/// Writes derivatives through a solution, or zeros without one. Returns the margin.
fn through<T: Real>(
    solution: Result<Linearised<'_, T>, T>,
    columns: &mut [T],
    by: impl Fn(usize, usize) -> JointLaw<T>,
) -> T {
    match solution {
        Ok(mut of) => {
            of.solve(columns, by);
            of.margin()
        }
        Err(margin) => {
            columns.fill(T::zero());
            margin
        }
    }
}
