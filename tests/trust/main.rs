//! What generated code guarantees beyond right numbers, each guarantee with a test that can fail. TRUST.md,
//! at the root of the repository, says which module shows what.

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
