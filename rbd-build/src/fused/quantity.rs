//! Quantities of fused functions: the outputs in the table of functions.

use super::Fault;
use crate::names::nearest::nearest;
use crate::signatures::quantities::{
    DACCELERATION_DA, DRATE_DA, DVELOCITY_DV, JACOBIAN, KINETIC_ENERGY, MOMENTUM_MATRIX,
};
use crate::signatures::signature::{DDQ_DTAU, DTAU_DA, FEXT, M, MINV, Output};
use crate::table::functions::Function;
use rbd_runtime::ReferenceFrame;

/// A quantity, as an output of the first function in the table that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    function: Function,
    output: Output,
}

/// Reference frames with their names in options.
pub const REFERENCES: [(&str, ReferenceFrame); 3] = [
    ("local", ReferenceFrame::Local),
    ("world", ReferenceFrame::World),
    ("local_world_aligned", ReferenceFrame::LocalWorldAligned),
];

/// Returns the reference frame of a name.
///
/// # Errors
/// There is none. The error suggests the nearest name.
pub fn reference_named(name: &str) -> Result<ReferenceFrame, Fault> {
    let found = REFERENCES.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, reference)| *reference)
        .ok_or_else(|| unknown("reference frame", name, &known_references()))
}

fn known_references() -> Vec<&'static str> {
    REFERENCES.iter().map(|(name, _)| *name).collect()
}

/// Error for an unknown name, with the nearest name or else all known names.
fn unknown(what: &str, name: &str, known: &[&str]) -> Fault {
    let near = nearest(name, known.iter().copied());
    let there_are = || format!("; there are {}", known.join(", "));
    let help = near.map_or_else(there_are, |near| format!(": did you mean `{near}`?"));
    Fault(format!("there is no {what} `{name}`{help}"))
}

/// Name of a function's output as a quantity.
///
/// It differs from the table if outputs of several functions share a name but not the meaning.
fn name_of(function: Function, output: Output) -> &'static str {
    use Function as F;
    match function {
        F::Bias | F::Gravity | F::KineticEnergy | F::PotentialEnergy => function.name(),
        F::KineticEnergyDerivatives if output == KINETIC_ENERGY => F::KineticEnergy.name(),
        F::FrameClassicalAcceleration => "classical_acceleration",
        F::FrameBiasAcceleration => "bias_acceleration",
        _ => output.name,
    }
}

/// Outputs of functions that are traced into graphs.
///
/// Functions under external forces are left out, since forces are an argument and no part of a name.
fn outputs() -> impl Iterator<Item = (Function, Output)> {
    let functions = Function::ALL.into_iter();
    let functions = functions.filter(|f| !f.is_by_parameters() && !f.spec().params.contains(&FEXT));
    functions.flat_map(|f| f.spec().outputs.iter().map(move |o| (f, *o)))
}

/// Pairs of equal outputs under different names.
const EQUAL: [(Output, Output); 5] = [
    (M, DTAU_DA),
    (MINV, DDQ_DTAU),
    (JACOBIAN, DVELOCITY_DV),
    (JACOBIAN, DACCELERATION_DA),
    (MOMENTUM_MATRIX, DRATE_DA),
];

impl Quantity {
    /// All quantities, in the table's order.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (function, output) in outputs() {
            let quantity = Self { function, output };
            if all.iter().all(|known| known.name() != quantity.name()) {
                all.push(quantity);
            }
        }
        all
    }

    /// Returns the quantity of a name or an alias.
    ///
    /// # Errors
    /// There is none. The error has the reason or the nearest name.
    pub fn named(name: &str) -> Result<Self, Fault> {
        let all = Self::all();
        let found = all.iter().find(|q| q.name() == name);
        let found = found.or_else(|| all.iter().find(|q| q.other_names().contains(&name)));
        if let Some(found) = found {
            return Ok(*found);
        }
        if let Some(function) = Function::from_name(name) {
            let spec = function.spec();
            if function.is_second_order() {
                return Err(Fault(format!(
                    "`{name}` is computed by loops over tables, and cannot be component of a fused function"
                )));
            }
            if function.is_by_parameters() {
                return Err(Fault(format!(
                    "`{name}` is by parameters at run time, and cannot be component of a fused function"
                )));
            }
            if spec.params.contains(&FEXT) {
                return Err(Fault(format!(
                    "external forces are an argument: write `fext` in the list, and `{}`",
                    spec.outputs[0].name
                )));
            }
            let results: Vec<&str> = spec.outputs.iter().map(|o| name_of(function, *o)).collect();
            return Err(Fault(format!(
                "`{name}` gives several results; name those that you want: {}",
                results.join(", ")
            )));
        }
        let names: Vec<&str> = all.iter().map(|q| q.name()).collect();
        let others: Vec<&str> = all.iter().flat_map(|q| q.other_names()).collect();
        match nearest(name, others.iter().chain(&names).copied()) {
            Some(near) => Err(unknown("quantity", name, &[near])),
            None => Err(unknown("quantity", name, &names)),
        }
    }

    /// Name of the quantity and of its default field.
    pub fn name(self) -> &'static str {
        name_of(self.function, self.output)
    }

    /// Aliases: the name of a function with no other output, and its names in Pinocchio.
    pub fn other_names(self) -> Vec<&'static str> {
        let spec = self.function.spec();
        let mut names = if self.output == M { vec!["M"] } else { Vec::new() };
        if spec.result.is_none() {
            names.extend([spec.name].into_iter().chain(spec.aliases.iter().copied()));
        }
        names.dedup();
        names.retain(|name| *name != self.name());
        names
    }

    /// Output in the table.
    pub fn output(self) -> Output {
        self.output
    }

    /// True for a quantity of a frame.
    pub fn is_of_frame(self) -> bool {
        self.function.is_of_frame()
    }

    /// True for a quantity of a frame that depends on the reference frame.
    pub fn has_reference(self) -> bool {
        self.function.has_reference()
    }

    /// True if external forces enter its equation.
    pub fn has_form_under_forces(self) -> bool {
        under_forces(self.function).is_some()
    }

    /// Functions that compute it, with the output of each, in the table's order.
    pub fn sources(self) -> Vec<(Function, Output)> {
        outputs().filter(|(f, o)| name_of(*f, *o) == self.name()).collect()
    }

    /// Outputs of other functions that are equal but have another name.
    pub(super) fn equal_sources(self) -> Vec<(Function, Output)> {
        let equal = EQUAL.iter().filter(|(own, _)| *own == self.output).map(|(_, other)| *other);
        equal.flat_map(|other| outputs().filter(move |(_, o)| *o == other)).collect()
    }
}

/// Returns the function under external forces.
pub(super) fn under_forces(function: Function) -> Option<Function> {
    use Function as F;
    match function {
        F::Rnea => Some(F::RneaFext),
        F::Aba => Some(F::AbaFext),
        F::RneaDerivatives => Some(F::RneaDerivativesFext),
        F::AbaDerivatives => Some(F::AbaDerivativesFext),
        _ => None,
    }
}
