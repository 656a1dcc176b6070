//! Inertias as ellipsoids.

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};

/// Ellipsoid of even density with an inertia: its pose and half axes. `None` without mass.
pub fn of(inertia: &Inertia<f64>) -> Option<(Placement<f64>, Vector3<f64>)> {
    let mass = inertia.mass;
    if mass <= 0.0 {
        return None;
    }
    let com = inertia.h / mass;
    let central = inertia.j - (Matrix3::identity() * com.dot(&com) - com * com.transpose()) * mass;
    let principal = central.symmetric_eigen();
    let mut rotation = principal.eigenvectors;
    if rotation.determinant() < 0.0 {
        rotation.column_mut(2).neg_mut();
    }
    let moments = principal.eigenvalues;
    // J_x = m (b^2 + c^2) / 5, and so on.
    let axes = moments.map(|moment| (2.5 / mass * (moments.sum() - 2.0 * moment)).max(0.0).sqrt());
    Some((Placement { rotation, translation: com }, axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ellipsoids_have_the_inertia_they_stand_for() {
        // An ellipsoid with half axes 0.1, 0.2 and 0.3 m, beside the origin.
        let (mass, com, axes) = (3.0, Vector3::new(0.4, -0.1, 0.2), Vector3::new(0.1, 0.2, 0.3));
        let square: Vector3<f64> = axes.component_mul(&axes);
        let central = Matrix3::from_diagonal(&(Vector3::from_element(square.sum()) - square)) * (mass / 5.0);
        let (pose, found) = of(&Inertia::from_com(mass, &com, &central)).unwrap();
        let mut sorted: Vec<f64> = found.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        assert!((Vector3::from_vec(sorted) - axes).norm() < 1e-12);
        assert!((pose.translation - com).norm() < 1e-15 && (pose.rotation.determinant() - 1.0).abs() < 1e-12);
        assert!(of(&Inertia::zero()).is_none());
    }
}
