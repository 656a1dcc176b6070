//! Functions of scalars and registers that a body calls.

/// Functions that may be bound to short names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScalarFunction {
    Constant,
    MulAdd,
    Splat,
    Gather,
    Lane,
    Sum,
}

impl ScalarFunction {
    pub(super) fn name(self, lanes: u8) -> String {
        let name = match self {
            Self::Constant => "k",
            Self::MulAdd => "fma",
            Self::Splat => "splat",
            Self::Gather => "gather",
            Self::Lane => "lane",
            Self::Sum => "sum",
        };
        if lanes > 1 { format!("{name}{lanes}") } else { name.into() }
    }

    pub(super) fn path(self, lanes: u8) -> String {
        let name = match self {
            Self::Constant if lanes == 1 => "from_f64",
            Self::Constant => "constant",
            Self::MulAdd => "mul_add",
            Self::Splat => "splat",
            Self::Gather => "gather",
            Self::Lane => "lane",
            Self::Sum => "sum",
        };
        let of = if lanes > 1 { format!("S::X{lanes}") } else { "S".into() };
        format!("{of}::{name}")
    }
}
