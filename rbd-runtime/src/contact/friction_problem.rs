//! The problem of the contacts that touch, without gaps, and the memory of its solver.

use super::{ContactKind, ContactTable};
use crate::__private::zeros;
use crate::friction::{
    ContactMode, ContactSurface, FrictionMemory, FrictionProblem, FrictionReport, FrictionSettings, JointLaw,
    Linearised, MATRICES, Real, VECTORS_WITH_JOINTS, solve,
};
use nalgebra::SMatrix;

/// Memory of the problem's solver, for this many rows.
pub(super) struct Memory<T, const N: usize> {
    matrices: [[[T; N]; N]; MATRICES],
    vectors: [[T; N]; VECTORS_WITH_JOINTS],
}

impl<T: Real, const N: usize> Memory<T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros() -> Self {
        let (matrix, vector) = ([[T::zero(); N]; N], [T::zero(); N]);
        Self { matrices: [matrix; MATRICES], vectors: [vector; VECTORS_WITH_JOINTS] }
    }

    pub fn all(&mut self) -> FrictionMemory<'_, T> {
        FrictionMemory {
            matrices: self.matrices.as_flattened_mut().as_flattened_mut(),
            vectors: self.vectors.as_flattened_mut(),
        }
    }
}

/// The problem of the contacts that touch, without gaps.
pub(super) struct Compact<T, const NC: usize, const NR: usize> {
    /// Number of contacts.
    pub count: usize,
    /// The contact of each.
    of: [usize; NC],
    delassus: [[T; NR]; NR],
    velocity: [T; NR],
    pub impulses: [T; NR],
    friction: [T; NC],
    compliance: [T; NC],
    pub modes: [ContactMode; NC],
}

impl<T: Real, const NC: usize, const NR: usize> Compact<T, NC, NR> {
    pub fn zeros() -> Self {
        let zero = T::zero();
        Self {
            count: 0,
            of: [0; NC],
            delassus: [[zero; NR]; NR],
            velocity: [zero; NR],
            impulses: [zero; NR],
            friction: [zero; NC],
            compliance: [zero; NC],
            modes: [ContactMode::Open; NC],
        }
    }

    /// Adds a contact: its velocity with the offset, and impulses to begin with.
    pub fn add(
        &mut self,
        (k, contact): (usize, &ContactTable),
        surface: &ContactSurface<T>,
        velocity: [T; 3],
        start: [T; 3],
    ) {
        let Self { count, of, velocity: velocities, impulses, friction, compliance, .. } = self;
        debug_assert!(contact.kind == ContactKind::Point, "others are left out");
        if let (Some(of), Some(mu), Some(r)) =
            (of.get_mut(*count), friction.get_mut(*count), compliance.get_mut(*count))
        {
            (*of, *mu, *r) = (k, surface.friction, surface.compliance);
        }
        for (to, from) in [(velocities, velocity), (impulses, start)] {
            if let Some(to) = to.get_mut(3 * *count..).and_then(<[T]>::first_chunk_mut::<3>) {
                *to = from;
            }
        }
        *count += 1;
    }

    pub fn rows(&self) -> usize {
        (3 * self.count).min(NR)
    }

    /// Takes the rows and columns of the contacts that were added.
    pub fn copy_matrix(&mut self, contacts: &[ContactTable; NC], from: &SMatrix<T, NR, NR>) {
        let n = self.rows();
        let row_of = |k: &usize| contacts.get(*k).map_or(NR, |contact| contact.row);
        let to = self.delassus.as_flattened_mut().chunks_exact_mut(n.max(1));
        let first = self.of.iter().take(self.count).map(row_of).flat_map(|row| [row, row + 1, row + 2]);
        for (to, column) in to.zip(first) {
            let Some(from) = from.data.0.get(column) else { continue };
            for (to, row) in to.as_chunks_mut::<3>().0.iter_mut().zip(self.of.iter().map(row_of)) {
                if let Some(from) = from.get(row..).and_then(<[T]>::first_chunk::<3>) {
                    *to = *from;
                }
            }
        }
    }

    pub fn problem(&self) -> FrictionProblem<'_, T> {
        let (n, count) = (self.rows(), self.count.min(NC));
        FrictionProblem {
            delassus: self.delassus.as_flattened().get(..n * n).unwrap_or(&[]),
            velocity: self.velocity.get(..n).unwrap_or(&[]),
            friction: self.friction.get(..count).unwrap_or(&[]),
            compliance: self.compliance.get(..count).unwrap_or(&[]),
        }
    }

    pub fn solve(&mut self, settings: &FrictionSettings<T>) -> FrictionReport<T> {
        let (n, count) = (self.rows(), self.count.min(NC));
        let problem = FrictionProblem {
            delassus: self.delassus.as_flattened().get(..n * n).unwrap_or(&[]),
            velocity: self.velocity.get(..n).unwrap_or(&[]),
            friction: self.friction.get(..count).unwrap_or(&[]),
            compliance: self.compliance.get(..count).unwrap_or(&[]),
        };
        let mut memory = Memory::<T, NR>::zeros();
        let impulses = self.impulses.get_mut(..n).unwrap_or_default();
        let modes = self.modes.get_mut(..count).unwrap_or_default();
        solve(&problem, settings, impulses, modes, memory.all())
    }

    /// The solution, for derivatives; the margin if no contact was added.
    pub fn linearised<'a>(&'a self, memory: FrictionMemory<'a, T>) -> Result<Linearised<'a, T>, T> {
        let (n, count) = (self.rows(), self.count.min(NC));
        let solution = (self.impulses.get(..n).unwrap_or(&[]), self.modes.get(..count).unwrap_or(&[]));
        Linearised::of_contacts(&self.problem(), solution, memory)
    }

    /// Turns derivatives of the velocities in the surfaces' axes into those of the impulses.
    pub fn derivatives<const NV: usize>(
        &self,
        contacts: &[ContactTable; NC],
        solution: &mut Linearised<'_, T>,
        by: &mut SMatrix<T, NR, NV>,
    ) {
        let n = self.rows();
        if n == NR && self.rows_of(contacts).zip(0..).all(|(row, k)| row == 3 * k) {
            solution.solve(by.data.0.as_flattened_mut(), |_, _| JointLaw::zero());
            return;
        }
        // Columns without gaps, then back to where they were.
        let mut own: SMatrix<T, NR, NV> = zeros();
        let columns = own.data.0.as_flattened_mut().get_mut(..n * NV).unwrap_or_default();
        for (to, from) in columns.chunks_exact_mut(n.max(1)).zip(&by.data.0) {
            for (to, row) in to.as_chunks_mut::<3>().0.iter_mut().zip(self.rows_of(contacts)) {
                if let Some(from) = from.get(row..).and_then(<[T]>::first_chunk::<3>) {
                    *to = *from;
                }
            }
        }
        solution.solve(&mut *columns, |_, _| JointLaw::zero());
        by.data.0 = [[T::zero(); NR]; NV];
        for (from, to) in columns.chunks_exact(n.max(1)).zip(&mut by.data.0) {
            for (from, row) in from.as_chunks::<3>().0.iter().zip(self.rows_of(contacts)) {
                if let Some(to) = to.get_mut(row..).and_then(<[T]>::first_chunk_mut::<3>) {
                    *to = *from;
                }
            }
        }
    }

    /// First rows of the contacts that were added.
    pub fn rows_of(&self, contacts: &[ContactTable; NC]) -> impl Iterator<Item = usize> {
        self.of.iter().take(self.count).map(|k| contacts.get(*k).map_or(NR, |contact| contact.row))
    }

    /// Number, impulses and mode of each contact.
    pub fn solution(&self) -> impl Iterator<Item = (usize, [T; 3], ContactMode)> {
        let of = self.of.iter().take(self.count);
        let each = of.zip(self.impulses.as_chunks::<3>().0).zip(&self.modes);
        each.map(|((k, f), mode)| (*k, *f, *mode))
    }
}
