//! Cost of a function in lanes and alone, and a batch's choice between the two.

use super::Float;
use crate::Mechanism;
use crate::tables::same;

/// Cost of a robot's function for a state, in operations in lanes, as [`super::grain`] takes them.
/// Generated robots state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    function: &'static str,
    /// Operations of a group, which has a state in each lane.
    in_lanes: usize,
    /// Entries of matrices, which are taken out of lanes.
    entries: usize,
    /// Cost of one state alone.
    alone: usize,
    way: Way,
}

/// Comparison of lanes with one state at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Lanes take less time.
    Lanes,
    /// The lower cost decides.
    Either,
    /// Lanes take more time if there are more than `most_lanes`.
    Loops { most_lanes: usize },
}

impl Cost {
    /// Cost of straight-line code for one number in each register.
    #[must_use]
    pub const fn lanes(function: &'static str, operations: usize) -> Self {
        Self { function, in_lanes: operations, entries: 0, alone: operations, way: Way::Lanes }
    }

    /// Cost of straight-line code that has registers full of limbs for one state, or of parts.
    #[must_use]
    pub const fn either(function: &'static str, in_lanes: usize, entries: usize, alone: usize) -> Self {
        Self { function, in_lanes, entries, alone, way: Way::Either }
    }

    /// Cost of loops over tables, which fill registers with one state.
    #[must_use]
    pub const fn loops(function: &'static str, alone: usize, most_lanes: usize) -> Self {
        Self { function, in_lanes: 0, entries: 0, alone, way: Way::Loops { most_lanes } }
    }

    /// The function's name.
    #[must_use]
    pub const fn function(&self) -> &'static str {
        self.function
    }

    /// True if several states in lanes take less time than one after the other.
    ///
    /// To take an entry out of lanes takes as long as 1.2 operations.
    #[must_use]
    pub const fn prefers_lanes<T: Float>(&self) -> bool {
        match self.way {
            Way::Lanes => true,
            Way::Either => self.in_lanes / T::LANES + self.entries * 6 / 5 < self.alone,
            Way::Loops { most_lanes } => T::LANES <= most_lanes,
        }
    }

    /// Cost of a state in a batch.
    pub(crate) const fn work<T: Float>(&self) -> usize {
        match self.way {
            Way::Lanes | Way::Either if self.prefers_lanes::<T>() => self.in_lanes,
            // These are operations of four states.
            _ => 4 * self.alone,
        }
    }
}

/// A function of a robot: its cost, and the entries of its results that can differ from zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<const N: usize> {
    pub cost: Cost,
    /// Entries of each result that can differ from zero, a bit each, by columns; none if all can.
    pub nonzero: [Option<&'static [u64]>; N],
}

impl<const N: usize> Facts<N> {
    /// The function of this name, with these results.
    pub const fn new<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(
        function: &'static str,
        results: [&str; N],
    ) -> Self {
        let mut nonzero = [None; N];
        let mut i = 0;
        while i < N {
            nonzero[i] = match crate::structure::find_structure(R::STRUCTURES, function, results[i]) {
                Some(found) if found.count() < found.rows() * found.columns() => Some(found.words()),
                _ => None,
            };
            i += 1;
        }
        Self { cost: cost::<R, NQ, NV>(function), nonzero }
    }
}

/// True if batches of this function have states in lanes.
pub(crate) const fn goes_in_lanes<R, T, const NQ: usize, const NV: usize>(function: &'static str) -> bool
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
    Cost::lanes(function, 0)
}
