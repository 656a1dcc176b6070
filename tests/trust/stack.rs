//! Stack use of each function, and its bound.
//!
//! The functions run on a stack of this test's own, painted beforehand; the lowest byte that
//! changed tells how deep they went.
//! `cargo test -p rbd-test-robots --test trust stack -- --nocapture` prints the table.

use crate::states::ordinary;
use rbd_test_robots::{Robot, everyone};

const PAINT: u8 = 0xa5;
const SIZE: usize = 4 << 20;

/// Bytes of stack that `run` takes.
fn stack_of(run: &mut dyn FnMut()) -> usize {
    assert!(matches!(psm::StackDirection::new(), psm::StackDirection::Descending));
    let mut memory = vec![PAINT; SIZE];
    let base = memory.as_mut_ptr();
    let aligned = base.align_offset(64);
    // SAFETY: the stack lies inside `memory` and is aligned. `run` returns and does not unwind (a
    // panic inside would abort).
    unsafe { psm::on_stack(base.add(aligned), SIZE - 64, run) };
    let untouched = memory[aligned..].iter().take_while(|x| **x == PAINT).count();
    SIZE - 64 - untouched
}

fn measured(robot: &Robot, function: &str) -> usize {
    let inputs = ordinary(robot, 1);
    let mut bytes = 0;
    robot.call_within(function, &inputs, &mut |run| bytes = stack_of(run));
    bytes
}

/// Size of the results, which a caller of `_into` has elsewhere.
fn bytes_of_results(robot: &Robot, function: &str) -> usize {
    let size = if robot.single { 4 } else { 8 };
    robot.call(function, &ordinary(robot, 1)).len() * size
}

#[test]
fn the_measure_measures() {
    #[inline(never)]
    fn deep() {
        let mut x = [1_u8; 100_000];
        std::hint::black_box(&mut x);
    }
    // Without optimisation, the array is there twice.
    let bytes = stack_of(&mut || deep());
    assert!((100_000..210_000).contains(&bytes), "{bytes}");
    assert!(stack_of(&mut || ()) < 1000);
}

#[test]
fn every_function_fits_a_small_stack() {
    println!("{:24} {:24} {:>8} {:>8}", "robot", "function", "stack", "results");
    for robot in everyone() {
        for function in robot.functions {
            let (stack, results) = (measured(&robot, function), bytes_of_results(&robot, function));
            println!("{:24} {function:24} {stack:8} {results:8}", robot.name);
            assert!(stack <= BOUND, "{}, {function}: {stack} bytes", robot.name);
        }
    }
}

/// Bound promised by TRUST.md for these robots.
const BOUND: usize = 24 << 10;
