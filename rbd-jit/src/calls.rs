//! Calls of the runtime's loops over tables, and of inverses.

use crate::Number;
use crate::arrays::Arrays;
use crate::stack::with_stack;
use rbd_build::routines::{Prepared, stack};
use rbd_ir::kernel::ArrayId;

/// The most arrays that a call reads or writes.
const MOST: usize = 4;

/// Runs a call on copies of its arrays, which have these lengths; from `memory` on the kernel's own memory
/// is free. Vectors and a few matrices are copied, next to loops that take a hundred times as long.
pub fn run<T: Number>(
    call: &Prepared,
    reads: &[(ArrayId, usize)],
    results: &[(ArrayId, usize)],
    memory: usize,
    arrays: &mut Arrays<'_, '_, T>,
) {
    let (mut arrays, mut free) = arrays.split_work(memory);
    let mut read: [&[T]; MOST] = [&[]; MOST];
    for (copy, (id, length)) in read.iter_mut().zip(reads) {
        let (now, later) = free.split_at_mut(*length);
        now.copy_from_slice(arrays.get(*id));
        *copy = now;
        free = later;
    }
    let mut written: [&mut [T]; MOST] = [&mut [], &mut [], &mut [], &mut []];
    for (result, (_, length)) in written.iter_mut().zip(results) {
        let (now, later) = free.split_at_mut(*length);
        *result = now;
        free = later;
    }
    let (read, results_of_call) = (&read[..reads.len()], &mut written[..results.len()]);
    with_stack(stack::<T>(call.call()), || call.run(read, results_of_call, free));
    for (result, (id, _)) in written.iter().zip(results) {
        arrays.get_mut(*id).copy_from_slice(result);
    }
}
