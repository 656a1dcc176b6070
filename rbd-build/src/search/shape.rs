//! Shapes of code, and those that a user asks for.

use crate::table::functions::Function;
use std::collections::BTreeMap;

/// The shape of the code that computes a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// A straight line of arithmetic, specialised for the robot.
    Straight,
    /// A straight line with limbs of equal shape side by side in registers, if there are any.
    Limbs,
    /// Constants of the robot for loops that all robots share.
    Loops,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 3] = [Self::Straight, Self::Limbs, Self::Loops];

    /// Name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Limbs => "limbs",
            Self::Loops => "loops",
        }
    }

    /// The shape of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// The shapes that are asked for: of single functions, and of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// Shape of functions without one of their own.
    pub of_all: Option<Shape>,
    /// Shapes of single functions.
    pub of: BTreeMap<Function, Shape>,
}

impl Shapes {
    /// Shape that is requested for this function; `None` for the cheapest.
    pub fn of(&self, function: Function) -> Option<Shape> {
        self.of.get(&function).copied().or(self.of_all)
    }
}
