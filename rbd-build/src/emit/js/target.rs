//! JavaScript as a target: capabilities and files.

use super::{LONGEST, Writer, has_loops, loops, spell, tables};
use crate::emit::c_family::spelling;
use crate::emit::error::Error;
use crate::emit::generated::Generated;
use crate::emit::{Asked, Capabilities, Loops, SecondDerivatives, Solves, StepForms, Target};
use crate::search::TOO_LONG;
use crate::search::cost::CostModel;

/// An ES module for browsers and Node.js, and its types for TypeScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Js;

/// Loops with friction, of matrices and of vectors.
const LOOPS: Loops = Loops {
    most_rows: tables::MOST_ROWS,
    friction: true,
    vectors: true,
    tensors: false,
    solves: Solves::Never,
};

impl Target for Js {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fused: true,
            loops: Some(LOOPS),
            step: Some(StepForms::Derivatives),
            actuated: true,
            second_derivatives: Some(SecondDerivatives {
                tensors: true,
                parameters: false,
                longest: TOO_LONG,
                calls_parts: true,
            }),
            ..Capabilities::straight_lines("in JavaScript")
        }
    }

    fn costs(&self) -> CostModel {
        Self::COSTS
    }

    fn name_of(&self, stem: &str) -> String {
        spelling::prefix(stem)
    }

    fn check(&self, asked: &Asked<'_>) -> Result<(), Error> {
        spell::check(asked)
    }

    fn files(&self, robot: &Generated) -> Vec<(String, String)> {
        let writer = Writer { origin: &robot.origin(), longest: LONGEST };
        let Generated { name, model, functions, fused, .. } = robot;
        let controls = robot.controls();
        let step = robot.integrator().map(|integrator| (integrator, &controls[..]));
        let mut files = vec![
            (format!("{name}.js"), writer.module_with(model, functions, fused, step)),
            (format!("{name}.d.ts"), writer.declarations(model, functions, fused, step)),
        ];
        if has_loops(functions, fused) {
            files.push((tables::FILE.into(), loops()));
        }
        files
    }
}
