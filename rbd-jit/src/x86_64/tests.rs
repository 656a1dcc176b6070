//! Machine code of random kernels, bit for bit against the interpreter.

use super::*;
use crate::cases::{self, Case, places, run};

/// Levels that this processor has. Prints the others, which are not tested.
fn levels() -> Vec<Level> {
    let is_there = |level: &Level| {
        if !level.is_there() {
            println!("skipped: this processor has no {level:?}");
        }
        level.is_there()
    };
    [Level::Avx2, Level::Avx512].into_iter().filter(is_there).collect()
}

/// Compares machine code for this many states side by side with the interpreter.
fn compare<T: Number>(case: &Case, level: Level, states: usize) {
    let lowered = Lowered::new(&case.kernel, states, T::IS_DOUBLE);
    let places = places(&case.kernel, &lowered, states);
    let native = Native::<T>::new(&lowered, level, &CodeMemory::default(), states, &places).unwrap();
    let all = run(&places, &case.inputs::<T>(), native.work(), |arrays| {
        let mut pointers = Pointers::new();
        pointers.set(arrays);
        // SAFETY: the arrays are the kernel's, and the pointers theirs.
        unsafe { native.run(&pointers, arrays) }
    });
    let what = format!("{level:?}, {}", case.what);
    cases::compare(&Case { what, kernel: case.kernel.clone(), inputs: case.inputs.clone() }, states, &all);
}

/// Each level, with how many states side by side.
fn levels_and_states() -> impl Iterator<Item = (Level, usize)> {
    let with_states = |level: Level| [1, 4, 8].map(|states| (level, states));
    let fits = |(level, states): &(Level, usize)| *states < 8 || *level == Level::Avx512;
    levels().into_iter().flat_map(with_states).filter(fits)
}

/// Number of states in single precision: half the size, so that twice as many fit.
fn single(states: usize) -> usize {
    if states == 1 { 1 } else { 2 * states }
}

#[test]
fn one_state() {
    for level in levels() {
        for seed in 0..120 {
            compare::<f64>(&cases::random(seed, 10 + 8 * (seed as usize % 50), seed % 3 != 0, 1), level, 1);
            // Lanes are of doubles.
            compare::<f32>(&cases::random(seed, 10 + 8 * (seed as usize % 50), false, 1), level, 1);
        }
    }
}

#[test]
fn states_side_by_side() {
    for (level, states) in levels_and_states().filter(|(_, states)| *states > 1) {
        for seed in 0..40 {
            compare::<f64>(
                &cases::random(seed, 10 + 10 * (seed as usize % 40), false, states),
                level,
                states,
            );
            let states = 2 * states;
            compare::<f32>(
                &cases::random(seed, 10 + 10 * (seed as usize % 40), false, states),
                level,
                states,
            );
        }
    }
}

#[test]
fn many_arrays() {
    for (level, states) in levels_and_states() {
        for largest in [3.0, 1e6] {
            compare::<f64>(&cases::many_arrays(states, largest), level, states);
            let states = single(states);
            compare::<f32>(&cases::many_arrays(states, largest), level, states);
        }
    }
}

/// Rows of every length, in loops and not.
#[test]
fn sines() {
    for (level, states) in levels_and_states() {
        for count in 1..=50 {
            for is_odd in [false, true] {
                compare::<f64>(&cases::sines(count, is_odd, states, 1e4), level, states);
                let states = single(states);
                // Within what the polynomials are for, if none is odd.
                compare::<f32>(&cases::sines(count, is_odd, states, 390.0), level, states);
            }
        }
    }
}

#[test]
fn products() {
    for (level, states) in levels_and_states() {
        for n in (1..=27).chain([32, 35, 41]) {
            for case in cases::products(n, states) {
                compare::<f64>(&case, level, states);
            }
            for case in cases::products(n, single(states)) {
                compare::<f32>(&case, level, single(states));
            }
        }
    }
}
