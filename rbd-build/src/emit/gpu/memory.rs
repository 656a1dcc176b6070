//! The array `work`: what a kernel leaves to later ones, a piece for each quantity.

use super::Writer;
use super::function::{Array, Step};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::spelling::names;
use crate::signatures::signature::{Dim, Dims};
use std::fmt::Write;

/// Pieces of the array `work`.
pub struct Memory {
    /// Their names and lengths.
    pub pieces: Vec<(&'static str, usize)>,
}

impl Memory {
    /// Numbers of a state.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.1).sum()
    }

    /// Declares the pieces that a text reads or writes.
    fn declared(&self, gpu: &Writer<'_>, text: &str) -> String {
        let (mut all, mut at) = (String::new(), 0);
        for (name, len) in &self.pieces {
            if names(text, name) {
                let _ = writeln!(all, "RBD_SPACE {} *const {name} = &RBD_AT(work, {at});", gpu.real.name());
            }
            at += len;
        }
        all + text
    }

    /// The array.
    pub fn array(&self) -> Array {
        Array { name: "work", shape: Dims::Vector(Dim::Fixed(self.len())) }
    }

    /// The step, with the pieces declared.
    pub fn in_step(&self, gpu: &Writer<'_>, step: Step) -> Step {
        match step {
            Step::Parts(parts) => {
                let part = |part: Written| Written { text: self.declared(gpu, &part.text), ..part };
                Step::Parts(parts.into_iter().map(part).collect())
            }
            Step::Alike { count, doc, text } => Step::Alike { count, doc, text: self.declared(gpu, &text) },
        }
    }
}
