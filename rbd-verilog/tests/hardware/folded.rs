//! Circuits that share their units.

use super::{GIVEN, INSIDE, LIMITS, leg, robot, root, simulated, vectors};
use rbd_build::{Base, Function, Generated, Robot};
use rbd_verilog::bind::{placed, port, written};
use rbd_verilog::micro::Source;
use rbd_verilog::{Circuit, Format, Formats, Limits, Options, Refusal, Straight};
use std::collections::BTreeMap;

/// Simulates a circuit of a robot in states that the scalar has computed.
pub(super) fn check<const F: u32, const B: u32>(
    name: &str,
    generated: &Generated,
    options: Options,
    limits: Limits,
    states: u64,
) -> Circuit {
    let (plan, model) = (&generated.functions[0], &generated.model);
    let straight = Straight::of(plan);
    let formats = Formats::common(&straight, Format { bits: B, frac: F });
    formats.check(&straight, model, limits).expect("it fits");
    let circuit = Circuit::new(name, &straight, &formats, options).expect("a circuit");
    agrees(&circuit, &vectors::<F, B>(&circuit.integers, plan, model, limits, states), states);
    circuit
}

/// Simulates a circuit in these states.
pub(super) fn agrees(circuit: &Circuit, vectors: &str, states: u64) {
    verify(circuit);
    let name = format!("{}-{}", circuit.name, circuit.format);
    let said = simulated(&name, &circuit.verilog(), &circuit.test_bench(states as usize), vectors);
    if let Some(said) = said {
        let numbers = states as usize * circuit.words().1;
        let latency = circuit.latency();
        assert_eq!(
            said,
            format!("{states} states, {numbers} numbers, 0 differ, {latency} cycles after the last input"),
            "{name}"
        );
    }
}

/// Checks conditions of every schedule, recomputed from the circuit alone.
pub(super) fn verify(circuit: &Circuit) {
    let Circuit { micro, schedule, binding, .. } = circuit;
    let mut busy = std::collections::BTreeSet::new();
    let mut writes = BTreeMap::new();
    for (k, work) in micro.ops.iter().enumerate() {
        let (t, unit) = (schedule.start[k], schedule.unit[k]);
        for cycle in t..t + micro.interval(*work) {
            assert!(busy.insert((unit, cycle)), "a unit does two things at a time");
        }
        assert_eq!(work.kind(), schedule.units.kind(unit));
        for (operand, (source, later)) in work.reads().enumerate() {
            let passed = operand == 2 && schedule.passed_on[k];
            if let (Source::Value(value), false) = (source, passed) {
                let maker = micro.maker(source).map_or(schedule.units.count(), |k| schedule.unit[k]);
                let p = port(unit, placed(operand, binding.swapped[k]));
                let bank = binding.ports[p]
                    .banks
                    .iter()
                    .position(|b| b.contains(&maker))
                    .expect("it is written there");
                let only = *writes.entry((p, bank, written(micro, schedule, value))).or_insert(value);
                assert_eq!(only, value, "a memory is written twice in a cycle");
            }
            match micro.maker(source) {
                Some(maker) if passed => {
                    assert_eq!((schedule.unit[maker], schedule.start[maker] + 1), (unit, t));
                }
                _ => assert!(schedule.ready(micro, source) <= t + later, "an operand is not there yet"),
            }
        }
    }
    assert_eq!(binding.ports.len(), 3 * schedule.units.count());
}

/// Depth of the deepest memory if values shared places, and the address bits for writing that this
/// would add to each cycle's word.
fn coloured(circuit: &Circuit) -> (usize, usize) {
    let Circuit { micro, schedule, binding, .. } = circuit;
    // By memory, from when until when each value is needed.
    let mut lives: BTreeMap<(usize, usize), BTreeMap<u32, (u32, u32)>> = BTreeMap::new();
    for (k, work) in micro.ops.iter().enumerate() {
        for (operand, (source, later)) in work.reads().enumerate() {
            let Source::Value(value) = source else { continue };
            if operand == 2 && schedule.passed_on[k] {
                continue;
            }
            let p = port(schedule.unit[k], placed(operand, binding.swapped[k]));
            let maker = micro.maker(source).map_or(schedule.units.count(), |k| schedule.unit[k]);
            let bank = binding.ports[p].banks.iter().position(|b| b.contains(&maker)).expect("it is written");
            let from = written(micro, schedule, value);
            let life = lives.entry((p, bank)).or_default().entry(value).or_insert((from, from));
            life.1 = life.1.max(schedule.start[k] + later);
        }
    }
    // A new value may come in the cycle after the last read of an old one.
    let alive = |lives: &BTreeMap<u32, (u32, u32)>, t: u32| {
        lives.values().filter(|(a, b)| (*a..=*b).contains(&t)).count()
    };
    let deepest = lives.values().map(|l| (0..schedule.cycles).map(|t| alive(l, t)).max().unwrap_or(0));
    // One place more, for values that are never read.
    let bits = |n: usize| (usize::BITS - n.leading_zeros()) as usize;
    deepest.fold((0, 0), |(depth, sum), n| (depth.max(n), sum + bits(n)))
}

#[test]
fn a_double_pendulum_is_the_recorded_circuit_and_agrees_with_the_scalar() {
    let generated = robot("double_pendulum", Function::RneaDerivatives);
    let few = Options { multipliers: 3, ..INSIDE };
    let circuit = check::<16, 32>("double_pendulum", &generated, few, LIMITS, 200);
    // Its joints' angles differ from its coordinates.
    let straight = Straight::of(&generated.functions[0]);
    let formats = Formats::common(&straight, Format::Q16_16);
    assert_eq!(
        Circuit::new("given", &straight, &formats, GIVEN).expect_err("no inputs"),
        Refusal::AngleIsNoCoordinate
    );
    check::<18, 27>("narrow", &generated, few, LIMITS, 100);
    check::<10, 18>("narrower", &generated, Options { multipliers: 1, ..few }, LIMITS, 100);
    recorded("tests/golden/double_pendulum.v", &circuit.verilog());
}

/// Compares with a file of the repository, or writes it.
fn recorded(file: &str, text: &str) {
    let path = root().join(file);
    if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let recorded = std::fs::read_to_string(&path).expect("the recorded file");
    assert!(recorded == text, "{file}: see CONTRIBUTING.md#recorded-files");
}

#[test]
fn iiwa14_takes_at_most_eighty_cycles_on_sixteen_multipliers() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let straight = Straight::of(&generated.functions[0]);
    let formats = Formats::common(&straight, Format::Q16_16);
    for options in [GIVEN, INSIDE] {
        let circuit = Circuit::new("iiwa14", &straight, &formats, options).expect("a circuit");
        verify(&circuit);
        assert!(circuit.latency() <= 80, "{:?}: {}", options.angles, circuit.latency());
        // Their cost on an FPGA: .ci/everything asks yosys.
        assert!(circuit.binding.wires() < 750, "{}", circuit.binding.wires());
        println!("{:?}: {} after the last of {:?} words", options.angles, circuit.latency(), circuit.words());
        // docs/hardware.md states the cost and savings if values shared places in memories.
        let (depth, bits) = coloured(&circuit);
        println!("{} memories; coloured, {depth} deep, {bits} bits of addresses", circuit.binding.memories());
        assert!(depth < circuit.schedule.cycles as usize && bits > 300, "{depth} {bits}");
        if options.angles == INSIDE.angles {
            // tools/plot_schedule.py draws it.
            recorded("docs/schedule.csv", &circuit.schedule_csv());
        }
    }
}

#[test]
fn names_are_no_verilog() {
    let hostile = root().join("tests/golden/hostile_names.urdf");
    let generated =
        Robot::from_urdf(hostile).functions([Function::Rnea]).base(Base::Fixed).trace().expect("a robot");
    let straight = Straight::of(&generated.functions[0]);
    let name = "x; endmodule module `define \\ \"\n y";
    let formats = Formats::common(&straight, Format::Q16_16);
    let two = Options { multipliers: 2, ..INSIDE };
    let circuit = Circuit::new(name, &straight, &formats, two).expect("a circuit");
    assert_eq!(circuit.name, "rbd_x_endmodule_module_define_y");
    for text in [circuit.verilog(), circuit.test_bench(1)] {
        for body in &generated.model.bodies {
            assert!(!text.contains(&body.joint) && !text.contains(&body.link), "{}", body.joint);
        }
        assert!(text.is_ascii());
    }
    let zeros = vec![0; circuit.words().0];
    agrees(&circuit, &circuit.integers.vectors([&zeros[..]]), 1);
}

/// Minutes: `.ci/everything` runs it.
#[test]
#[ignore = "a thousand states of larger circuits take Icarus minutes"]
fn larger_circuits_agree_with_the_scalar_in_a_thousand_states() {
    let arm = robot("iiwa14", Function::RneaDerivatives);
    check::<16, 32>("iiwa14", &arm, INSIDE, LIMITS, 1000);
    check::<16, 32>("iiwa14_given", &arm, GIVEN, LIMITS, 1000);
    check::<16, 27>("iiwa14", &arm, INSIDE, LIMITS, 1000);
    check::<10, 18>("iiwa14", &arm, INSIDE, LIMITS, 1000);
    let eight = Options { multipliers: 8, ..INSIDE };
    check::<16, 32>("iiwa14_rnea", &robot("iiwa14", Function::Rnea), eight, LIMITS, 1000);
    let leg = leg(Function::RneaDerivatives);
    assert_eq!(leg.model.nv, 3);
    check::<16, 32>("hyq_leg", &leg, eight, LIMITS, 1000);
    let pendulum = robot("double_pendulum", Function::RneaDerivatives);
    check::<16, 32>(
        "double_pendulum_thousand",
        &pendulum,
        Options { multipliers: 3, ..INSIDE },
        LIMITS,
        1000,
    );
}
