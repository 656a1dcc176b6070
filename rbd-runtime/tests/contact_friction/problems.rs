//! Random problems: what the solver calls solved is solved, by residuals that the test computes itself.

use crate::common::{seeds, tries_all};
use crate::contact_friction::laws::{Contacts, violation};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use rbd_runtime::friction::{
    ContactMode, FrictionMemory, FrictionProblem, FrictionReport, FrictionSettings, Real,
    impulse_derivatives, solve,
};

/// Numbers by a linear congruence, so that every run has the same.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(7919).wrapping_add(13));
        for _ in 0..4 {
            numbers.uniform();
        }
        numbers
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51afd7ed558ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().max(1e-300).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A random problem: regular ones, redundant ones, several contacts of one rigid body; masses alike, or of
/// ratios up to 1e4; friction from 0 to `most`.
///
/// Velocities are those of moving bodies, so that impulses exist that stop all contacts.
fn random(seed: u64, most: f64) -> Contacts {
    let mut numbers = Numbers::new(seed);
    let contacts = 1 + (numbers.uniform() * 8.0) as usize;
    let rows = 3 * contacts;
    let freedoms = match seed % 4 {
        0 => rows + 3,
        1 => (rows - 3).max(3),
        2 => 6,
        _ => 6 + contacts,
    };
    let exponent = if seed.is_multiple_of(3) { 0.0 } else { 4.0 };
    let inverse_masses = DVector::from_fn(freedoms, |_, _| 10_f64.powf(-exponent * numbers.uniform()));
    let jacobian = DMatrix::from_fn(rows, freedoms, |_, _| numbers.normal());
    let v = DVector::from_fn(freedoms, |_, _| numbers.normal());
    let delassus = &jacobian * DMatrix::from_diagonal(&inverse_masses) * jacobian.transpose();
    let friction =
        (0..contacts).map(|_| if numbers.uniform() < 0.1 { 0.0 } else { most * numbers.uniform() });
    Contacts { delassus, free: &jacobian * v, friction: friction.collect() }
}

/// A box on a floor: three to eight contacts in a plane, on which it slides or not. Offsets of the normals,
/// such as those of distances, are no motion's. They are smaller by the exponent.
fn on_a_floor(seed: u64, exponent: i32) -> Contacts {
    let mut numbers = Numbers::new(seed);
    let mut within = |most: f64| most * (2.0 * numbers.uniform() - 1.0);
    let contacts = 3 + (seed % 6) as usize;
    let corner = |k: usize| [if k < 2 { 0.2 } else { -0.2 }, if k.is_multiple_of(2) { 0.1 } else { -0.1 }];
    let places: Vec<[f64; 2]> =
        (0..contacts).map(|k| if contacts == 4 { corner(k) } else { [within(0.2), within(0.1)] }).collect();
    let turned = Rotation3::from_axis_angle(&Vector3::z_axis(), within(3.0));
    let jacobian = DMatrix::from_fn(3 * contacts, 6, |row, column| {
        let [x, y] = places[row / 3];
        let lever = turned * Vector3::new(x, y, -0.05);
        let axis = Vector3::ith(column % 3, 1.0);
        if column < 3 { axis[row % 3] } else { axis.cross(&lever)[row % 3] }
    });
    let mut inverse_masses = DMatrix::identity(6, 6) / 3.0;
    let inertia = Matrix3::from_diagonal(&Vector3::new(80.0, 23.5, 20.0));
    inverse_masses
        .view_mut((3, 3), (3, 3))
        .copy_from(&(turned.matrix() * inertia * turned.matrix().transpose()));
    let speed = if within(1.0) < -0.4 { 0.0 } else { 2.0 };
    let v = DVector::from_vec(vec![within(speed), within(speed), -0.02, 0.0, 0.0, within(3.0 * speed)]);
    let mut free = &jacobian * v;
    for k in 0..contacts {
        free[3 * k + 2] += within(0.02 * 10_f64.powi(-exponent));
    }
    let delassus = &jacobian * inverse_masses * jacobian.transpose();
    let friction = vec![if within(1.0) < 0.0 { 0.4 } else { 0.8 }; contacts];
    Contacts { delassus, free, friction }
}

/// Memory for a number of contacts.
fn memory<T: Real>(of: T, contacts: usize) -> [Vec<T>; 2] {
    memory_of(of, [FrictionMemory::<T>::matrices(contacts), FrictionMemory::<T>::vectors(contacts)])
}

/// Memory of these sizes.
pub fn memory_of<T: Real>(of: T, sizes: [usize; 2]) -> [Vec<T>; 2] {
    sizes.map(|size| vec![of; size])
}

/// The solver's answer from given impulses.
fn solved(
    of: &Contacts,
    settings: &FrictionSettings<f64>,
    start: &[f64],
) -> (Vec<f64>, Vec<ContactMode>, FrictionReport<f64>) {
    let contacts = of.friction.len();
    let compliance = vec![0.0; contacts];
    let problem = FrictionProblem {
        delassus: of.delassus.as_slice(),
        velocity: of.free.as_slice(),
        friction: &of.friction,
        compliance: &compliance,
    };
    let mut impulses = start.to_vec();
    let mut modes = vec![ContactMode::Slide; contacts];
    // Whatever the memory holds does not matter.
    let [mut matrices, mut vectors] = memory(f64::NAN, contacts);
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let report = solve(&problem, settings, &mut impulses, &mut modes, memory);
    (impulses, modes, report)
}

/// Residuals of all problems are below 1e-8, or the report says that they are not.
#[test]
fn random_problems_are_solved() {
    let (settings, all) = (FrictionSettings::default(), seeds(1000));
    let count = all.end as f64;
    for most in [1.0, 2.0] {
        let (mut left, mut first, mut worst) = (Vec::new(), 0, 0.0_f64);
        let [mut sweeps, mut newton, mut admm] = [0; 3];
        for seed in all.clone() {
            let of = random(seed, most);
            let (impulses, _, report) = solved(&of, &settings, &vec![0.0; of.free.len()]);
            assert!(impulses.iter().all(|x| x.is_finite()), "{seed}");
            let found = violation(&of, &impulses);
            match report.converged {
                true => assert!(found <= 1e-8, "{seed}: {found:.1e}, called converged: {report:?}"),
                false => left.push(seed),
            }
            worst = if report.converged { worst.max(found) } else { worst };
            first += usize::from(report.iterations.admm == 0);
            sweeps += report.iterations.sweeps;
            newton += report.iterations.newton;
            admm += report.iterations.admm;
        }
        println!(
            "friction to {most}: {} of {count} did not converge {left:?}; worst {worst:.1e}; {first} without \
             multipliers; means: {:.1} sweeps, {:.1} Newton, {:.1} multipliers",
            left.len(),
            sweeps as f64 / count,
            newton as f64 / count,
            admm as f64 / count
        );
        assert_eq!(left, [0; 0]);
    }
}

/// Contacts in a plane whose offsets no motion has: some must open.
#[test]
fn boxes_on_floors_are_solved() {
    let settings = FrictionSettings::default();
    let (mut softened, mut worst) = (0, 0.0_f64);
    for exponent in 0..11 {
        for seed in 0..100 {
            let of = on_a_floor(seed, exponent);
            let (impulses, _, report) = solved(&of, &settings, &vec![0.0; of.free.len()]);
            let found = violation(&of, &impulses);
            assert!(report.converged && found <= 1e-8, "{seed}, 1e-{exponent}: {found:.1e}, {report:?}");
            softened += usize::from(report.iterations.newton > settings.newton_steps);
            worst = worst.max(found);
        }
    }
    println!("{softened} of 1100 boxes took levels of compliance; worst {worst:.1e}");
    assert!(softened > 100);
}

/// Without friction and tangential motion, a contact that separates carries nothing, and another is stopped.
#[test]
fn contacts_without_friction_move_along_their_normals() {
    let delassus = DMatrix::from_diagonal_element(6, 6, 0.5);
    let free = DVector::from_vec(vec![0.0, 0.0, 0.3, 0.0, 0.0, -1.0]);
    let of = Contacts { delassus, free, friction: vec![0.0; 2] };
    for start in [0.0, 1.0] {
        let (impulses, modes, report) = solved(&of, &FrictionSettings::default(), &[start; 6]);
        assert!(report.converged, "{report:?}");
        assert_eq!(modes[0], ContactMode::Open);
        assert!(
            (DVector::from_vec(impulses) - DVector::from_fn(6, |k, _| if k == 5 { 2.0 } else { 0.0 })).amax()
                < 1e-9
        );
    }
}

/// Without iterations nothing is solved, and the report says so.
#[test]
fn what_is_not_solved_is_said() {
    let none =
        FrictionSettings { sweeps: 1, newton_steps: 0, rounds: 0, continuations: 0, ..Default::default() };
    let mut unsolved = 0;
    for seed in 0..200 {
        let of = random(seed, 2.0);
        let (impulses, _, report) = solved(&of, &none, &vec![0.0; of.free.len()]);
        let found = violation(&of, &impulses);
        assert!(!report.converged || found <= 1e-8, "{seed}: {found:.1e}");
        unsolved += usize::from(!report.converged);
    }
    assert!(unsolved > 100, "{unsolved}");
}

/// Equal input gives equal bits.
#[test]
fn solutions_are_deterministic() {
    let settings = FrictionSettings::default();
    for seed in 0..50 {
        let of = random(seed, 2.0);
        let start = vec![0.0; of.free.len()];
        let (a, b) = (solved(&of, &settings, &start), solved(&of, &settings, &start));
        assert!(a.0.iter().zip(&b.0).all(|(a, b)| a.to_bits() == b.to_bits()) && a.1 == b.1 && a.2 == b.2);
    }
}

/// From a solution, few Newton steps solve a problem nearby, and none of the other methods is called.
#[test]
fn a_warm_start_takes_fewer_iterations() {
    let settings = FrictionSettings::default();
    let (mut kept, mut newton, mut tried) = (0, 0, 0);
    for seed in (0..400).filter(|seed| seed % 4 == 0) {
        let mut of = random(seed, 1.0);
        let (impulses, ..) = solved(&of, &settings, &vec![0.0; of.free.len()]);
        of.free *= 1.0 + 1e-3;
        let (_, _, warm) = solved(&of, &settings, &impulses);
        assert!(warm.converged, "{seed}");
        tried += 1;
        newton += warm.iterations.newton;
        kept += usize::from(warm.iterations.sweeps == 0 && warm.iterations.admm == 0);
    }
    assert!(kept >= tried * 9 / 10, "{kept} of {tried}");
    assert!(newton <= 3 * tried, "{newton} steps");
}

/// Modes say what impulses and velocities do.
#[test]
fn modes_agree_with_impulses() {
    let mut seen = [0; 3];
    for seed in (0..400).filter(|seed| seed % 4 == 0) {
        let of = random(seed, 1.0);
        let (impulses, modes, report) = solved(&of, &FrictionSettings::default(), &vec![0.0; of.free.len()]);
        assert!(report.converged);
        let f = DVector::from_column_slice(&impulses);
        let c = &of.delassus * &f + &of.free;
        for (k, mode) in modes.iter().enumerate() {
            let (f, c) = (f.fixed_rows::<3>(3 * k), c.fixed_rows::<3>(3 * k));
            match mode {
                ContactMode::Open => assert!(f.amax() == 0.0 && c.z > -1e-9),
                ContactMode::Stick => assert!(c.amax() < 1e-8 && f.z > 0.0),
                ContactMode::Slide => {
                    let bound = of.friction[k] * f.z;
                    assert!(c.z.abs() < 1e-8 && (f.xy().norm() - bound).abs() < 1e-8 * f.z.max(1.0));
                }
            }
            seen[*mode as usize] += 1;
        }
    }
    assert!(seen.iter().all(|x| *x > 20), "{seen:?}");
}

/// Compliant contacts have impulses by their compliance, and one solution where rigid ones have many.
#[test]
fn compliance_shares_impulses() {
    // Four contacts on one frictionless block of a kilogram that falls at 1 m/s.
    let delassus = DMatrix::from_fn(12, 12, |r, c| f64::from(u8::from(r % 3 == 2 && c % 3 == 2)));
    let free: Vec<f64> = (0..12).map(|row| if row % 3 == 2 { -1.0 } else { 0.0 }).collect();
    let (friction, compliance) = ([0.0; 4], [0.4, 0.2, 0.2, 0.2]);
    let problem = FrictionProblem {
        delassus: delassus.as_slice(),
        velocity: &free,
        friction: &friction,
        compliance: &compliance,
    };
    let (mut f, mut modes, [mut matrices, mut vectors]) = ([0.0; 12], [ContactMode::Open; 4], memory(0.0, 4));
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let report = solve(&problem, &FrictionSettings::default(), &mut f, &mut modes, memory);
    assert!(report.converged);
    // One velocity w of the block, and impulses -w/R: their sum is w + 1.
    let w = -1.0 / (1.0 + 1.0 / 0.4 + 3.0 / 0.2);
    for (k, r) in compliance.iter().enumerate() {
        assert!((f[3 * k + 2] + w / r).abs() < 1e-9, "{f:?}");
    }
}

/// Sizes that do not fit, and numbers that are none, give zero impulses and no panic.
#[test]
fn nonsense_is_said() {
    fn nothing<T: Real>(
        of: &FrictionProblem<'_, T>,
        memory: [usize; 2],
        contacts: usize,
    ) -> FrictionReport<T> {
        let (mut f, mut modes) = (vec![T::one(); 3 * contacts], vec![ContactMode::Stick; contacts]);
        let [mut matrices, mut vectors] = memory.map(|size| vec![T::zero(); size]);
        let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
        let report = solve(of, &FrictionSettings::default(), &mut f, &mut modes, memory);
        assert!(f.iter().all(|x| *x == T::zero()) && modes.iter().all(|x| *x == ContactMode::Open));
        report
    }
    fn of<'a>(delassus: &'a [f64], velocity: &'a [f64]) -> FrictionProblem<'a, f64> {
        FrictionProblem { delassus, velocity, friction: &[0.5], compliance: &[0.0] }
    }
    let (g, v) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
    assert!(!nothing(&of(&g, &v), [35, 30], 1).converged);
    assert!(!nothing(&of(&g, &v), [36, 29], 1).converged);
    assert!(!nothing(&of(&g[..8], &v), [36, 30], 1).converged);
    assert!(!nothing(&of(&g, &v[..2]), [36, 30], 1).converged);
    assert!(!nothing(&of(&g, &v), [1000, 1000], 2).converged);
    for (g, v) in
        [([f64::NAN; 9], v), (g, [f64::NAN; 3]), (g, [0.0, 0.0, f64::INFINITY]), ([f64::INFINITY; 9], v)]
    {
        let report = nothing(&of(&g, &v), [36, 30], 1);
        assert!(!report.converged, "{report:?}");
    }
    // Enough memory, and nothing to stop.
    assert!(nothing(&of(&g, &[0.0, 0.0, 1.0]), [36, 30], 1).converged);
    // A contact that nothing moves cannot be stopped.
    assert!(!nothing(&of(&[0.0; 9], &v), [36, 30], 1).converged);
    let none = FrictionProblem::<f64> { delassus: &[], velocity: &[], friction: &[], compliance: &[] };
    assert!(nothing(&none, [0, 0], 0).converged);
}

/// Derivatives of a problem in units in which masses are other powers of four have the same bits: the solver
/// scales by powers of two. Redundant contacts are corrected in all units, or in none.
#[test]
fn derivatives_do_not_depend_on_units() {
    let mut changed = 0;
    for seed in 0..40 {
        let of = random(seed, 1.0);
        let rows = of.free.len();
        let (impulses, modes, _) = solved(&of, &FrictionSettings::default(), &vec![0.0; rows]);
        let derivatives = |unit: f64| {
            let delassus = &of.delassus * unit;
            let problem = FrictionProblem {
                delassus: delassus.as_slice(),
                velocity: of.free.as_slice(),
                friction: &of.friction,
                compliance: &vec![0.0; of.friction.len()],
            };
            let impulses: Vec<f64> = impulses.iter().map(|f| f / unit).collect();
            let mut columns: Vec<f64> = of.delassus.as_slice().to_vec();
            let mut matrices = vec![0.0; FrictionMemory::<f64>::matrices(of.friction.len())];
            let mut vectors = vec![0.0; FrictionMemory::<f64>::vectors(of.friction.len())];
            let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
            let margin = impulse_derivatives(&problem, (&impulses, &modes), &mut columns, memory);
            (margin, columns.into_iter().map(|x| x * unit).collect::<Vec<_>>())
        };
        let expected = derivatives(1.0);
        assert!(expected.1.iter().all(|x| x.is_finite()), "{seed}");
        // Where all contacts open, nothing changes.
        changed += u32::from(expected.1.iter().any(|x| *x != 0.0));
        for unit in [4_f64.powi(10), 4_f64.powi(-10)] {
            assert!(derivatives(unit) == expected, "{seed}, {unit}");
        }
    }
    assert!(changed > 5, "{changed}");
}

/// Contacts of infinite friction do not slide.
#[test]
fn friction_may_be_infinite() {
    for friction in [1e6, 1e300, f64::INFINITY] {
        for seed in (0..40).filter(|seed| tries_all() || seed % 10 == 0) {
            let mut of = random(seed, 1.0);
            of.friction.fill(friction);
            let (impulses, _, report) = solved(&of, &FrictionSettings::default(), &vec![0.0; of.free.len()]);
            assert!(impulses.iter().all(|x| x.is_finite()), "{friction} {seed}: {impulses:?}");
            let c = &of.delassus * DVector::from_column_slice(&impulses) + &of.free;
            for (k, f) in
                impulses.chunks_exact(3).enumerate().filter(|(_, f)| report.converged && f[2] > 1e-6)
            {
                assert!(c.fixed_rows::<3>(3 * k).amax() < 1e-5, "{friction} {seed}: {f:?} {c}");
            }
        }
    }
}

/// Numbers of seven digits converge to their tolerance.
#[test]
fn numbers_of_seven_digits() {
    let mut converged = 0;
    for seed in (0..400).filter(|seed| seed % 12 == 0) {
        let of = random(seed, 1.0);
        let contacts = of.friction.len();
        let cast = |x: &[f64]| x.iter().map(|x| *x as f32).collect::<Vec<_>>();
        let (delassus, velocity) = (cast(of.delassus.as_slice()), cast(of.free.as_slice()));
        let (friction, compliance) = (cast(&of.friction), vec![0.0; contacts]);
        let problem = FrictionProblem {
            delassus: &delassus,
            velocity: &velocity,
            friction: &friction,
            compliance: &compliance,
        };
        let (mut f, mut modes) = (vec![0.0_f32; 3 * contacts], vec![ContactMode::Open; contacts]);
        let [mut matrices, mut vectors] = memory(0.0, contacts);
        let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
        let report = solve(&problem, &FrictionSettings::default(), &mut f, &mut modes, memory);
        let f: Vec<f64> = f.iter().map(|x| f64::from(*x)).collect();
        if report.converged {
            converged += 1;
            assert!(violation(&of, &f) < 2e-3, "{seed}: {:.1e} {report:?}", violation(&of, &f));
        }
    }
    assert!(converged >= 30, "{converged} of 34");
}
