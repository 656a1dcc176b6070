//! A function as a pipeline: every operation has a unit of its own, and a state goes in every cycle.

use crate::formats::Formats;
use crate::integers::Integers;
use crate::micro::{Kind, Micro, PIPELINED, Source, Work};
use crate::pipeline_schedule::PipelineSchedule;
use crate::straight::Straight;
use crate::text::identifier;
use crate::{Angles, Refusal};

/// Products that are added up one after the other, at most: what is tried.
const CHAINS: [usize; 3] = [1, 2, 4];

/// A function as a pipeline that takes a state a cycle.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The module's name.
    pub name: String,
    /// What it computes, on integers.
    pub integers: Integers,
    /// What its units do, one each.
    pub micro: Micro,
    /// When.
    pub schedule: PipelineSchedule,
}

impl Pipeline {
    /// The pipeline of a function in these formats. Of the name only letters, digits and `_` stay.
    ///
    /// # Errors
    /// If the function is none for a circuit.
    pub fn new(name: &str, straight: &Straight, formats: &Formats, angles: Angles) -> Result<Self, Refusal> {
        let integers = Integers::of_circuit(straight, formats, angles)?;
        let tried = CHAINS.map(|chain| {
            let micro = Micro::new(&integers, PIPELINED, chain);
            let schedule = PipelineSchedule::new(&micro);
            (micro, schedule)
        });
        let best = tried.into_iter().min_by_key(|(_, schedule)| (schedule.depth, schedule.registers()));
        let (micro, schedule) = best.expect("there are several");
        Ok(Self { name: identifier(name), integers, micro, schedule })
    }

    /// Cycles from a state to its results.
    pub fn latency(&self) -> usize {
        self.schedule.depth as usize
    }

    /// Multipliers, those with a constant for a factor first.
    pub fn multipliers(&self) -> (usize, usize) {
        let by_constants = |work: &&Work| match work {
            Work::Mac(mac) => [mac.a, mac.b].iter().any(|x| matches!(x, Source::Const(_))),
            _ => false,
        };
        let constant = self.micro.ops.iter().filter(by_constants).count();
        (constant, self.micro.number(Kind::Multiplier) - constant)
    }
}
