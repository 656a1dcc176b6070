//! Choices of the search, by the costs of Rust.

use super::*;
use crate::emit::{Rust, Target};
use rbd_runtime::random::{Options, random_model};

fn shape_of_chain(bodies: usize, function: Function, shape: Option<Shape>) -> Strategy {
    let chain = Options { bodies, branching: 0.0, on_world: 0.0, ..Options::default() };
    let model = random_model(1, &chain);
    <dyn Target>::search(&Rust::default(), &model).cheapest_of(function, None, shape).strategy
}

/// A traced straight line for a hundred links would have millions of operations and take minutes.
#[test]
fn long_chains_are_loops_and_short_ones_are_not() {
    for function in [Function::RneaDerivatives, Function::AbaDerivatives, Function::Minv] {
        assert!(shape_of_chain(100, function, None).is_loops(), "{}", function.name());
        assert!(!shape_of_chain(3, function, None).is_loops(), "{}", function.name());
        assert_eq!(shape_of_chain(3, function, Some(Shape::Loops)), Strategy::LOOPS);
    }
    assert!(!shape_of_chain(8, Function::RneaDerivatives, Some(Shape::Straight)).is_loops());
}

/// Products with M^-1 grow with the cube of a chain's length, solved columns with its square.
#[test]
fn columns_of_long_chains_are_solved_for() {
    for (bodies, expected) in [(12, Strategy::LOOPS), (100, Strategy::SOLVING_LOOPS)] {
        for function in [Function::AbaDerivatives, Function::Minv] {
            let chosen = shape_of_chain(bodies, function, Some(Shape::Loops));
            assert_eq!(chosen, expected, "{} of {bodies}", function.name());
        }
    }
}

/// Loops are hardly faster but compile in a second, and longer straight lines are not even traced.
#[test]
fn torques_and_accelerations_of_long_chains_are_loops() {
    for function in [Function::Rnea, Function::RneaFext, Function::Bias, Function::Aba, Function::AbaFext] {
        assert_eq!(shape_of_chain(400, function, None), Strategy::LOOPS, "{}", function.name());
        assert_ne!(shape_of_chain(3, function, None), Strategy::LOOPS, "{}", function.name());
        assert_eq!(shape_of_chain(3, function, Some(Shape::Loops)), Strategy::LOOPS);
    }
}

/// Tracing the factors of a mass matrix of hundreds of links would take minutes and gigabytes.
#[test]
fn accelerations_of_long_chains_are_by_articulated_bodies() {
    let chain = Options { bodies: 120, branching: 0.0, on_world: 0.0, ..Options::default() };
    let model = random_model(1, &chain);
    let plan = <dyn Target>::search(&Rust::default(), &model).cheapest_of(
        Function::Aba,
        None,
        Some(Shape::Straight),
    );
    assert_eq!(plan.strategy.to_string(), "articulated bodies");
    assert!(plan.rejected.is_empty());
}

/// A line that rustc compiles slowly must be much faster than loops.
#[test]
fn a_very_long_straight_line_must_be_twice_as_fast() {
    let model = random_model(1, &Options { bodies: 2, ..Options::default() });
    let search = <dyn Target>::search(&Rust::default(), &model);
    for (function, operations, bar) in [
        (Function::Aba, 10_000, 100),
        (Function::Aba, 10_001, 200),
        (Function::AbaDerivatives, 50_000, 100),
        (Function::AbaDerivatives, 50_001, 200),
    ] {
        assert_eq!(search.bar(function, operations, 100), bar);
    }
}

/// A shape requested for all functions does not affect functions without loops.
#[test]
fn what_has_no_loops_is_a_straight_line() {
    assert_ne!(shape_of_chain(3, Function::KineticEnergy, Some(Shape::Loops)), Strategy::LOOPS);
}
