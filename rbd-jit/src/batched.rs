//! A function's code for states side by side.

use crate::Number;
use crate::blocks::Blocks;
use crate::code::Stages;
use crate::order::Order;

/// Code for states side by side.
#[derive(Debug)]
pub struct Batched<T> {
    /// The kernels' code; none of second derivatives, which join the results of others.
    pub stages: Stages<T>,
    /// Workspace size that the code needs, in numbers.
    work: usize,
    /// The entries of each argument, by blocks.
    pub inputs: Vec<Blocks>,
    /// The entries of each result, by blocks that are zero in every state and others.
    outputs: Vec<Blocks>,
    /// True for each entry of each result that can differ from zero.
    nonzero: Vec<Vec<bool>>,
}

impl<T: Number> Batched<T> {
    /// Code for this many states side by side, with a workspace of `work` numbers. `inputs` are the lengths
    /// of arguments for one state. `nonzero` marks the entries of results that can differ from zero.
    pub fn new(
        (stages, work): (Stages<T>, usize),
        states: usize,
        inputs: &[usize],
        nonzero: Vec<Vec<bool>>,
    ) -> Self {
        let numbered = |entries: &Vec<bool>| entries.iter().copied().enumerate().collect::<Vec<_>>();
        let inputs = inputs.iter().map(|length| Blocks::in_order::<T>(*length, states)).collect();
        let outputs = nonzero.iter().map(|entries| Blocks::new::<T>(&numbered(entries), states)).collect();
        Self { stages, work, inputs, outputs, nonzero }
    }

    /// Workspace size that the code needs, in numbers.
    pub fn work(&self) -> usize {
        self.work
    }

    /// The numbers of each result in this order, by blocks.
    pub fn outputs_in<'a>(&'a self, order: Option<&'a Order>, states: usize) -> &'a [Blocks] {
        order.map_or(&self.outputs, |order| order.blocks::<T>(&self.nonzero, states))
    }
}
