//! Traced functions against the generic reference, on random trees: every formulation of every function.

mod common;

use common::{evaluate, reference, relative_error};
use proptest::prelude::*;
use rbd_build::Function;
use rbd_build::tree::{Rewrite, Spin, Tree};
use rbd_runtime::random::{Options, random_model, random_state};

fn check(seed: u64, options: &Options) -> Result<(), TestCaseError> {
    let model = random_model(seed, options);
    let spins = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let regroup = spins[(seed % 4) as usize];
    let tree = Tree::new(&model, Rewrite { snap: 1e-12, realign: seed % 8 < 4, regroup });
    let state = random_state(&model, seed);
    // Differences grow with the condition of what is inverted.
    let m = model.crba(state.q.as_slice());
    let eigenvalues = m.symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    for function in Function::ALL {
        let expected = reference(function, &model, &state);
        let inverts = ["aba", "minv"].iter().any(|f| function.name().starts_with(f));
        let tolerance = if inverts { 1e-15 * condition.max(1e3) * 100.0 } else { 1e-11 };
        for traced in function.trace_all(&tree) {
            let found = evaluate(&traced, &state);
            prop_assert_eq!(found.len(), expected.len());
            for (name, expected) in &expected {
                let Some((_, found)) = found.iter().find(|(n, _)| n == name) else {
                    return Err(TestCaseError::fail(format!("no {name}")));
                };
                let error = relative_error(found, expected);
                prop_assert!(
                    error <= tolerance,
                    "{} ({}), {name}: {error:e} > {tolerance:e}, seed {seed}",
                    function.name(),
                    traced.formulation
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn arms_and_trees_of_one_dof_joints(seed: u64, bodies in 1_usize..20) {
        check(seed, &Options { bodies, ..Options::default() })?;
    }

    #[test]
    fn every_joint_kind_mimic_armature_damping(seed: u64, bodies in 1_usize..14, floating: bool) {
        check(seed, &Options::everything(bodies, floating))?;
    }
}
