//! The order of methods: sweeps, Newton's steps, and where these do not do, compliance that falls, the method
//! of multipliers and less friction at first.

use super::admm::Admm;
use super::cone::{mode, project};
use super::joints::{self, JointLaw, JointMode};
use super::problem::{FrictionProblem, Scaled, threes, threes_mut};
use super::real::{Real, abs, dot, is_finite, max};
use super::residuals::FrictionResiduals;
use super::search::{Search, Steps};
use super::{ContactMode, FrictionIterations, FrictionReport, FrictionSettings};

/// Matrices of `3 n` rows: the scaled one, factors, and that of Newton's steps with a column more.
pub(crate) const MATRICES: usize = 4;
/// Vectors of `3 n` numbers: nine, and two numbers a contact.
const VECTORS: usize = 10;

/// Vectors with joints: nine, and four numbers a coordinate.
pub(crate) const VECTORS_WITH_JOINTS: usize = 13;

/// Compliance of the first level, next to blocks of the diagonal of 1.
const SOFTEST: f64 = 0.3;
/// Compliance of a level by that of the one before.
const FALL: f64 = 0.25;
/// Compliance that is none, in rounding errors.
const HARDEST: f64 = 4096.0;

/// Memory for [`solve`], whatever it holds.
#[derive(Debug)]
pub struct FrictionMemory<'a, T> {
    /// Memory for matrices: at least `FrictionMemory::matrices(n)` numbers.
    pub matrices: &'a mut [T],
    /// Memory for vectors: at least `FrictionMemory::vectors(n)` numbers.
    pub vectors: &'a mut [T],
}

impl<T> FrictionMemory<'_, T> {
    /// Numbers that `n` contacts need for matrices.
    #[must_use]
    pub const fn matrices(contacts: usize) -> usize {
        MATRICES * 9 * contacts * contacts
    }

    /// Numbers that `n` contacts need for vectors.
    #[must_use]
    pub const fn vectors(contacts: usize) -> usize {
        VECTORS * 3 * contacts
    }

    /// Numbers that contacts and coordinates of joints with this many rows need for matrices.
    ///
    /// Each contact has three rows, each coordinate one.
    #[must_use]
    pub const fn matrices_of_rows(rows: usize) -> usize {
        MATRICES * rows * rows
    }

    /// Numbers that contacts and coordinates of joints with this many rows need for vectors.
    #[must_use]
    pub const fn vectors_of_rows(rows: usize) -> usize {
        VECTORS_WITH_JOINTS * rows
    }

    /// True if the memory is enough for `n` contacts.
    pub(super) fn suffices(&self, contacts: usize) -> bool {
        self.matrices.len() >= Self::matrices(contacts) && self.vectors.len() >= Self::vectors(contacts)
    }
}

/// Takes the first numbers of the memory.
pub(super) fn take<'a, T>(from: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let all = core::mem::take(from);
    let (taken, rest) = all.split_at_mut_checked(count).unwrap_or_default();
    *from = rest;
    taken
}

/// Solves contacts with friction.
///
/// - `impulses` (3 n), N s: where to begin, such as the impulses of the last step; then the solution.
/// - `modes` (n): receives the mode of each contact.
///
/// If the sizes do not fit, the impulses are zero and the report says that they did not converge.
///
/// The methods and their sources are in docs/math.md#contacts-with-friction. Nothing is allocated, and the
/// settings bound the number of operations. Impulses are finite and in their cones.
pub fn solve<T: Real>(
    given: &FrictionProblem<'_, T>,
    settings: &FrictionSettings<T>,
    impulses: &mut [T],
    modes: &mut [ContactMode],
    memory: FrictionMemory<'_, T>,
) -> FrictionReport<T> {
    let contacts = given.contacts();
    let sizes = impulses.len() == 3 * contacts && modes.len() == contacts && memory.suffices(contacts);
    solve_rows(given, &[], settings, (contacts, sizes), (impulses, modes), memory)
}

/// Solves contacts with friction and coordinates of joints, which have dry friction and limits.
///
/// The rows of the joints' coordinates follow those of the contacts in the Delassus matrix and the
/// velocities: `3 n + m` rows for `n` contacts and `m` coordinates.
///
/// - `joints` (m): the law of each coordinate.
/// - `impulses` (3 n + m), N s, N m s: where to begin; then the solution.
/// - `modes` (n): receives the mode of each contact.
/// - `memory`: [`FrictionMemory::matrices_of_rows`] and [`FrictionMemory::vectors_of_rows`] numbers.
///
/// If the sizes do not fit, the impulses are zero and the report says that they did not converge. Otherwise
/// it is [`solve`], with the methods of docs/math.md#contacts-with-friction.
pub fn solve_with_joints<T: Real>(
    given: &FrictionProblem<'_, T>,
    joints: &[JointLaw<T>],
    settings: &FrictionSettings<T>,
    impulses: &mut [T],
    modes: &mut [ContactMode],
    memory: FrictionMemory<'_, T>,
) -> FrictionReport<T> {
    let contacts = given.contacts_beside(joints.len());
    let rows = 3 * contacts + joints.len();
    let sizes = impulses.len() == rows
        && modes.len() == contacts
        && given.velocity.len() >= rows
        && given.delassus.len() >= rows * rows
        && memory.matrices.len() >= FrictionMemory::<T>::matrices_of_rows(rows)
        && memory.vectors.len() >= FrictionMemory::<T>::vectors_of_rows(rows);
    solve_rows(given, joints, settings, (contacts, sizes), (impulses, modes), memory)
}

/// [`solve_with_joints`], if the sizes fit.
fn solve_rows<T: Real>(
    given: &FrictionProblem<'_, T>,
    laws: &[JointLaw<T>],
    settings: &FrictionSettings<T>,
    (contacts, sizes): (usize, bool),
    (impulses, modes): (&mut [T], &mut [ContactMode]),
    memory: FrictionMemory<'_, T>,
) -> FrictionReport<T> {
    let n = 3 * contacts + laws.len();
    let mut iterations = FrictionIterations::default();
    modes.fill(ContactMode::Open);
    if !sizes || n == 0 {
        impulses.fill(T::zero());
        let converged = sizes && given.friction.is_empty();
        return FrictionReport { residuals: FrictionResiduals::zero(), iterations, converged };
    }
    let FrictionMemory { mut matrices, mut vectors } = memory;
    let [g, ab, factors] = [n * n, n * (n + 1), n * n].map(|count| take(&mut matrices, count));
    let [friction, of_contact] = [contacts; 2].map(|count| take(&mut vectors, count));
    let [free, f, c, best, x, y, z, kept, diagonal] = [n; 9].map(|count| take(&mut vectors, count));
    let joints = take(&mut vectors, 3 * laws.len());
    let of_joint = take(&mut vectors, laws.len());
    let problem = Scaled::of(given, (g, diagonal), free, friction, of_contact, (laws, joints, of_joint));
    let rounded = T::from_f64(T::EPSILON * 64.0);
    let target = settings.tolerance * T::from_f64(1e-3);
    let target = if target > rounded { target } else { rounded };
    let mut search = Search { problem, f, c, best, residual: T::zero(), target, modes, ab };
    search.forget();
    // First no impulses: they are finite, whatever the caller's are.
    search.f.fill(T::zero());
    search.best.fill(T::zero());
    search.look();
    if impulses.iter().any(|x| *x != T::zero()) && impulses.iter().all(|x| is_finite(*x)) {
        begin(&mut search, impulses);
        iterations.newton += search.newton(settings.newton_steps.min(4), Steps::Whole);
        search.go_to_best();
    }
    if !search.is_done() {
        iterations.sweeps += search.sweep(settings.sweeps);
        iterations.newton += search.newton(settings.newton_steps, Steps::Whole);
    }
    if !search.is_done() {
        let admm = Admm { x, y, z, factors, rho: T::one() };
        insist(&mut search, settings, admm, kept, &mut iterations);
    }
    finish((given, laws), &mut search, settings, iterations, impulses)
}

/// Goes to the caller's impulses, projected onto the cones.
fn begin<T: Real>(search: &mut Search<'_, T>, impulses: &[T]) {
    let Scaled { friction, of_contact, of_joint, velocity, .. } = &search.problem;
    let first = search.problem.first_joint();
    let own = search.f.iter_mut().zip(impulses).skip(first);
    for ((f, impulse), s) in own.zip(of_joint.iter()) {
        *f = *impulse / (*s * *velocity);
    }
    let own = threes_mut(search.f).iter_mut().zip(threes(impulses));
    for ((f, impulse), (s, mu)) in own.zip(of_contact.iter().zip(friction.iter())) {
        let x = T::one() / (*s * *velocity);
        *f = project(impulse.map(|impulse| impulse * x), *mu);
    }
}

/// Compliance that falls to none, with Newton's steps at each level.
///
/// Redundant contacts, such as the four corners of a box on a floor, may ask for velocities that no motion
/// has. Then some carry no impulse, and Newton's steps do not find which. With compliance all share the
/// impulses, and they open one by one as it falls.
fn harden<T: Real>(
    search: &mut Search<'_, T>,
    settings: &FrictionSettings<T>,
    admm: &mut Admm<'_, T>,
    kept: &mut [T],
    iterations: &mut FrictionIterations,
) {
    let (zero, least) = (T::zero(), T::from_f64(T::EPSILON * HARDEST));
    kept.iter_mut().zip(search.best.iter()).for_each(|(to, x)| *to = *x);
    search.go_to_best();
    let mut compliance = T::from_f64(SOFTEST);
    loop {
        search.problem.soften(compliance);
        search.forget();
        iterations.newton += search.newton(settings.newton_steps, Steps::Whole);
        if !search.is_done() {
            search.go_to_best();
            search.look();
            admm.begin(&search.problem, search.f, search.c);
            multiply(search, settings, admm, iterations);
        }
        search.go_to_best();
        if compliance <= zero {
            break;
        }
        compliance = if compliance > least { compliance * T::from_f64(FALL) } else { zero };
    }
    if !search.is_done() {
        // Those of the last level may be no numbers.
        search.best.iter_mut().zip(kept.iter()).for_each(|(to, x)| *to = *x);
        search.forget();
        search.go_to_best();
        search.look();
    }
}

/// Compliance that falls; rounds of the method of multipliers and Newton's steps; then less friction first.
fn insist<T: Real>(
    search: &mut Search<'_, T>,
    settings: &FrictionSettings<T>,
    mut admm: Admm<'_, T>,
    kept: &mut [T],
    iterations: &mut FrictionIterations,
) {
    if settings.rounds > 0 {
        harden(search, settings, &mut admm, kept, iterations);
        if search.is_done() {
            return;
        }
    }
    search.go_to_best();
    search.look();
    admm.begin(&search.problem, search.f, search.c);
    for _ in 0..settings.rounds {
        multiply(search, settings, &mut admm, iterations);
        if search.is_done() {
            return;
        }
    }
    // Friction of a problem that is easier at first grows to that of the problem.
    kept.iter_mut().zip(search.best.iter()).for_each(|(to, x)| *to = *x);
    let (mut levels, mut share) = (2, T::one());
    for _ in 0..settings.continuations {
        levels = 2 * levels.min(1 << 20);
        search.f.fill(T::zero());
        for level in 1..=levels {
            let next = T::from_f64(f64::from(level) / f64::from(levels));
            let change = next / share;
            share = next;
            search.problem.friction.iter_mut().for_each(|mu| *mu *= change);
            search.forget();
            iterations.newton += search.newton(settings.newton_steps, Steps::Whole);
            if !search.is_done() {
                search.go_to_best();
                search.look();
                admm.begin(&search.problem, search.f, search.c);
                multiply(search, settings, &mut admm, iterations);
            }
            search.go_to_best();
        }
        if search.is_done() {
            return;
        }
    }
    search.go_to(kept);
    search.look();
}

/// A round of the method of multipliers, and Newton's steps from where it leads.
fn multiply<T: Real>(
    search: &mut Search<'_, T>,
    settings: &FrictionSettings<T>,
    admm: &mut Admm<'_, T>,
    iterations: &mut FrictionIterations,
) {
    iterations.admm += admm.iterate(&search.problem, settings.admm_iterations, search.target);
    for steps in [Steps::Whole, Steps::Halved] {
        if !search.is_done() {
            search.go_to(admm.y);
            iterations.newton += search.newton(settings.newton_steps, steps);
        }
    }
}

/// Writes the best impulses and their modes in the units of the problem.
fn finish<T: Real>(
    (given, laws): (&FrictionProblem<'_, T>, &[JointLaw<T>]),
    search: &mut Search<'_, T>,
    settings: &FrictionSettings<T>,
    iterations: FrictionIterations,
    impulses: &mut [T],
) -> FrictionReport<T> {
    search.go_to_best();
    search.look();
    let contacts = threes_mut(search.f).iter_mut().zip(threes(search.c)).zip(search.problem.friction.iter());
    for (to, ((f, c), mu)) in search.modes.iter_mut().zip(contacts) {
        *to = mode(*f, *c, *mu);
        *f = if *to == ContactMode::Open { [T::zero(); 3] } else { project(*f, *mu) };
    }
    let first = search.problem.first_joint();
    let own = search.f.iter_mut().zip(search.c.iter()).skip(first);
    for ((f, c), law) in own.zip(search.problem.joints) {
        // Impulses of dry friction are exact.
        if let (JointMode::Moves, impulse) = joints::mode(*law, *f, *c) {
            *f = impulse;
        }
    }
    search.forget();
    let mut residuals = FrictionResiduals { natural: search.look(), ..FrictionResiduals::zero() };
    let Scaled { friction, of_contact, velocity, free, .. } = &search.problem;
    let contacts = threes(search.f).iter().zip(threes(search.c)).zip(friction.iter());
    let own = threes_mut(impulses).iter_mut().zip(threes(given.velocity)).zip(of_contact.iter());
    let mut fastest = T::zero();
    for (((f, c), mu), ((impulse, g), s)) in contacts.zip(own) {
        let (of_impulse, of_velocity) = (*s * *velocity, *velocity / *s);
        *impulse = f.map(|x| x * of_impulse);
        residuals.add(*impulse, if *s > T::zero() { c.map(|x| x * of_velocity) } else { *g }, *mu);
        fastest = g.iter().fold(fastest, |most, x| max(most, abs(*x)));
    }
    let first = search.problem.first_joint();
    let rows = search.f.iter().zip(search.c.iter()).zip(given.velocity).skip(first);
    let own = impulses.iter_mut().skip(first).zip(search.problem.of_joint.iter().zip(laws));
    for (((f, c), g), (impulse, (s, law))) in rows.zip(own) {
        *impulse = *f * *s * *velocity;
        residuals.add_joint(if *s > T::zero() { *c * *velocity / *s } else { *g }, law);
        fastest = max(fastest, abs(*g));
    }
    // The largest energy that impulses exchange with the contacts' free motion.
    let exchanged = threes(search.f).iter().zip(threes(free));
    let exchanged = exchanged.fold(T::one(), |most, (f, g)| max(most, dot(&f.map(abs), &g.map(abs))));
    let energy = exchanged * *velocity * *velocity;
    let converged = residuals.are_within(settings.tolerance, fastest, energy);
    FrictionReport { residuals, iterations, converged }
}
