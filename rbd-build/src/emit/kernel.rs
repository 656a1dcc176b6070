//! The straight-line body of one function, in Rust.

use crate::function::{Formulation, Output, Traced};
use crate::functions::Function;
use crate::graph::{Id, Node, Nodes, Value};
use crate::passes::{Operation, Program, Statement};
use crate::products::{DIAGONAL, Product, ProductKind, RowBlock, SCRATCH};
use crate::signature::{Kind, Param};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Scopes inside of one another that no compiler minds.
const SCOPES: usize = 200;
/// Variables that are declared together where there are more.
const BLOCK: usize = 50;

/// Statements that read `q`, `v`, ... and write the result.
pub struct Kernel<'a> {
    traced: &'a Traced,
    /// The function that this is a stage of, if it has several.
    function: Function,
    program: Program,
    /// The nodes that results depend on, in order.
    live: Vec<Id>,
    /// Angles whose sines and cosines are taken, in order.
    angles: Vec<Id>,
}

impl<'a> Kernel<'a> {
    /// The kernel of one stage of a function, whose result it writes.
    pub fn new(function: Function, traced: &'a Traced) -> Self {
        let outputs: Vec<Value> = traced.values().collect();
        let program = Program::new(&traced.nodes, outputs.iter().copied());
        let is_live = traced.nodes.live(outputs);
        let live: Vec<Id> = (0..traced.nodes.len() as Id).filter(|&id| is_live[id as usize]).collect();
        let mut angles = BTreeSet::new();
        for &id in &live {
            if let Node::Sin(a) | Node::Cos(a) = traced.nodes.node(id) {
                angles.insert(a);
            }
        }
        Self { traced, function, program, live, angles: angles.into_iter().collect() }
    }

    /// The body as Rust statements; results go to the fields (or the whole) of `out`.
    pub fn body(&self) -> String {
        let mut text = String::new();
        self.inputs(&mut text);
        self.destinations(&mut text);
        let early = self.needed_by_angles();
        let (before, after): (Vec<&Statement>, Vec<&Statement>) =
            self.program.statements.iter().partition(|s| early[s.id as usize]);
        self.statements(&mut text, &before, &mut []);
        self.sines_and_cosines(&mut text);
        let mut stores = self.stores(&mut text);
        self.statements(&mut text, &after, &mut stores);
        for store in stores.into_iter().flatten() {
            text.push_str(&store);
        }
        for product in &self.traced.products {
            self.product(&mut text, product);
        }
        text
    }

    /// A product by loops that know the tree's zeros.
    fn product(&self, text: &mut String, product: &Product) {
        let groups: Vec<String> = product
            .groups
            .iter()
            .map(|group| {
                let block =
                    |b: &RowBlock| format!("rt::RowBlock {{ rows: {:?}, terms: &{:?} }}", b.rows, b.terms);
                let blocks: Vec<String> = group.blocks.iter().map(block).collect();
                format!(
                    "rt::ColumnGroup {{ columns: {:?}, blocks: &[{}] }}",
                    group.columns,
                    blocks.join(", ")
                )
            })
            .collect();
        let borrow = if self.function.spec().result.is_some() { "&mut " } else { "" };
        let result = format!("recast.matrix_mut({borrow}{})", self.result(product.result));
        let (name, factors) = match product.kind {
            ProductKind::Negative => {
                ("NegativeProduct", format!("a: recast.matrix(&{}), x: {result}", self.result(product.a)))
            }
            ProductKind::Gram => {
                let g = match self.scratch() {
                    None => format!("&{SCRATCH}"),
                    Some(place) => format!("recast.matrix(&{place})"),
                };
                ("GramProduct", format!("g: {g}, d: &{DIAGONAL}, out: {result}"))
            }
        };
        let _ = writeln!(text, "S::dispatch(rt::{name} {{ {factors}, groups: &[{}] }});", groups.join(", "));
    }

    pub(super) fn nodes(&self) -> &'a Nodes {
        &self.traced.nodes
    }

    /// Angles whose sines and cosines are taken, in order.
    pub(super) fn angles(&self) -> &[Id] {
        &self.angles
    }

    /// What results depend on, in order.
    pub(super) fn live_nodes(&self) -> impl Iterator<Item = Node> {
        self.live.iter().map(|&id| self.nodes().node(id))
    }

    /// Names for the inputs that are used, by patterns: no index, nothing that could panic.
    fn inputs(&self, text: &mut String) {
        for (array, argument) in self.traced.function.spec().params.iter().enumerate() {
            let used: BTreeSet<u32> = self
                .live_nodes()
                .filter_map(|node| match node {
                    Node::Input { array: a, index } if usize::from(a) == array => Some(index),
                    _ => None,
                })
                .collect();
            let name = argument.name;
            if used.is_empty() {
                let _ = writeln!(text, "let _ = {name};");
                continue;
            }
            // SVector's storage is `[[T; N]; 1]`; forces are one such a body.
            let elements: Vec<String> = used.iter().map(|k| self.input(array, *k)).collect();
            let places: Vec<String> = used.iter().map(|k| place(*argument, *k)).collect();
            let _ = writeln!(text, "let [{}] = [{}];", elements.join(", "), places.join(", "));
        }
    }

    fn input(&self, array: usize, index: u32) -> String {
        let argument = self.traced.function.spec().params[array];
        match argument.kind {
            Kind::Forces => format!("f{}_{}", index / 6, index % 6),
            _ => format!("{}{index}", argument.name),
        }
    }

    fn destinations(&self, text: &mut String) {
        for output in &self.traced.outputs {
            let (name, rows, columns) = (destination(output), output.rows, output.columns);
            let scratch = self.scratch();
            if output.name == DIAGONAL || output.name == SCRATCH && scratch.is_none() {
                let own = output.name;
                let _ = writeln!(text, "let mut {own} = rt::zeros::<S, {rows}, {columns}>();");
                let _ = writeln!(text, "let {name} = &mut {own}.data.0;");
                continue;
            }
            // The second factor of a product stands where that will be.
            let product = self.traced.products.iter().find(|p| p.x == output.name);
            let result = self.result(product.map_or(output.name, |p| p.result));
            let place = scratch.filter(|_| output.name == SCRATCH).unwrap_or(result);
            // A vector or matrix that is the whole result is behind a reference already.
            let borrow = if self.function.spec().result.is_some() { "&mut " } else { "" };
            let _ = writeln!(text, "let {name} = &mut recast.matrix_mut({borrow}{place}).data.0;");
            if self.filled(output) {
                let _ = writeln!(text, "*{name} = [[k(0.0); {rows}]; {columns}];");
            }
        }
    }

    /// Where the scratch matrix is, if it is among the results: the first of two stages has it where the second will
    /// write.
    fn scratch(&self) -> Option<String> {
        (self.traced.formulation == Formulation::Stages).then(|| self.result("ddq_dq"))
    }

    /// Whether an output has so many zeros that it is zeroed first.
    fn filled(&self, output: &Output) -> bool {
        if output.name == SCRATCH && self.scratch().is_none() {
            return true;
        }
        let zeros =
            output.values.iter().enumerate().filter(|(k, v)| v.is_zero() && self.needed(output, *k)).count();
        zeros * 2 > output.values.len()
    }

    /// Whether the `k`-th number of an output has to be written even where it is zero.
    fn needed(&self, output: &Output, k: usize) -> bool {
        let place = (k % output.rows, k / output.rows);
        let mut products =
            self.traced.products.iter().filter(|p| [p.a, p.x].contains(&output.name)).peekable();
        products.peek().is_none() || products.any(|p| p.needs(output.name, place))
    }

    /// Where the function's result of this name is.
    fn result(&self, name: &str) -> String {
        if self.function.spec().result.is_some() { format!("self.out.{name}") } else { "self.out".into() }
    }

    fn needed_by_angles(&self) -> Vec<bool> {
        let values = self.angles.iter().map(|&id| Value::Node { id, negated: false });
        self.nodes().live(values)
    }

    /// Stores by the node that they wait for; those of constants are written at once.
    fn stores(&self, text: &mut String) -> Vec<Vec<String>> {
        let mut stores = vec![Vec::new(); self.nodes().len()];
        for output in &self.traced.outputs {
            let filled = self.filled(output);
            for (k, value) in output.values.iter().enumerate() {
                let (column, row) = (k / output.rows, k % output.rows);
                if value.is_zero() && (filled || !self.needed(output, k)) {
                    continue;
                }
                let store = format!("{}[{column}][{row}] = {};\n", destination(output), self.value(*value));
                match value {
                    Value::Const(_) => text.push_str(&store),
                    Value::Node { id, .. } => stores[*id as usize].push(store),
                }
            }
        }
        stores
    }

    /// Statements, each followed by the stores that wait for it: so few values are alive at a time.
    ///
    /// A `let` opens a scope inside of the one before. The compiler descends through these scopes when it
    /// writes debugging information, and some ten thousand of them are more than its stack can hold. So
    /// where there are many, they are declared a block at a time.
    fn statements(&self, text: &mut String, statements: &[&Statement], stores: &mut [Vec<String>]) {
        let many = self.program.len() > SCOPES;
        for block in statements.chunks(BLOCK) {
            if many {
                let names: String = block.iter().map(|s| format!("x{},", s.id)).collect();
                let _ = writeln!(text, "let ({names});");
            }
            for s in block {
                let declare = if many { "" } else { "let " };
                let _ = writeln!(text, "{declare}x{} = {};", s.id, self.expression(s));
                for store in stores.get_mut(s.id as usize).into_iter().flat_map(|s| s.drain(..)) {
                    text.push_str(&store);
                }
            }
        }
    }

    fn expression(&self, s: &Statement) -> String {
        let lanes = self.nodes().lanes(s.id);
        let of = |id: Id| self.operand_in(id, lanes);
        let gathered = |slot| {
            let scalars: Vec<String> = self.nodes().gather(slot).iter().map(|v| self.value(*v)).collect();
            scalars.join(", ")
        };
        match s.operation {
            Operation::Plain(Node::Add(a, b)) => format!("{} + {}", of(a), of(b)),
            Operation::Plain(Node::Sub(a, b)) => format!("{} - {}", of(a), of(b)),
            Operation::Plain(Node::Mul(a, b)) => format!("{} * {}", of(a), of(b)),
            Operation::Plain(Node::Recip(a)) if lanes > 1 => format!("{}.recip()", of(a)),
            Operation::Plain(Node::Recip(a)) => format!("k(1.0) / {}", of(a)),
            Operation::Plain(Node::Gather(slot)) => format!("S::X{lanes}::gather([{}])", gathered(slot)),
            Operation::Plain(Node::HorizontalSum(a)) => format!("{}.sum()", self.operand(a)),
            Operation::Plain(Node::Lane(a, lane)) => format!("{}.lanes()[{lane}]", self.operand(a)),
            Operation::Plain(node) => unreachable!("{node:?} is written where it is used"),
            Operation::MulAdd { a, b, c, negate_product, negate_addend } => {
                let sign = |negate| if negate { "-" } else { "" };
                let register = if lanes > 1 { format!("S::X{lanes}") } else { "S".into() };
                format!(
                    "{register}::mul_add({}{}, {}, {}{})",
                    sign(negate_product),
                    of(a),
                    of(b),
                    sign(negate_addend),
                    of(c)
                )
            }
        }
    }

    fn value(&self, value: Value) -> String {
        match value {
            Value::Const(x) => constant(x),
            Value::Node { id, negated } => format!("{}{}", if negated { "-" } else { "" }, self.operand(id)),
        }
    }

    /// An operand of an operation on so many lanes: a scalar is broadcast.
    fn operand_in(&self, id: Id, lanes: u8) -> String {
        let operand = self.operand(id);
        if lanes > 1 && self.nodes().lanes(id) == 1 {
            format!("S::X{lanes}::splat({operand})")
        } else {
            operand
        }
    }

    pub(super) fn operand(&self, id: Id) -> String {
        let angle = |a: Id| self.angles.binary_search(&a).unwrap_or_default();
        match self.nodes().node(id) {
            Node::Const(bits) => constant(f64::from_bits(bits)),
            Node::LaneConst(slot) => {
                format!("S::X{}::constant({:?})", self.nodes().lanes(id), self.nodes().lane_constant(slot))
            }
            Node::Input { array, index } => self.input(usize::from(array), index),
            Node::Sin(a) => format!("s{}", angle(a)),
            Node::Cos(a) => format!("c{}", angle(a)),
            _ => format!("x{id}"),
        }
    }
}

/// Where a parameter's `index`-th number is.
fn place(param: Param, index: u32) -> String {
    match param.kind {
        Kind::Forces => format!("{}[{}].data.0[0][{}]", param.name, index / 6, index % 6),
        _ => format!("{}.data.0[0][{index}]", param.name),
    }
}

fn destination(output: &Output) -> String {
    format!("to_{}", output.name)
}

pub(super) fn constant(x: f64) -> String {
    format!("k({x:?})")
}
