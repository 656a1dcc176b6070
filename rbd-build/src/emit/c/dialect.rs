//! Kernels in C: arguments and results of one state, several results in a struct.

use super::spell::table;
use super::{Writer, tables};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::spelling::Real;
use crate::emit::c_family::{self, Dialect, products};
use crate::search::plan::{Version, Wire};
use crate::signatures::signature::{Output, Param};
use rbd_ir::calls::Call;
use rbd_ir::products::{Product, ProductKind};
use std::fmt::Write;

/// Arrays of one state.
pub struct OneState<'a> {
    c: Writer<'a>,
    /// True if results are in a struct.
    in_struct: bool,
}

/// Body of a kernel in C.
pub type Body<'a> = c_family::Body<'a, OneState<'a>>;

impl<'a> Writer<'a> {
    /// Body of a kernel. With `in_struct`, its function has several results.
    pub(super) fn body(&self, in_struct: bool, version: &'a Version) -> Body<'a> {
        Body::new(OneState { c: *self, in_struct }, version)
    }
}

impl Dialect for OneState<'_> {
    /// Vector loops may read past the written entries.
    const ZEROES_OWN: bool = true;
    const CONSTANT: &'static str = "const ";

    fn prefix(&self) -> &str {
        self.c.prefix
    }

    fn real(&self) -> Real {
        self.c.real
    }

    fn param(&self, param: Param) -> String {
        if param.kind.is_given() { format!("parameters->{}", param.name) } else { param.name.into() }
    }

    fn output(&self, output: Output) -> String {
        if self.in_struct { format!("out->{}", output.name) } else { output.name.into() }
    }

    fn entry(&self, _: Wire, array: &str, index: &str) -> String {
        format!("{array}[{index}]")
    }

    /// Writes a product by loops, with a table of its terms.
    fn product(&self, text: &mut Written, body: &Body<'_>, product: &Product) {
        let numbers = products::numbers(&product.groups);
        if numbers.is_empty() {
            return;
        }
        let (kind, helper, arrays) = match product.kind {
            ProductKind::Negative { a, x } => ("negative", Helper::NegativeProduct, vec![a, x]),
            ProductKind::Gram { g, d, out } => ("gram", Helper::GramProduct, vec![g, d, out]),
        };
        text.needs(helper);
        let arrays: Vec<String> = arrays.into_iter().map(|array| body.array(array)).collect();
        let _ = writeln!(
            text,
            "{{\n    static const unsigned short terms[{}] = {{\n        {}}};\n    \
             {}_{kind}_product({}, terms, {});\n}}",
            numbers.len(),
            table(&numbers),
            self.c.prefix,
            arrays.join(", "),
            product.groups.len()
        );
    }

    fn call(&self, text: &mut Written, body: &Body<'_>, call: &Call) {
        tables::call(text, self.c.prefix, body, call);
    }

    fn coordinates(&self, call: &Call) -> Vec<u32> {
        call.robot().map(tables::coordinates).unwrap_or_default()
    }
}
