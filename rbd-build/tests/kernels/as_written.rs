//! Every formulation of every function on random robots with the numbers that people write, against
//! the reference with twice the digits.
//!
//! Each row of each result agrees to 1e-12 of its largest entry, or to the effect of rounding every
//! number.

use crate::common::evaluate_in;
use crate::common::twice::Twice;
use crate::common::written::{Expected, as_written, copy_numbers, state_of_size};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rbd_build::Function;
use rbd_build::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, Random, random_model, random_state};

/// A rewrite with a random form for each body.
fn some_rewrite(model: &Model<f64>, r: &mut Random) -> Rewrite {
    let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let moments = [Moment::Euler, Moment::SecondMoments, Moment::Entries];
    let origins = [Origin::AtChild, Origin::AtParent];
    let mut form =
        || BodyForm { share: shares[r.below(4)], moment: moments[r.below(3)], origin: origins[r.below(2)] };
    let bodies = model.bodies.iter().map(|_| form()).collect();
    Rewrite { realign: r.chance(0.7), bodies }
}

fn check((model, size): &(Model<f64>, f64), seed: u64) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let state = state_of_size(model, *size, seed);
    let m = model.crba(state.q.as_slice());
    // Of the matrix with ones on its diagonal: units and sizes of links do not count.
    let scale = m.diagonal().map(|d| 1.0 / d.sqrt());
    let eigenvalues =
        nalgebra::DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * scale[i] * scale[j])
            .symmetric_eigenvalues();
    let invertible = eigenvalues.min() > 1e-4 * eigenvalues.max();
    let tree = Tree::new(model, some_rewrite(model, r));
    let packing = Packing { lanes: &[4, 2], across: r.chance(0.5) };
    for function in Function::dynamics() {
        if !invertible && (function.name().starts_with("aba") || function.name() == "minv") {
            continue;
        }
        let expected = Expected::new(function, model, &state, seed);
        for tree in std::iter::once(tree.clone()).chain(tree.with_limbs(packing)) {
            for plan in function.trace_all(&tree) {
                let found = evaluate_in::<Twice>(&plan, &state);
                for (k, (name, _)) in expected.outputs.iter().enumerate() {
                    let (_, found) = found.iter().find(|(n, _)| n == name).expect("every output");
                    let excess = expected.excess(k, found);
                    prop_assert!(
                        excess <= 1.0,
                        "{} ({}), {name}: {excess:.1} times what it may be off, seed {seed}",
                        function.name(),
                        plan.strategy
                    );
                }
            }
        }
    }
    Ok(())
}

/// Settings with reproducible robots. `PROPTEST_CASES=1000` gives others, and more.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return ProptestConfig { failure_persistence: None, ..default };
    }
    ProptestConfig { cases: 24, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..default }
}

/// Limbs on one body that are equal but for a digit or a mirror.
fn limbs(seed: u64, length: usize, floating: bool, copies: usize) -> (Model<f64>, f64) {
    let r = &mut Random::new(seed);
    let mut model = random_model(seed, &Options { bodies: 1, floating, ..Options::default() });
    let limb =
        random_model(seed, &Options { bodies: length, branching: 0.0, on_world: 0.0, ..Options::default() });
    for copy in 0..copies {
        for (k, body) in limb.bodies.iter().enumerate() {
            let mut body = body.clone();
            body.parent = Some(if k == 0 { 0 } else { copy * length + k });
            body.joint = format!("limb_{copy}_{k}");
            (body.idx_q, body.idx_v) = (model.nq, model.nv);
            (model.nq, model.nv) = (model.nq + 1, model.nv + 1);
            model.bodies.push(body);
        }
    }
    let (mut model, size) = as_written(&model, seed);
    for copy in 1..copies {
        (0..length).for_each(|k| copy_numbers(&mut model, 1 + k, 1 + copy * length + k, r));
    }
    (model, size)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arms_and_trees(seed: u64, bodies in 1_usize..=7, on_world in 0.0..0.5) {
        let model = random_model(seed, &Options { bodies, on_world, ..Options::default() });
        check(&as_written(&model, seed), seed)?;
    }

    #[test]
    fn every_joint_kind(seed: u64, bodies in 1_usize..=7, floating: bool) {
        let model = random_model(seed, &Options::everything(bodies, floating));
        check(&as_written(&model, seed), seed)?;
    }

    /// The reader takes offsets of many turns, and the angle that re-aligning frames adds is
    /// rounded with them. The allowed error is the effect of a few units in the last place of the
    /// offsets on the reference.
    #[test]
    fn joints_that_follow_at_a_large_offset(seed: u64, offset in prop::sample::select(vec![12.5, 3000.0, -1e6])) {
        let options = Options { bodies: 4, mimic: 0.7, ..Options::default() };
        let mut model = random_model(seed, &options);
        model.bodies.iter_mut().filter_map(|b| b.mimic.as_mut()).for_each(|m| m.offset += offset);
        let r = &mut Random::new(seed);
        let state = random_state(&model, seed);
        let torques = |m: &Model<f64>| m.rnea(state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
        let expected = torques(&model);
        let mut change = 0.0_f64;
        for _ in 0..8 {
            let mut near = model.clone();
            let mimics = near.bodies.iter_mut().filter_map(|b| b.mimic.as_mut());
            mimics.for_each(|m| m.offset += r.uniform(-8.0, 8.0) * f64::EPSILON * offset.abs());
            change = change.max((torques(&near) - &expected).amax());
        }
        let plans = Function::Rnea.trace_all(&Tree::new(&model, some_rewrite(&model, r)));
        for plan in plans {
            let found = evaluate_in::<f64>(&plan, &state);
            let error = (&found[0].1 - &expected).amax();
            prop_assert!(error <= 1e-13 * expected.amax() + 4.0 * change, "{error:e}, {change:e}, seed {seed}");
        }
    }

    #[test]
    fn limbs_that_are_nearly_alike(seed: u64, length in 1_usize..=3, floating: bool, copies in 2_usize..=4) {
        check(&limbs(seed, length, floating, copies), seed)?;
    }
}
