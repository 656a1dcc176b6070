//! How many bodies random trees have.

use proptest::prelude::*;

/// As many bodies as this at most, in three cases out of four a third of it: what a function costs to trace and to run grows with
/// the square, and a large tree seldom has what no small one has.
pub fn up_to(bodies: usize) -> impl Strategy<Value = usize> {
    let few = bodies.div_ceil(3);
    prop_oneof![3 => 1..=few, 1 => few + 1..=bodies]
}
