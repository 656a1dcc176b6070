//! Text of functions with its helpers: fixed text that is emitted above the functions.

use std::collections::BTreeSet;
use std::fmt;

/// Fixed text that functions call. Code that emits a call also requests the helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// Square root of a sum of squares: `RBD_HYPOT`.
    Hypot,
    /// Sines and cosines: `ROBOT_sin_cos`.
    Sines,
    /// Product `-a x`.
    NegativeProduct,
    /// Product `g d g^T`.
    GramProduct,
    /// Hessian of forward dynamics from first derivatives and the Hessian of torques.
    AbaHessian,
    /// Checks of structural zeros that are left alone.
    Zeros,
    /// Loops over tables for the named function.
    Loops(&'static str),
}

/// Text with the helpers that it calls.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Helpers called in the text.
    pub helpers: BTreeSet<Helper>,
}

impl Written {
    /// Requests a helper.
    pub fn needs(&mut self, helper: Helper) {
        self.helpers.insert(helper);
    }

    /// Appends another text, with its helpers.
    pub fn push(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.helpers.extend(other.helpers);
    }
}

/// Text without helpers.
impl From<String> for Written {
    fn from(text: String) -> Self {
        Self { text, helpers: BTreeSet::new() }
    }
}

impl fmt::Write for Written {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}
