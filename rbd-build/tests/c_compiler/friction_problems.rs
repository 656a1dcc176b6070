//! The solver of the step with friction in C, alone: the bits of
//! [`rbd_runtime::friction::solve_with_joints`], whose operations it repeats, and residuals that the test
//! computes itself.

use crate::as_compiled::AsCompiled;
use crate::c_compiler::{all_seeds, answered, compilers};
use crate::friction::laws::{Contacts, of_joint, violation};
use crate::friction::{listed, points};
use nalgebra::{DMatrix, DVector};
use rbd_build::C;
use rbd_runtime::friction::{
    ContactMode, FrictionMemory, FrictionProblem, FrictionReport, FrictionSettings, JointLaw, Real,
    solve_with_joints,
};
use rbd_runtime::random::Random;

/// The most contacts of a problem: those of the robot whose text is called.
const MOST: usize = 8;

/// The most coordinates.
const JOINTS: usize = 8;

/// A problem, with impulses to begin with, and how it is to be solved.
struct Asked {
    contacts: Contacts,
    compliance: Vec<f64>,
    start: Vec<f64>,
    /// Laws of joints' coordinates, whose rows follow the contacts'.
    laws: Vec<JointLaw<f64>>,
    /// Sweeps, Newton's steps, iterations of the method of multipliers, rounds, continuations.
    counts: [i32; 5],
}

impl Asked {
    /// How far impulses are from the laws of contacts and joints.
    fn violation(&self, impulses: &[f64]) -> f64 {
        let Contacts { delassus, free, friction } = &self.contacts;
        let (rows, first) = (free.len(), 3 * friction.len());
        let soft = self.compliance.iter().flat_map(|r| [*r; 3]).chain(vec![0.0; self.laws.len()]);
        let delassus = delassus + DMatrix::from_diagonal(&DVector::from_iterator(rows, soft));
        let f = DVector::from_column_slice(impulses);
        let c = &delassus * &f + free;
        let of_joint = self.laws.iter().enumerate().map(|(k, law)| {
            let f = f[first + k];
            of_joint(law, f, c[first + k]) / f.abs().max(1.0)
        });
        let of_joints = of_joint.fold(0.0, f64::max);
        if first == 0 {
            return of_joints;
        }
        // The joints' impulses move the contacts: they are free velocities there.
        let moved = delassus.view((0, first), (first, rows - first)) * f.rows(first, rows - first);
        let contacts = Contacts {
            delassus: delassus.view((0, 0), (first, first)).into_owned(),
            free: free.rows(0, first) + moved,
            friction: friction.clone(),
        };
        of_joints.max(violation(&contacts, &impulses[..first]))
    }
}

/// Regular and redundant problems, of masses alike or of ratios up to 1e4.
fn random(seed: u64) -> Asked {
    let mut random = Random::new(seed);
    let has_joints = seed % 8 > 4;
    let contacts = if has_joints { random.below(5) } else { 1 + random.below(MOST) };
    let joints = if has_joints { 1 + random.below(JOINTS) } else { 0 };
    let rows = 3 * contacts + joints;
    let freedoms = match seed % 4 {
        0 => rows + 3,
        1 => rows.saturating_sub(3).max(3),
        2 => 6,
        _ => 6 + contacts,
    };
    let exponent = if seed.is_multiple_of(3) { 0.0 } else { 4.0 };
    let weights = DVector::from_fn(freedoms, |_, _| 10_f64.powf(-exponent * random.uniform(0.0, 1.0)));
    let jacobian = DMatrix::from_fn(rows, freedoms, |_, _| random.uniform(-1.5, 1.5));
    let v = random.vector(freedoms, 1.5);
    let delassus = &jacobian * DMatrix::from_diagonal(&weights) * jacobian.transpose();
    let friction = |random: &mut Random| if random.chance(0.1) { 0.0 } else { random.uniform(0.0, 2.0) };
    let soft = seed.is_multiple_of(5);
    let asked = Contacts {
        delassus,
        free: &jacobian * v,
        friction: (0..contacts).map(|_| friction(&mut random)).collect(),
    };
    let start =
        if seed.is_multiple_of(2) { vec![0.0; rows] } else { random.vector(rows, 0.5).as_slice().to_vec() };
    let counts = match seed % 7 {
        // Nothing but multipliers, few of anything, and less friction at first.
        0 => [0, 0, 100, 4, 0],
        1 => [1, 2, 7, 1, 1],
        2 => [1, 3, 0, 0, 3],
        _ => [5, 20, 100, 4, 3],
    };
    let limit = |random: &mut Random| match random.below(3) {
        0 => f64::INFINITY,
        1 => 0.0,
        _ => random.uniform(0.0, 1.0),
    };
    let law = |random: &mut Random| JointLaw {
        friction: if random.chance(0.4) { 0.0 } else { random.uniform(0.0, 1.0) },
        least: -limit(random),
        most: limit(random),
    };
    let laws = (0..joints).map(|_| law(&mut random)).collect();
    let compliance = (0..contacts).map(|_| if soft { random.uniform(0.0, 0.3) } else { 0.0 }).collect();
    Asked { contacts: asked, compliance, start, laws, counts }
}

/// Numbers that are none, where the solver must say so.
fn nonsense(seed: u64) -> Asked {
    let mut asked = random(8 * seed + 3 + seed % 4);
    let at = |length: usize| seed as usize % length;
    let odd = [f64::NAN, f64::INFINITY, -1.0, 1e300, f64::NEG_INFINITY][at(5)];
    match seed / 5 % 7 {
        0 => asked.contacts.delassus.fill(odd),
        1 => asked.contacts.free[0] = odd,
        2 => asked.contacts.friction.iter_mut().take(1).for_each(|x| *x = odd),
        3 => asked.compliance.iter_mut().take(1).for_each(|x| *x = odd),
        4 => asked.start.fill(odd),
        5 if !asked.laws.is_empty() => asked.laws[0] = JointLaw { friction: odd, least: -odd, most: odd },
        // Nothing moves.
        _ => asked.contacts.delassus.fill(0.0),
    }
    asked
}

/// What the runtime finds: impulses, modes, residuals, iterations, and whether it converged.
fn expected<T: Real + Into<f64>>(asked: &Asked) -> Vec<f64> {
    let cast = |x: &[f64]| x.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
    let (n, rows) = (asked.contacts.friction.len(), asked.start.len());
    let [delassus, velocity] = [asked.contacts.delassus.as_slice(), asked.contacts.free.as_slice()].map(cast);
    let [friction, compliance] = [&asked.contacts.friction, &asked.compliance].map(|x| cast(x));
    let laws: Vec<JointLaw<T>> = asked
        .laws
        .iter()
        .map(|law| {
            let [friction, least, most] = [law.friction, law.least, law.most].map(T::from_f64);
            JointLaw { friction, least, most }
        })
        .collect();
    let problem = FrictionProblem {
        delassus: &delassus,
        velocity: &velocity,
        friction: &friction,
        compliance: &compliance,
    };
    let [sweeps, newton_steps, admm_iterations, rounds, continuations] = asked.counts.map(|x| x as usize);
    let settings = FrictionSettings {
        sweeps,
        newton_steps,
        admm_iterations,
        rounds,
        continuations,
        ..FrictionSettings::default()
    };
    let (mut impulses, mut modes) = (cast(&asked.start), vec![ContactMode::Open; n]);
    let mut matrices = vec![T::zero(); FrictionMemory::<T>::matrices_of_rows(rows)];
    let mut vectors = vec![T::zero(); FrictionMemory::<T>::vectors_of_rows(rows)];
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let FrictionReport { residuals, iterations, converged } =
        solve_with_joints(&problem, &laws, &settings, &mut impulses, &mut modes, memory);
    let of = [residuals.signorini, residuals.coulomb, residuals.feasibility, residuals.natural];
    let mut all: Vec<f64> = impulses.into_iter().map(Into::into).collect();
    all.extend(modes.iter().map(|mode| f64::from(*mode as u8)));
    all.extend(of.map(Into::into));
    all.extend([iterations.sweeps, iterations.newton, iterations.admm].map(|x| x as f64));
    all.push(f64::from(u8::from(converged)));
    all
}

/// A program that reads problems and prints their solutions. It includes the robot's source, whose solver has
/// no name outside.
fn program(real: &str) -> String {
    let rows = 3 * MOST + JOINTS;
    format!(
        "#include \"points.inc\"\n#include <stdio.h>\n\
         static points_cones of;\nstatic {real} memory[points_cones_numbers({rows}, {JOINTS})];\n\
         static void take({real} *to, int n)\n{{\n    double x = 0;\n    int i;\n    \
         for (i = 0; i < n; i++) to[i] = scanf(\"%lf\", &x) == 1 ? ({real})x : 0;\n}}\n\
         static void show(const {real} *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\
         int main(void)\n{{\n    \
         points_friction_settings_t s;\n    points_friction_residuals_t r;\n    points_friction_iterations_t i;\n    \
         int k, n, count, joints, converged;\n    points_friction_settings(&s);\n    \
         while (scanf(\"%d %d %d %d %d %d %d\", &count, &joints, &s.sweeps, &s.newton_steps, &s.admm_iterations,\n\
                         &s.rounds, &s.continuations) == 7) {{\n        \
         points_cones_lay(&of, count, joints, memory);\n        n = of.rows;\n        \
         take(of.g, n * n);\n        take(of.velocity, n);\n        take(of.friction, of.count);\n        \
         take(of.compliance, of.count);\n        take(of.impulses, n);\n        \
         take(of.laws, 3 * joints);\n        \
         points_cones_solve(&of, &s, &r, &i, &converged);\n        \
         show(of.impulses, n);\n        \
         for (k = 0; k < of.count; k++) printf(\"%d\\n\", of.modes[k]);\n        \
         show(&r.signorini, 1);\n        show(&r.coulomb, 1);\n        show(&r.feasibility, 1);\n        show(&r.natural, 1);\n        \
         printf(\"%lu\\n%lu\\n%lu\\n%d\\n\", i.sweeps, i.newton, i.admm, converged);\n    }}\n    \
         return 0;\n}}\n"
    )
}

/// The solutions in C of these problems, each a list of numbers.
fn found(compiler: &str, float: bool, all: &[Asked]) -> Vec<Vec<f64>> {
    let c = points(MOST).plan(C { float, ..C::default() }).unwrap();
    let mut files = c.files();
    // The program includes it.
    files[1].0 = "points.inc".into();
    let mut input = String::new();
    for Asked { contacts, compliance, start, laws, counts } in all {
        let [contacts_and_joints, counts] = [
            &[contacts.friction.len(), laws.len()].map(|x| x.to_string())[..],
            &counts.map(|x| x.to_string()),
        ]
        .map(|numbers| numbers.join(" "));
        input += &format!("{contacts_and_joints} {counts}\n");
        let of_laws: Vec<f64> = laws.iter().flat_map(|law| [law.friction, law.least, law.most]).collect();
        let [delassus, free] = [contacts.delassus.as_slice(), contacts.free.as_slice()];
        for numbers in [delassus, free, &contacts.friction, compliance, start, &of_laws] {
            input += &listed(numbers);
        }
    }
    let real = if float { "float" } else { "double" };
    let mut flags = vec!["-ffp-contract=off"];
    if cfg!(target_feature = "fma") {
        // The runtime is compiled with fused instructions.
        let fma = if float { "-DRBD_FMA(a,b,c)=fmaf(a,b,c)" } else { "-DRBD_FMA(a,b,c)=fma(a,b,c)" };
        flags.extend(["-include", "math.h", fma]);
    }
    let name = format!("friction_problems_{real}_{compiler}");
    let mut numbers = answered(compiler, &name, &files, &program(real), &flags, &input).into_iter();
    let found = all
        .iter()
        .map(|of| numbers.by_ref().take(of.start.len() + of.compliance.len() + 8).collect())
        .collect();
    assert_eq!(numbers.next(), None);
    found
}

/// Equal numbers, or none on both sides.
fn is_equal(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}

#[test]
fn the_solver_has_the_bits_of_the_runtime() {
    let regular: u64 = if all_seeds() { 700 } else { 140 };
    let all: Vec<Asked> = (0..regular).map(random).chain((0..30).map(nonsense)).collect();
    for compiler in compilers() {
        for float in [false, true] {
            let [mut converged, mut multiplied, mut continued] = [0_u64; 3];
            for (seed, (asked, found)) in all.iter().zip(found(compiler, float, &all)).enumerate() {
                let expected = match float {
                    true => expected::<AsCompiled<f32>>(asked),
                    false => expected::<AsCompiled<f64>>(asked),
                };
                assert!(is_equal(&found, &expected), "{compiler}, {float}, {seed}: {found:?} {expected:?}");
                let rows = asked.start.len();
                let (impulses, [.., admm, is_solved]) =
                    (&found[..rows], found[..].last_chunk::<4>().unwrap());
                assert!(impulses.iter().all(|x| x.is_finite()), "{seed}");
                multiplied += u64::from(*admm > 0.0);
                continued += u64::from(*admm > f64::from(asked.counts[2] * asked.counts[3]));
                if *is_solved == 0.0 {
                    continue;
                }
                converged += 1;
                if !float && seed < regular as usize {
                    let worst = asked.violation(impulses);
                    assert!(worst <= 1e-8, "{seed}: {worst:.1e}");
                }
            }
            println!(
                "{compiler}, float {float}: {converged} converged, {multiplied} by multipliers, {continued} in levels"
            );
            assert!(
                converged * 4 > 3 * regular && multiplied * 7 > regular && continued * 35 > regular,
                "{converged} {multiplied} {continued}"
            );
        }
    }
}
