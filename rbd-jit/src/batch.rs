//! Many states at once: side by side in registers, and on several threads.

use crate::batched::Batched;
use crate::function::MOST_INPUTS;
use crate::order::{BESIDE, Order, beside};
use crate::turn::Turn;
use crate::workspace::{LINE_BYTES, Workspace};
use crate::{Argument, Error, Function, Loaded, Number};

/// Calls for many states. Arrays are by rows: the numbers of the first state, then those of the second.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'r, T: Number = f64> {
    robot: &'r Loaded<T>,
    threads: usize,
    is_in_order: bool,
    leaves_zeros: bool,
    is_one_by_one: bool,
}

impl<'r, T: Number> Batch<'r, T> {
    pub(crate) fn new(robot: &'r Loaded<T>) -> Self {
        Self { robot, threads: 1, is_in_order: false, leaves_zeros: false, is_one_by_one: false }
    }

    /// Sets the number of threads; by default, the caller's thread alone computes.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Writes results in the order that each function was given by [`Function::set_order`]. Functions without
    /// one write matrices by columns, as always.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { is_in_order: true, ..self }
    }

    /// Leaves entries of matrices and tensors alone that are zero in every state, as
    /// [`Workspace::leaving_zeros`] does in calls: give results that are zero, or what an earlier batch of
    /// this function gave. Builds with debug assertions check matrices.
    #[must_use]
    pub fn leaving_zeros(self) -> Self {
        Self { leaves_zeros: true, ..self }
    }

    /// Computes one state after the other, with the bits of calls. With AVX2 this takes less time for some
    /// functions of robots whose limbs fill a register, such as the derivatives of a quadruped's inverse
    /// dynamics (docs/run-time.md). By default states are side by side, with equal bits by AVX2 and AVX-512.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        Self { is_one_by_one: true, ..self }
    }

    pub(crate) fn robot(&self) -> &'r Loaded<T> {
        self.robot
    }

    /// Computes a function of this robot for each state. Memory for a few states is allocated for each
    /// thread.
    ///
    /// # Errors
    /// If there are more or fewer arguments or results than the function has, or one has not as many
    /// numbers for each state.
    pub fn call(
        &self,
        function: &Function<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        let order = function.order().filter(|_| self.is_in_order);
        let states = function.check_batch(inputs, outputs, order)?;
        if cfg!(debug_assertions) && self.leaves_zeros && order.is_none() {
            function.check_zeros_of(states, outputs)?;
        }
        let how = How { order, leaves_zeros: self.leaves_zeros, is_one_by_one: self.is_one_by_one };
        let per_thread = states.div_ceil(self.threads).next_multiple_of(function.states());
        if self.threads == 1 || states <= per_thread {
            run(function, how, states, inputs, outputs);
            return Ok(());
        }
        // Made before threads ask for it.
        if !self.is_one_by_one {
            function.batched();
        }
        std::thread::scope(|scope| {
            let mut rest: Vec<&mut [T]> = outputs.iter_mut().map(|output| &mut **output).collect();
            for begin in (0..states).step_by(per_thread) {
                let count = per_thread.min(states - begin);
                let each = function.inputs().iter().zip(inputs);
                let some: Vec<&[T]> =
                    each.map(|(a, input)| &input[begin * a.length..][..count * a.length]).collect();
                let mut taken = Vec::new();
                for (k, rest) in rest.iter_mut().enumerate() {
                    taken.push(take(rest, count * function.given_length(order, k)));
                }
                scope.spawn(move || run(function, how, count, &some, &mut taken));
            }
        });
        Ok(())
    }
}

/// Options for writing results.
#[derive(Clone, Copy)]
struct How<'o> {
    order: Option<&'o Order>,
    leaves_zeros: bool,
    is_one_by_one: bool,
}

/// Computes some states on one thread.
fn run<T: Number>(
    function: &Function<T>,
    how: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    match function.batched().filter(|_| !how.is_one_by_one) {
        // One state too: results depend neither on how many there are, nor on threads.
        Some(batched) => side_by_side((function, batched), how, states, inputs, outputs),
        None => one_by_one(function, how, states, inputs, outputs),
    }
}

fn one_by_one<T: Number>(
    function: &Function<T>,
    How { order, leaves_zeros, .. }: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    let mut workspace = Workspace::<T>::new(function.work());
    let memory = workspace.memory();
    // Results as calls give them, if they are to be in another order.
    let aside = order.map_or(&[][..], |_| function.outputs());
    let mut aside: Vec<Vec<T>> = aside.iter().map(|a| vec![T::zero(); a.length]).collect();
    let mut aside: Vec<&mut [T]> = aside.iter_mut().map(Vec::as_mut_slice).collect();
    // Those of the states that are left, and those of the one at hand.
    let mut rest: Vec<&mut [T]> = outputs.iter_mut().map(|output| &mut **output).collect();
    let mut results: Vec<&mut [T]> = Vec::with_capacity(rest.len());
    for state in 0..states {
        let mut some: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        for ((some, argument), input) in some.iter_mut().zip(function.inputs()).zip(inputs) {
            *some = &input[state * argument.length..][..argument.length];
        }
        let some = &some[..inputs.len()];
        results.clear();
        let lengths = (0..).map(|k| function.given_length(order, k));
        results.extend(rest.iter_mut().zip(lengths).map(|(rest, length)| take(rest, length)));
        let Some(order) = order else {
            function.run_on_zeros(leaves_zeros, some, &mut results, memory);
            continue;
        };
        function.run_on_zeros(true, some, &mut aside, memory);
        for (k, (from, to)) in aside.iter().zip(&mut results).enumerate() {
            order.write(k, from, to);
        }
    }
}

/// Computes as many states at once as a register has lanes. Repeats the last state if there are fewer.
fn side_by_side<T: Number>(
    (function, batched): (&Function<T>, &Batched<T>),
    How { order, leaves_zeros, .. }: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    let width = function.states();
    let turn = Turn::of::<T>(width);
    // One piece of memory: a batch of few states takes little longer than what is allocated for it.
    let packed_length = |a: &Argument| a.length * width;
    let result_length = |a: &Argument| (a.length + BESIDE) * width;
    let packed_lengths = function.inputs().iter().map(packed_length);
    let result_lengths = function.outputs().iter().map(result_length);
    let all = packed_lengths.clone().chain(result_lengths.clone()).map(in_lines::<T>);
    let mut workspace = Workspace::<T>::new(all.sum::<usize>() + batched.work());
    let mut memory = workspace.memory();
    let mut packed: [&mut [T]; MOST_INPUTS] = [(); MOST_INPUTS].map(|()| &mut [][..]);
    for (packed, length) in packed.iter_mut().zip(packed_lengths) {
        *packed = &mut take(&mut memory, in_lines::<T>(length))[..length];
    }
    let result = |length: usize| {
        let result = &mut take(&mut memory, in_lines::<T>(length))[..length];
        let after = result[length - BESIDE * width..].chunks_exact_mut(width);
        after.enumerate().for_each(|(k, all)| all.fill(beside(k)));
        result
    };
    let mut results: Vec<&mut [T]> = result_lengths.map(result).collect();
    let blocks = batched.outputs_in(order, width);
    for begin in (0..states).step_by(width) {
        let count = width.min(states - begin);
        for (k, argument) in function.inputs().iter().enumerate() {
            let rows = &inputs[k][begin * argument.length..][..count * argument.length];
            turn.pack(rows, packed[k], &batched.inputs[k]);
        }
        let mut all: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        all.iter_mut().zip(&packed).for_each(|(all, packed)| *all = packed);
        function.run_batched(batched, &all[..inputs.len()], &mut results, memory);
        for (k, output) in outputs.iter_mut().enumerate() {
            let length = blocks[k].length();
            let are_zeros_there = leaves_zeros && function.may_leave_zeros(k);
            let rows = &mut output[begin * length..][..count * length];
            turn.unpack(results[k], rows, &blocks[k], are_zeros_there);
        }
    }
}

/// Rounds a length up to whole cache lines.
fn in_lines<T>(numbers: usize) -> usize {
    numbers.next_multiple_of(LINE_BYTES / size_of::<T>())
}

/// Takes this many numbers from the beginning of the memory.
fn take<'m, T>(memory: &mut &'m mut [T], numbers: usize) -> &'m mut [T] {
    let (first, rest) = std::mem::take(memory).split_at_mut(numbers);
    *memory = rest;
    first
}
