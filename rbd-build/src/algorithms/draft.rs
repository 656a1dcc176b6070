//! What an algorithm is asked for: the arrays of one kernel, what it stores in them, and products on them.

use super::Array;
use crate::calls::Call;
use crate::frames::FrameAt;
use crate::kernel::{ArrayDecl, ArrayId, Role};
use crate::plan::Wire;
use crate::products::Product;
use crate::signature::{Output, Param, Sizes};
use crate::strategy::Strategy;

/// A kernel in the making. Arrays are numbered in the order in which they are asked for.
pub struct Draft<'g> {
    /// The way in which the function is computed.
    pub strategy: Strategy,
    /// Which of its stages this is.
    pub stage: usize,
    /// The frame that the function is of, if it is of one.
    pub frame: Option<FrameAt>,
    sizes: Sizes,
    params: &'static [Param],
    /// What is declared.
    pub arrays: Vec<ArrayDecl>,
    /// Where each array is.
    pub wires: Vec<Wire>,
    /// What the graph gives.
    pub entries: Vec<(ArrayId, Array<'g>)>,
    /// What is left to the runtime's loops after it.
    pub calls: Vec<Call>,
    /// Products by loops after that.
    pub products: Vec<Product>,
}

impl<'g> Draft<'g> {
    /// A kernel of a function with these parameters; nothing is declared.
    pub fn new(sizes: Sizes, params: &'static [Param], strategy: Strategy, stage: usize) -> Self {
        let (arrays, wires, entries) = (Vec::new(), Vec::new(), Vec::new());
        let (calls, products) = (Vec::new(), Vec::new());
        Self { strategy, stage, frame: None, sizes, params, arrays, wires, entries, calls, products }
    }

    /// The input that is one of the function's parameters, which it has.
    pub fn param(&mut self, param: Param) -> ArrayId {
        self.optional(param).expect("the function takes it")
    }

    /// The input that is one of the function's parameters, if it has that.
    pub fn optional(&mut self, param: Param) -> Option<ArrayId> {
        self.params.contains(&param).then(|| {
            self.declare(param.name, param.kind.shape().extent(self.sizes), Role::In, Wire::Param(param))
        })
    }

    /// The input that is given at run time beside the function's parameters.
    pub fn given(&mut self, param: Param) -> ArrayId {
        self.declare(param.name, param.kind.shape().extent(self.sizes), Role::In, Wire::Param(param))
    }

    /// The input that is a result of an earlier stage, under a name of this kernel's own.
    pub fn earlier(&mut self, name: &'static str, output: Output) -> ArrayId {
        self.declare(name, output.shape.extent(self.sizes), Role::In, Wire::Output(output))
    }

    /// A result.
    pub fn give(&mut self, output: Output, entries: Array<'g>) -> ArrayId {
        self.give_named(output.name, output, entries)
    }

    /// A result that a product makes of these entries in their place, and what they are called.
    pub fn give_named(&mut self, name: &'static str, output: Output, entries: Array<'g>) -> ArrayId {
        let id = self.make(name, output);
        self.entries.push((id, entries));
        id
    }

    /// A result that a product makes.
    pub fn make(&mut self, name: &'static str, output: Output) -> ArrayId {
        self.declare(name, output.shape.extent(self.sizes), Role::Out, Wire::Output(output))
    }

    /// What is given for a product's sake: in the memory of a later stage's result, or in memory of the kernel's own.
    pub fn keep(&mut self, name: &'static str, lent: Option<Output>, entries: Array<'g>) -> ArrayId {
        let id = self.memory(name, lent, (entries.rows(), entries.columns()));
        self.entries.push((id, entries));
        id
    }

    /// Memory for loops: that of a later stage's result, or the kernel's own.
    pub fn memory(&mut self, name: &'static str, lent: Option<Output>, extent: (usize, usize)) -> ArrayId {
        let (role, wire) = match lent {
            Some(output) => (Role::Lent, Wire::Output(output)),
            None => (Role::Scratch, Wire::Own),
        };
        self.declare(name, extent, role, wire)
    }

    fn declare(
        &mut self,
        name: &'static str,
        (rows, columns): (usize, usize),
        role: Role,
        wire: Wire,
    ) -> ArrayId {
        let id = ArrayId(self.arrays.len() as u16);
        self.arrays.push(ArrayDecl { name, rows, columns, role });
        self.wires.push(wire);
        id
    }
}
