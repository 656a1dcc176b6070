//! Interface of an algorithm to the kernel that it builds: arrays, stored entries, and products on
//! them.

use super::ExprMatrix;
use super::rnea::Gyroscopic;
use crate::algorithms::strategy::Strategy;
use crate::names::interned;
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{Output, Param, Sizes};
use rbd_ir::calls::Call;
use rbd_ir::kernel::{ArrayDecl, ArrayId, Role};
use rbd_ir::products::Product;

/// Place of a kernel's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A parameter of the function.
    Param(Param),
    /// A result of the function. By its role the kernel writes it, reads it, or borrows its memory.
    /// A kernel reads what an earlier kernel wrote, and borrows memory that a later kernel fills.
    Output(Output),
    /// Memory of the kernel alone.
    Own,
}

/// A kernel under construction. Arrays are numbered in the order of their declaration.
pub struct Draft<'g> {
    /// Strategy by which the function is computed.
    pub strategy: Strategy,
    /// Stage of the strategy.
    pub stage: usize,
    /// The frame that the function is of, if it is of one.
    pub frame: Option<FrameAt>,
    /// Form of `v x* I v` for functions that do not prescribe it.
    pub gyroscopic: Gyroscopic,
    /// True if the Jacobian of the centre of mass is taken from the centroidal momentum matrix.
    pub by_momentum: bool,
    /// Requested results, each with its counterpart in the fused function. All results if `None`.
    asked: Option<Vec<(Output, Output)>>,
    sizes: Sizes,
    params: &'static [Param],
    /// Declared arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Source or destination of each array.
    pub wires: Vec<Wire>,
    /// Entries that the graph computes.
    pub entries: Vec<(ArrayId, ExprMatrix<'g>)>,
    /// Loops of the runtime to run after the graph.
    pub calls: Vec<Call>,
    /// Products by loops after that.
    pub products: Vec<Product>,
}

impl<'g> Draft<'g> {
    /// An empty kernel of a function with these parameters.
    pub fn new(sizes: Sizes, params: &'static [Param], strategy: Strategy, stage: usize) -> Self {
        let (arrays, wires, entries) = (Vec::new(), Vec::new(), Vec::new());
        let (calls, products) = (Vec::new(), Vec::new());
        Self {
            strategy,
            stage,
            frame: None,
            gyroscopic: Gyroscopic::Cross,
            by_momentum: false,
            asked: None,
            sizes,
            params,
            arrays,
            wires,
            entries,
            calls,
            products,
        }
    }

    /// Starts the next part of a fused function, which shares inputs and graph with the parts
    /// before.
    pub fn begin(
        &mut self,
        params: &'static [Param],
        frame: Option<FrameAt>,
        strategy: Strategy,
        asked: &[(Output, Output)],
    ) {
        (self.params, self.frame, self.strategy) = (params, frame, strategy);
        self.asked = Some(asked.to_vec());
    }

    /// The robot's sizes.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// An input, which is declared once.
    pub fn input(&mut self, param: Param) -> ArrayId {
        let known = self.wires.iter().position(|wire| *wire == Wire::Param(param));
        known.map_or_else(
            || self.declare(param.name, param.kind.shape().extent(self.sizes), Role::In, Wire::Param(param)),
            |k| ArrayId(k as u16),
        )
    }

    /// Input for one of the function's parameters, which must exist.
    pub fn param(&mut self, param: Param) -> ArrayId {
        self.optional(param).expect("the function takes it")
    }

    /// The input that is one of the function's parameters, if it has that.
    pub fn optional(&mut self, param: Param) -> Option<ArrayId> {
        self.params.contains(&param).then(|| self.input(param))
    }

    /// Input for a value that is given at run time in addition to the function's parameters.
    pub fn given(&mut self, param: Param) -> ArrayId {
        self.declare(param.name, param.kind.shape().extent(self.sizes), Role::In, Wire::Param(param))
    }

    /// The input that is a result of an earlier stage, under a name of this kernel's own.
    pub fn earlier(&mut self, name: &'static str, output: Output) -> ArrayId {
        self.declare(name, output.shape.extent(self.sizes), Role::In, Wire::Output(output))
    }

    /// A result.
    pub fn give(&mut self, output: Output, entries: ExprMatrix<'g>) -> ArrayId {
        self.give_named(output.name, output, entries)
    }

    /// A result that a product computes in place from these entries; `name` is the entries' name.
    pub fn give_named(&mut self, name: &'static str, output: Output, entries: ExprMatrix<'g>) -> ArrayId {
        let id = self.make(name, output);
        self.entries.push((id, entries));
        id
    }

    /// A result that a product makes.
    pub fn make(&mut self, name: &'static str, output: Output) -> ArrayId {
        let extent = output.shape.extent(self.sizes);
        let Some(asked) = &self.asked else {
            return self.declare(name, extent, Role::Out, Wire::Output(output));
        };
        match asked.iter().find(|(own, _)| *own == output).map(|(_, result)| *result) {
            Some(result) => self.declare(result.name, extent, Role::Out, Wire::Output(result)),
            None => self.memory(name, None, extent),
        }
    }

    /// Entries stored for a product, in the memory of a later stage's result or in the kernel's own
    /// memory.
    pub fn keep(&mut self, name: &'static str, lent: Option<Output>, entries: ExprMatrix<'g>) -> ArrayId {
        let id = self.memory(name, lent, (entries.rows(), entries.columns()));
        self.entries.push((id, entries));
        id
    }

    /// Memory for loops: that of a later stage's result, or the kernel's own.
    pub fn memory(&mut self, name: &'static str, lent: Option<Output>, extent: (usize, usize)) -> ArrayId {
        if self.asked.is_some() {
            // Several parts may have such an array, and users choose the names of results.
            let name = interned(&format!("own{}_{name}", self.arrays.len()));
            return self.declare(name, extent, Role::Scratch, Wire::Own);
        }
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

    /// Without the arrays, calls and products that no result is made from. Inputs come first, and
    /// keep their numbers.
    #[must_use]
    pub fn without_what_is_not_asked_for(mut self) -> Self {
        let mut live: Vec<bool> =
            self.arrays.iter().map(|a| matches!(a.role, Role::In | Role::Out)).collect();
        let mut keep = |results: &[ArrayId], all: &[ArrayId]| {
            let kept = results.iter().any(|id| live[id.index()]);
            all.iter().filter(|_| kept).for_each(|id| live[id.index()] = true);
            kept
        };
        // Later calls may read earlier results: products come after calls.
        let mut products = self.products;
        products.reverse();
        products.retain(|product| keep(&[product.result()], &product.factors()));
        products.reverse();
        let mut calls = self.calls;
        calls.reverse();
        calls.retain(|call| {
            let all: Vec<ArrayId> = call.arrays().collect();
            keep(&call.results, &all)
        });
        calls.reverse();
        let mut next = 0;
        let numbers: Vec<u16> = live
            .iter()
            .map(|live| {
                next += u16::from(*live);
                next.wrapping_sub(1)
            })
            .collect();
        let to = |id: ArrayId| ArrayId(numbers[id.index()]);
        self.products = products.into_iter().map(|product| product.renumbered(to)).collect();
        self.calls = calls.into_iter().map(|call| call.renumbered(to)).collect();
        self.entries.retain(|(id, _)| live[id.index()]);
        self.entries.iter_mut().for_each(|(id, _)| *id = to(*id));
        let mut kept = live.iter();
        self.arrays.retain(|_| kept.next() == Some(&true));
        let mut kept = live.iter();
        self.wires.retain(|_| kept.next() == Some(&true));
        self
    }
}
