//! Random trees and variants as kernels: every function of every one, compiled or not.

use crate::common::{assert_agree, inputs};
use crate::interpreter;
use generated_tests::trees::{Tree, trees};
use generated_tests::variants::variants;
use generated_tests::{Inputs, OUT_DIR, Outputs};
use nalgebra::DVector;
use rbd_build::{Function, Generated};
use rbd_runtime::Model;
use rbd_runtime::random::{State, random_state};
use std::path::Path;
use std::sync::LazyLock;

/// A robot that is not compiled.
pub struct Interpreted {
    name: String,
    generated: Generated,
}

impl Interpreted {
    fn of(tree: &Tree) -> Self {
        let generated = tree.robot(Path::new(OUT_DIR)).trace().expect("a good robot");
        Self { name: tree.stem.clone(), generated }
    }

    /// The variant of this stem.
    pub fn variant(stem: &str) -> &'static Self {
        static VARIANTS: LazyLock<Vec<Interpreted>> =
            LazyLock::new(|| variants().iter().map(Interpreted::of).collect());
        VARIANTS.iter().find(|v| v.name == stem).expect("a variant of this stem")
    }

    /// Model of the URDF.
    pub fn model(&self) -> Model<f64> {
        self.generated.model.clone()
    }

    /// Its functions.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.generated.functions.iter().map(|traced| traced.function)
    }

    /// A function's outputs, as compiled robots give them.
    pub fn run(&self, function: Function, x: &Inputs<f64>) -> Outputs<f64> {
        let vector = |x: &[f64]| DVector::from_column_slice(x);
        let state = State {
            q: vector(&x.q),
            v: vector(&x.v),
            a: vector(&x.a),
            tau: vector(&x.tau),
            fext: x.fext.clone(),
        };
        let traced = self.generated.functions.iter().find(|t| t.function == function);
        interpreter::evaluate_with_loops(traced.expect("a function that was asked for"), &state)
    }
}

/// With limbs one by one and as lanes.
#[test]
fn every_tree_and_variant_agrees_with_the_reference() {
    let mut compared = 0;
    for robot in trees().iter().chain(&variants()).map(Interpreted::of) {
        let model = robot.model();
        for seed in 0..4 {
            let state = random_state(&model, seed);
            let m = model.crba(state.q.as_slice());
            let what = format!("{}, state {seed}", robot.name);
            // Loops of the runtime have no kernel.
            for traced in robot.generated.functions.iter().filter(|f| !f.function.is_second_order()) {
                let function = traced.function;
                let expected = interpreter::reference(function, &model, &state);
                assert_agree(&what, function, &robot.run(function, &inputs(&state)), &expected, &m, 0.0);
                if let Some(packed) = traced.packed() {
                    let got = interpreter::evaluate_with_loops(&packed, &state);
                    assert_agree(&format!("{what}, limbs"), function, &got, &expected, &m, 0.0);
                }
                compared += 1;
            }
        }
    }
    // Eight trees with every default function that has a kernel, thirteen variants with eight.
    assert_eq!(compared, 4 * (8 * 27 + 13 * 8));
}
