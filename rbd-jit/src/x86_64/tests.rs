//! Machine code of random kernels, bit for bit against the interpreter.

use super::*;
use crate::arrays::{Array, Location};
use crate::interpret::Interpreted;
use crate::random::{LENGTHS, Random, kernel};
use rbd_ir::kernel::Kernel;

/// Which of these this processor has; says of the others that they are not tested.
fn levels() -> Vec<Level> {
    let is_there = |level: &Level| {
        if !level.is_there() {
            println!("skipped: this processor has no {level:?}");
        }
        level.is_there()
    };
    [Level::Avx2, Level::Avx512].into_iter().filter(is_there).collect()
}

/// The arrays of a random kernel for so many states, and what they hold after a run.
fn run(
    states: usize,
    inputs: &[Vec<f64>; 2],
    work: usize,
    run: impl FnOnce(&mut Arrays<'_, '_>),
) -> [Vec<f64>; 2] {
    let locations = [Location::Input(0), Location::Input(1), Location::Output(0), Location::Output(1)];
    let array = |k: usize| Array { location: locations[k], length: LENGTHS[k] * states };
    let [mut y, mut z] = [2, 3].map(|k| vec![f64::NAN; LENGTHS[k] * states]);
    let mut work = vec![f64::NAN; work];
    run(&mut Arrays {
        arrays: &[0, 1, 2, 3].map(array),
        inputs: &[&inputs[0], &inputs[1]],
        outputs: &mut [&mut y, &mut z],
        work: &mut work,
    });
    [y, z]
}

fn bits(results: &[Vec<f64>; 2]) -> Vec<u64> {
    // One NaN is as good as another.
    let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    results.iter().flatten().map(bits).collect()
}

fn native(kernel: &Kernel, level: Level, states: usize, inputs: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
    let native = Native::new(&Lowered::new(kernel, states), level, states).unwrap();
    // SAFETY: the arrays are those of random kernels.
    run(states, inputs, native.work(), |arrays| unsafe { native.run(arrays) })
}

fn interpreted(kernel: &Kernel, inputs: &[Vec<f64>; 2], is_fused: bool) -> [Vec<f64>; 2] {
    let interpreted = Interpreted::new(Lowered::new(kernel, 1), is_fused);
    run(1, inputs, interpreted.work(), |arrays| interpreted.run(arrays))
}

fn inputs(random: &mut Random, states: usize) -> [Vec<f64>; 2] {
    [0, 1].map(|k| (0..LENGTHS[k] * states).map(|_| random.number()).collect())
}

#[test]
fn one_state() {
    for level in levels() {
        for seed in 0..120 {
            let random = &mut Random::new(seed);
            let kernel = kernel(random, 10 + 8 * (seed as usize % 50), seed % 3 != 0);
            let inputs = inputs(random, 1);
            let expected = interpreted(&kernel, &inputs, true);
            assert_eq!(
                bits(&native(&kernel, level, 1, &inputs)),
                bits(&expected),
                "{level:?} {seed}\n{kernel}"
            );
        }
    }
}

#[test]
fn states_side_by_side() {
    for level in levels() {
        for states in [4, 8].into_iter().filter(|n| *n == 4 || level == Level::Avx512) {
            for seed in 0..40 {
                let random = &mut Random::new(seed);
                let kernel = kernel(random, 10 + 10 * (seed as usize % 40), false);
                let inputs = inputs(random, states);
                let all = native(&kernel, level, states, &inputs);
                for state in 0..states {
                    let of =
                        |all: &Vec<f64>| all.iter().skip(state).step_by(states).copied().collect::<Vec<_>>();
                    let expected = interpreted(&kernel, &inputs.each_ref().map(of), true);
                    assert_eq!(
                        bits(&all.each_ref().map(of)),
                        bits(&expected),
                        "{level:?} {states} {seed}\n{kernel}"
                    );
                }
            }
        }
    }
}
