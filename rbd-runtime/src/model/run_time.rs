//! Parameters that generated functions take as an argument (docs/math.md#parameters-at-run-time).

use crate::spatial::Placement;
use alloc::string::String;
use alloc::vec::Vec;

/// Parameters of a robot that are given at run time. Everything else is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTime<T> {
    /// Inertias that are given at run time, in their order.
    pub inertias: Vec<RunTimeInertia<T>>,
    /// True if the gravitational acceleration is given at run time.
    pub gravity: bool,
}

/// An inertia that is given at run time: m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the
/// origin of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTimeInertia<T> {
    /// Name of the link or frame that the inertia is called by.
    pub name: String,
    /// Body that the inertia is part of.
    pub body: usize,
    /// Pose of the inertia's frame in the body's joint frame.
    pub placement: Placement<T>,
    /// True if the inertia replaces the body's own, and the model's is its default. Otherwise it
    /// is a load that adds to the body's own, by default zero.
    pub whole: bool,
}

impl<T> RunTime<T> {
    /// No parameters: everything is constant.
    pub const fn none() -> Self {
        Self { inertias: Vec::new(), gravity: false }
    }

    /// True if there are no parameters at run time.
    pub fn is_none(&self) -> bool {
        self.inertias.is_empty() && !self.gravity
    }

    /// The parameters with placements in another scalar.
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
