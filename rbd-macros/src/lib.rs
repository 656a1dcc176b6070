//! The `rbd_robot!` macro.
