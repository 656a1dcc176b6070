//! No generated function allocates.

use crate::states::ordinary;
use rbd_test_robots::everyone;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting the calls of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // Not while a thread ends, when its counter is gone.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count();
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of calls of the allocator during `run`.
fn allocations(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 2);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn no_function_allocates() {
    for robot in everyone() {
        for function in robot.functions {
            // Also on the first call, and where angles are too large for the fast sine.
            for seed in 0..2 {
                let mut inputs = ordinary(&robot, seed);
                if seed == 1 {
                    inputs.q.iter_mut().for_each(|q| *q *= 1e9);
                }
                robot.call_within(function, &inputs, &mut |run| {
                    assert_eq!(allocations(run), 0, "{}, {function}", robot.name);
                });
            }
        }
    }
}
