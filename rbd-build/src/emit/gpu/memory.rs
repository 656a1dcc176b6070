//! The array `work`: what a kernel leaves to later ones, a piece for each quantity.

use super::Writer;
use super::function::{Array, Step, without_comments};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::spelling::names;
use crate::signatures::signature::{Dim, Dims};
use std::fmt::Write;

/// Pieces of the array `work`.
#[derive(Default)]
pub struct Memory {
    /// Names and lengths of the pieces.
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
        let code = without_comments(text);
        for (name, len) in &self.pieces {
            if names(&code, name) {
                let _ = writeln!(all, "RBD_SPACE {} *const {name} = &RBD_AT(work, {at});", gpu.real.name());
            }
            at += len;
        }
        all + text
    }

    /// The array, if there are any.
    pub fn array(&self) -> Option<Array> {
        (self.len() > 0).then(|| Array { name: "work", shape: Dims::Vector(Dim::Fixed(self.len())) })
    }

    /// This memory and further pieces.
    pub fn and(mut self, pieces: impl IntoIterator<Item = (&'static str, usize)>) -> Self {
        self.pieces.extend(pieces);
        self
    }

    /// Name of the macro with the length for a function.
    fn macro_name(gpu: &Writer<'_>, function: &str) -> String {
        format!("{}_{}_WORK", gpu.prefix.to_uppercase(), function.to_uppercase())
    }

    /// A line of the documentation of a function, after a line break.
    pub fn documentation(&self, gpu: &Writer<'_>, function: &str) -> String {
        if self.len() == 0 {
            return String::new();
        }
        let name = Self::macro_name(gpu, function);
        format!("\n * gives work [{}]: memory that the kernels share, {name} numbers of a state", self.len())
    }

    /// The macro with the length, for a function.
    pub fn defined(&self, gpu: &Writer<'_>, function: &str) -> String {
        if self.len() == 0 {
            return String::new();
        }
        format!("#define {} {}\n", Self::macro_name(gpu, function), self.len())
    }

    /// The step, with the pieces declared.
    pub fn in_step(&self, gpu: &Writer<'_>, step: Step) -> Step {
        match step {
            Step::Parts(parts) => {
                let part = |part: Written| Written { text: self.declared(gpu, &part.text), ..part };
                Step::Parts(parts.into_iter().map(part).collect())
            }
            Step::Alike { parts, doc, text } => Step::Alike { parts, doc, text: self.declared(gpu, &text) },
        }
    }
}
