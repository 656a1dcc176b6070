//! Tests of robots at run time, in one program: linking one takes longer than most of them run.

mod actuated;
mod any_robot;
mod cache;
mod calls;
mod contact_hessians;
mod contact_parameters;
mod contact_step_hessians;
mod contact_steps;
mod contacts;
mod friction;
mod friction_derivatives;
mod friction_joints;
mod large;
mod manifold;
mod orders;
mod robots;
mod rollouts;
mod single;
mod step_parameters;
mod steps;
mod zeros;

/// The first of these, or with `RBD_ALL_SEEDS` all.
fn some<T>(first: usize, all: &[T]) -> &[T] {
    &all[..if std::env::var_os("RBD_ALL_SEEDS").is_some() { all.len() } else { first }]
}
