//! Contacts with friction: the solver on random problems, and steps of random trees.

mod derivatives;
mod joints;
mod laws;
mod problems;
mod trees;
