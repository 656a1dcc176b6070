//! Machine code of random kernels, bit for bit against the interpreter.

use super::*;
use crate::arrays::{Array, Location};
use crate::interpret::Interpreted;
use crate::lower::At;
use crate::random::{LENGTHS, Random, kernel};
use rbd_ir::kernel::{Angle, ArrayDecl, ArrayId, Kernel, Operand, Place, Reg, Role, Signed, Stmt};
use rbd_ir::products::{Product, Support};

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

/// The places of a kernel's arrays, its inputs and outputs in order.
fn places(kernel: &Kernel, lowered: &Lowered, states: usize) -> Vec<Array> {
    let (mut inputs, mut outputs) = (0.., 0..);
    let mut place = |k: usize| match (lowered.arrays[k], kernel.arrays[k].role) {
        (At::Work(begin), _) => Location::Work(begin as usize * states),
        (At::Pointer, Role::In) => Location::Input(inputs.next().unwrap()),
        (At::Pointer, _) => Location::Output(outputs.next().unwrap()),
    };
    let lengths = lowered.lengths.iter().map(|length| length * states);
    lengths.enumerate().map(|(k, length)| Array { location: place(k), length }).collect()
}

/// What a kernel's outputs hold after a run.
fn run(
    places: &[Array],
    inputs: &[Vec<f64>],
    work: usize,
    run: impl FnOnce(&mut Arrays<'_, '_>),
) -> Vec<Vec<f64>> {
    let is_output = |array: &&Array| matches!(array.location, Location::Output(_));
    let mut results: Vec<Vec<f64>> =
        places.iter().filter(is_output).map(|array| vec![f64::NAN; array.length]).collect();
    let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut work = vec![f64::NAN; work];
    run(&mut Arrays { arrays: places, inputs: &inputs, zeros: &[], outputs: &mut outputs, work: &mut work });
    results
}

fn bits(results: &[Vec<f64>]) -> Vec<u64> {
    // One NaN is as good as another.
    let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    results.iter().flatten().map(bits).collect()
}

fn native(kernel: &Kernel, level: Level, states: usize, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let lowered = Lowered::new(kernel, states);
    let places = places(kernel, &lowered, states);
    let native = Native::new(&lowered, level, states, &places).unwrap();
    run(&places, inputs, native.work(), |arrays| {
        let mut pointers = Pointers::new();
        pointers.set(arrays);
        // SAFETY: the arrays are the kernel's, and the pointers theirs.
        unsafe { native.run(&pointers, arrays) }
    })
}

fn interpreted(kernel: &Kernel, inputs: &[Vec<f64>], is_fused: bool) -> Vec<Vec<f64>> {
    let lowered = Lowered::new(kernel, 1);
    let places = places(kernel, &lowered, 1);
    let interpreted = Interpreted::new(lowered, is_fused);
    run(&places, inputs, interpreted.work(), |arrays| interpreted.run(arrays))
}

/// Compares machine code for so many states side by side with the interpreter, state by state.
fn compare(kernel: &Kernel, level: Level, states: usize, inputs: &[Vec<f64>], what: &str) {
    let all = native(kernel, level, states, inputs);
    for state in 0..states {
        let of = |all: &Vec<f64>| all.iter().skip(state).step_by(states).copied().collect::<Vec<_>>();
        let of_state: Vec<Vec<f64>> = inputs.iter().map(of).collect();
        let expected = interpreted(kernel, &of_state, true);
        let found: Vec<Vec<f64>> = all.iter().map(of).collect();
        assert_eq!(bits(&found), bits(&expected), "{level:?}, state {state} of {states}, {what}\n{kernel}");
    }
}

/// Each level, with how many states side by side.
fn levels_and_states() -> impl Iterator<Item = (Level, usize)> {
    let with_states = |level: Level| [1, 4, 8].map(|states| (level, states));
    let fits = |(level, states): &(Level, usize)| *states < 8 || *level == Level::Avx512;
    levels().into_iter().flat_map(with_states).filter(fits)
}

fn inputs(random: &mut Random, states: usize) -> Vec<Vec<f64>> {
    [0, 1].map(|k| (0..LENGTHS[k] * states).map(|_| random.number()).collect()).to_vec()
}

#[test]
fn one_state() {
    for level in levels() {
        for seed in 0..120 {
            let random = &mut Random::new(seed);
            let kernel = kernel(random, 10 + 8 * (seed as usize % 50), seed % 3 != 0);
            let inputs = inputs(random, 1);
            compare(&kernel, level, 1, &inputs, &seed.to_string());
        }
    }
}

#[test]
fn states_side_by_side() {
    for (level, states) in levels_and_states().filter(|(_, states)| *states > 1) {
        for seed in 0..40 {
            let random = &mut Random::new(seed);
            let kernel = kernel(random, 10 + 10 * (seed as usize % 40), false);
            let inputs = inputs(random, states);
            compare(&kernel, level, states, &inputs, &seed.to_string());
        }
    }
}

/// More arrays than there are registers for their addresses, read and written in turn, with a call between.
#[test]
fn many_arrays() {
    const INPUTS: usize = 7;
    const RESULTS: usize = 20;
    for (level, states) in levels_and_states() {
        let random = &mut Random::new(states as u64);
        let mut arrays: Vec<ArrayDecl> = (0..INPUTS).map(|_| decl("x", 4, 1, Role::In)).collect();
        arrays.extend((0..RESULTS).map(|_| decl("y", 4, 1, Role::Out)));
        let place = |array: usize, index: usize| Place { array: ArrayId(array as u16), index: index as u32 };
        let mut body = Vec::new();
        for index in 0..4 {
            for result in usize::from(index == 3)..RESULTS {
                let operand = Operand::Load(place(random.below(INPUTS), random.below(4)));
                let from = Signed { operand, negated: random.below(3) == 0 };
                body.push(Stmt::Store { to: place(INPUTS + result, index), from });
            }
            if index == 1 {
                let sin = Reg { number: 0, lanes: 1 };
                let of = Operand::Load(place(0, 0));
                body.push(Stmt::SinCos(vec![Angle { of, sin: Some(sin), cos: None, turned: None }]));
                let from = Signed { operand: Operand::Reg(sin), negated: false };
                body.push(Stmt::Store { to: place(INPUTS, 3), from });
            }
        }
        let kernel = Kernel { arrays, lane_constants: Vec::new(), body };
        kernel.verify().unwrap();
        // Sines of large angles are calls.
        let mut numbers = || (0..4 * states).map(|_| 1e6 * random.number()).collect::<Vec<f64>>();
        let inputs: Vec<Vec<f64>> = (0..INPUTS).map(|_| numbers()).collect();
        compare(&kernel, level, states, &inputs, "many arrays");
    }
}

fn decl(name: &'static str, rows: usize, columns: usize, role: Role) -> ArrayDecl {
    ArrayDecl { name, rows, columns, role }
}

/// Rows of every length, in loops and not, with angles that are large, infinite and no numbers.
#[test]
fn sines() {
    for (level, states) in levels_and_states() {
        for count in 1..=50 {
            let random = &mut Random::new(count as u64);
            let reg = |number: usize| Some(Reg { number: number as u32, lanes: 1 });
            let place = |array: u16, index: usize| Place { array: ArrayId(array), index: index as u32 };
            let angle = |k: usize| Angle {
                of: Operand::Load(place(0, k)),
                sin: reg(2 * k),
                cos: reg(2 * k + 1),
                turned: None,
            };
            let store = |k: usize| {
                let from = Signed { operand: Operand::Reg(reg(k).unwrap()), negated: false };
                Stmt::Store { to: place(1, k), from }
            };
            let mut body = vec![Stmt::SinCos((0..count).map(angle).collect())];
            body.extend((0..2 * count).map(store));
            let arrays = vec![decl("q", count, 1, Role::In), decl("x", 2 * count, 1, Role::Out)];
            let kernel = Kernel { arrays, lane_constants: Vec::new(), body };
            kernel.verify().unwrap();
            for odd in [false, true] {
                let mut angle = || match random.below(if odd { 12 } else { 8 }) {
                    8 => 1e5 * (1.0 + random.number()),
                    9 => -3e300,
                    10 => f64::INFINITY,
                    11 => f64::NAN,
                    k => random.number() * 10_f64.powi(k as i32 - 3),
                };
                let angles = (0..count * states).map(|_| angle()).collect();
                compare(&kernel, level, states, &[angles], &count.to_string());
            }
        }
    }
}

/// Entries that may be nonzero for a random tree, by columns: those of coordinates on one path.
fn relatives(random: &mut Random, n: usize) -> Vec<bool> {
    let mut parents: Vec<Option<usize>> = Vec::new();
    for k in 0..n {
        let parent = if random.below(3) == 0 { random.below(k + 1).checked_sub(1) } else { k.checked_sub(1) };
        parents.push(parent);
    }
    let is_above =
        |a: usize, b: usize| std::iter::successors(Some(b), |k| parents[*k]).any(|other| other == a);
    (0..n * n).map(|k| is_above(k % n, k / n) || is_above(k / n, k % n)).collect()
}

/// Any size and zeros: `-a x` in place of `x`, and `g d g^T`.
#[test]
fn products() {
    for (level, states) in levels_and_states() {
        for n in (1..=27).chain([32, 35, 41]) {
            let random = &mut Random::new(n as u64);
            let (full, tree) = (vec![true; n * n], relatives(random, n));
            let lower: Vec<bool> = (0..n * n).map(|k| tree[k] && k % n >= k / n).collect();
            let support = |of: &[bool]| Support::new(n, |row, column| of[column * n + row]);
            let matrix = |name, role| decl(name, n, n, role);
            let mut numbers = |of: &[bool]| -> Vec<f64> {
                let number = |is_there: &bool| if *is_there { random.number() } else { 0.0 };
                of.iter().flat_map(|is_there| [is_there; 8].into_iter().take(states)).map(number).collect()
            };
            for a in [&full, &tree] {
                let (first, second) = (numbers(a), numbers(&tree));
                let of = (ArrayId(2), &support(&tree));
                let copy = |index: u32| Stmt::Store {
                    to: Place { array: ArrayId(2), index },
                    from: Signed {
                        operand: Operand::Load(Place { array: ArrayId(1), index }),
                        negated: false,
                    },
                };
                let mut body: Vec<Stmt> = (0..(n * n) as u32).map(copy).collect();
                body.push(Stmt::Product(Product::negative((ArrayId(0), &support(a)), of)));
                let arrays = vec![matrix("a", Role::In), matrix("b", Role::In), matrix("x", Role::Out)];
                let kernel = Kernel { arrays, lane_constants: Vec::new(), body };
                compare(&kernel, level, states, &[first, second], &format!("{n}"));
            }
            let factor = numbers(&lower);
            let diagonal = numbers(&full)[..n * states].to_vec();
            let product = Product::gram((ArrayId(0), &support(&lower)), ArrayId(1), ArrayId(2));
            let arrays = vec![matrix("g", Role::In), decl("d", n, 1, Role::In), matrix("out", Role::Out)];
            let kernel = Kernel { arrays, lane_constants: Vec::new(), body: vec![Stmt::Product(product)] };
            compare(&kernel, level, states, &[factor, diagonal], &format!("{n}, symmetric"));
        }
    }
}
