//! Fused functions: several quantities in one function, by a list of the user.
//!
//! [`Fused`] is the list as written. With a model it becomes a [`FusedFunction`].
//! It names the functions of the table that take part, their requested results, and all parameters.
//! `fused/trace.rs` traces the components into one graph, which merges equal terms. The result is a
//! [`Plan`](crate::plan::Plan), as of a function of the table.

mod columns;
mod components;
mod quantity;
mod saving;
mod text;
mod trace;

pub use components::{Component, Field, FusedFunction};
pub use quantity::{Quantity, REFERENCES, reference_named};
pub use saving::{Saving, SavingPart};

use crate::names::{legal_name, snake_case};
use rbd_runtime::ReferenceFrame;
use thiserror::Error;

/// A fault in a list, with a remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Fault(pub(crate) String);

/// A result of a fused function: a quantity, its frame if it has one, and its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    quantity: Quantity,
    frame: Option<(String, ReferenceFrame)>,
    field: String,
}

impl Entry {
    /// A quantity of the whole robot. The field has the quantity's name.
    ///
    /// # Errors
    /// The quantity is one of a frame.
    pub fn new(quantity: Quantity) -> Result<Self, Fault> {
        if quantity.is_of_frame() {
            let name = quantity.name();
            let reference = if quantity.has_reference() { ", local" } else { "" };
            return Err(Fault(format!("`{name}` is of a frame: write `{name}(\"frame\"{reference})`")));
        }
        Ok(Self { field: quantity.name().into(), quantity, frame: None })
    }

    /// A quantity of a frame. The field has both names: `placement_tool0`.
    ///
    /// A reference frame is required if the quantity depends on it.
    ///
    /// # Errors
    /// The quantity is not one of a frame, or the reference frame is missing or superfluous.
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

    /// Renames the field.
    ///
    /// # Errors
    /// The name is not a valid identifier.
    pub fn called(self, field: impl Into<String>) -> Result<Self, Fault> {
        let field = field.into();
        if !legal_name(&field) {
            return Err(Fault(format!("`{field}` cannot be the name of a field")));
        }
        Ok(Self { field, ..self })
    }

    /// The requested quantity.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// The frame's name, and the reference frame.
    pub fn frame(&self) -> Option<(&str, ReferenceFrame)> {
        self.frame.as_ref().map(|(name, reference)| (name.as_str(), *reference))
    }

    /// Name of the field.
    pub fn field(&self) -> &str {
        &self.field
    }
}

/// A fused function: the name of its result, and the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fused {
    name: String,
    entries: Vec<Entry>,
    fext: bool,
}

impl Fused {
    /// A fused function without entries. `name` names the result's struct, in UpperCamelCase.
    ///
    /// The function has that name in snake_case.
    ///
    /// # Errors
    /// The name is not valid for a type, or its snake_case is not valid for a function.
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

    /// Adds a result.
    ///
    /// # Errors
    /// The entry or its field's name occurs twice.
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

    /// Adds external forces as an argument. Dynamics and derivatives then include them.
    #[must_use]
    pub fn under_forces(mut self) -> Self {
        self.fext = true;
        self
    }

    /// The results, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Name of the result's struct.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name of the function.
    pub fn method(&self) -> String {
        snake_case(&self.name)
    }

    /// True if it takes external forces.
    pub fn has_forces(&self) -> bool {
        self.fext
    }

    /// Checks the list as a whole.
    ///
    /// # Errors
    /// The list is empty, or no entry depends on the external forces that it takes.
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
