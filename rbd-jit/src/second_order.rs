//! Second derivatives that are no kernels of their own. The generator's composer joins the results of other
//! functions, whose code is here.

use crate::function::MOST_INPUTS;
use crate::{Function, Number};
use rbd_build::Function as Id;
use rbd_build::routines::{Composer, Dependencies, Dependency, Way};
use rbd_runtime::Model;

/// How second derivatives of a robot are computed.
#[derive(Debug)]
pub struct SecondOrder<T> {
    composer: Composer,
    /// First derivatives of forward dynamics, and Hessians of weighted torques.
    dependencies: Vec<Function<T>>,
}

/// Arguments by their names, and the functions that are called.
struct Called<'a, 'f, T> {
    dependencies: &'f [Function<T>],
    names: [&'static str; MOST_INPUTS],
    values: [&'a [T]; MOST_INPUTS],
}

impl<T: Number> SecondOrder<T> {
    /// Of a robot for which the generator joins these dependencies; nothing, if there is no room for its
    /// rows.
    pub fn new(function: Id, model: &Model<f64>, dependencies: Vec<Function<T>>) -> Option<Self> {
        let composer = Composer::new(Way::of(function, dependencies.len()), model);
        composer.has_room().then_some(Self { composer, dependencies })
    }

    /// The functions of whose results it is made.
    pub fn dependencies(&self) -> &[Function<T>] {
        &self.dependencies
    }

    /// How many numbers it needs for itself.
    pub fn work(&self) -> usize {
        self.composer.work() + self.dependencies.iter().map(Function::work).max().unwrap_or(0)
    }

    /// Computes the results of these arguments, by [`Self::work`] numbers. Zeros of tensors are left alone
    /// if they are there.
    pub fn run<'a>(
        &self,
        arguments: impl Iterator<Item = (&'static str, &'a [T])>,
        outputs: &mut [&mut [T]],
        work: &mut [T],
        are_zeros_there: bool,
    ) {
        let mut called =
            Called { dependencies: &self.dependencies, names: [""; MOST_INPUTS], values: [&[]; MOST_INPUTS] };
        let places = called.names.iter_mut().zip(&mut called.values);
        for ((name, value), (to_name, to_value)) in arguments.zip(places) {
            (*to_name, *to_value) = (name, value);
        }
        if are_zeros_there {
            self.composer.run_on_zeros(&mut called, outputs, work);
        } else {
            self.composer.run(&mut called, outputs, work);
        }
    }
}

impl<'a, T: Number> Dependencies<'a, T> for Called<'a, '_, T> {
    fn argument(&self, name: &str) -> &'a [T] {
        self.names.iter().position(|known| *known == name).map_or(&[], |k| self.values[k])
    }

    fn call(
        &mut self,
        dependency: Dependency,
        instead: &[(&str, &[T])],
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        // First derivatives precede Hessians.
        let function = match dependency {
            Dependency::First => self.dependencies.first(),
            Dependency::Hessian => self.dependencies.last(),
        };
        let function = function.expect("the generator has planned the dependencies of its way");
        let argument = |name: &str| {
            let other = instead.iter().find(|(known, _)| *known == name);
            other.map_or_else(|| self.argument(name), |(_, numbers)| *numbers)
        };
        let mut inputs: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        let known = function.inputs();
        inputs.iter_mut().zip(known).for_each(|(to, input)| *to = argument(input.name));
        function.run_one(&inputs[..known.len()], outputs, work);
    }
}
