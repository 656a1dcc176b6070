//! Several quantities by one function: what a user lists, and what that means.
//!
//! [`Fused`] is the list, as written. With a model it becomes a [`Call`]: which functions of the table have parts in it,
//! which results of these are asked for, and what is taken. All parts are traced into one graph (`fused/trace.rs`), where
//! equal terms are one; `fused/plan.rs` is the result.

mod parts;
mod plan;
mod quantity;
mod saving;
mod text;
mod trace;

pub use parts::{Call, Field, Part};
pub use plan::FusedPlan;
pub use quantity::{Quantity, REFERENCES, reference_named};
pub use saving::{Saving, SavingPart};

use crate::naming::{legal_name, snake_case};
use rbd_runtime::ReferenceFrame;
use thiserror::Error;

/// What is wrong with a list, and how to help it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Fault(pub(crate) String);

/// A result of a fused function: a quantity, of a frame or not, and the name of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    quantity: Quantity,
    frame: Option<(String, ReferenceFrame)>,
    field: String,
}

impl Entry {
    /// A quantity of the whole robot, in a field of its name.
    ///
    /// # Errors
    /// If it is one of a frame.
    pub fn new(quantity: Quantity) -> Result<Self, Fault> {
        if quantity.is_of_frame() {
            let name = quantity.name();
            let reference = if quantity.has_reference() { ", local" } else { "" };
            return Err(Fault(format!("`{name}` is of a frame: write `{name}(\"frame\"{reference})`")));
        }
        Ok(Self { field: quantity.name().into(), quantity, frame: None })
    }

    /// A quantity of a frame, in a field with both names: `placement_tool0`. The reference frame is asked for where the
    /// quantity depends on it.
    ///
    /// # Errors
    /// If it is none of a frame, or a reference frame is missing or says nothing.
    pub fn of_frame(
        quantity: Quantity,
        frame: impl Into<String>,
        reference: Option<ReferenceFrame>,
    ) -> Result<Self, Fault> {
        let (name, frame) = (quantity.name(), frame.into());
        if !quantity.is_of_frame() {
            return Err(Fault(format!("`{name}` is of the whole robot: write it without a frame")));
        }
        let reference = match (reference, quantity.has_reference()) {
            (Some(reference), true) => reference,
            (None, false) => ReferenceFrame::Local,
            (None, true) => {
                let known = REFERENCES.map(|(name, _)| name).join("`, `");
                return Err(Fault(format!(
                    "`{name}` depends on the reference frame: write one of `{known}` behind the frame"
                )));
            }
            (Some(_), false) => {
                return Err(Fault(format!("`{name}` is in the world: write no reference frame")));
            }
        };
        let field = format!("{name}_{}", snake_case(&frame));
        Ok(Self { quantity, frame: Some((frame, reference)), field })
    }

    /// The same in a field of this name.
    ///
    /// # Errors
    /// If that is no name.
    pub fn called(self, field: impl Into<String>) -> Result<Self, Fault> {
        let field = field.into();
        if !legal_name(&field) {
            return Err(Fault(format!("`{field}` cannot be the name of a field")));
        }
        Ok(Self { field, ..self })
    }

    /// What is asked for.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// The frame that it is of, and how it is given there.
    pub fn frame(&self) -> Option<(&str, ReferenceFrame)> {
        self.frame.as_ref().map(|(name, reference)| (name.as_str(), *reference))
    }

    /// The name of its field.
    pub fn field(&self) -> &str {
        &self.field
    }
}

/// A fused function: the name of its result, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fused {
    name: String,
    entries: Vec<Entry>,
    fext: bool,
}

impl Fused {
    /// The result is a struct of this name, in UpperCamelCase; the function has the same name in snake_case.
    ///
    /// # Errors
    /// If it is no name for a type, or its snake_case none for a function.
    pub fn new(name: impl Into<String>) -> Result<Self, Fault> {
        let name = name.into();
        let starts = name.chars().next().is_some_and(char::is_uppercase);
        if !starts || name == "T" || !legal_name(&name) || !legal_name(&snake_case(&name)) {
            return Err(Fault(format!(
                "`{name}` cannot be the name of a fused result; write one such as `Step`, whose function is `step`"
            )));
        }
        Ok(Self { name, entries: Vec::new(), fext: false })
    }

    /// One result more.
    ///
    /// # Errors
    /// If it, or its field's name, is there already.
    pub fn give(mut self, entry: Entry) -> Result<Self, Fault> {
        let what = |e: &Entry| (e.quantity, e.frame.clone());
        if let Some(twice) = self.entries.iter().find(|e| what(e) == what(&entry)) {
            return Err(Fault(format!("`{}` is given twice", twice.field)));
        }
        if let Some(twice) = self.entries.iter().find(|e| e.field == entry.field) {
            let (name, shown) = (&twice.field, entry.quantity.name());
            return Err(Fault(format!(
                "there are two results `{name}`; name one of them, as in `my_name: {shown}(..)`"
            )));
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// Takes external forces: dynamics and their derivatives are those under them.
    #[must_use]
    pub fn under_forces(mut self) -> Self {
        self.fext = true;
        self
    }

    /// What it gives, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The name of the result.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the function.
    pub fn method(&self) -> String {
        snake_case(&self.name)
    }

    /// Whether it takes external forces.
    pub fn has_forces(&self) -> bool {
        self.fext
    }

    /// What is wrong with the list as a whole.
    ///
    /// # Errors
    /// If it is empty, or takes forces that nothing depends on.
    pub fn check(&self) -> Result<(), Fault> {
        let name = &self.name;
        if self.entries.is_empty() {
            return Err(Fault(format!("`{name}` gives nothing; list quantities, such as `ddq`")));
        }
        if self.fext && !self.entries.iter().any(|e| e.quantity.has_form_under_forces()) {
            return Err(Fault(format!("nothing in `{name}` depends on `fext`")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
