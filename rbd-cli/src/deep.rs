//! `rbd check --deep`: every function of a robot against the generic reference, at many random states.

use crate::bench::of_jit;
use crate::output::Error;
use crate::progress::Progress;
use rbd_build::Family;
use rbd_jit::{Id, Options, Robot, Sample};
use std::path::Path;

/// Number of random states for each function.
const STATES: u64 = 1000;
/// Number of random states for second derivatives, whose reference takes long.
const STATES_OF_SECOND: u64 = 10;

/// A comparison in a sentence, and whether all agrees.
pub fn compare(path: &Path, robot: rbd_build::Robot, progress: &Progress) -> Result<(String, bool), Error> {
    progress.say(format!("making code of {}", path.display()));
    let options = Options { check: false, ..Options::default() };
    let robot = Robot::from(robot).load_with(options).map_err(of_jit)?;
    let of = format!("{}: by {}", path.display(), robot.engine());
    if robot.sample(0).is_none() {
        return Ok((format!("{of}, nothing can be compared: the robot cannot move\n"), true));
    }
    let functions = robot.functions();
    progress.count(STATES as usize, "comparing with the reference");
    for seed in 0..STATES {
        progress.one_more();
        let Some(mut sample) = robot.sample(seed) else { continue };
        for function in functions.iter().filter(|f| seed < states_of(f.name())) {
            if let Err(error) = Sample::compare(&mut sample, function) {
                return Ok((format!("{of}, random state {seed}: {error}\n"), false));
            }
        }
    }
    let said = format!(
        "{of}, {} functions agree with the generic reference at {STATES} random states (second derivatives at \
         {STATES_OF_SECOND})\n",
        functions.len()
    );
    Ok((said, true))
}

fn states_of(function: &str) -> u64 {
    match Id::from_name(function).map(|id| id.spec().family) {
        Some(Family::SecondDerivatives) => STATES_OF_SECOND,
        _ => STATES,
    }
}
