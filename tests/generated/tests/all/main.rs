//! Generated code as users compile it, against the generic reference, stored values of independent libraries, the
//! laws of mechanics, and itself under other options.

mod common;
mod doors;
mod interpreted;
#[path = "../../../../rbd-build/tests/common/mod.rs"]
mod interpreter;
mod laws;
mod options;
mod places;
mod postures;
mod reference;
mod scalars;
mod stack;
mod values;
