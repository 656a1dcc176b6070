//! How many random trees there are, and how many bodies they have.

use proptest::prelude::*;

/// As many bodies as this at most, in three cases out of four a third of it: what a function costs to trace and to run grows with
/// the square, and a large tree seldom has what no small one has.
pub fn up_to(bodies: usize) -> impl Strategy<Value = usize> {
    let few = bodies.div_ceil(3);
    prop_oneof![3 => 1..=few, 1 => few + 1..=bodies]
}

/// So many random trees, or as many as the environment variable `PROPTEST_CASES` asks for.
pub fn trees(few: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").is_ok();
    let default = ProptestConfig::default();
    if asked { default } else { ProptestConfig { cases: few, ..default } }
}
