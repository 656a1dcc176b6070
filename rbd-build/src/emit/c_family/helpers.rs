//! Text of functions, and the helpers that it calls: fixed text, which stands above it.

use std::collections::BTreeSet;
use std::fmt;

/// Fixed text that functions call. Whoever writes a call asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// Root of a sum of squares: `RBD_HYPOT`.
    Hypot,
    /// Sines and cosines: `ROBOT_sin_cos`.
    Sines,
    /// Product `-a x`.
    NegativeProduct,
    /// Product `g d g^T`.
    GramProduct,
    /// Hessian of forward dynamics from first derivatives and the Hessian of torques.
    AbaHessian,
    /// Loops over tables for a function of this name.
    Loops(&'static str),
}

/// Text, and the helpers that it calls.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Helpers that it calls.
    pub helpers: BTreeSet<Helper>,
}

impl Written {
    /// Asks for a helper.
    pub fn needs(&mut self, helper: Helper) {
        self.helpers.insert(helper);
    }

    /// Appends another text, with its helpers.
    pub fn push(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.helpers.extend(other.helpers);
    }
}

/// Text that calls no helper.
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
