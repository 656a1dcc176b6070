//! Pipelines: a state in every cycle.

use super::{LIMITS, leg, robot, simulated, vectors};
use rbd_build::{Function, Generated};
use rbd_verilog::micro::{PIPELINED, Source};
use rbd_verilog::{Angles, Format, Formats, Pipeline, Straight};

/// Simulates a pipeline in these states.
pub(super) fn agrees(pipeline: &Pipeline, vectors: &str, states: usize) {
    verify(pipeline);
    let format = pipeline.integers.format;
    let name = format!("{}-{format}-pipeline", pipeline.name);
    if let Some(said) = simulated(&name, &pipeline.verilog(), &pipeline.test_bench(states), vectors) {
        let numbers = states * pipeline.integers.words().1;
        let (latency, patient) = (pipeline.latency(), states.min(60));
        // As many states as cycles.
        assert_eq!(
            said,
            format!(
                "{states} states, {numbers} numbers, 0 differ, {latency} cycles each, {patient} states in {patient} cycles"
            ),
            "{name}"
        );
    }
}

/// Checks that no value is read before it is ready, and that every delay that is read is made.
fn verify(pipeline: &Pipeline) {
    let Pipeline { micro, schedule, .. } = pipeline;
    let ready = |source| {
        let maker = micro.maker(source);
        maker.map_or(0, |k| schedule.start[k] + micro.latency(micro.ops[k]))
    };
    let reads = micro.ops.iter().zip(&schedule.start).flat_map(|(work, start)| {
        work.reads_in(PIPELINED).map(move |(source, later)| (source, start + later))
    });
    let given = micro.results.iter().map(|source| (*source, schedule.depth));
    for (source, when) in reads.chain(given) {
        let Source::Value(value) = source else { continue };
        assert!(when >= ready(source), "value {value} is read before it is there");
        let delay = when - ready(source);
        assert!(
            delay == 0 || schedule.delays[value as usize].contains(&delay),
            "value {value} is not delayed"
        );
    }
}

fn check<const F: u32, const B: u32>(
    name: &str,
    generated: &Generated,
    angles: Angles,
    states: u64,
) -> Pipeline {
    let (plan, model) = (&generated.functions[0], &generated.model);
    let straight = Straight::of(plan);
    let formats = Formats::common(&straight, Format { bits: B, frac: F });
    let pipeline = Pipeline::new(name, &straight, &formats, angles).expect("a pipeline");
    println!(
        "{name}: {} cycles, multipliers by constants and others {:?}, {} units in all, {} registers for waiting",
        pipeline.latency(),
        pipeline.multipliers(),
        pipeline.micro.ops.len(),
        pipeline.schedule.registers()
    );
    agrees(&pipeline, &vectors::<F, B>(&pipeline.integers, plan, model, LIMITS, states), states as usize);
    pipeline
}

#[test]
fn a_state_goes_in_every_cycle() {
    check::<16, 32>(
        "double_pendulum",
        &robot("double_pendulum", Function::RneaDerivatives),
        Angles::Inside,
        100,
    );
    check::<10, 18>("double_pendulum", &robot("double_pendulum", Function::Rnea), Angles::Inside, 100);
    check::<16, 32>("leg_rnea", &leg(Function::Rnea), Angles::Inside, 100);
}

/// Minutes: `.ci/everything` runs it.
#[test]
#[ignore = "a thousand states of larger circuits take Icarus minutes"]
fn pipelines_agree_with_the_scalar_in_a_thousand_states() {
    check::<16, 32>(
        "double_pendulum",
        &robot("double_pendulum", Function::RneaDerivatives),
        Angles::Inside,
        1000,
    );
    check::<16, 32>("leg", &leg(Function::RneaDerivatives), Angles::Inside, 1000);
    check::<16, 32>("iiwa14_rnea", &robot("iiwa14", Function::Rnea), Angles::Inside, 1000);
    let arm = robot("iiwa14", Function::RneaDerivatives);
    let pipeline = check::<16, 32>("iiwa14", &arm, Angles::Inside, 1000);
    // The longest way: sines, two sweeps over seven joints, and sums as trees.
    assert!(pipeline.latency() <= 80, "{}", pipeline.latency());
}
