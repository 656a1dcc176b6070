//! Many states at once: side by side in registers, and on several threads.

use crate::function::{Batched, MOST_INPUTS};
use crate::order::{BESIDE, Order, beside};
use crate::turn::Turn;
use crate::workspace::Workspace;
use crate::{Argument, Error, Function, Loaded, Number};

/// Calls for many states. Arrays are by rows: the numbers of the first state, then those of the second.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'r, T: Number = f64> {
    robot: &'r Loaded<T>,
    threads: usize,
    is_in_order: bool,
    leaves_zeros: bool,
}

impl<'r, T: Number> Batch<'r, T> {
    pub(crate) fn new(robot: &'r Loaded<T>) -> Self {
        Self { robot, threads: 1, is_in_order: false, leaves_zeros: false }
    }

    /// On so many threads; by default on the caller's.
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
        let how = How { order, leaves_zeros: self.leaves_zeros };
        let per_thread = states.div_ceil(self.threads).next_multiple_of(function.states());
        if self.threads == 1 || states <= per_thread {
            run(function, how, states, inputs, outputs);
            return Ok(());
        }
        // Made before threads ask for it.
        function.batched();
        let given = function.given(order);
        std::thread::scope(|scope| {
            let mut rest: Vec<&mut [T]> = outputs.iter_mut().map(|output| &mut **output).collect();
            for begin in (0..states).step_by(per_thread) {
                let count = per_thread.min(states - begin);
                let each = function.inputs().iter().zip(inputs);
                let some: Vec<&[T]> =
                    each.map(|(a, input)| &input[begin * a.length..][..count * a.length]).collect();
                let mut taken = Vec::new();
                for (rest, a) in rest.iter_mut().zip(&given) {
                    let (now, later) = std::mem::take(rest).split_at_mut(count * a.length);
                    *rest = later;
                    taken.push(now);
                }
                scope.spawn(move || run(function, how, count, &some, &mut taken));
            }
        });
        Ok(())
    }
}

/// How results are written.
#[derive(Clone, Copy)]
struct How<'o> {
    order: Option<&'o Order>,
    leaves_zeros: bool,
}

/// Some states on one thread.
fn run<T: Number>(
    function: &Function<T>,
    how: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    match function.batched() {
        // One state too: results depend neither on how many there are, nor on threads.
        Some(batched) => side_by_side((function, batched), how, states, inputs, outputs),
        None => one_by_one(function, how, states, inputs, outputs),
    }
}

fn one_by_one<T: Number>(
    function: &Function<T>,
    How { order, leaves_zeros }: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    let mut workspace = Workspace::<T>::new(function.work());
    let given = function.given(order);
    // Results as calls give them, if they are to be in another order.
    let aside = order.map_or(&[][..], |_| function.outputs());
    let mut aside: Vec<Vec<T>> = aside.iter().map(|a| vec![T::zero(); a.length]).collect();
    for state in 0..states {
        let mut some: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        for ((some, argument), input) in some.iter_mut().zip(function.inputs()).zip(inputs) {
            *some = &input[state * argument.length..][..argument.length];
        }
        let each = given.iter().zip(outputs.iter_mut());
        let mut results: Vec<&mut [T]> =
            each.map(|(a, output)| &mut output[state * a.length..][..a.length]).collect();
        let Some(order) = order else {
            function.run_on_zeros(leaves_zeros, &some[..inputs.len()], &mut results, workspace.memory());
            continue;
        };
        let mut made: Vec<&mut [T]> = aside.iter_mut().map(Vec::as_mut_slice).collect();
        function.run_on_zeros(true, &some[..inputs.len()], &mut made, workspace.memory());
        for (k, (from, to)) in made.iter().zip(results).enumerate() {
            order.write(k, from, to);
        }
    }
}

/// As many states at once as a register has numbers; the last one is repeated where there are fewer.
fn side_by_side<T: Number>(
    (function, batched): (&Function<T>, &Batched<T>),
    How { order, leaves_zeros }: How<'_>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    let width = function.states();
    let turn = Turn::of::<T>(width);
    let mut workspace = Workspace::<T>::new(batched.work());
    let numbers = |lengths: &[Argument], beside: usize| -> Vec<Workspace<T>> {
        lengths.iter().map(|a| Workspace::new((a.length + beside) * width)).collect()
    };
    let (mut packed, mut results) = (numbers(function.inputs(), 0), numbers(function.outputs(), BESIDE));
    let each = packed.iter_mut().zip(function.inputs());
    let mut packed: Vec<&mut [T]> = each.map(|(all, a)| &mut all.memory()[..a.length * width]).collect();
    let mut results: Vec<&mut [T]> = results.iter_mut().map(Workspace::memory).collect();
    for (argument, result) in function.outputs().iter().zip(&mut results) {
        let after = result[argument.length * width..].chunks_exact_mut(width).take(BESIDE);
        after.enumerate().for_each(|(k, all)| all.fill(beside(k)));
    }
    let blocks = batched.outputs_in(order, width);
    for begin in (0..states).step_by(width) {
        let count = width.min(states - begin);
        for (k, argument) in function.inputs().iter().enumerate() {
            let rows = &inputs[k][begin * argument.length..][..count * argument.length];
            turn.pack(rows, packed[k], &batched.inputs[k]);
        }
        let mut all: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        all.iter_mut().zip(&packed).for_each(|(all, packed)| *all = packed);
        function.run_batched(batched, &all[..packed.len()], &mut results, workspace.memory());
        for (k, output) in outputs.iter_mut().enumerate() {
            let length = blocks[k].length();
            let are_zeros_there = leaves_zeros && function.may_leave_zeros(k);
            let rows = &mut output[begin * length..][..count * length];
            turn.unpack(results[k], rows, &blocks[k], are_zeros_there);
        }
    }
}
