//! Numbers of random trees, and their sizes.

use proptest::prelude::*;

/// Sizes of at most `bodies`; three cases out of four have at most a third of it.
///
/// The cost of tracing and running a function grows with the square of the size, and a large tree
/// seldom has a feature that no small one has.
pub fn up_to(bodies: usize) -> impl Strategy<Value = usize> {
    let few = bodies.div_ceil(3);
    prop_oneof![3 => 1..=few, 1 => few + 1..=bodies]
}

/// `few`, or `all` if the environment has `RBD_ALL_SEEDS`.
pub fn of_all<T>(all: T, few: T) -> T {
    if std::env::var_os("RBD_ALL_SEEDS").is_some() { all } else { few }
}

/// Number of random trees: an eighth of `all`, or all of them if the environment has `RBD_ALL_SEEDS`,
/// or the number in `PROPTEST_CASES`.
pub fn trees(all: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").is_ok();
    let default = ProptestConfig::default();
    let cases = of_all(all, all.div_ceil(8));
    if asked { default } else { ProptestConfig { cases, ..default } }
}
