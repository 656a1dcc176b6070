//! Kernels that machine code of every architecture is tried on, and runs of them.

use crate::Number;
use crate::arrays::{Array, Arrays, Location};
use crate::interpret::Interpreted;
use crate::lower::{At, Lowered};
use crate::random::{LENGTHS, Random};
use rbd_ir::kernel::{Angle, ArrayDecl, ArrayId, Kernel, Operand, Place, Reg, Role, Signed, Stmt};
use rbd_ir::products::{Product, Support};

/// A kernel and the numbers that it reads, of all states side by side.
pub struct Case {
    pub kernel: Kernel,
    pub inputs: Vec<Vec<f64>>,
    pub what: String,
}

impl Case {
    /// Numbers that the kernel reads, rounded.
    pub fn inputs<T: Number>(&self) -> Vec<Vec<T>> {
        self.inputs.iter().map(|row| row.iter().map(|x| T::from_f64(*x)).collect()).collect()
    }
}

/// The places of a kernel's arrays, its inputs and outputs in order.
pub fn places(kernel: &Kernel, lowered: &Lowered, states: usize) -> Vec<Array> {
    let (mut inputs, mut outputs) = (0.., 0..);
    let mut place = |k: usize| match (lowered.arrays[k], kernel.arrays[k].role) {
        (At::Work(begin), _) => Location::Work(begin as usize * states),
        (At::Pointer, Role::In) => Location::Input(inputs.next().unwrap()),
        (At::Pointer, _) => Location::Output(outputs.next().unwrap()),
    };
    let lengths = lowered.lengths.iter().map(|length| length * states);
    lengths.enumerate().map(|(k, length)| Array { location: place(k), length }).collect()
}

/// Runs a kernel. Returns its outputs.
pub fn run<T: Number>(
    places: &[Array],
    inputs: &[Vec<T>],
    work: usize,
    run: impl FnOnce(&mut Arrays<'_, '_, T>),
) -> Vec<Vec<T>> {
    let is_output = |array: &&Array| matches!(array.location, Location::Output(_));
    let mut results: Vec<Vec<T>> =
        places.iter().filter(is_output).map(|array| vec![T::NAN; array.length]).collect();
    let mut outputs: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let mut work = vec![T::NAN; work];
    run(&mut Arrays { arrays: places, inputs: &inputs, zeros: &[], outputs: &mut outputs, work: &mut work });
    results
}

pub fn bits<T: Number>(results: &[Vec<T>]) -> Vec<u64> {
    // One NaN is as good as another.
    let bits = |x: &T| if x.double().is_nan() { u64::MAX } else { x.bits() };
    results.iter().flatten().map(bits).collect()
}

/// Runs the interpreter on one state. Returns the outputs.
pub fn interpreted<T: Number>(kernel: &Kernel, inputs: &[Vec<T>], is_fused: bool) -> Vec<Vec<T>> {
    let lowered = Lowered::new(kernel, 1, T::IS_DOUBLE);
    let places = places(kernel, &lowered, 1);
    let interpreted = Interpreted::new(lowered, is_fused);
    run(&places, inputs, interpreted.work(), |arrays| interpreted.run(arrays))
}

/// Compares results for this many states side by side with the interpreter, state by state.
pub fn compare<T: Number>(case: &Case, states: usize, all: &[Vec<T>]) {
    let (Case { kernel, what, .. }, inputs) = (case, case.inputs::<T>());
    for state in 0..states {
        let of = |all: &Vec<T>| all.iter().skip(state).step_by(states).copied().collect::<Vec<_>>();
        let of_state: Vec<Vec<T>> = inputs.iter().map(of).collect();
        let expected = interpreted(kernel, &of_state, true);
        let found: Vec<Vec<T>> = all.iter().map(of).collect();
        assert_eq!(bits(&found), bits(&expected), "state {state} of {states}, {what}\n{kernel}");
    }
}

/// A random kernel of this many operations.
pub fn random(seed: u64, operations: usize, lanes: bool, states: usize) -> Case {
    let random = &mut Random::new(seed);
    let kernel = crate::random::kernel(random, operations, lanes);
    let inputs = [0, 1].map(|k| (0..LENGTHS[k] * states).map(|_| random.number()).collect()).to_vec();
    Case { kernel, inputs, what: format!("seed {seed}") }
}

/// More arrays than there are registers for their addresses, read and written in turn, with sines between:
/// those of large numbers are a call.
pub fn many_arrays(states: usize, largest: f64) -> Case {
    const INPUTS: usize = 7;
    const RESULTS: usize = 20;
    let random = &mut Random::new(states as u64);
    let mut arrays: Vec<ArrayDecl> = (0..INPUTS).map(|_| decl("x", 4, 1, Role::In)).collect();
    arrays.extend((0..RESULTS).map(|_| decl("y", 4, 1, Role::Out)));
    let place = |array: usize, index: usize| Place { array: ArrayId(array as u16), index: index as u32 };
    let mut body = Vec::new();
    for index in 0..4 {
        for result in usize::from(index == 3)..RESULTS {
            // The array that was written last before the call is the first after it.
            let result = if index == 2 { RESULTS - 1 - result } else { result };
            let operand = Operand::Load(place(random.below(INPUTS), random.below(4)));
            let from = Signed { operand, negated: random.below(3) == 0 };
            body.push(Stmt::Store { to: place(INPUTS + result, index), from });
        }
        if index == 1 {
            let sin = Reg { number: 0, lanes: 1 };
            let of = |k: usize| Operand::Load(place(k % INPUTS, k % 4));
            let angle = |k: usize| Angle { of: of(k), sin: (k == 0).then_some(sin), cos: None, turned: None };
            body.push(Stmt::SinCos((0..15).map(angle).collect()));
            let from = Signed { operand: Operand::Reg(sin), negated: false };
            body.push(Stmt::Store { to: place(INPUTS, 3), from });
        }
    }
    let kernel = Kernel { arrays, lane_constants: Vec::new(), body };
    kernel.verify().unwrap();
    let mut numbers = || (0..4 * states).map(|_| largest * random.number()).collect::<Vec<f64>>();
    let inputs: Vec<Vec<f64>> = (0..INPUTS).map(|_| numbers()).collect();
    Case { kernel, inputs, what: "many arrays".into() }
}

fn decl(name: &'static str, rows: usize, columns: usize, role: Role) -> ArrayDecl {
    ArrayDecl { name, rows, columns, role }
}

/// Sines of `count` angles in a row, up to `most`; odd ones are large, infinite and no numbers.
pub fn sines(count: usize, is_odd: bool, states: usize, most: f64) -> Case {
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
    let mut angle = || match random.below(if is_odd { 12 } else { 8 }) {
        8 => 1e5 * (1.0 + random.number()),
        9 => -3e300,
        10 => f64::INFINITY,
        11 => f64::NAN,
        k => random.number() * most * 10_f64.powi(k as i32 - 7),
    };
    let angles = (0..count * states).map(|_| angle()).collect();
    Case { kernel, inputs: vec![angles], what: format!("{count} angles") }
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

/// Products with `n` rows and columns and any zeros: `-a x` in place of `x`, and `g d g^T`.
pub fn products(n: usize, states: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    let random = &mut Random::new(n as u64);
    let (full, tree) = (vec![true; n * n], relatives(random, n));
    let lower: Vec<bool> = (0..n * n).map(|k| tree[k] && k % n >= k / n).collect();
    let support = |of: &[bool]| Support::new(n, |row, column| of[column * n + row]);
    let matrix = |name, role| decl(name, n, n, role);
    let mut numbers = |of: &[bool]| -> Vec<f64> {
        let number = |is_there: &bool| if *is_there { random.number() } else { 0.0 };
        of.iter().flat_map(|is_there| std::iter::repeat_n(is_there, states)).map(number).collect()
    };
    for a in [&full, &tree] {
        let (first, second) = (numbers(a), numbers(&tree));
        let of = (ArrayId(2), &support(&tree));
        let copy = |index: u32| Stmt::Store {
            to: Place { array: ArrayId(2), index },
            from: Signed { operand: Operand::Load(Place { array: ArrayId(1), index }), negated: false },
        };
        let mut body: Vec<Stmt> = (0..(n * n) as u32).map(copy).collect();
        body.push(Stmt::Product(Product::negative((ArrayId(0), &support(a)), of)));
        let arrays = vec![matrix("a", Role::In), matrix("b", Role::In), matrix("x", Role::Out)];
        let kernel = Kernel { arrays, lane_constants: Vec::new(), body };
        cases.push(Case { kernel, inputs: vec![first, second], what: format!("{n}") });
    }
    let factor = numbers(&lower);
    let diagonal = numbers(&full)[..n * states].to_vec();
    let product = Product::gram((ArrayId(0), &support(&lower)), ArrayId(1), ArrayId(2));
    let arrays = vec![matrix("g", Role::In), decl("d", n, 1, Role::In), matrix("out", Role::Out)];
    let kernel = Kernel { arrays, lane_constants: Vec::new(), body: vec![Stmt::Product(product)] };
    cases.push(Case { kernel, inputs: vec![factor, diagonal], what: format!("{n}, symmetric") });
    cases
}
