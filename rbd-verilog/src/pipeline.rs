//! Pipelines: every operation has a unit of its own, and a state enters in every cycle.

use crate::formats::Formats;
use crate::integers::Integers;
use crate::micro::{Kind, Micro, PIPELINED, Source, Work};
use crate::pipeline_schedule::PipelineSchedule;
use crate::straight::Straight;
use crate::text::identifier;
use crate::{Angles, Refusal};

/// Numbers of products added up in a row that are tried.
const CHAINS: [usize; 3] = [1, 2, 4];

/// A function as a pipeline that takes a state in every cycle.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Name of the module.
    pub name: String,
    /// The function on integers.
    pub integers: Integers,
    /// Work of the units, one unit for each piece.
    pub micro: Micro,
    /// Times of the work.
    pub schedule: PipelineSchedule,
}

impl Pipeline {
    /// Pipeline of a function in some formats. The module's name keeps letters, digits and `_` of `name`.
    ///
    /// # Errors
    /// The function cannot be a circuit.
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

    /// Numbers of multipliers, first those with a constant factor, then all others.
    pub fn multipliers(&self) -> (usize, usize) {
        let by_constants = |work: &&Work| match work {
            Work::Mac(mac) => [mac.a, mac.b].iter().any(|x| matches!(x, Source::Const(_))),
            _ => false,
        };
        let constant = self.micro.ops.iter().filter(by_constants).count();
        (constant, self.micro.number(Kind::Multiplier) - constant)
    }
}
