//! Forward dynamics: it divides, and needs a format for each value.

use super::folded::{agrees, check, verify};
use super::{INSIDE, LIMITS, leg, robot, vectors};
use rbd_build::{Function, Generated};
use rbd_runtime::{Fixed, Model, Scalar};
use rbd_verilog::integers::{reciprocal, root};
use rbd_verilog::precision::errors;
use rbd_verilog::straight::{Element, Entry, Op, Operand};
use rbd_verilog::{
    Angles, Circuit, Format, Formats, Integers, Limits, Options, Pipeline, Precision, Refusal, Straight,
};

/// Torques that two rods take without being flung around.
const WEAK: Limits = Limits { tau: 2.0, ..LIMITS };

fn divisors<const F: u32, const B: u32>() -> Vec<i32> {
    let most = Fixed::<F, B>::MAX.to_bits();
    let few = (-40..=40).chain([most, most - 1, -most, -most - 1, 1 << F, -(1 << F), 3 << (F - 1)]);
    let mut x = 1_i64;
    let spread = (0..400).map(move |k| {
        x = (x * 48_271 + 11) % 2_147_483_647;
        Fixed::<F, B>::from_bits((x as i32 - (1 << 30)) >> (k % 30)).to_bits()
    });
    few.chain(spread).collect()
}

fn divides_as_the_scalar<const F: u32, const B: u32>() {
    let divisors = divisors::<F, B>();
    for &a in &divisors {
        assert_eq!(root(a, F as i32, B), Fixed::<F, B>::from_bits(a).sqrt().to_bits(), "root of {a}");
        let scalar = Fixed::<F, B>::from_bits(1 << F) / Fixed::from_bits(a);
        assert_eq!(
            reciprocal(a, 2 * F, B),
            scalar.to_bits(),
            "1 / {a} with {F} bits behind the point of {B}"
        );
    }
    let straight = Straight {
        inputs: vec![Element { name: "q", index: 0 }],
        ops: vec![Op::Input(0), Op::Recip(Operand::Value(0))],
        results: vec![Entry {
            element: Element { name: "reciprocal", index: 0 },
            from: Operand::Value(1),
            negated: false,
            row: 0,
        }],
    };
    let formats = Formats::common(&straight, Format { bits: B, frac: F });
    let states: Vec<[i32; 1]> = divisors.iter().map(|a| [*a]).collect();
    let name = format!("reciprocal_{B}");
    let circuit = Circuit::new(&name, &straight, &formats, INSIDE).expect("a circuit");
    let vectors = circuit.integers.vectors(states.iter().map(|x| &x[..]));
    agrees(&circuit, &vectors, states.len() as u64);
    let pipeline = Pipeline::new(&name, &straight, &formats, Angles::Inside).expect("a pipeline");
    super::pipelined::agrees(&pipeline, &vectors, states.len());
}

#[test]
fn reciprocals_are_those_of_the_scalar() {
    divides_as_the_scalar::<16, 32>();
    divides_as_the_scalar::<16, 27>();
    divides_as_the_scalar::<10, 18>();
    divides_as_the_scalar::<24, 32>();
}

#[test]
fn a_pendulums_forward_dynamics_agree_with_the_scalar() {
    for function in [Function::Aba, Function::Minv] {
        let generated = robot("double_pendulum", function);
        let few = Options { multipliers: 3, ..INSIDE };
        check::<16, 32>(&format!("double_pendulum_{}", function.name()), &generated, few, WEAK, 100);
    }
}

#[test]
fn forward_dynamics_need_a_format_for_each_value() {
    let generated = robot("iiwa14", Function::Aba);
    let (straight, model) = (Straight::of(&generated.functions[0]), &generated.model);
    let precision = Precision::new(&straight, model, Format::Q16_16, LIMITS, 100);
    assert!(!precision.fits(Format::Q16_16), "{} bits", precision.by_states);
    let [common] = &precision.errors[..] else { panic!("one result") };
    // Relative to the largest acceleration, the common format leaves no digits.
    assert!(common.worst > 0.1 * common.largest, "{common:?}");
    let refusal = Formats::common(&straight, Format::Q16_16).check(&straight, model, LIMITS);
    assert!(matches!(refusal, Err(Refusal::DoesNotFit { .. })), "{refusal:?}");
    let formats = Formats::each(&straight, model, LIMITS, Format::Q16_16);
    formats.check(&straight, model, LIMITS).expect("each fits");
}

/// A circuit with a format for each value, and the errors of its results against `f64`, absolute
/// and relative to the largest.
fn in_formats_of_their_own(generated: &Generated, bound: f64) -> (Straight, Formats) {
    let (plan, model) = (&generated.functions[0], &generated.model);
    let straight = Straight::of(plan);
    let formats = Formats::each(&straight, model, LIMITS, Format::Q16_16);
    for error in errors(&straight, &formats, model, LIMITS, 1000) {
        let (name, relative) = (plan.function.name(), error.worst / error.largest);
        println!("{name} {}: {:.2e} of {:.3e}, {relative:.1e}", error.name, error.worst, error.largest);
        assert!(relative < bound && relative > bound / 1000.0, "{name}: {relative:e}");
    }
    (straight, formats)
}

fn states(integers: &Integers, model: &Model<f64>, number: u64) -> String {
    let states: Vec<Vec<i32>> =
        (0..number).map(|seed| integers.inputs_at(model, &LIMITS.state(model, seed))).collect();
    integers.vectors(states.iter().map(Vec::as_slice))
}

#[test]
fn with_a_format_for_each_value_they_are_near_f64() {
    for (function, bound) in [(Function::Aba, 2e-7), (Function::Minv, 2e-7)] {
        let generated = robot("iiwa14", function);
        let (straight, formats) = in_formats_of_their_own(&generated, bound);
        let circuit = Circuit::new("forward", &straight, &formats, INSIDE).expect("a circuit");
        verify(&circuit);
        println!("{}: {} cycles after the last input", function.name(), circuit.latency());
    }
    let leg = leg(Function::Aba);
    let (straight, formats) = in_formats_of_their_own(&leg, 1e-6);
    let circuit = Circuit::new("leg_forward", &straight, &formats, Options { multipliers: 4, ..INSIDE })
        .expect("a circuit");
    agrees(&circuit, &states(&circuit.integers, &leg.model, 50), 50);
}

/// Minutes: `.ci/everything` runs it.
#[test]
#[ignore = "a thousand states of larger circuits take Icarus minutes"]
fn forward_dynamics_agree_in_a_thousand_states() {
    for (function, bound) in [(Function::Aba, 2e-7), (Function::Minv, 2e-7), (Function::AbaDerivatives, 4e-6)]
    {
        let generated = robot("iiwa14", function);
        let (straight, formats) = in_formats_of_their_own(&generated, bound);
        let name = format!("iiwa14_{}", function.name());
        let circuit = Circuit::new(&name, &straight, &formats, INSIDE).expect("a circuit");
        agrees(&circuit, &states(&circuit.integers, &generated.model, 1000), 1000);
    }
    // Where one format is enough, the scalar's numbers.
    let pendulum = robot("double_pendulum", Function::Aba);
    check::<16, 32>(
        "double_pendulum_aba_thousand",
        &pendulum,
        Options { multipliers: 3, ..INSIDE },
        WEAK,
        1000,
    );
    let straight = Straight::of(&pendulum.functions[0]);
    let formats = Formats::common(&straight, Format::Q16_16);
    let pipeline =
        Pipeline::new("double_pendulum_aba", &straight, &formats, Angles::Inside).expect("a pipeline");
    let (plan, model) = (&pendulum.functions[0], &pendulum.model);
    super::pipelined::agrees(
        &pipeline,
        &vectors::<16, 32>(&pipeline.integers, plan, model, WEAK, 1000),
        1000,
    );
}
