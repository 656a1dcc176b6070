//! The laws of contact, written for this test alone: residuals of impulses, without the solver's code.

use nalgebra::{DMatrix, DVector, Vector2};

/// Contacts with friction, three rows each, the normal's last.
pub struct Contacts {
    pub delassus: DMatrix<f64>,
    pub free: DVector<f64>,
    pub friction: Vec<f64>,
}

/// The largest violation of each law, relative to the motion without impulses.
///
/// - velocities: penetration, and what sticks and slides at once;
/// - impulses: pulls, and friction beyond the cone;
/// - energies: impulses of contacts that separate, and friction that is not opposite to sliding.
pub fn violation(of: &Contacts, impulses: &[f64]) -> f64 {
    let f = DVector::from_column_slice(impulses);
    let c = &of.delassus * &f + &of.free;
    let mut worst = 0.0_f64;
    let velocity = of.free.amax().max(1.0);
    // An energy is compared with the largest that any impulse exchanges with the free motion.
    let threes = |x: &DVector<f64>, k: usize| x.fixed_rows::<3>(3 * k).into_owned();
    let energy = (0..of.friction.len())
        .map(|k| threes(&f, k).abs().dot(&threes(&of.free, k).abs()))
        .fold(1.0, f64::max);
    for (k, mu) in of.friction.iter().enumerate() {
        let (f, c) = (threes(&f, k), threes(&c, k));
        let (friction, sliding) = (Vector2::new(f.x, f.y), Vector2::new(c.x, c.y));
        let bound = mu * f.z;
        worst = worst.max(-c.z / velocity);
        worst = worst.max(-f.z).max((friction.norm() - bound) / f.norm().max(1.0));
        worst = worst.max((f.z * c.z).abs() / energy);
        // The largest dissipation that the cone allows, and none is missing.
        worst = worst.max((friction.dot(&sliding) + bound * sliding.norm()).abs() / energy);
    }
    if worst.is_nan() { f64::INFINITY } else { worst }
}
