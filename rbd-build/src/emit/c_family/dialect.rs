//! Differences between languages within a kernel.

use super::Body;
use super::helpers::Written;
use super::spelling::Real;
use crate::search::plan::Wire;
use crate::signatures::signature::{Output, Param};
use rbd_ir::calls::Call;
use rbd_ir::products::Product;

/// Spelling that differs between languages with the syntax of C, within a kernel.
pub trait Dialect: Sized {
    /// True if a kernel's own arrays are zeroed by their declaration.
    const ZEROES_OWN: bool;

    /// Text before the type of a value that is never changed.
    const CONSTANT: &'static str;

    /// Prefix of all names.
    fn prefix(&self) -> &str;

    /// Type of all numbers.
    fn real(&self) -> Real;

    /// Array of a parameter.
    fn param(&self, param: Param) -> String;

    /// Array of a result.
    fn output(&self, output: Output) -> String;

    /// Entry of a function's array, from the array's name and an index expression.
    fn entry(&self, wire: Wire, array: &str, index: &str) -> String;

    /// Writes a product of matrices.
    fn product(&self, text: &mut Written, body: &Body<'_, Self>, product: &Product);

    /// Writes a call of loops over tables.
    fn call(&self, text: &mut Written, body: &Body<'_, Self>, call: &Call);

    /// Coordinates whose sines and cosines a call reads.
    fn coordinates(&self, call: &Call) -> Vec<u32>;
}
