//! What a generated robot costs and where its zeros are: what the command `rbd report` shows.

use crate::config::Generated;
use crate::emit::function_text;
use crate::function::{Output, Traced};
use crate::functions::Function;
use crate::graph::{OperationCount, Value};
use crate::passes::Program;
use crate::products::Product;
use crate::tree::Rewrite;
use std::fmt;

/// What one generated function costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The function.
    pub function: Function,
    /// Its arithmetic before any product is fused with a sum.
    pub count: OperationCount,
    /// Instructions once products are fused with sums, sines and cosines apart.
    pub fused: usize,
    /// Bytes of the function's formatted text in the generated file, its documentation included.
    pub source_bytes: usize,
}

/// An entry of a matrix, as far as it is known when the robot is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Zero in every state.
    Zero,
    /// The same number in every state.
    Constant,
    /// A function of the state.
    Varies,
}

/// Which entries of a matrix are structurally zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The output's name, such as `dtau_dq`.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    entries: Vec<Entry>,
}

impl Pattern {
    /// The entry in this row and column, both from 0.
    ///
    /// # Panics
    /// Outside of the matrix.
    pub fn entry(&self, row: usize, column: usize) -> Entry {
        assert!(row < self.rows && column < self.columns, "({row}, {column}) is outside of {}", self.name);
        self.entries[column * self.rows + row]
    }

    /// How many entries are like this.
    pub fn count(&self, entry: Entry) -> usize {
        self.entries.iter().filter(|e| **e == entry).count()
    }

    fn of(output: &Output) -> Self {
        let entry = |value: &Value| match value {
            value if value.is_zero() => Entry::Zero,
            Value::Const(_) => Entry::Constant,
            Value::Node { .. } => Entry::Varies,
        };
        Self {
            name: output.name,
            rows: output.rows,
            columns: output.columns,
            entries: output.values.iter().map(entry).collect(),
        }
    }

    /// The pattern of a product with `other`, barring sums that happen to cancel.
    fn times(&self, other: &Self, product: &Product) -> Self {
        let entry = |row, column| {
            if !product.makes_column(column) {
                return other.entry(row, column);
            }
            let factors = |k| (self.entry(row, k), other.entry(k, column));
            let terms: Vec<_> = (0..self.columns)
                .map(factors)
                .filter(|(a, b)| *a != Entry::Zero && *b != Entry::Zero)
                .collect();
            match terms[..] {
                [] => Entry::Zero,
                _ if terms.iter().all(|t| *t == (Entry::Constant, Entry::Constant)) => Entry::Constant,
                _ => Entry::Varies,
            }
        };
        let entries = (0..other.columns).flat_map(|c| (0..self.rows).map(move |r| (r, c)));
        Self {
            name: product.result,
            rows: self.rows,
            columns: other.columns,
            entries: entries.map(|(r, c)| entry(r, c)).collect(),
        }
    }
}

impl Traced {
    /// Instructions of the arithmetic once products are fused with sums; sines and cosines are not among them.
    pub fn fused(&self) -> usize {
        let of_stage = |stage: &Self| {
            let straight = Program::new(&stage.nodes, stage.values().collect::<Vec<_>>()).len();
            // Each term of a product is fused with a sum.
            straight + stage.products.iter().map(|p| p.count().muls).sum::<usize>()
        };
        self.stages().map(of_stage).sum()
    }

    /// The zeros of the function's result of this name, such as `dtau_dq`.
    pub fn pattern(&self, name: &str) -> Option<Pattern> {
        let product = self.stages().flat_map(|s| &s.products).find(|p| p.result == name);
        match product {
            Some(p) => Some(self.pattern(p.a)?.times(&self.output(p.x)?, p)),
            None => self.output(name),
        }
    }

    fn output(&self, name: &str) -> Option<Pattern> {
        self.stages().flat_map(|s| &s.outputs).find(|o| o.name == name).map(Pattern::of)
    }
}

impl Generated {
    /// What each function costs, in the order of [`Function::ALL`].
    pub fn costs(&self) -> Vec<Cost> {
        let cost = |traced: &Traced| Cost {
            function: traced.function,
            count: traced.count(),
            fused: traced.fused(),
            source_bytes: self.source_bytes(traced),
        };
        self.functions.iter().map(cost).collect()
    }

    /// The zeros of the first result of this name that a generated function has, such as `m` or `ddq_dq`.
    pub fn pattern(&self, name: &str) -> Option<Pattern> {
        self.functions.iter().find_map(|f| f.pattern(name))
    }

    fn source_bytes(&self, traced: &Traced) -> usize {
        // Formatted inside a block, as it stands in the file: indentation counts.
        let formatted = |items: &str| {
            let text = format!("const _: () = {{\n{items}}};");
            prettyplease::unparse(&syn::parse_file(&text).expect("the emitter writes Rust")).len()
        };
        formatted(&function_text(self.type_name(), &self.model, traced)) - formatted("")
    }
}

impl fmt::Display for Rewrite {
    /// Such as `re-aligned, 7 of 7 regrouped`: frames are turned, and inertia moves towards the root.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let regrouped = self.bodies.iter().filter(|b| b.share.is_some()).count();
        match (self.realign, regrouped) {
            (false, 0) => f.write_str("as in the URDF"),
            (true, 0) => f.write_str("re-aligned"),
            (false, n) => write!(f, "{n} of {} regrouped", self.bodies.len()),
            (true, n) => write!(f, "re-aligned, {n} of {} regrouped", self.bodies.len()),
        }
    }
}
