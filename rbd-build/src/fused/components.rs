//! Components of a fused function: the functions of the table that compute it, and their parameters.

use super::quantity::under_forces;
use super::{Entry, Fault, Fused, Quantity};
use crate::algorithms::strategy::Strategy;
use crate::names::interned;
use crate::search::row::Row;
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{A, FEXT, Output, Param, Q, Signature, TAU_GIVEN, V};
use crate::table::functions::Function;
use rbd_runtime::{Model, ReferenceFrame};
use std::borrow::Cow;

/// A field of the result: an output of the table under the field's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The output, named as the field.
    pub output: Output,
    /// The entry of the list.
    pub entry: Entry,
}

/// A function that takes part, with its requested outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The function.
    pub function: Function,
    /// The frame, for a function of a frame.
    pub frame: Option<FrameAt>,
    /// Requested outputs, each paired with an output of the fused function.
    pub gives: Vec<(Output, Output)>,
}

/// A fused function of one robot.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedFunction {
    /// The list.
    pub fused: Fused,
    /// Parameters of all components, in the usual order.
    pub params: Vec<Param>,
    /// Fields of the result, in the order of the list.
    pub fields: Vec<Field>,
    /// Functions that take part, each once.
    pub components: Vec<Component>,
}

impl FusedFunction {
    /// Finds the fewest functions that compute all entries.
    ///
    /// A function needed by one entry also supplies all other entries that it computes.
    ///
    /// # Errors
    /// The model lacks a frame of the list.
    pub fn new(fused: &Fused, model: &Model<f64>) -> Result<Self, Fault> {
        fused.check()?;
        let mut fields = Vec::new();
        let mut frames: Vec<Option<FrameAt>> = Vec::new();
        for entry in fused.entries() {
            fields.push(Field {
                output: Output { name: interned(entry.field()), ..entry.quantity().output() },
                entry: entry.clone(),
            });
            frames.push(entry.frame().map(|(name, reference)| frame(model, name, reference)).transpose()?);
        }
        let mut whole = Self { fused: fused.clone(), params: Vec::new(), fields, components: Vec::new() };
        // Entries that only one function computes come first. Others then use those functions if they can.
        let mut open: Vec<usize> = (0..whole.fields.len()).collect();
        let ways = |q: Quantity| q.sources().len() + q.equal_sources().len();
        open.sort_by_key(|k| ways(whole.fields[*k].entry.quantity()) > 1);
        for k in open {
            whole.add(k, frames[k]);
        }
        whole.order();
        Ok(whole)
    }

    fn add(&mut self, field: usize, frame: Option<FrameAt>) {
        let quantity = self.fields[field].entry.quantity();
        let own = quantity.sources();
        let all: Vec<_> = own.iter().copied().chain(quantity.equal_sources()).collect();
        let here = |(function, output): &(Function, Output)| {
            let function = self.under_forces(*function);
            let component =
                self.components.iter().position(|p| p.function == function && p.frame == frame)?;
            let free = self.components[component].gives.iter().all(|(o, _)| o != output);
            free.then_some((component, *output))
        };
        let found = all.iter().find_map(here);
        let result = self.fields[field].output;
        match found {
            Some((component, output)) => self.components[component].gives.push((output, result)),
            None => {
                let (function, output) = own[0];
                let function = self.under_forces(function);
                self.components.push(Component { function, frame, gives: vec![(output, result)] });
            }
        }
    }

    fn under_forces(&self, function: Function) -> Function {
        under_forces(function).filter(|_| self.fused.has_forces()).unwrap_or(function)
    }

    /// Sorts components in the table's order, so that the graph does not depend on the order of the list.
    fn order(&mut self) {
        let reference =
            |p: &Component| p.frame.map(|f| ReferenceFrame::ALL.iter().position(|r| *r == f.reference));
        self.components.sort_by_key(|p| (p.function, p.frame.map(|f| f.index), reference(p)));
        let takes = |param: &Param| self.components.iter().any(|p| p.function.spec().params.contains(param));
        self.params = [Q, V, A, TAU_GIVEN, FEXT].into_iter().filter(takes).collect();
    }
}

impl Row for FusedFunction {
    type Strategy = Vec<Strategy>;

    fn params(&self) -> &[Param] {
        &self.params
    }
    fn outputs(&self) -> Cow<'_, [Output]> {
        Cow::Owned(self.fields.iter().map(|field| field.output).collect())
    }
    fn signature(&self) -> Signature {
        let (name, result) = (self.fused.method(), Some(self.fused.name().to_owned()));
        Signature { name, params: self.params.clone(), outputs: self.outputs().into_owned(), result }
    }
}

/// First frame of the model with a name.
fn frame(model: &Model<f64>, name: &str, reference: ReferenceFrame) -> Result<FrameAt, Fault> {
    let index = model.frames.iter().position(|f| f.name == name);
    let index = index.ok_or_else(|| Fault(format!("there is no frame `{name}`")))?;
    let frame = &model.frames[index];
    Ok(FrameAt { index, body: frame.body, placement: frame.placement, reference })
}
