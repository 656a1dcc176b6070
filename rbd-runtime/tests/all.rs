//! The tests of the runtime, in one program: they share what the compiler makes of generic code.
//! `workspace.rs` has an allocator of its own, and is another one.

mod common;
#[path = "contacting/mod.rs"]
mod contacting;
#[path = "common/plain.rs"]
mod plain;

mod contact_friction;
#[path = "contacts/main.rs"]
mod contacts;
mod derivatives;
mod dynamics;
mod finite;
mod frames;
mod friction;
mod invariance;
mod joints;
mod loops;
mod manifold;
mod mechanics;
mod scalar;
mod second_derivatives;
mod spatial;
mod steps;
