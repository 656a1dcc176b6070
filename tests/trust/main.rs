//! Guarantees of generated code beyond right numbers, each with a test that can fail. TRUST.md, at
//! the root of the repository, lists the module of each.

mod allocation;
mod bless;
mod costs;
mod edges;
mod energy;
mod golden;
mod hostile_names;
mod no_panic;
mod stack;
mod states;
