//! What of a robot generated functions take as an argument (docs/math.md#parameters-at-run-time).

use crate::spatial::Placement;
use alloc::string::String;
use alloc::vec::Vec;

/// What of a robot is given at run time; all else is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTime<T> {
    /// Inertias, in the order in which they are given.
    pub inertias: Vec<RunTimeInertia<T>>,
    /// Whether the gravitational acceleration is.
    pub gravity: bool,
}

/// An inertia that is given at run time: m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the origin of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTimeInertia<T> {
    /// The link or frame that it is called by.
    pub name: String,
    /// The body that it is part of.
    pub body: usize,
    /// Its frame in the body's joint frame.
    pub placement: Placement<T>,
    /// Whether it is all of the body's inertia, by default that of the model; otherwise it is a load, added to
    /// what the body has, and by default zero.
    pub whole: bool,
}

impl<T> RunTime<T> {
    /// Nothing: all is constant.
    pub const fn none() -> Self {
        Self { inertias: Vec::new(), gravity: false }
    }

    /// Whether nothing is given at run time.
    pub fn is_none(&self) -> bool {
        self.inertias.is_empty() && !self.gravity
    }

    /// The same with placements in another scalar.
    pub(super) fn map<S>(&self, placement: impl Fn(&Placement<T>) -> Placement<S>) -> RunTime<S> {
        let of = |i: &RunTimeInertia<T>| RunTimeInertia {
            name: i.name.clone(),
            body: i.body,
            placement: placement(&i.placement),
            whole: i.whole,
        };
        RunTime { inertias: self.inertias.iter().map(of).collect(), gravity: self.gravity }
    }
}
