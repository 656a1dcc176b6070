//! Kernels, run by the interpreter, against the reference. One program: loops over tables take long
//! to compile for a scalar.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../rbd-runtime/tests/common/plain.rs"]
mod plain;

#[path = "../root_columns.rs"]
mod root_columns;
#[path = "../shapes.rs"]
mod shapes;

mod accelerations;
mod agreement;
mod as_written;
mod filled;
mod forces;
mod friction;
mod fused;
mod loops;
mod loops_digits;
mod published;
mod rules;
mod run_time;
mod scan;
mod sizes;
mod tensors;
