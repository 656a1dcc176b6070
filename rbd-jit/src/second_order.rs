//! Second derivatives that are no kernels of their own. The generator's composer joins the results of other
//! functions, whose code is here.

use crate::function::MOST_INPUTS;
use crate::lanes::{Beside, InLanes};
use crate::{Function, Number};
use rbd_build::Function as Id;
use rbd_build::routines::{Composer, Dependencies, Dependency, Way};
use rbd_runtime::{Model, Scalar};

/// Computation of a robot's second derivatives.
#[derive(Debug)]
pub struct SecondOrder<T> {
    composer: Composer,
    /// First derivatives of forward dynamics, and Hessians of weighted torques.
    dependencies: Vec<Function<T>>,
}

/// The most results.
const MOST_OUTPUTS: usize = 8;

impl<T: Number> SecondOrder<T> {
    /// Second derivatives of a robot for which the generator joins these dependencies; `None` if there is no
    /// room for its rows.
    pub fn new(function: Id, model: &Model<f64>, dependencies: Vec<Function<T>>) -> Option<Self> {
        let composer = Composer::new(Way::of(function, dependencies.len()), model);
        composer.has_room().then_some(Self { composer, dependencies })
    }

    /// True if the computation is loops alone, compiled for as few rows as an arm has.
    pub fn is_loops_of_arm(&self) -> bool {
        self.composer.is_loops_of_arm()
    }

    /// Functions of whose results the second derivatives are made.
    pub fn dependencies(&self) -> &[Function<T>] {
        &self.dependencies
    }

    /// True if states can be side by side. Loops over tables fill registers with one state.
    pub fn has_lanes(&self) -> bool {
        !self.composer.way().reads_tables() && self.dependencies.iter().all(Function::has_lanes)
    }

    /// Workspace size for one state, in numbers.
    pub fn work(&self) -> usize {
        self.composer.work() + self.dependencies.iter().map(Function::work).max().unwrap_or(0)
    }

    /// Workspace size for this many states side by side, in numbers; `None` if a dependency has no such code.
    pub fn work_beside(&self, states: usize) -> Option<usize> {
        let work = |function: &Function<T>| function.batched().map(|batched| batched.work());
        let most = self.dependencies.iter().map(work).try_fold(0, |most, work| Some(most.max(work?)))?;
        Some(self.composer.work() * states + most)
    }

    /// Computes the results of these arguments, by [`Self::work`] numbers. Zeros of tensors and of
    /// Hessians are left alone if they are there.
    pub fn run<'a>(
        &self,
        arguments: impl Iterator<Item = (&'static str, &'a [T])>,
        outputs: &mut [&mut [T]],
        work: &mut [T],
        are_zeros_there: bool,
    ) {
        let mut called = One { dependencies: &self.dependencies, arguments: Arguments::of(arguments) };
        if are_zeros_there {
            self.composer.run_on_zeros(&mut called, outputs, work);
        } else {
            self.composer.run(&mut called, outputs, work);
        }
    }

    /// Computes the results of so many states side by side, by [`Self::work_beside`] numbers that are zero at
    /// first, or what an earlier call left. Zeros of results are left alone.
    pub fn run_beside<'a>(
        &self,
        states: usize,
        arguments: impl Iterator<Item = (&'static str, &'a [T])>,
        outputs: impl Iterator<Item = &'a mut [T]>,
        work: &mut [T],
    ) {
        T::in_lanes(states, Composed { of: self, arguments: Arguments::of(arguments), outputs, work });
    }
}

/// Arguments by their names.
struct Arguments<'a, L> {
    names: [&'static str; MOST_INPUTS],
    values: [&'a [L]; MOST_INPUTS],
}

impl<'a, L> Arguments<'a, L> {
    fn of(arguments: impl Iterator<Item = (&'static str, &'a [L])>) -> Self {
        let mut all = Self { names: [""; MOST_INPUTS], values: [&[]; MOST_INPUTS] };
        let places = all.names.iter_mut().zip(&mut all.values);
        for ((name, value), (to_name, to_value)) in arguments.zip(places) {
            (*to_name, *to_value) = (name, value);
        }
        all
    }

    fn get(&self, name: &str) -> &'a [L] {
        self.names.iter().position(|known| *known == name).map_or(&[], |k| self.values[k])
    }

    /// Arguments of a function, some of them `instead` of these.
    fn those<'i, T: Number>(
        &self,
        function: &Function<T>,
        instead: &[(&str, &'i [L])],
    ) -> [&'i [L]; MOST_INPUTS]
    where
        'a: 'i,
    {
        let mut inputs: [&[L]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        for (to, input) in inputs.iter_mut().zip(function.inputs()) {
            let other = instead.iter().find(|(known, _)| *known == input.name);
            *to = other.map_or_else(|| self.get(input.name), |(_, numbers)| *numbers);
        }
        inputs
    }
}

/// First derivatives precede Hessians.
fn find<T>(dependencies: &[Function<T>], dependency: Dependency) -> &Function<T> {
    let function = match dependency {
        Dependency::First => dependencies.first(),
        Dependency::Hessian => dependencies.last(),
    };
    function.expect("the generator has planned the dependencies of its way")
}

/// The functions that are called for one state.
struct One<'a, 'f, T> {
    dependencies: &'f [Function<T>],
    arguments: Arguments<'a, T>,
}

impl<'a, T: Number> Dependencies<'a, T> for One<'a, '_, T> {
    fn argument(&self, name: &str) -> &'a [T] {
        self.arguments.get(name)
    }

    fn call(
        &mut self,
        dependency: Dependency,
        instead: &[(&str, &[T])],
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        let function = find(self.dependencies, dependency);
        let inputs = self.arguments.those(function, instead);
        function.run_one(&inputs[..function.inputs().len()], outputs, work);
    }
}

/// A composition of states side by side.
struct Composed<'s, 'a, 'w, T, O> {
    of: &'s SecondOrder<T>,
    arguments: Arguments<'a, T>,
    outputs: O,
    work: &'w mut [T],
}

impl<'a, T: Number, O: Iterator<Item = &'a mut [T]>> InLanes<T> for Composed<'_, 'a, '_, T, O> {
    fn run<L: Scalar>(self, beside: Beside<T, L>) {
        let Arguments { names, values } = self.arguments;
        let arguments = Arguments { names, values: values.map(|numbers| beside.lanes(numbers)) };
        let mut many = Many { dependencies: &self.of.dependencies, arguments, beside };
        let mut outputs: [&mut [L]; MOST_OUTPUTS] = [(); MOST_OUTPUTS].map(|()| &mut [][..]);
        let mut count = 0;
        for (lanes, numbers) in outputs.iter_mut().zip(self.outputs) {
            *lanes = beside.lanes_mut(numbers);
            count += 1;
        }
        // The memory of lanes is whole, and what kernels need beyond it may not be.
        let work = beside.whole(self.work);
        self.of.composer.join(&mut many, &mut outputs[..count], beside.lanes_mut(work));
    }
}

/// The functions that are called for states side by side.
struct Many<'a, 'f, T, L> {
    dependencies: &'f [Function<T>],
    arguments: Arguments<'a, L>,
    beside: Beside<T, L>,
}

impl<'a, T: Number, L: Scalar> Dependencies<'a, L> for Many<'a, '_, T, L> {
    fn argument(&self, name: &str) -> &'a [L] {
        self.arguments.get(name)
    }

    fn call(
        &mut self,
        dependency: Dependency,
        instead: &[(&str, &[L])],
        outputs: &mut [&mut [L]],
        work: &mut [L],
    ) {
        let function = find(self.dependencies, dependency);
        let inputs = self.arguments.those(function, instead).map(|lanes| self.beside.numbers(lanes));
        let mut results: [&mut [T]; MOST_OUTPUTS] = [(); MOST_OUTPUTS].map(|()| &mut [][..]);
        let count = outputs.len();
        for (numbers, lanes) in results.iter_mut().zip(outputs) {
            *numbers = self.beside.numbers_mut(lanes);
        }
        let batched = function.batched().expect("its code was made with that of the whole");
        let work = self.beside.numbers_mut(work);
        batched.stages.run(&inputs[..function.inputs().len()], &mut results[..count], work);
    }
}
