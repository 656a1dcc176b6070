//! Impulses that are being improved: their velocities, residual, and the best ones so far.

use super::ContactMode;
use super::gauss_seidel::sweep;
use super::joints;
use super::newton;
use super::problem::{Scaled, threes};
use super::real::{Real, abs, is_finite};
use super::residuals::{natural, worse};

/// Shift of Newton's matrix, in rounding errors of a scaled block: what is lost of impulses that redundant
/// contacts share. Velocities do not depend on it.
const SHIFT: f64 = 1e6;
/// Halvings of a step that does not lower the residual.
const HALVINGS: usize = 5;

/// Length of Newton steps: whole, or shortened until the residual falls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// Whole steps: they leave wrong modes faster.
    Whole,
    /// Steps halved until the residual falls.
    Halved,
}

/// Impulses that are being improved.
pub(super) struct Search<'a, T> {
    pub problem: Scaled<'a, T>,
    pub f: &'a mut [T],
    /// Velocities at the impulses.
    pub c: &'a mut [T],
    /// The impulses of the smallest residual since the last [`Self::forget`].
    pub best: &'a mut [T],
    /// Residual of the best impulses.
    pub residual: T,
    /// Residual at which the search ends.
    pub target: T,
    pub modes: &'a mut [ContactMode],
    /// Newton's matrix with its right side.
    pub ab: &'a mut [T],
}

impl<T: Real> Search<'_, T> {
    pub fn is_done(&self) -> bool {
        self.residual <= self.target
    }

    /// Forgets the best impulses, as those of another problem.
    pub fn forget(&mut self) {
        self.residual = T::from_f64(f64::INFINITY);
    }

    /// Goes to these impulses.
    pub fn go_to(&mut self, f: &[T]) {
        self.f.iter_mut().zip(f).for_each(|(to, x)| *to = *x);
    }

    /// Goes to the best impulses.
    pub fn go_to_best(&mut self) {
        self.f.iter_mut().zip(self.best.iter()).for_each(|(to, x)| *to = *x);
    }

    /// Computes velocities and the residual. The best impulses are kept.
    pub fn look(&mut self) -> T {
        self.problem.velocities(self.f, self.c);
        let contacts = threes(self.f).iter().zip(threes(self.c)).zip(self.problem.friction.iter());
        let mut residual = T::zero();
        for ((f, c), mu) in contacts {
            residual = natural(*f, *c, *mu).into_iter().fold(residual, |most, x| worse(most, abs(x)));
        }
        let own = self.f.iter().zip(self.c.iter()).skip(self.problem.first_joint());
        for ((f, c), law) in own.zip(self.problem.joints) {
            residual = worse(residual, abs(*f - joints::project(*law, *f - *c, T::one())));
        }
        if residual < self.residual {
            self.residual = residual;
            self.best.iter_mut().zip(self.f.iter()).for_each(|(to, x)| *to = *x);
        }
        residual
    }

    /// Sweeps until the impulses do not change any more. Returns the number of sweeps.
    pub fn sweep(&mut self, most: usize) -> usize {
        for taken in 1..=most {
            if sweep(&self.problem, self.f) <= self.target {
                return taken;
            }
        }
        most
    }

    /// Takes Newton's steps until the residual is small or does not fall any more. Returns their number.
    pub fn newton(&mut self, most: usize, steps: Steps) -> usize {
        let mut residual = self.look();
        let (mut taken, mut in_vain) = (0, 0);
        while taken < most && in_vain <= most / 2 && residual > self.target && is_finite(residual) {
            let (before, best) = (residual, self.residual);
            let shift = T::from_f64(T::EPSILON * SHIFT);
            newton::step(&self.problem, self.f, self.c, self.modes, shift, self.ab);
            taken += 1;
            residual = self.look();
            if steps == Steps::Halved {
                residual = self.halve(before, residual);
            }
            in_vain = if residual < best { 0 } else { in_vain + 1 };
        }
        taken
    }

    /// Goes back by halves of the last step until the residual is below `before`.
    fn halve(&mut self, before: T, mut residual: T) -> T {
        let (mut share, n) = (T::from_f64(0.5), self.f.len());
        for _ in 0..HALVINGS {
            if residual < before {
                break;
            }
            for (f, row) in self.f.iter_mut().zip(self.ab.chunks_exact((n + 1).max(1))) {
                if let Some(step) = row.last() {
                    *f = step.mul_add(-share, *f);
                }
            }
            residual = self.look();
            share *= T::from_f64(0.5);
        }
        residual
    }
}
