//! Gain of each rule of the graph on real robots: without it there is more arithmetic and the same
//! result.

use crate::common;
use rbd_build::Function;
use rbd_build::graph::Rule;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_runtime::Model;
use rbd_runtime::random::random_state;

fn model(file: &str, base: Base) -> Model<f64> {
    let path = format!("{}/../../robots/{file}.urdf", env!("CARGO_MANIFEST_DIR"));
    let options = ReadOptions { base, ..Default::default() };
    rbd_build::urdf::read_file(path, &options).expect("a robot").model
}

fn tree(model: &Model<f64>) -> Tree {
    let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
    Tree::new(model, Rewrite::uniform(model, true, form))
}

const FUNCTIONS: [Function; 5] =
    [Function::Rnea, Function::Crba, Function::Minv, Function::Aba, Function::RneaDerivatives];

fn first(function: Function, tree: &Tree, without: Option<Rule>) -> Plan {
    let mut all = without.map_or_else(|| function.trace_all(tree), |r| function.trace_all_without(tree, r));
    all.swap_remove(0)
}

#[test]
fn every_rule_gains_and_changes_no_result() {
    for (file, base) in [("iiwa14", Base::Fixed), ("hyq", Base::Floating)] {
        let model = model(file, base);
        let (tree, state) = (tree(&model), random_state(&model, 1));
        for rule in Rule::ALL {
            let mut gains = Vec::new();
            for function in FUNCTIONS {
                let (with, left_out) = (first(function, &tree, None), first(function, &tree, Some(rule)));
                // Some rules save operations that would be fused anyway, fusing saves others: both count.
                let cost = |t: &Plan| (t.count().total() + t.fused()) as isize;
                gains.push(cost(&left_out) - cost(&with));
                let expected = common::evaluate(&with, &state);
                for ((name, got), (_, expected)) in common::evaluate(&left_out, &state).iter().zip(&expected)
                {
                    let error = common::relative_error(got, expected);
                    assert!(error < 1e-9, "{file}, {}, {name} without {rule}: {error:e}", function.name());
                }
            }
            println!(
                "{file}: {rule} saves {gains:?} operations and instructions of {:?}",
                FUNCTIONS.map(Function::name)
            );
            assert!(gains.iter().sum::<isize>() > 0, "{file}: {rule} gains nothing");
        }
    }
}

/// A fused product and sum is one instruction: a third of the operations vanish.
#[test]
fn fusing_leaves_two_thirds_of_the_operations() {
    let tree = tree(&model("iiwa14", Base::Fixed));
    for function in FUNCTIONS {
        let traced = first(function, &tree, None);
        let fused = traced.fused();
        let operations = traced.count().total();
        println!("{}: {operations} operations, {fused} instructions", function.name());
        assert!(fused * 4 < operations * 3, "{}: {fused} of {operations}", function.name());
    }
}
