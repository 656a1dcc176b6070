//! The alternating direction method of multipliers (Carpentier and others, RSS 2024, arXiv 2405.17020).

use super::cone::{corrected, project};
use super::dense::{factor, solve_factored};
use super::joints;
use super::problem::{Scaled, threes, threes_mut};
use super::real::{Real, abs, max};

/// Memory of the method, which goes on from where it was.
pub(super) struct Admm<'a, T> {
    /// Impulses that satisfy the velocity's equation.
    pub x: &'a mut [T],
    /// Impulses in the cones.
    pub y: &'a mut [T],
    /// Corrected velocities: multipliers of `x = y`.
    pub z: &'a mut [T],
    /// Factors of the matrix.
    pub factors: &'a mut [T],
    /// Weight of `x = y`.
    pub rho: T,
}

/// Weight of `x = y` at first, next to blocks of the diagonal of 1.
const RHO: f64 = 0.1;
/// Weight of the last iterate.
const ETA: f64 = 1e-6;
/// Iterations between two choices of rho.
const EVERY: usize = 10;

impl<T: Real> Admm<'_, T> {
    /// Begins at impulses and their velocities.
    pub fn begin(&mut self, problem: &Scaled<'_, T>, f: &[T], c: &[T]) {
        let contacts = threes(f).iter().zip(threes(c)).zip(problem.friction.iter());
        let own = threes_mut(self.x).iter_mut().zip(threes_mut(self.y)).zip(threes_mut(self.z));
        for (((f, c), mu), ((x, y), z)) in contacts.zip(own) {
            let w = corrected(*c, *mu);
            (*x, *y) = (*f, project(*f, *mu));
            // Only the normal's part may be outside of the dual cone.
            *z = [w[0], w[1], max(w[2], T::zero())];
        }
        let first = problem.first_joint();
        let contacts = f.iter().zip(c).skip(first).zip(problem.joints);
        let own = self.x.iter_mut().zip(self.y.iter_mut()).zip(self.z.iter_mut()).skip(first);
        for (((f, c), law), ((x, y), z)) in contacts.zip(own) {
            (*x, *y, *z) = (*f, joints::project(*law, *f - *c, T::one()), *c);
        }
        self.rho = T::from_f64(RHO);
        self.factor(problem);
    }

    fn factor(&mut self, problem: &Scaled<'_, T>) {
        let (n, shift) = (problem.rows, self.rho + T::from_f64(ETA));
        self.factors.iter_mut().zip(problem.g.iter()).for_each(|(to, x)| *to = *x);
        for (k, column) in self.factors.chunks_exact_mut(n.max(1)).enumerate() {
            if let Some(x) = column.get_mut(k) {
                *x += shift;
            }
        }
        factor(self.factors, n);
    }

    /// Iterates until the residuals are below the tolerance. Returns the number of iterations.
    pub fn iterate(&mut self, problem: &Scaled<'_, T>, most: usize, tolerance: T) -> usize {
        let (eta, ten, three) = (T::from_f64(ETA), T::from_f64(10.0), T::from_f64(3.0));
        for k in 1..=most {
            let rho = self.rho;
            let contacts = problem.friction.iter().zip(threes(problem.free));
            let own = threes_mut(self.x).iter_mut().zip(threes(self.y)).zip(threes(self.z));
            for ((mu, g), ((x, y), z)) in contacts.zip(own) {
                let s = corrected([z[0], z[1], T::zero()], *mu)[2];
                *x = core::array::from_fn(|r| {
                    let more = if r == 2 { s } else { T::zero() };
                    eta * x[r] + rho * y[r] + z[r] - g[r] - more
                });
            }
            let first = problem.first_joint();
            let own = self.x.iter_mut().zip(self.y.iter()).zip(self.z.iter()).skip(first);
            for (((x, y), z), g) in own.zip(problem.free.iter().skip(first)) {
                *x = eta * *x + rho * *y + *z - *g;
            }
            solve_factored(self.factors, self.x);
            let (mut primal, mut dual) = (T::zero(), T::zero());
            let own = threes_mut(self.z).iter_mut().zip(threes_mut(self.y)).zip(threes(self.x));
            for (mu, ((z, y), x)) in problem.friction.iter().zip(own) {
                let to = project(core::array::from_fn(|r| x[r] - z[r] / rho), *mu);
                for r in 0..3 {
                    dual = max(dual, rho * abs(to[r] - y[r]));
                    primal = max(primal, abs(x[r] - to[r]));
                    z[r] -= rho * (x[r] - to[r]);
                }
                *y = to;
            }
            let own = self.x.iter().zip(self.y.iter_mut()).zip(self.z.iter_mut()).skip(first);
            for (((x, y), z), law) in own.zip(problem.joints) {
                let to = joints::project(*law, *x - *z / rho, rho);
                dual = max(dual, rho * abs(to - *y));
                primal = max(primal, abs(*x - to));
                *z -= rho * (*x - to);
                *y = to;
            }
            if primal <= tolerance && dual <= tolerance {
                return k;
            }
            if k % EVERY == 0 && (primal > ten * dual || dual > ten * primal) {
                self.rho = if primal > dual { rho * three } else { rho / three };
                self.factor(problem);
            }
        }
        most
    }
}
