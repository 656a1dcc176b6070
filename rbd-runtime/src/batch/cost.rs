//! What a function costs in lanes and alone, and which of both a batch takes.

use super::Float;
use crate::Mechanism;
use crate::tables::same;

/// What a function of a robot costs, in operations of a straight line. Generated robots state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    function: &'static str,
    /// Operations of as many states as a register has lanes; none if lanes gain nothing.
    in_lanes: Option<usize>,
    /// Cost of one state.
    alone: usize,
}

impl Cost {
    /// Of a straight line: its operations, and those of the version for one state, where limbs may be lanes.
    #[must_use]
    pub const fn straight(function: &'static str, in_lanes: usize, alone: usize) -> Self {
        Self { function, in_lanes: Some(in_lanes), alone }
    }

    /// Of loops, which fill registers with one state.
    #[must_use]
    pub const fn loops(function: &'static str, alone: usize) -> Self {
        Self { function, in_lanes: None, alone }
    }

    /// The function's name.
    #[must_use]
    pub const fn function(&self) -> &'static str {
        self.function
    }

    /// True if several states in lanes take less time than one after the other.
    #[must_use]
    pub const fn prefers_lanes<T: Float>(&self) -> bool {
        match self.in_lanes {
            Some(in_lanes) => in_lanes <= self.alone * T::LANES,
            None => false,
        }
    }

    /// What a state costs in a batch, in operations in lanes, as [`super::grain`] takes it.
    pub(super) const fn work<T: Float>(&self) -> usize {
        match self.in_lanes {
            Some(in_lanes) if self.prefers_lanes::<T>() => in_lanes,
            _ => 4 * self.alone,
        }
    }
}

/// A function of a robot: its cost, and the entries of its results that can differ from zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<const N: usize> {
    pub cost: Cost,
    /// For each result an entry a bit, by columns; none if all can.
    pub nonzero: [Option<&'static [u64]>; N],
}

impl<const N: usize> Of<N> {
    /// The function of this name, with these results.
    pub const fn new<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(
        function: &'static str,
        results: [&str; N],
    ) -> Self {
        let mut nonzero = [None; N];
        let mut i = 0;
        while i < N {
            nonzero[i] = match crate::structure::find_structure(R::STRUCTURES, function, results[i]) {
                Some(found) if found.count() < found.rows() * found.columns() => Some(found.bits()),
                _ => None,
            };
            i += 1;
        }
        Self { cost: cost::<R, NQ, NV>(function), nonzero }
    }
}

/// True if batches of this function have states in lanes.
pub(super) const fn goes_in_lanes<R, T, const NQ: usize, const NV: usize>(function: &'static str) -> bool
where
    R: Mechanism<NQ, NV>,
    T: Float,
{
    cost::<R, NQ, NV>(function).prefers_lanes::<T>()
}

/// The cost that the robot states; that of nothing for a function that it does not state.
const fn cost<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(function: &'static str) -> Cost {
    let mut i = 0;
    while i < R::COSTS.len() {
        if same(R::COSTS[i].function, function) {
            return R::COSTS[i];
        }
        i += 1;
    }
    Cost::straight(function, 0, 0)
}
