//! Joints, limits and motion in configuration space: what every robot has, whatever functions it was loaded
//! with. Arguments and results are slices, matrices by columns.

use crate::{Error, Loaded, Number};
use rbd_runtime::manifold;
use rbd_runtime::model::Body;
use std::ops::Range;

/// Another library's order of a robot's coordinates (docs/conventions.md#pinocchios-order).
///
/// `q_other[i] = q[order.q[i]]` and `v_other[i] = v[order.v[i]]`; accelerations and torques have the order
/// of v. An angle that the other library stores as cosine and sine is one entry here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinateOrder {
    /// Index in q of each entry of the other library's configuration.
    pub q: Vec<usize>,
    /// Index in v of each entry of the other library's velocity.
    pub v: Vec<usize>,
}

impl CoordinateOrder {
    /// Order of the way back: `q[i] = q_other[order.inverse().q[i]]`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let inverse = |order: &[usize]| {
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(k, index)| back[*index] = k);
            back
        };
        Self { q: inverse(&self.q), v: inverse(&self.v) }
    }
}

impl<T: Number> Loaded<T> {
    /// Names of the moving joints, depth first from the root; `root_joint` is a floating base.
    pub fn joint_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.model().bodies.iter().map(|body| body.joint.as_str())
    }

    /// Place of a joint among [`Self::joint_names`], and of its body in [`Self::model`].
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joint_names().position(|joint| joint == name)
    }

    /// Lower position limits (nq); minus infinity if there is none, as for quaternions.
    pub fn lower_limits(&self) -> Vec<f64> {
        self.limits(self.nq(), f64::NEG_INFINITY, |body| (body.idx_q, body.nq(), body.limits.lower))
    }

    /// Upper position limits (nq); infinity if there is none.
    pub fn upper_limits(&self) -> Vec<f64> {
        self.limits(self.nq(), f64::INFINITY, |body| (body.idx_q, body.nq(), body.limits.upper))
    }

    /// Velocity limits (nv), rad/s or m/s; infinity if the URDF has none.
    pub fn velocity_limits(&self) -> Vec<f64> {
        self.limits(self.nv(), f64::INFINITY, |body| (body.idx_v, body.nv(), body.limits.velocity))
    }

    /// Effort limits (nv), N m or N; infinity if the URDF has none.
    pub fn effort_limits(&self) -> Vec<f64> {
        self.limits(self.nv(), f64::INFINITY, |body| (body.idx_v, body.nv(), body.limits.effort))
    }

    /// A limit of each coordinate: a joint's, if it has one coordinate.
    fn limits(&self, count: usize, none: f64, of: impl Fn(&Body<f64>) -> (usize, usize, f64)) -> Vec<f64> {
        let mut all = vec![none; count];
        for body in &self.model().bodies {
            if let (first, 1, limit) = of(body) {
                all[first] = limit;
            }
        }
        all
    }

    /// Pinocchio's order of this robot's coordinates.
    pub fn pinocchio_order(&self) -> CoordinateOrder {
        let bodies = || self.model().pinocchio_order.iter().map(|body| &self.model().bodies[*body]);
        CoordinateOrder { q: bodies().flat_map(of_q).collect(), v: bodies().flat_map(of_v).collect() }
    }

    /// Writes the configuration in which every joint is at zero (quaternions at the identity).
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn neutral(&self, q: &mut [T]) -> Result<(), Error> {
        Sizes("neutral").of_q(self, [("q", q.len())])?;
        self.owners().for_each(|body| manifold::neutral(body.kind, &mut q[of_q(body)]));
        Ok(())
    }

    /// Writes the configuration reached from `q` by the tangent vector `dv`, a velocity times a time.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn integrate(&self, q: &[T], dv: &[T], out: &mut [T]) -> Result<(), Error> {
        let sizes = Sizes("integrate");
        sizes.of_q(self, [("q", q.len()), ("out", out.len())])?;
        sizes.of_v(self, [("dv", dv.len())])?;
        self.rounded().integrate_into(q, dv, out);
        Ok(())
    }

    /// Writes the tangent vector that leads from `q0` to `q1`.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn difference(&self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), Error> {
        let sizes = Sizes("difference");
        sizes.of_q(self, [("q0", q0.len()), ("q1", q1.len())])?;
        sizes.of_v(self, [("out", out.len())])?;
        self.rounded().difference_into(q0, q1, out);
        Ok(())
    }

    /// Writes the configuration at `t` on the way from `q0` (`t = 0`) to `q1` (`t = 1`):
    /// `integrate(q0, t difference(q0, q1))`.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn interpolate(&self, q0: &[T], q1: &[T], t: T, out: &mut [T]) -> Result<(), Error> {
        Sizes("interpolate").of_q(self, [("q0", q0.len()), ("q1", q1.len()), ("out", out.len())])?;
        for body in self.owners() {
            let (mut dv, of_q) = ([T::zero(); 6], of_q(body));
            let dv = &mut dv[..body.nv()];
            manifold::difference(body.kind, &q0[of_q.clone()], &q1[of_q.clone()], dv);
            dv.iter_mut().for_each(|x| *x *= t);
            manifold::integrate(body.kind, &q0[of_q.clone()], dv, &mut out[of_q]);
        }
        Ok(())
    }

    /// Writes the derivatives of [`Self::integrate`], nv x nv each: by `q` and by `dv`, both in tangent
    /// spaces. They do not depend on `q`.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn integrate_jacobians(&self, dv: &[T], by_q: &mut [T], by_dv: &mut [T]) -> Result<(), Error> {
        let (sizes, n) = (Sizes("integrate_jacobians"), self.nv());
        sizes.of_v(self, [("dv", dv.len())])?;
        sizes.of_matrices(self, [("by_q", by_q.len()), ("by_dv", by_dv.len())])?;
        by_q.fill(T::zero());
        by_dv.fill(T::zero());
        for body in self.owners() {
            let at = body.idx_v;
            manifold::integrate_jacobians(body.kind, &dv[of_v(body)], |row, column, q, dv| {
                let k = (at + column) * n + at + row;
                (by_q[k], by_dv[k]) = (q, dv);
            });
        }
        Ok(())
    }

    /// Writes the derivatives of [`Self::difference`], nv x nv each: by `q0` and by `q1`, both in tangent
    /// spaces.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn difference_jacobians(
        &self,
        q0: &[T],
        q1: &[T],
        by_q0: &mut [T],
        by_q1: &mut [T],
    ) -> Result<(), Error> {
        let (sizes, n) = (Sizes("difference_jacobians"), self.nv());
        sizes.of_q(self, [("q0", q0.len()), ("q1", q1.len())])?;
        sizes.of_matrices(self, [("by_q0", by_q0.len()), ("by_q1", by_q1.len())])?;
        by_q0.fill(T::zero());
        by_q1.fill(T::zero());
        for body in self.owners() {
            let (at, of_q) = (body.idx_v, of_q(body));
            manifold::difference_jacobians(body.kind, &q0[of_q.clone()], &q1[of_q], |row, column, x0, x1| {
                let k = (at + column) * n + at + row;
                (by_q0[k], by_q1[k]) = (x0, x1);
            });
        }
        Ok(())
    }

    /// Writes a random configuration within the limits, from nv numbers from 0 to 1 of a random generator.
    ///
    /// Coordinates are uniform between their limits; without limits they are uniform over a whole turn or
    /// from -1 to 1 m. Quaternions are uniform over all rotations.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn random_configuration(&self, uniform: &[T], q: &mut [T]) -> Result<(), Error> {
        let sizes = Sizes("random_configuration");
        sizes.of_v(self, [("uniform", uniform.len())])?;
        sizes.of_q(self, [("q", q.len())])?;
        self.rounded().random_configuration_into(uniform, q);
        Ok(())
    }

    /// Scales the quaternions of a configuration to length one. One of length zero becomes NaN.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn normalize(&self, q: &mut [T]) -> Result<(), Error> {
        Sizes("normalize").of_q(self, [("q", q.len())])?;
        self.owners().for_each(|body| manifold::normalize(body.kind, &mut q[of_q(body)]));
        Ok(())
    }

    /// True if each component of the difference from `q0` to `q1` is at most `tolerance`, rad or m. False
    /// if one is NaN.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn is_near(&self, q0: &[T], q1: &[T], tolerance: T) -> Result<bool, Error> {
        Sizes("is_near").of_q(self, [("q0", q0.len()), ("q1", q1.len())])?;
        Ok(self.owners().all(|body| {
            let (mut apart, of_q) = ([T::zero(); 6], of_q(body));
            let apart = &mut apart[..body.nv()];
            manifold::difference(body.kind, &q0[of_q.clone()], &q1[of_q], apart);
            apart.iter().all(|x| x.double().abs() <= tolerance.double())
        }))
    }

    /// The bodies whose joints own coordinates.
    fn owners(&self) -> impl Iterator<Item = &Body<f64>> {
        self.model().bodies.iter().filter(|body| body.mimic.is_none())
    }
}

fn of_q(body: &Body<f64>) -> Range<usize> {
    body.idx_q..body.idx_q + body.nq()
}

fn of_v(body: &Body<f64>) -> Range<usize> {
    body.idx_v..body.idx_v + body.nv()
}

/// Checks the lengths of a function's arrays.
struct Sizes(&'static str);

impl Sizes {
    fn of_q<T: Number, const N: usize>(
        &self,
        robot: &Loaded<T>,
        arrays: [(&'static str, usize); N],
    ) -> Result<(), Error> {
        self.are(robot.nq(), arrays)
    }

    fn of_v<T: Number, const N: usize>(
        &self,
        robot: &Loaded<T>,
        arrays: [(&'static str, usize); N],
    ) -> Result<(), Error> {
        self.are(robot.nv(), arrays)
    }

    fn of_matrices<T: Number, const N: usize>(
        &self,
        robot: &Loaded<T>,
        arrays: [(&'static str, usize); N],
    ) -> Result<(), Error> {
        self.are(robot.nv() * robot.nv(), arrays)
    }

    fn are<const N: usize>(&self, expected: usize, arrays: [(&'static str, usize); N]) -> Result<(), Error> {
        match arrays.into_iter().find(|(_, given)| *given != expected) {
            None => Ok(()),
            Some((name, given)) => Err(Error::Length { function: self.0, name, expected, given }),
        }
    }
}
