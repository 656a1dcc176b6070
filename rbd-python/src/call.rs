//! A function of a loaded robot on numbers of one state, or of many in blocks and on threads.

use crate::contact_hessian;
use crate::contacts::{Held, OfContacts};
use crate::friction::{self, OfFriction};
use crate::layout::Layout;
use crate::manifold::Map;
use crate::parameters::split;
use crate::real::Real;
use crate::rollouts::OfRollout;
use crate::rows::By;
use crate::steps::OfStep;
use rbd_build::signature::Sizes;
use rbd_jit::{Error, Place, Workspace};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Function that computes a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Computes {
    /// The function at this place of [`rbd_jit::Loaded::functions`].
    Function(usize),
    /// A map of the manifold of configurations.
    Manifold(Map),
    /// A function of contacts.
    Contacts(OfContacts),
    /// The Hessian of contact dynamics.
    ContactHessian,
    /// A function of steps.
    Step(OfStep, By),
    /// A rollout.
    Rollout(OfRollout, By),
    /// A step with friction.
    Friction(OfFriction),
}

/// A robot, and memory for calls that no call uses now.
#[derive(Debug)]
pub struct Loaded<T: Real> {
    /// The robot.
    pub robot: rbd_jit::Loaded<T>,
    workspaces: Mutex<Vec<Workspace<T>>>,
    /// Workspaces of calls that leave zeros alone.
    leaving_zeros: Mutex<Vec<Workspace<T>>>,
}

/// An argument of many states.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a, T> {
    /// The numbers of each state, or of one for all.
    pub numbers: &'a [T],
    /// Numbers of a state.
    pub length: usize,
    /// True if each state has its own numbers.
    pub is_each: bool,
}

/// Bytes of a block of states whose results are transposed afterwards: these stay in the second-level cache.
const BLOCK: usize = 128 * 1024;

/// Bytes and most states of a block whose results are computed where they go. Each block costs the memory of
/// its lanes, which is zeroed.
const DIRECT: (usize, usize) = (512 * 1024, 512);

/// Bytes of the largest registers.
const LINE: usize = 64;

/// Most states of a block.
const MOST_STATES: usize = 256;

/// Work worth a thread: waking one takes tens of microseconds.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// Most arguments or results of a function.
pub const MOST: usize = 21;

/// The lock, of data that a panic cannot leave half-changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Real> Loaded<T> {
    /// A robot without memory for calls yet. Its batches write results as Python has them.
    pub fn new(mut robot: rbd_jit::Loaded<T>) -> Self {
        let sizes = Sizes::from(robot.model());
        for function in robot.functions_mut() {
            let layouts: Vec<Layout> =
                function.results().iter().map(|output| Layout::of_output(output, sizes)).collect();
            if !function.has_lanes() || layouts.iter().all(|layout| layout.is_c) {
                continue;
            }
            let places: Vec<Vec<Place>> = layouts.iter().map(Layout::places).collect();
            function.set_order(&places).expect("a layout has a result's entries");
        }
        Self { robot, workspaces: Mutex::default(), leaving_zeros: Mutex::default() }
    }

    /// Returns whether batches of the function write results as Python has them.
    fn is_in_order(&self, computes: Computes) -> bool {
        match computes {
            Computes::Function(place) => self.robot.functions()[place].has_lanes(),
            _ => false,
        }
    }

    /// Memory for calls while `call` runs. If `leaves_zeros`, functions leave zeros of matrices alone.
    fn with_workspace<R>(&self, leaves_zeros: bool, call: impl FnOnce(&mut Workspace<T>) -> R) -> R {
        let kept = if leaves_zeros { &self.leaving_zeros } else { &self.workspaces };
        let last = locked(kept).pop();
        let mut workspace = last.unwrap_or_else(|| match leaves_zeros {
            true => self.robot.workspace().leaving_zeros(),
            false => self.robot.workspace(),
        });
        let done = call(&mut workspace);
        locked(kept).push(workspace);
        done
    }

    /// Computes one state. If `leaves_zeros`, results are zero at first or what this function gave.
    pub fn one(
        &self,
        computes: Computes,
        held: &Held<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        leaves_zeros: bool,
    ) -> Result<(), Error> {
        let leaves_zeros = leaves_zeros && matches!(computes, Computes::Function(_));
        self.with_workspace(leaves_zeros, |workspace| self.one_in(workspace, computes, held, inputs, outputs))
    }

    fn one_in(
        &self,
        workspace: &mut Workspace<T>,
        computes: Computes,
        held: &Held<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        match computes {
            Computes::Function(place) => self.robot.functions()[place].call(workspace, inputs, outputs),
            Computes::Manifold(map) => map.call(&self.robot, inputs, outputs),
            Computes::Contacts(of) => of.call(&self.robot, workspace, held, inputs, outputs),
            Computes::ContactHessian => {
                let (own, given) = split(&self.robot, inputs);
                contact_hessian::call(&self.robot.contacts_with(given), workspace, held, own, outputs)
            }
            Computes::Step(of, by) => {
                let (own, given) = split(&self.robot, inputs);
                of.call(by, &self.robot.steps_with(given), workspace, held, own, outputs)
            }
            Computes::Rollout(of, by) => {
                let (own, given) = split(&self.robot, inputs);
                of.call(by, (&self.robot, given), workspace, own, outputs)
            }
            Computes::Friction(of) => friction::call(of, &self.robot, workspace, held, inputs, outputs),
        }
    }
}

/// A function of many states, in blocks that several threads may take.
#[derive(Debug)]
pub struct Job<'a, T: Real> {
    loaded: &'a Loaded<T>,
    computes: Computes,
    held: &'a Held<T>,
    inputs: &'a [Argument<'a, T>],
    gives: &'a [Layout],
    /// True if results are computed where they go, and not beside.
    is_in_order: bool,
    /// True if results are zero at first, or what this function gave.
    leaves_zeros: bool,
    /// Most states of a block.
    block: usize,
    blocks: Mutex<Vec<Block<'a, T>>>,
    progress: Mutex<Progress>,
    is_done: Condvar,
}

/// Some states, and where their results go.
#[derive(Debug)]
struct Block<'a, T> {
    first: usize,
    states: usize,
    outputs: Vec<&'a mut [T]>,
}

/// Progress of a job.
#[derive(Debug, Default)]
struct Progress {
    /// Blocks that are not computed yet.
    left: usize,
    fault: Option<Error>,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

impl<'a, T: Real> Job<'a, T> {
    /// A function of so many states, whose results are written in C's order.
    pub fn new(
        loaded: &'a Loaded<T>,
        computes: Computes,
        held: &'a Held<T>,
        states: usize,
        inputs: &'a [Argument<'a, T>],
        gives: &'a [Layout],
        outputs: impl Iterator<Item = &'a mut [T]>,
    ) -> Self {
        let numbers = inputs.iter().map(|i| i.length).chain(gives.iter().map(|g| g.length)).sum::<usize>();
        let is_in_order = loaded.is_in_order(computes);
        let (bytes, most) = if is_in_order { DIRECT } else { (BLOCK, MOST_STATES) };
        // A whole number of lanes.
        let lanes = if let Computes::Function(_) = computes { LINE / size_of::<T>() } else { 1 };
        let room = bytes / size_of::<T>();
        let block = (room / numbers.max(1)).clamp(lanes, most) / lanes * lanes;
        let mut rest: Vec<&mut [T]> = outputs.collect();
        let mut blocks = Vec::with_capacity(states.div_ceil(block));
        for first in (0..states).step_by(block) {
            let states = block.min(states - first);
            let mut outputs = Vec::with_capacity(gives.len());
            for (rest, layout) in rest.iter_mut().zip(gives) {
                let (now, later) = std::mem::take(rest).split_at_mut(states * layout.numbers());
                outputs.push(now);
                *rest = later;
            }
            blocks.push(Block { first, states, outputs });
        }
        // Taken from the end.
        blocks.reverse();
        let progress = Mutex::new(Progress { left: blocks.len(), ..Progress::default() });
        let blocks = Mutex::new(blocks);
        let is_done = Condvar::new();
        let leaves_zeros = false;
        Self {
            loaded,
            computes,
            held,
            inputs,
            gives,
            is_in_order,
            leaves_zeros,
            block,
            blocks,
            progress,
            is_done,
        }
    }

    /// The job with results that are zero at first or what this function gave: zeros are left alone.
    pub fn leaving_zeros(self, leaves_zeros: bool) -> Self {
        Self { leaves_zeros, ..self }
    }

    /// Computes one block on this thread, and returns how many of so many threads the rest is worth.
    pub fn begin(&self, threads: usize) -> usize {
        let start = Instant::now();
        self.work_on(1);
        let each = start.elapsed();
        let left = locked(&self.blocks).len();
        let worth = each.as_secs_f64() * left as f64 / WORTH_A_THREAD.as_secs_f64();
        threads.min(worth as usize).min(left).max(1)
    }

    /// Computes blocks until none is left to take.
    pub fn work(&self) {
        self.work_on(usize::MAX);
    }

    fn work_on(&self, most: usize) {
        let mut scratch = Scratch::default();
        for _ in 0..most {
            let Some(block) = locked(&self.blocks).pop() else { return };
            let done = catch_unwind(AssertUnwindSafe(|| self.compute(block, &mut scratch)));
            let mut progress = locked(&self.progress);
            match done {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => progress.fault = Some(fault),
                Err(panic) => progress.panic = Some(panic),
            }
            progress.left -= 1;
            if progress.left == 0 {
                self.is_done.notify_all();
            }
        }
    }

    /// Waits for blocks that other threads compute.
    ///
    /// # Errors
    /// Returns the error of a block.
    pub fn finish(&self) -> Result<(), Error> {
        let mut progress = locked(&self.progress);
        while progress.left > 0 {
            progress = self.is_done.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(panic) = progress.panic.take() {
            drop(progress);
            resume_unwind(panic);
        }
        progress.fault.take().map_or(Ok(()), Err)
    }

    /// Computes all states, on at most so many threads.
    ///
    /// # Errors
    /// Returns the error of a block.
    pub fn run(&self, threads: usize) -> Result<(), Error> {
        let threads = if threads > 1 { self.begin(threads) } else { 1 };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| self.work());
            }
            self.work();
        });
        self.finish()
    }

    /// Returns whether a result is computed where it goes.
    fn is_direct(&self, layout: &Layout) -> bool {
        layout.is_c || self.is_in_order
    }

    fn compute(&self, block: Block<'_, T>, scratch: &mut Scratch<T>) -> Result<(), Error> {
        let Block { first, states, mut outputs } = block;
        scratch.prepare(self);
        let of_all = scratch.of_all.iter();
        let inputs: Vec<&[T]> = self
            .inputs
            .iter()
            .zip(of_all)
            .map(|(input, all)| match input.is_each {
                true => &input.numbers[first * input.length..][..states * input.length],
                false => &all[..states * input.length],
            })
            .collect();
        let both = self.gives.iter().zip(&mut outputs).zip(&mut scratch.by_columns);
        let mut direct: Vec<&mut [T]> = both
            .map(|((layout, output), by_columns)| match self.is_direct(layout) {
                true => &mut **output,
                false => &mut by_columns[..states * layout.length],
            })
            .collect();
        let robot = &self.loaded.robot;
        match self.computes {
            Computes::Function(place) => {
                let batch = if self.is_in_order { robot.batch().in_order() } else { robot.batch() };
                let batch = if self.leaves_zeros { batch.leaving_zeros() } else { batch };
                batch.call(&robot.functions()[place], &inputs, &mut direct)?
            }
            _ => self.one_by_one(states, &inputs, &mut direct)?,
        }
        for ((layout, output), from) in self.gives.iter().zip(outputs).zip(&scratch.by_columns) {
            if !self.is_direct(layout) && layout.length > 0 {
                layout.all_in_c(&from[..states * layout.length], output);
            }
        }
        Ok(())
    }

    /// Computes `states` states, one after the other.
    fn one_by_one(&self, states: usize, inputs: &[&[T]], outputs: &mut [&mut [T]]) -> Result<(), Error> {
        let lengths = self.gives.iter().map(|layout| layout.length.max(1));
        let mut rest: Vec<_> =
            outputs.iter_mut().zip(lengths).map(|(all, length)| all.chunks_mut(length)).collect();
        let (mut each, mut results) = (Vec::with_capacity(inputs.len()), Vec::with_capacity(rest.len()));
        self.loaded.with_workspace(false, |workspace| {
            for state in 0..states {
                each.clear();
                let both = inputs.iter().zip(self.inputs);
                each.extend(both.map(|(all, of)| &all[state * of.length..][..of.length]));
                results.clear();
                results.extend(rest.iter_mut().map(|rest| rest.next().unwrap_or_default()));
                self.loaded.one_in(workspace, self.computes, self.held, &each, &mut results)?;
            }
            Ok(())
        })
    }
}

/// Memory of a thread for blocks of one job.
#[derive(Debug, Default)]
struct Scratch<T> {
    /// Arguments that all states share, once for each state of a block.
    of_all: Vec<Vec<T>>,
    /// Results whose order in Rust is not C's.
    by_columns: Vec<Vec<T>>,
}

impl<T: Real> Scratch<T> {
    fn prepare(&mut self, job: &Job<'_, T>) {
        if self.of_all.len() == job.inputs.len() {
            return;
        }
        let of_all = |input: &Argument<'_, T>| {
            if input.is_each { Vec::new() } else { input.numbers.repeat(job.block) }
        };
        let by_columns = |layout: &Layout| {
            vec![T::zero(); if job.is_direct(layout) { 0 } else { layout.length * job.block }]
        };
        self.of_all = job.inputs.iter().map(of_all).collect();
        self.by_columns = job.gives.iter().map(by_columns).collect();
    }
}
