//! Comparison of a loaded robot with the generic reference, at random states.

use crate::{Error, Function, Id, Loaded, Number, reference};
use rbd_build::Family;
use rbd_runtime::Model;
use rbd_runtime::random::{State, random_state};

/// Tolerance relative to a result's largest entry (TRUST.md). Where M is inverted, its condition number is
/// another factor.
const TOLERANCE: f64 = 1e-11;
const TOLERANCE_OF_INVERSES: f64 = 1e-13;
/// Tolerance of second derivatives, and of those of forward dynamics at large condition numbers.
const TOLERANCE_OF_SECOND: f64 = 1e-10;
const TOLERANCE_OF_SECOND_INVERSES: f64 = 1e-9;

/// A robot at one random state, with what the generic reference gives there.
///
/// Made by [`Loaded::sample`]: for tools that time a robot's functions or compare them with the reference.
#[derive(Debug)]
pub struct Sample<'r, T: Number = f64> {
    robot: &'r Loaded<T>,
    /// State in numbers that both types have.
    state: State,
    condition: Option<f64>,
}

impl<'r, T: Number> Sample<'r, T> {
    fn new(robot: &'r Loaded<T>, seed: u64) -> Option<Self> {
        let model = robot.model();
        let is_known = model.run_time.is_none() && model.nv > 0;
        is_known.then(|| Self { robot, state: rounded::<T>(random_state(model, seed)), condition: None })
    }

    /// Compares the dynamics and their first derivatives.
    pub(crate) fn dynamics(mut self) -> Result<(), Error> {
        let is_one = |f: &&Function<T>| {
            Id::from_name(f.name()).is_some_and(|id| Id::dynamics().any(|other| other == id))
        };
        self.robot.functions().iter().filter(is_one).try_for_each(|function| self.compare(function))
    }

    /// Arguments of a function at this state, in the function's order.
    pub fn arguments(&self, function: &Function<T>) -> Vec<Vec<T>> {
        let all = function.inputs().iter().map(|input| reference::argument(input.name, &self.state));
        all.map(|numbers| numbers.into_iter().map(T::from_f64).collect()).collect()
    }

    /// Results of the generic reference, in the function's order; nothing, if the reference does not have
    /// the function.
    pub fn reference(&self, function: &Function<T>) -> Option<Vec<Vec<f64>>> {
        self.expected(function).map(|all| all.into_iter().map(|(_, result)| result).collect())
    }

    /// Compares a function with the reference, if the reference has the function.
    ///
    /// # Errors
    /// [`Error::Disagrees`].
    pub fn compare(&mut self, function: &Function<T>) -> Result<(), Error> {
        let Some(expected) = self.expected(function) else { return Ok(()) };
        let inputs = self.arguments(function);
        let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
        let mut results: Vec<Vec<T>> = function.outputs().iter().map(|a| vec![T::NAN; a.length]).collect();
        let mut outputs: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        function.call(&mut self.robot.workspace(), &inputs, &mut outputs)?;
        for ((output, found), (id, expected)) in function.outputs().iter().zip(&results).zip(&expected) {
            let found: Vec<f64> = found.iter().map(|x| x.double()).collect();
            let error = relative_error(&found, expected);
            if error > self.tolerance(*id) {
                return Err(Error::Disagrees { function: function.name(), output: output.name, error });
            }
        }
        Ok(())
    }

    /// The reference's results, each with the function that it is of.
    fn expected(&self, function: &Function<T>) -> Option<Vec<(Id, Vec<f64>)>> {
        let (model, state) = (self.robot.model(), &self.state);
        if let Some(id) = Id::from_name(function.name()) {
            let all = reference::results(id, function.frame_at(), model, state)?;
            return Some(all.into_iter().map(|result| (id, result)).collect());
        }
        // Each result of a fused function is one of some function of the table.
        let mut results: Vec<Option<(Id, Vec<f64>)>> = vec![None; function.outputs().len()];
        for part in function.fused_components() {
            let all = reference::results(part.function, part.frame, model, state)?;
            for (own, given) in &part.gives {
                let own = part.function.spec().outputs.iter().position(|output| output == own)?;
                let given = function.outputs().iter().position(|output| output.name == given.name)?;
                results[given] = Some((part.function, all[own].clone()));
            }
        }
        results.into_iter().collect()
    }

    /// Tolerance of a function: equally many units in the last place for both types of numbers.
    fn tolerance(&mut self, id: Id) -> f64 {
        let unit = if T::IS_DOUBLE { 1.0 } else { f64::from(f32::EPSILON) / f64::EPSILON };
        unit * self.tolerance_of_doubles(id)
    }

    fn tolerance_of_doubles(&mut self, id: Id) -> f64 {
        let is_second = id.spec().family == Family::SecondDerivatives;
        let is_inverse = id == Id::Minv || id.name().starts_with("aba");
        if !is_inverse {
            return if is_second { TOLERANCE_OF_SECOND } else { TOLERANCE };
        }
        let condition = *self.condition.get_or_insert_with(|| condition_of(self.robot.model(), &self.state));
        match is_second {
            false => TOLERANCE_OF_INVERSES * condition.max(1e3),
            true if condition <= 5e3 => TOLERANCE_OF_SECOND,
            true => TOLERANCE_OF_SECOND_INVERSES.max(TOLERANCE_OF_INVERSES * condition),
        }
    }
}

impl<T: Number> Loaded<T> {
    /// The robot at the random state of a seed.
    ///
    /// Nothing of robots that cannot move, and of those with inertias or gravity at run time, which the
    /// reference does not take.
    pub fn sample(&self, seed: u64) -> Option<Sample<'_, T>> {
        Sample::new(self, seed)
    }
}

/// The state with its numbers rounded to this type, so that both sides are given the same ones.
fn rounded<T: Number>(mut state: State) -> State {
    let round = |x: &mut f64| *x = T::from_f64(*x).double();
    for vector in [&mut state.q, &mut state.v, &mut state.a, &mut state.tau] {
        vector.iter_mut().for_each(round);
    }
    state.fext.iter_mut().flat_map(|force| force.iter_mut()).for_each(round);
    state
}

/// The largest difference, relative to the largest entry or one.
fn relative_error(found: &[f64], expected: &[f64]) -> f64 {
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    // NaN must not pass for small, as it does in `max`.
    let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, larger) / largest
}

fn condition_of(model: &Model<f64>, state: &State) -> f64 {
    let eigenvalues = model.crba(state.q.as_slice()).symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}
