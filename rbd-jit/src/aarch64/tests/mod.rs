//! Machine code under an emulator, bit for bit against the interpreter, and words against an assembler.

mod emulator;
mod robots;
mod words;

use super::*;
use crate::cases::{self, Case, places};
use crate::interpret::Interpreted;
pub use emulator::Emulator;
pub use robots::check;

fn made(case: &Case, states: usize) -> (Made, Vec<Array>) {
    let lowered = Lowered::new(&case.kernel, states, true);
    let places = places(&case.kernel, &lowered, states);
    (Made::new(&lowered, states, &places).unwrap(), places)
}

/// Compares machine code for this many states side by side with the interpreter.
fn compare(emulator: &mut Emulator, case: &Case, states: usize) {
    let (made, places) = made(case, states);
    let all = emulator.run(&made, states, &places, &case.inputs);
    cases::compare(case, states, &all);
}

/// Pairs in place of four lanes change no bit, without any machine code.
#[test]
fn pairs_are_the_interpreters() {
    for seed in 0..60 {
        let case = cases::random(seed, 10 + 8 * (seed as usize % 50), true, 1);
        let lowered = Lowered::new(&case.kernel, 1, true).in_pairs();
        assert!(lowered.program.values.iter().all(|value| value.lanes <= 2));
        let places = places(&case.kernel, &lowered, 1);
        let interpreted = Interpreted::new(lowered, true);
        let all = cases::run(&places, &case.inputs, interpreted.work(), |arrays| interpreted.run(arrays));
        cases::compare(&case, 1, &all);
    }
}

#[test]
fn one_state() {
    let Some(mut emulator) = Emulator::new() else { return };
    for seed in 0..120 {
        let case = cases::random(seed, 10 + 8 * (seed as usize % 50), seed % 3 != 0, 1);
        compare(&mut emulator, &case, 1);
    }
}

#[test]
fn two_states_side_by_side() {
    let Some(mut emulator) = Emulator::new() else { return };
    for seed in 0..40 {
        let case = cases::random(seed, 10 + 10 * (seed as usize % 40), false, 2);
        compare(&mut emulator, &case, 2);
    }
}

#[test]
fn many_arrays() {
    let Some(mut emulator) = Emulator::new() else { return };
    for states in [1, 2] {
        for largest in [3.0, 1e6] {
            compare(&mut emulator, &cases::many_arrays(states, largest), states);
        }
    }
}

/// Rows of every length, in loops and not.
#[test]
fn sines() {
    let Some(mut emulator) = Emulator::new() else { return };
    for states in [1, 2] {
        for count in 1..=50 {
            for is_odd in [false, true] {
                compare(&mut emulator, &cases::sines(count, is_odd, states, 1e4), states);
            }
        }
    }
}

#[test]
fn products() {
    let Some(mut emulator) = Emulator::new() else { return };
    for states in [1, 2] {
        for n in (1..=27).chain([32, 35, 41]) {
            for case in cases::products(n, states) {
                compare(&mut emulator, &case, states);
            }
        }
    }
}
