//! Gradient of forward dynamics with the inverse of the mass matrix as input.

use super::folded::{agrees, verify};
use super::{INSIDE, LIMITS, robot};
use rbd_build::Function;
use rbd_verilog::{Angles, Circuit, Format, Formats, Integers, Options, Pipeline, Straight, range};

#[test]
fn the_gradient_is_that_of_forward_dynamics() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let model = &generated.model;
    let straight = Straight::gradient(&generated.functions[0]);
    // docs/hardware.md has these errors: in the paper's format, and with a format for each value.
    let paper = Formats::gradient(&straight, model, LIMITS, Format::Q16_16);
    let each = Formats::each(&straight, model, LIMITS, Format::Q16_16);
    for (formats, bound) in [(paper, 1e-3), (each, 1e-6)] {
        formats.check(&straight, model, LIMITS).expect("it fits");
        let integers = Integers::new(&straight, &formats, Angles::Inside).expect("all inside");
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for seed in 0..300 {
            let state = LIMITS.state(model, seed);
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            // At the torques that give these accelerations.
            let tau = model.rnea(q, v, state.a.as_slice());
            let reference = model.aba_derivatives(q, v, tau.as_slice(), None);
            let reference: Vec<f64> =
                reference.ddq_dq.iter().chain(reference.ddq_dv.iter()).copied().collect();
            let exact = straight.results_of(&straight.run(&range::inputs(&straight.inputs, model, &state)));
            let fixed = integers.numbers(&integers.run(&integers.inputs_at(model, &state)));
            let size = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for ((x, exact), fixed) in reference.iter().zip(exact).zip(fixed) {
                assert!((exact - x).abs() < 1e-10 * size, "{exact} {x}");
                worst = worst.max((fixed - x).abs());
                largest = largest.max(x.abs());
            }
        }
        println!("gradient: {worst:.2e} of {largest:.1}");
        assert!(worst < bound * largest, "{worst:e} of {largest:e}");
    }
}

#[test]
fn more_multipliers_take_fewer_cycles() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let straight = Straight::of(&generated.functions[0]);
    let gradient = Straight::gradient(&generated.functions[0]);
    let all = [
        ("rnea_derivatives", Formats::common(&straight, Format::Q16_16), straight),
        ("gradient", Formats::gradient(&gradient, &generated.model, LIMITS, Format::Q16_16), gradient),
    ];
    for (name, formats, straight) in all {
        for angles in [Angles::Inside, Angles::Given] {
            let integers = Integers::new(&straight, &formats, angles).expect("integers");
            // docs/hardware.md has these cycles, from the first input on. The columns of the
            // derivatives do not wait for each other.
            let cycles = [4, 8, 16, 32, 64].map(|n| Circuit::scheduled(&integers, n, None).1.cycles);
            println!(
                "{name}, {angles:?}, on 4, 8, 16, 32, 64: {cycles:?} after the first of {} inputs",
                integers.inputs.len()
            );
            assert!(cycles.windows(2).all(|w| w[1] <= w[0]), "{cycles:?}");
            assert!(2 * cycles[2] < cycles[0] && cycles[4] < cycles[2], "{cycles:?}");
        }
    }
}

/// Minutes: `.ci/everything` runs it.
#[test]
#[ignore = "a thousand states of larger circuits take Icarus minutes"]
fn the_circuit_of_the_gradient_agrees_in_a_thousand_states() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let (straight, model) = (Straight::gradient(&generated.functions[0]), &generated.model);
    let formats = Formats::gradient(&straight, model, LIMITS, Format::Q16_16);
    // The scalar has one format only, so circuits are compared with their integers; the test above with f64.
    for multipliers in [16, 64] {
        let options = Options { multipliers, ..INSIDE };
        let circuit = Circuit::new(&format!("gradient_{multipliers}"), &straight, &formats, options)
            .expect("a circuit");
        verify(&circuit);
        let states: Vec<Vec<i32>> =
            (0..1000).map(|seed| circuit.integers.inputs_at(model, &LIMITS.state(model, seed))).collect();
        agrees(&circuit, &circuit.integers.vectors(states.iter().map(Vec::as_slice)), 1000);
    }
    let pipeline = Pipeline::new("gradient", &straight, &formats, Angles::Inside).expect("a pipeline");
    println!(
        "gradient: {} cycles, multipliers {:?}, {} registers for waiting",
        pipeline.latency(),
        pipeline.multipliers(),
        pipeline.schedule.registers()
    );
    let integers = &pipeline.integers;
    let states: Vec<Vec<i32>> =
        (0..1000).map(|seed| integers.inputs_at(model, &LIMITS.state(model, seed))).collect();
    super::pipelined::agrees(&pipeline, &integers.vectors(states.iter().map(Vec::as_slice)), 1000);
}
