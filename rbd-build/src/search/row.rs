//! Subject of a plan: a function of the table, or one that a user fused of several.

use crate::algorithms::strategy::Strategy;
use crate::signatures::signature::{Output, Param, Signature};
use crate::table::functions::{Function, Spec};
use crate::table::routines::Way;
use std::borrow::Cow;
use std::fmt::Debug;

/// A row: name, parameters, results, and how it is computed.
pub trait Row: Clone + Debug {
    /// Strategy of the computation, or one for each component.
    type Strategy: Clone + Debug;

    /// Parameters, in order.
    fn params(&self) -> &[Param];
    /// Results, in order.
    fn outputs(&self) -> Cow<'_, [Output]>;
    /// Name, parameters and results.
    fn signature(&self) -> Signature;

    /// True if kernels may read this parameter.
    fn may_read(&self, param: Param) -> bool {
        self.params().contains(&param)
    }
    /// True if it may be composed of so many other functions' results in this way.
    fn is_composed(&self, _: Way, _: usize) -> bool {
        false
    }
}

impl Row for Function {
    type Strategy = Strategy;

    fn params(&self) -> &[Param] {
        self.spec().params
    }
    fn outputs(&self) -> Cow<'_, [Output]> {
        Cow::Borrowed(self.spec().outputs)
    }
    fn signature(&self) -> Signature {
        let Spec { name, params, outputs, result, .. } = *self.spec();
        let result = result.map(str::to_owned);
        Signature { name: name.into(), params: params.to_vec(), outputs: outputs.to_vec(), result }
    }
    // Kernels of the function under external forces run with zero forces. Inertias and gravity of some robots
    // are given at run time.
    fn may_read(&self, _: Param) -> bool {
        true
    }
    fn is_composed(&self, way: Way, of: usize) -> bool {
        way == Way::of(*self, of)
    }
}
