//! An inertia as ten numbers, in the order of the regressors' columns.

use crate::Scalar;
use crate::spatial::Inertia;
use nalgebra::{Matrix3, Vector3};

impl<T: Scalar> Inertia<T> {
    /// A point of this mass (kg) at this place (m).
    pub fn point(mass: T, at: [T; 3]) -> Self {
        Self::from_com(mass, &Vector3::from(at), &Matrix3::zeros())
    }

    /// The ten inertial parameters m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz.
    ///
    /// Units: kg, kg m and kg m^2, about the frame's origin. The order is that of the torque
    /// regressor's columns and of Pinocchio's dynamic parameters.
    pub fn parameters(&self) -> [T; 10] {
        let (h, j) = (&self.h, &self.j);
        [self.mass, h.x, h.y, h.z, j.m11, j.m12, j.m22, j.m13, j.m23, j.m33]
    }

    /// The inertia with these [`parameters`](Self::parameters).
    pub fn from_parameters([mass, hx, hy, hz, xx, xy, yy, xz, yz, zz]: [T; 10]) -> Self {
        Self { mass, h: Vector3::new(hx, hy, hz), j: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_make_the_inertia_that_they_came_of() {
        let numbers = core::array::from_fn(|k| 1.0 + k as f64);
        assert_eq!(Inertia::from_parameters(numbers).parameters(), numbers);
    }

    #[test]
    fn a_point_resists_as_its_mass_at_its_distance() {
        let point = Inertia::point(2.0_f64, [0.0, 0.0, 0.5]);
        assert_eq!(point.parameters(), [2.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0]);
    }
}
