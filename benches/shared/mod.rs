//! Code that the benches of several robots share.
#![allow(dead_code, reason = "each bench takes what it needs")]

pub mod derivatives;
pub mod dynamics;

use criterion::Criterion;
use std::time::Duration;

/// Short, because there is much to measure.
pub fn config() -> Criterion {
    Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
}
