//! A function of a loaded robot on numbers of one state, or of many in blocks and on threads.

use crate::layout::Layout;
use rbd_jit::{Robot, Workspace};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A robot, and memory for calls that no call uses now.
#[derive(Debug)]
pub struct Loaded {
    /// The robot.
    pub robot: Robot,
    workspaces: Mutex<Vec<Workspace>>,
}

/// An argument of many states.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The numbers of each state, or of one for all.
    pub numbers: &'a [f64],
    /// Numbers of a state.
    pub length: usize,
    /// Whether each state has its own.
    pub is_each: bool,
}

/// Numbers of a block of states: arguments and results stay in the second-level cache.
const BLOCK: usize = 16 * 1024;

/// Most states of a block.
const MOST_STATES: usize = 256;

/// Work worth a thread: waking one takes tens of microseconds.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// Most arguments or results of a function.
pub const MOST: usize = 10;

impl Loaded {
    /// A robot without memory for calls yet.
    pub fn new(robot: Robot) -> Self {
        Self { robot, workspaces: Mutex::default() }
    }

    fn workspaces(&self) -> std::sync::MutexGuard<'_, Vec<Workspace>> {
        // A panic cannot leave the list half-changed.
        self.workspaces.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Computes one state.
    pub fn one(
        &self,
        place: usize,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
    ) -> Result<(), rbd_jit::Error> {
        let last = self.workspaces().pop();
        let mut workspace = last.unwrap_or_else(|| self.robot.workspace());
        let done = self.robot.functions()[place].call(&mut workspace, inputs, outputs);
        self.workspaces().push(workspace);
        done
    }

    /// Computes so many states on at most so many threads, results in C's order.
    pub fn many(
        &self,
        place: usize,
        states: usize,
        inputs: &[Argument<'_>],
        gives: &[Layout],
        outputs: &mut [&mut [f64]],
        threads: usize,
    ) -> Result<(), rbd_jit::Error> {
        let numbers: usize =
            inputs.iter().map(|i| i.length).chain(gives.iter().map(|g| g.length)).sum::<usize>().max(1);
        // A whole number of lanes.
        let block = (BLOCK / numbers).clamp(8, MOST_STATES) / 8 * 8;
        let first = block.min(states);
        let start = Instant::now();
        let mut rest: Vec<&mut [f64]> = Vec::with_capacity(outputs.len());
        let mut now: Vec<&mut [f64]> = Vec::with_capacity(outputs.len());
        for (output, layout) in outputs.iter_mut().zip(gives) {
            let (a, b) = output.split_at_mut(first * layout.numbers());
            now.push(a);
            rest.push(b);
        }
        self.blocks(place, 0, first, block, inputs, gives, &mut now)?;
        let left = states - first;
        let work = start.elapsed().as_secs_f64() / first.max(1) as f64 * left as f64;
        let worth = (work / WORTH_A_THREAD.as_secs_f64()) as usize;
        let threads = threads.min(worth).min(left.div_ceil(block)).max(1);
        if threads == 1 {
            return self.blocks(place, first, left, block, inputs, gives, &mut rest);
        }
        let share = left.div_ceil(threads).next_multiple_of(block);
        std::thread::scope(|scope| {
            let mut workers = Vec::with_capacity(threads);
            for begin in (0..left).step_by(share) {
                let count = share.min(left - begin);
                let mut mine = Vec::with_capacity(rest.len());
                for (rest, layout) in rest.iter_mut().zip(gives) {
                    let (a, b) = std::mem::take(rest).split_at_mut(count * layout.numbers());
                    mine.push(a);
                    *rest = b;
                }
                let of = move || self.blocks(place, first + begin, count, block, inputs, gives, &mut mine);
                workers.push(scope.spawn(of));
            }
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// States from one on, a block after the other.
    #[allow(clippy::too_many_arguments, reason = "a call, and which part of it")]
    fn blocks(
        &self,
        place: usize,
        from: usize,
        states: usize,
        block: usize,
        inputs: &[Argument<'_>],
        gives: &[Layout],
        outputs: &mut [&mut [f64]],
    ) -> Result<(), rbd_jit::Error> {
        let function = &self.robot.functions()[place];
        let of_all: Vec<Vec<f64>> = inputs
            .iter()
            .map(|input| if input.is_each { Vec::new() } else { input.numbers.repeat(block.min(states)) })
            .collect();
        let by_columns = |layout: &Layout| if layout.is_c() { 0 } else { layout.length * block.min(states) };
        let mut results: Vec<Vec<f64>> = gives.iter().map(|layout| vec![0.0; by_columns(layout)]).collect();
        for begin in (0..states).step_by(block) {
            let count = block.min(states - begin);
            let some: Vec<&[f64]> = inputs
                .iter()
                .zip(&of_all)
                .map(|(input, all)| match input.is_each {
                    true => &input.numbers[(from + begin) * input.length..][..count * input.length],
                    false => &all[..count * input.length],
                })
                .collect();
            let mut direct: Vec<&mut [f64]> = Vec::with_capacity(gives.len());
            for ((layout, output), result) in gives.iter().zip(outputs.iter_mut()).zip(&mut results) {
                direct.push(match layout.is_c() {
                    true => &mut output[begin * layout.length..][..count * layout.length],
                    false => &mut result[..count * layout.length],
                });
            }
            self.robot.batch().call(function, &some, &mut direct)?;
            for ((layout, output), result) in gives.iter().zip(outputs.iter_mut()).zip(&results) {
                if layout.is_c() || layout.length == 0 {
                    continue;
                }
                let to = output[begin * layout.numbers()..].chunks_exact_mut(layout.numbers());
                for (from, to) in result.chunks_exact(layout.length).zip(to).take(count) {
                    layout.in_c(from, to);
                }
            }
        }
        Ok(())
    }
}
