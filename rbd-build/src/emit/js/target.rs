//! JavaScript as a target: capabilities and files.

use super::{LONGEST, Writer, spell};
use crate::emit::c_family::spelling;
use crate::emit::{Asked, Capabilities, Target};
use crate::frontend::config::Error;
use crate::frontend::generated::Generated;
use crate::search::cost::CostModel;

/// An ES module for browsers and Node.js, and its types for TypeScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Js;

impl Target for Js {
    fn capabilities(&self) -> Capabilities {
        Capabilities { fused: true, ..Capabilities::straight_lines("in JavaScript") }
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
        vec![
            (format!("{name}.js"), writer.module(model, functions, fused)),
            (format!("{name}.d.ts"), writer.declarations(model, functions, fused)),
        ]
    }
}
