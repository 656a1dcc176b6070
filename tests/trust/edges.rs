//! Edge cases of numbers: finite inputs give finite results, and NaN reaches only results that
//! depend on it.

use crate::bless::root;
use crate::states::ordinary;
use nalgebra::{DMatrix, SVector};
use rbd::JointKind;
use rbd_build::kernel::{ArrayId, Kernel, Role, Stmt};
use rbd_build::plan::{Plan, Wire};
use rbd_build::products::{Product, ProductKind};
use rbd_build::routines;
use rbd_build::signature::{FEXT, Param, Q, V};
use rbd_build::{Base, Function};
use rbd_test_robots::{FUNCTIONS, Inputs, Robot, robots};
use std::collections::BTreeMap;

rbd::rbd_robot!("../golden/nearly_singular.urdf");

/// Sets every angle and length; quaternions and their velocities stay.
fn joints_at(robot: &Robot, inputs: &mut Inputs, x: f64) {
    for b in &(robot.model)().bodies {
        let one = matches!(b.kind, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic);
        if one && b.mimic.is_none() {
            inputs.q[b.idx_q] = x;
        }
    }
}

fn all_finite(robot: &Robot, inputs: &Inputs, what: &str) {
    for function in robot.functions {
        let out = robot.call(function, inputs);
        assert!(out.iter().all(|x| x.is_finite()), "{}, {function}, {what}", robot.name);
    }
}

#[test]
fn finite_numbers_give_finite_numbers() {
    use std::f64::consts::PI;
    for robot in robots() {
        // Its square is well within the type's range.
        let huge = if robot.single { 1e12 } else { 1e100 };
        let tiny = if robot.single { 1e-44 } else { 5e-324 };
        for q in [0.0, -0.0, PI, -PI, PI / 2.0, 1e6, -1e6, 1e22, tiny, -tiny] {
            let mut inputs = ordinary(&robot, 3);
            joints_at(&robot, &mut inputs, q);
            all_finite(&robot, &inputs, &format!("joints at {q:e}"));
        }
        for x in [0.0, tiny, huge] {
            let mut inputs = ordinary(&robot, 4);
            for part in [&mut inputs.v, &mut inputs.third, &mut inputs.fext] {
                part.fill(x);
            }
            all_finite(&robot, &inputs, &format!("velocities, torques and forces of {x:e}"));
        }
    }
}

#[test]
fn far_angles_are_angles() {
    // 710 is within 6.03e-5 of 226 pi: the reduction of the angle is seen in every digit.
    for robot in robots().into_iter().filter(|r| !r.single) {
        let model = (robot.model)();
        for angle in [std::f64::consts::PI, 710.0, 1e6, 1e9] {
            let mut inputs = ordinary(&robot, 5);
            joints_at(&robot, &mut inputs, angle);
            // A mimic joint multiplies the angle and its rounding error; a sliding joint has no
            // angle.
            if model.bodies.iter().any(|b| b.mimic.is_some() || b.kind == JointKind::Prismatic) {
                continue;
            }
            let expected = model.rnea(&inputs.q, &inputs.v, &inputs.third);
            let out = robot.call("rnea", &inputs);
            // A re-aligned frame adds a constant to its joint's angle, which rounds the sum to the
            // angle's own spacing.
            let limit = (1e-12 + 4.0 * f64::EPSILON * angle) * expected.amax();
            for (a, b) in out.iter().zip(expected.iter()) {
                assert!((a - b).abs() < limit, "{} at {angle:e}: {a} {b}", robot.name);
            }
        }
    }
}

#[test]
fn denormal_numbers_are_as_good_as_zero() {
    for robot in robots() {
        let tiny = if robot.single { 1e-42 } else { 1e-310 };
        let mut zero = ordinary(&robot, 6);
        joints_at(&robot, &mut zero, 0.0);
        zero.v.fill(0.0);
        let mut denormal = zero.clone();
        joints_at(&robot, &mut denormal, tiny);
        denormal.v.fill(tiny);
        for function in robot.functions {
            let (a, b) = (robot.call(function, &zero), robot.call(function, &denormal));
            let (error, _) = difference(&b, &a);
            assert!(error < 1e-15, "{}, {function}: {error:e}", robot.name);
        }
    }
}

/// The largest difference relative to the largest entry, and that entry.
fn difference(a: &[f64], b: &[f64]) -> (f64, f64) {
    let largest = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let error = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0_f64, |m, x| {
        assert!(!x.is_nan());
        m.max(x)
    });
    (error / largest.max(f64::MIN_POSITIVE), largest)
}

/// Single precision is as good as its rounding: `64 eps` for sums and products, and `eps` times the
/// condition number of M (or 64) if M is inverted.
#[test]
fn f32_is_f64_to_its_precision() {
    let all = robots();
    for single in all.iter().filter(|r| r.single) {
        let double = all.iter().find(|r| !r.single && r.urdf == single.urdf).unwrap();
        for seed in 10..20 {
            // Both get the same numbers.
            let mut inputs = ordinary(single, seed);
            for part in [&mut inputs.q, &mut inputs.v, &mut inputs.third, &mut inputs.fext] {
                part.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
            let m = (single.model)().crba(&inputs.q);
            let eigenvalues = m.symmetric_eigenvalues();
            let condition = eigenvalues.max() / eigenvalues.min();
            for function in single.functions {
                let inverts = function.starts_with("aba") || *function == "minv";
                let bound = f64::from(f32::EPSILON) * if inverts { condition.max(64.0) } else { 64.0 };
                let (a, b) = (single.call(function, &inputs), double.call(function, &inputs));
                let (error, _) = difference(&a, &b);
                assert!(error < bound, "{}, {function}: {error:e} > {bound:e}", single.name);
            }
        }
    }
}

/// The condition number of M is beyond 1e13. Multiplying the solution by M still returns the
/// right-hand side.
#[test]
fn a_nearly_singular_mass_matrix() {
    for k in 0..16 {
        let q = SVector::from([0.2 + k as f64, 0.4 * k as f64]);
        let (v, tau) = (SVector::from([1.0, -2.0]), SVector::from([3.0, 1e-9]));
        let m = NearlySingular::crba(&q);
        let eigenvalues = m.symmetric_eigenvalues();
        assert!(eigenvalues.max() / eigenvalues.min() > 1e13);
        let ddq = NearlySingular::aba(&q, &v, &tau);
        let back = NearlySingular::rnea(&q, &v, &ddq);
        // Row by row: the speck's torque is as precise as the hand's.
        let scale = m.abs() * ddq.abs() + NearlySingular::bias(&q, &v).abs();
        for i in 0..2 {
            assert!((back[i] - tau[i]).abs() < 1e-14 * scale[i].max(tau[i].abs()), "{q}: {back}");
        }
        let identity = m * NearlySingular::minv(&q);
        assert!((identity[(0, 0)] - 1.0).abs() < 1e-12 && (identity[(1, 1)] - 1.0).abs() < 1e-12);
        let d = NearlySingular::aba_derivatives(&q, &v, &tau);
        assert!(d.ddq_dq.iter().chain(&d.ddq_dv).chain(&d.ddq_dtau).all(|x| x.is_finite()));
    }
}

/// Entries of a matrix that NaN reaches.
#[derive(Clone)]
struct Arrivals {
    /// Entries that the graph, or a term of a product, makes NaN.
    must: DMatrix<bool>,
    /// Entries that may become NaN as well: a loop passes over blocks, and a zero in a block passes
    /// NaN on.
    may: DMatrix<bool>,
    /// Entries that are not zero in every state.
    varies: DMatrix<bool>,
}

impl Arrivals {
    fn of_product(a: &Self, x: &Self) -> Self {
        let any = |term: &dyn Fn(usize, usize, usize) -> bool| {
            DMatrix::from_fn(a.must.nrows(), x.must.ncols(), |r, c| {
                (0..a.must.ncols()).any(|k| term(r, k, c))
            })
        };
        let is_term = |r, k, c| a.varies[(r, k)] && x.varies[(k, c)];
        Self {
            must: any(&|r, k, c| is_term(r, k, c) && (a.must[(r, k)] || x.must[(k, c)])),
            may: any(&|r, k, c| a.may[(r, k)] || x.may[(k, c)]),
            varies: any(&is_term),
        }
    }

    /// Arrivals in `g d g^T` with a diagonal `d`, one half of which mirrors the other.
    fn of_gram(g: &Self, d: &Self, product: &Product) -> Self {
        let within = |k: usize, range: &(usize, usize)| (range.0..range.1).contains(&k);
        let is_read = |k: usize, c: usize| {
            let groups = product.groups.iter().filter(|group| within(c, &group.columns));
            groups.flat_map(|group| &group.blocks).any(|b| b.terms.iter().any(|run| within(k, run)))
        };
        let n = g.must.nrows();
        let each = |f: &dyn Fn(usize, usize) -> bool| DMatrix::from_fn(n, n, f);
        let scaled = Self {
            must: each(&|k, c| g.varies[(c, k)] && (g.must[(c, k)] || d.must[k])),
            may: each(&|k, c| is_read(k, c) && (g.may[(c, k)] || d.may[k])),
            varies: g.varies.transpose(),
        };
        let mut gram = Self::of_product(g, &scaled);
        gram.may = each(&|r, c| gram.may[(r, c)] || gram.may[(c, r)]);
        gram
    }

    /// With the columns of `x` that are not multiplied.
    fn with_columns_kept(mut self, x: &Self, product: &Product) -> Self {
        for c in 0..x.must.ncols() {
            if !product.makes_column(c) {
                for (own, kept) in
                    [(&mut self.must, &x.must), (&mut self.may, &x.may), (&mut self.varies, &x.varies)]
                {
                    own.set_column(c, &kept.column(c));
                }
            }
        }
        self
    }
}

/// Entries of each array that a kernel stores, other than zeros.
fn stored(kernel: &Kernel) -> Vec<Vec<bool>> {
    let mut stored: Vec<Vec<bool>> = kernel.arrays.iter().map(|a| vec![false; a.len()]).collect();
    for stmt in &kernel.body {
        if let Stmt::Store { to, from } = stmt {
            stored[to.array.index()][to.index as usize] = !from.is_zero();
        }
    }
    stored
}

/// Entries of a function's result that NaN reaches; `None` for an entry that it may reach.
fn expected(plan: &Plan, inputs: &Inputs) -> Vec<Option<bool>> {
    let argument = |param: Param| match param {
        Q => inputs.q.clone(),
        V => inputs.v.clone(),
        FEXT => inputs.fext.clone(),
        _ => inputs.third.clone(),
    };
    // By the result's name: its numbers before any product, and where NaN arrives.
    let mut made: BTreeMap<&str, (Vec<f64>, Arrivals)> = BTreeMap::new();
    for stage in &plan.stages {
        let (kernel, wires) = (&stage.scalar.kernel, &stage.scalar.wires);
        let given: Vec<Vec<f64>> = kernel
            .declared()
            .filter(|(_, decl)| decl.role == Role::In)
            .map(|(id, _)| match wires[id.index()] {
                Wire::Param(param) => argument(param),
                Wire::Output(output) => made[output.name].0.clone(),
                Wire::Own => unreachable!("an input is somebody's"),
            })
            .collect();
        let mut straight = kernel.clone();
        straight.body.retain(|stmt| !matches!(stmt, Stmt::Product(_)));
        let memory = straight.memory_after(&given.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let stored = stored(kernel);
        let mut arrivals: Vec<Arrivals> = Vec::new();
        for (id, decl) in kernel.declared() {
            let matrix = |f: &dyn Fn(usize) -> bool| {
                DMatrix::from_iterator(decl.rows, decl.columns, (0..decl.len()).map(f))
            };
            let (memory, stored) = (&memory[id.index()], &stored[id.index()]);
            // Entries that are not stored are empty and never read.
            let nan = matrix(&|k| stored[k] && memory[k].is_nan());
            arrivals.push(match (decl.role, wires[id.index()]) {
                (Role::In, Wire::Output(output)) => made[output.name].1.clone(),
                _ => Arrivals { may: nan.clone(), must: nan, varies: matrix(&|k| stored[k]) },
            });
        }
        for call in kernel.calls() {
            // Loops over blocks: NaN may reach every entry except those where zeros are written.
            let reached = |id: ArrayId| match wires[id.index()] {
                Wire::Param(param) => argument(param).iter().any(|x| x.is_nan()),
                _ => arrivals[id.index()].may.iter().any(|may| *may),
            };
            let (reached, zeros) = (call.reads().any(reached), routines::zeros_of(call));
            for (k, &id) in call.results.iter().enumerate() {
                let decl = kernel.array(id);
                let varies = DMatrix::from_fn(decl.rows, decl.columns, |r, c| !zeros.contains(&(k, r, c)));
                let may = varies.map(|varies| varies && reached);
                arrivals[id.index()] = Arrivals { must: varies.map(|_| false), may, varies };
            }
        }
        for product in kernel.products() {
            let of = |id: ArrayId| &arrivals[id.index()];
            let result = match product.kind {
                ProductKind::Negative { a, x } => {
                    Arrivals::of_product(of(a), of(x)).with_columns_kept(of(x), product)
                }
                ProductKind::Gram { g, d, .. } => Arrivals::of_gram(of(g), of(d), product),
            };
            arrivals[product.result().index()] = result;
        }
        for ((id, decl), arrivals) in kernel.declared().zip(arrivals) {
            if let (Role::Out, Wire::Output(output)) = (decl.role, wires[id.index()]) {
                made.insert(output.name, (memory[id.index()].clone(), arrivals));
            }
        }
    }
    let results = plan.spec().outputs.iter().map(|output| &made[output.name].1);
    results
        .flat_map(|x| x.must.iter().zip(&x.may).map(|(must, may)| (must == may).then_some(*must)))
        .collect()
}

#[test]
fn not_a_number_goes_where_it_must_and_nowhere_else() {
    let mut untouched = 0;
    for robot in robots().into_iter().filter(|r| !r.single) {
        let base = if robot.floating { Base::Floating } else { Base::Fixed };
        let generated = rbd_build::Robot::from_urdf(root().join(robot.urdf)).base(base).trace().unwrap();
        for plan in &generated.functions {
            let function = plan.function;
            if !robot.functions.contains(&function.name()) {
                continue;
            }
            for array in 0..function.spec().params.len() {
                // The third argument's place is empty in none but those that have no fourth.
                let clean = ordinary(&robot, 7);
                let length = [&clean.q, &clean.v, &clean.third, &clean.fext][array].len();
                for index in 0..length {
                    let mut inputs = clean.clone();
                    [&mut inputs.q, &mut inputs.v, &mut inputs.third, &mut inputs.fext][array][index] =
                        f64::NAN;
                    let out = robot.call(function.name(), &inputs);
                    let expected = expected(plan, &inputs);
                    assert_eq!(out.len(), expected.len());
                    for (k, (x, nan)) in out.iter().zip(&expected).enumerate() {
                        let right = nan.is_none_or(|nan| nan == x.is_nan());
                        assert!(
                            right && !x.is_infinite(),
                            "{}, {}: entry {k} is {x} with NaN at {index} of argument {array}",
                            robot.name,
                            function.name()
                        );
                    }
                    untouched += out.iter().filter(|x| x.is_finite()).count();
                }
            }
        }
    }
    assert!(untouched > 10_000, "{untouched}");
}

/// Expected without any graph: the torque of one leg at rest does not depend on the other legs'
/// positions.
#[test]
fn a_broken_sensor_on_one_leg_leaves_the_others() {
    let robot = robots().into_iter().find(|r| r.name == "hyq f64").unwrap();
    let mut inputs = ordinary(&robot, 8);
    // The first leg's knee.
    inputs.q[9] = f64::NAN;
    for (function, entries) in [("gravity", 9..18), ("bias", 9..18), ("rnea", 9..18)] {
        let out = robot.call(function, &inputs);
        assert!(out[entries].iter().all(|x| x.is_finite()), "{function}: {out:?}");
    }
    assert!(Function::dynamics().count() == FUNCTIONS.len());
}
