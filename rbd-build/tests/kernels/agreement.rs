//! Traced functions against the generic reference, on random trees: every formulation of every function.

use crate::common::{evaluate_with_loops, reference, relative_error};
use crate::plain::Plain;
use crate::sizes::{trees, up_to};
use proptest::prelude::*;
use rbd_build::Function;
use rbd_build::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree, TreeBody};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, Random, random_model, random_state};
use std::collections::HashSet;

pub const PACKINGS: [Packing; 2] =
    [Packing { lanes: &[4, 2], across: false }, Packing { lanes: &[4, 2], across: true }];

fn check(seed: u64, options: &Options) -> Result<(), TestCaseError> {
    check_model(&random_model(seed, options), seed)
}

fn check_model(model: &Model<f64>, seed: u64) -> Result<(), TestCaseError> {
    let tree = Tree::new(model, some_rewrite(model, seed));
    let state = random_state(model, seed);
    // Differences grow with the condition number of the inverted matrix.
    let m = model.crba(state.q.as_slice());
    let eigenvalues = m.symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    // Frames, and parameters at run time, have tests of their own.
    let functions = Function::ALL.into_iter().filter(|f| !f.is_of_frame() && !f.is_by_parameters());
    // Their reference takes long for many bodies.
    let hessians = [Function::RneaHessian, Function::RneaHessianFext];
    let hessians = hessians.into_iter().filter(|_| model.bodies.len() <= 8);
    for function in functions.chain(hessians) {
        let expected = reference(function, model, &state);
        let inverts = ["aba", "minv"].iter().any(|f| function.name().starts_with(f));
        let tolerance = if inverts { 1e-15 * condition.max(1e3) * 100.0 } else { 1e-11 };
        let packed = PACKINGS.into_iter().filter_map(|packing| tree.with_limbs(packing));
        let straight = std::iter::once(tree.clone()).chain(packed).flat_map(|t| function.trace_all(&t));
        for traced in straight.chain(function.trace_loops(model)) {
            let found = evaluate_with_loops::<Plain>(&traced, &state);
            prop_assert_eq!(found.len(), expected.len());
            for (name, expected) in &expected {
                let Some((_, found)) = found.iter().find(|(n, _)| n == name) else {
                    return Err(TestCaseError::fail(format!("no {name}")));
                };
                let error = relative_error(&found.map(|x| x.0), expected);
                prop_assert!(
                    error <= tolerance,
                    "{} ({}), {name}: {error:e} > {tolerance:e}, seed {seed}",
                    function.name(),
                    traced.strategy
                );
            }
        }
    }
    Ok(())
}

/// A rewrite with a random form for each body.
fn some_rewrite(model: &Model<f64>, seed: u64) -> Rewrite {
    let r = &mut Random::new(seed);
    let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let moments = [Moment::Euler, Moment::SecondMoments, Moment::Entries];
    let origins = [Origin::AtChild, Origin::AtParent];
    let mut form =
        || BodyForm { share: shares[r.below(4)], moment: moments[r.below(3)], origin: origins[r.below(2)] };
    let bodies = model.bodies.iter().map(|_| form()).collect();
    Rewrite { realign: seed.is_multiple_of(2), bodies }
}

proptest! {
    #![proptest_config(trees(32))]

    #[test]
    fn arms_and_trees_of_one_dof_joints(seed: u64, bodies in up_to(30)) {
        check(seed, &Options { bodies, ..Options::default() })?;
    }

    /// M^-1 and both derivatives have zeros between them.
    #[test]
    fn several_trees_side_by_side(seed: u64, bodies in 2_usize..=16) {
        check(seed, &Options { bodies, on_world: 0.5, ..Options::default() })?;
    }

    #[test]
    fn every_joint_kind_mimic_armature_damping(seed: u64, bodies in up_to(30), floating: bool) {
        check(seed, &Options::everything(bodies, floating))?;
    }
}

/// Bodies of a limb: joint types and connections are those of `shape`, numbers are random.
fn add_limb(model: &mut Model<f64>, at: usize, shape: &Model<f64>, coordinate_axes: bool, r: &mut Random) {
    let numbers = random_model(r.bits(), &Options { bodies: shape.bodies.len(), ..Options::default() });
    let start = model.bodies.len();
    for (body, other) in shape.bodies.iter().zip(&numbers.bodies) {
        let mut body = body.clone();
        body.joint = format!("limb_{}", model.bodies.len());
        body.parent = Some(body.parent.map_or(at, |p| start + p));
        body.inertia = other.inertia;
        if coordinate_axes {
            body.axis = if r.chance(0.5) { body.axis } else { -body.axis };
            body.placement.translation = other.placement.translation;
        } else {
            (body.axis, body.placement) = (other.axis, other.placement);
        }
        (body.idx_q, body.idx_v) = (model.nq, model.nv);
        (model.nq, model.nv) = (model.nq + 1, model.nv + 1);
        model.bodies.push(body);
    }
}

/// A limb's shape; forks where a parent is not the last body.
fn some_shape(length: usize, r: &mut Random) -> Model<f64> {
    random_model(r.bits(), &Options { bodies: length, branching: 0.5, on_world: 0.0, ..Options::default() })
}

/// A trunk with limbs of equal joints and different numbers: four alike and two or three alike,
/// some branching.
pub fn with_limbs(seed: u64, floating: bool) -> Model<f64> {
    let r = &mut Random::new(seed);
    let trunk = Options { bodies: 1 + r.below(2), floating, ..Options::default() };
    let mut model = random_model(seed, &trunk);
    let at = model.bodies.len() - 1;
    for (copies, length) in [(4, 1 + r.below(3)), (2 + r.below(2), 1 + r.below(4))] {
        let (shape, coordinate_axes) = (some_shape(length, r), r.chance(0.5));
        (0..copies).for_each(|_| add_limb(&mut model, at, &shape, coordinate_axes, r));
    }
    model.frames.clear();
    model
}

/// A humanoid: two legs on the first body of a trunk, and two arms on its last one, or at times on
/// the first too.
///
/// An arm is a leg with some bodies before it. A head adds degrees of freedom that are in no limb,
/// between the others and after them.
pub fn humanoid(seed: u64, floating: bool) -> Model<f64> {
    let r = &mut Random::new(seed);
    let spine =
        Options { bodies: 1 + r.below(3), floating, branching: 0.0, on_world: 0.0, ..Options::default() };
    let mut model = random_model(seed, &spine);
    let chest = if r.chance(0.8) { model.bodies.len() - 1 } else { 0 };
    let leg = some_shape(1 + r.below(3), r);
    let mut arm = random_model(
        r.bits(),
        &Options { bodies: 1 + r.below(2), branching: 0.0, on_world: 0.0, ..Options::default() },
    );
    let elbow = arm.bodies.len();
    for body in &leg.bodies {
        arm.bodies.push(body.clone());
        let last = arm.bodies.last_mut().expect("one was pushed");
        last.parent = Some(last.parent.map_or(elbow - 1, |p| elbow + p));
    }
    let mut limbs = vec![(0, &leg), (0, &leg), (chest, &arm), (chest, &arm)];
    if r.chance(0.5) {
        limbs.rotate_left(2);
    }
    let head = some_shape(2, r);
    limbs.insert(r.below(5), (chest, &head));
    let coordinate_axes = r.chance(0.5);
    limbs.into_iter().for_each(|(at, shape)| add_limb(&mut model, at, shape, coordinate_axes, r));
    model.frames.clear();
    model
}

proptest! {
    #![proptest_config(trees(18))]

    #[test]
    fn limbs_as_lanes(seed: u64, floating: bool) {
        let model = with_limbs(seed, floating);
        let tree = Tree::new(&model, some_rewrite(&model, seed));
        let packed = tree.with_limbs(PACKINGS[0]).expect("there are limbs");
        prop_assert!(packed.bodies.iter().any(|b| b.lanes.len() == 4));
        prop_assert!(packed.bodies.iter().any(|b| b.lanes.len() == 2));
        // Only the requested numbers of lanes: registers have no more. One limb of three stays
        // separate.
        prop_assert!(packed.bodies.iter().all(|b| [1, 2, 4].contains(&b.lanes.len())));
        check_model(&model, seed)?;
    }

    #[test]
    fn forearms_beside_legs(seed: u64, floating: bool) {
        let model = humanoid(seed, floating);
        let tree = Tree::new(&model, some_rewrite(&model, seed));
        // If head and spine have the legs' shape and are on the same body, the four are lanes of
        // one limb already.
        let packed = tree.with_limbs(PACKINGS[1]);
        prop_assume!(packed.is_some());
        let packed = packed.expect("assumed");
        let parents = |b: &TreeBody| b.lanes.iter().map(|l| l.parent.map(|p| p.body)).collect::<HashSet<_>>().len();
        prop_assert!(packed.bodies.iter().any(|b| b.lanes.len() == 4 && parents(b) == 2));
        prop_assert!(packed.bodies.iter().any(|b| b.lanes.len() == 2));
        check_model(&model, seed)?;
    }

    /// As symmetric links have them: directions to the centre of mass, which random numbers always
    /// have, are missing.
    #[test]
    fn centres_of_mass_at_the_joints(seed: u64, bodies in 1_usize..=8, floating: bool) {
        let mut model = random_model(seed, &Options::everything(bodies, floating));
        model.bodies.iter_mut().for_each(|b| b.inertia.h.fill(0.0));
        check_model(&model, seed)?;
    }
}
