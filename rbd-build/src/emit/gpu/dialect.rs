//! Kernels for GPUs. Arrays hold many states with a stride between entries, and each result is an array.

use super::{Writer, product};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::spelling::Real;
use crate::emit::c_family::{self, Dialect};
use crate::search::plan::{Version, Wire};
use crate::signatures::signature::{Output, Param};
use rbd_ir::calls::Call;
use rbd_ir::products::Product;

/// Body of a kernel for GPUs.
pub type Body<'a> = c_family::Body<'a, Writer<'a>>;

impl<'a> Writer<'a> {
    /// Body of a kernel.
    pub(super) fn body(&self, version: &'a Version) -> Body<'a> {
        Body::new(*self, version)
    }
}

impl Dialect for Writer<'_> {
    const ZEROES_OWN: bool = false;

    /// None. The front end of nvcc tries to compute constants when it reads them, through the constants
    /// that they are made of. Its time grows exponentially: nvcc 13.0 did not end on a quadruped's `aba`,
    /// and takes a second without.
    const CONSTANT: &'static str = "";

    fn prefix(&self) -> &str {
        self.prefix
    }

    fn real(&self) -> Real {
        self.real
    }

    fn param(&self, param: Param) -> String {
        param.name.into()
    }

    fn output(&self, output: Output) -> String {
        output.name.into()
    }

    fn entry(&self, wire: Wire, array: &str, index: &str) -> String {
        match wire {
            Wire::Param(param) if param.kind.is_given() => format!("RBD_OF_SET({array}, {index})"),
            _ => format!("RBD_AT({array}, {index})"),
        }
    }

    fn product(&self, text: &mut Written, body: &Body<'_>, product: &Product) {
        let rows = body.decl(product.result()).rows;
        product::product(&mut text.text, self.real, product, rows, |array, index| {
            body.entry_at(array, index)
        });
    }

    fn call(&self, _: &mut Written, _: &Body<'_>, _: &Call) {
        unreachable!("GPUs have no loops over tables")
    }

    fn coordinates(&self, _: &Call) -> Vec<u32> {
        unreachable!("GPUs have no loops over tables")
    }
}
