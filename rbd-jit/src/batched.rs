//! A function's code for states side by side.

use crate::Number;
use crate::blocks::Blocks;
use crate::code::Stages;
use crate::order::Order;

/// Code for states side by side.
#[derive(Debug)]
pub struct Batched<T> {
    /// The kernels' code; none of second derivatives, which join the results of others.
    pub stages: Stages<T>,
    /// How many numbers it needs for itself.
    work: usize,
    /// The entries of each argument, by blocks.
    pub inputs: Vec<Blocks>,
    /// The entries of each result, by blocks that are zero in every state and others.
    outputs: Vec<Blocks>,
    /// Which entries of each result can differ from zero.
    nonzero: Vec<Vec<bool>>,
    /// Whether it takes less time than calls one by one.
    pays: bool,
}

impl<T: Number> Batched<T> {
    /// Code for so many states that needs so many numbers for itself, of arguments with so many numbers a
    /// state, and of results of whose entries these can differ from zero. `one` is the code for one state
    /// where that has limbs side by side.
    pub fn new(
        (stages, work): (Stages<T>, usize),
        one: Option<&Stages<T>>,
        states: usize,
        inputs: &[usize],
        nonzero: Vec<Vec<bool>>,
    ) -> Self {
        let numbered = |entries: &Vec<bool>| entries.iter().copied().enumerate().collect::<Vec<_>>();
        let inputs = inputs.iter().map(|length| Blocks::in_order::<T>(*length, states)).collect();
        let outputs = nonzero.iter().map(|entries| Blocks::new::<T>(&numbered(entries), states)).collect();
        let results = nonzero.iter().flatten().filter(|is_nonzero| **is_nonzero).count();
        let cost = |one: &Stages<T>| cost_beside(stages.bytes(), states, results) <= cost_of_one(one.bytes());
        let pays = one.is_none_or(cost);
        Self { stages, work, inputs, outputs, nonzero, pays }
    }

    /// How many numbers it needs for itself.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Whether batches take less time by it than by calls one by one.
    pub fn pays(&self) -> bool {
        self.pays
    }

    /// The numbers of each result in this order, by blocks.
    pub fn outputs_in<'a>(&'a self, order: Option<&'a Order>, states: usize) -> &'a [Blocks] {
        order.map_or(&self.outputs, |order| order.blocks::<T>(&self.nonzero, states))
    }
}

/// What code of so many bytes for states side by side costs each of them, with results to be turned.
///
/// Where limbs fill the registers of one state, states fill them no better, and have four or eight times as
/// many numbers, of which fewer stay in registers. The costs are by times of HyQ's and Go2's functions with
/// AVX2 (docs/run-time.md): a byte took about twice as long side by side.
fn cost_beside(bytes: usize, states: usize, results: usize) -> usize {
    8 * bytes / states + 32 * results
}

/// What code of so many bytes for one state with limbs side by side costs. A quarter more is not sure to be
/// less.
fn cost_of_one(bytes: usize) -> usize {
    5 * bytes
}

#[cfg(test)]
mod tests {
    use crate::{Base, Engine, Options, Robot};

    /// Four limbs fill registers of four numbers, and half of those of eight.
    #[test]
    fn limbs_go_one_by_one_where_they_fill_registers() {
        let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/hyq.urdf");
        let names = ["rnea_derivatives", "coriolis_matrix", "center_of_mass", "crba", "aba_derivatives"];
        let robot = Robot::from_urdf(urdf).base(Base::Floating).functions(names);
        for (engine, expected) in
            [(Engine::Avx2, [false, false, true, true, true]), (Engine::Avx512, [true; 5])]
        {
            if !engine.is_there() {
                println!("skipped: this processor has no {engine}");
                continue;
            }
            let options = Options { engine: Some(engine), ..Options::default() };
            let robot = robot.clone().load_with(options).unwrap();
            let pays = |name| robot.function(name).unwrap().batched().unwrap().pays();
            assert_eq!(names.map(pays), expected, "{engine}");
        }
    }
}
