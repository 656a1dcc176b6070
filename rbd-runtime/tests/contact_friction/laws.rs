//! The laws of contact, written for this test alone: residuals of impulses, without the solver's code.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use rbd_runtime::friction::{ContactSurface, JointLaw};

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

/// How far the laws of a contact are from holding after a step of the time `dt`.
///
/// Velocities before and after it, and the impulse, are in the world's axes. `correction`: the share of a
/// penetration that is taken back.
pub fn of_surface(
    surface: &ContactSurface<f64>,
    (correction, dt): (f64, f64),
    [before, c, f]: [&Vector3<f64>; 3],
) -> f64 {
    let n = surface.normal.normalize();
    let (push, yielding) = (f.dot(&n), f * surface.compliance);
    let (normal, sliding) = ((c + yielding).dot(&n), (c + yielding) - n * (c + yielding).dot(&n));
    // The velocity that the contact must keep at least.
    let approach = before.dot(&n);
    let share = if surface.distance > 0.0 { 1.0 } else { correction };
    let mut least = if dt > 0.0 { -share * surface.distance / dt } else { 0.0 };
    if surface.restitution > 0.0 && approach < 0.0 && surface.distance + approach * dt <= 0.0 {
        least = least.max(-surface.restitution * approach);
    }
    let (gap, across) = (normal - least, f - n * push);
    let bound = surface.friction * push;
    let energy = (push.abs() * before.norm()).max(1.0);
    [
        -gap,
        -push,
        across.norm() - bound,
        (push * gap).abs() / energy,
        (across.dot(&sliding) + bound * sliding.norm()).abs() / energy,
    ]
    .into_iter()
    .fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { x.max(most) })
}

/// How far an impulse and a velocity are from a joint's law, if velocities and impulses of 1e-9 are none.
pub fn of_joint(law: &JointLaw<f64>, f: f64, c: f64) -> f64 {
    let small = 1e-9;
    let JointLaw { friction, least, most } = *law;
    // Of dry friction alone.
    let (mut low, mut high) = match c {
        c if c > small => (-friction, -friction),
        c if c < -small => (friction, friction),
        _ => (-friction, friction),
    };
    // A limit pushes back.
    if c <= least + small {
        high = f64::INFINITY;
    }
    if c >= most - small {
        low = f64::NEG_INFINITY;
    }
    let worst = (low - f).max(f - high).max(least - c).max(c - most).max(0.0);
    if worst.is_nan() { f64::INFINITY } else { worst }
}
