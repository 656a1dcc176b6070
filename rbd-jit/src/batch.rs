//! Many states at once: side by side in registers, and on several threads.

use crate::function::{Batched, MOST_INPUTS};
use crate::turn::Turn;
use crate::workspace::Workspace;
use crate::{Argument, Error, Function, Loaded, Number};

/// Calls for many states. Arrays are by rows: the numbers of the first state, then those of the second.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'r, T: Number = f64> {
    robot: &'r Loaded<T>,
    threads: usize,
}

impl<'r, T: Number> Batch<'r, T> {
    pub(crate) fn new(robot: &'r Loaded<T>) -> Self {
        Self { robot, threads: 1 }
    }

    /// On so many threads; by default on the caller's.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
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
        let states = function.check_batch(inputs, outputs)?;
        let per_thread = states.div_ceil(self.threads).next_multiple_of(function.states());
        if self.threads == 1 || states <= per_thread {
            run(function, states, inputs, outputs);
            return Ok(());
        }
        // Made before threads ask for it.
        function.batched();
        std::thread::scope(|scope| {
            let mut rest: Vec<&mut [T]> = outputs.iter_mut().map(|output| &mut **output).collect();
            for begin in (0..states).step_by(per_thread) {
                let count = per_thread.min(states - begin);
                let each = function.inputs().iter().zip(inputs);
                let some: Vec<&[T]> =
                    each.map(|(a, input)| &input[begin * a.length..][..count * a.length]).collect();
                let mut taken = Vec::new();
                for (rest, a) in rest.iter_mut().zip(function.outputs()) {
                    let (now, later) = std::mem::take(rest).split_at_mut(count * a.length);
                    *rest = later;
                    taken.push(now);
                }
                scope.spawn(move || run(function, count, &some, &mut taken));
            }
        });
        Ok(())
    }
}

/// Some states on one thread.
fn run<T: Number>(function: &Function<T>, states: usize, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
    match function.batched() {
        // One state too: results depend neither on how many there are, nor on threads.
        Some(batched) => side_by_side(function, batched, states, inputs, outputs),
        None => one_by_one(function, states, inputs, outputs),
    }
}

fn one_by_one<T: Number>(function: &Function<T>, states: usize, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
    let mut workspace = Workspace::<T>::new(function.work());
    for state in 0..states {
        let mut some: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        for ((some, argument), input) in some.iter_mut().zip(function.inputs()).zip(inputs) {
            *some = &input[state * argument.length..][..argument.length];
        }
        let each = function.outputs().iter().zip(outputs.iter_mut());
        let mut results: Vec<&mut [T]> =
            each.map(|(a, output)| &mut output[state * a.length..][..a.length]).collect();
        function.run_one(&some[..inputs.len()], &mut results, workspace.memory());
    }
}

/// As many states at once as a register has numbers; the last one is repeated where there are fewer.
fn side_by_side<T: Number>(
    function: &Function<T>,
    batched: &Batched<T>,
    states: usize,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    let width = function.states();
    let turn = Turn::of::<T>(width);
    let mut workspace = Workspace::<T>::new(batched.stages.work());
    let numbers = |lengths: &[Argument]| -> Vec<Workspace<T>> {
        lengths.iter().map(|a| Workspace::new(a.length * width)).collect()
    };
    let (mut packed, mut results) = (numbers(function.inputs()), numbers(function.outputs()));
    let mut packed: Vec<&mut [T]> = packed.iter_mut().map(Workspace::memory).collect();
    let mut results: Vec<&mut [T]> = results.iter_mut().map(Workspace::memory).collect();
    for begin in (0..states).step_by(width) {
        let count = width.min(states - begin);
        for (k, argument) in function.inputs().iter().enumerate() {
            let rows = &inputs[k][begin * argument.length..][..count * argument.length];
            turn.pack(rows, argument.length, packed[k], &batched.inputs[k]);
        }
        let mut all: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        all.iter_mut().zip(&packed).for_each(|(all, packed)| *all = packed);
        function.run_batched(batched, &all[..packed.len()], &mut results, workspace.memory());
        for (k, argument) in function.outputs().iter().enumerate() {
            let rows = &mut outputs[k][begin * argument.length..][..count * argument.length];
            turn.unpack(results[k], rows, argument.length, &batched.outputs[k]);
        }
    }
}
