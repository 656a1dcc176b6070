//! Precision lost by fixed point, and magnitudes of values.

use super::{LIMITS, by_kernels, robot};
use rbd_build::Function;
use rbd_runtime::Fixed;
use rbd_verilog::precision::errors;
use rbd_verilog::{Angles, Format, Formats, Integers, Straight, range};

#[test]
fn the_scalar_is_as_near_to_f64_as_is_said() {
    // docs/hardware.md has these figures.
    let bounds: [(Function, &[f64]); 2] =
        [(Function::Rnea, &[1.6e-3]), (Function::RneaDerivatives, &[1.6e-3, 1.6e-3, 4.0e-4, 2.0e-4])];
    for (function, bounds) in bounds {
        let generated = robot("iiwa14", function);
        let (plan, model) = (&generated.functions[0], &generated.model);
        let straight = Straight::of(plan);
        let formats = Formats::common(&straight, Format::Q16_16);
        let found = errors(&straight, &formats, model, LIMITS, 2000);
        assert_eq!(found.len(), bounds.len());
        for (error, bound) in found.iter().zip(bounds) {
            println!("{} {}: {:.2e} of {:.3}", function.name(), error.name, error.worst, error.largest);
            assert!(error.worst < *bound && error.worst > bound / 4.0, "{}: {:e}", error.name, error.worst);
        }
        // The measurement ran the scalar itself.
        let integers = Integers::new(&straight, &formats, Angles::Inside).expect("all inside");
        for seed in 0..50 {
            let state = LIMITS.state(model, seed);
            let scalar = by_kernels::<Fixed<16>>(plan, &state);
            let given = range::inputs(&straight.inputs, model, &state);
            let scalar: Vec<i32> = scalar.into_iter().map(Fixed::to_bits).collect();
            assert_eq!(integers.run(&integers.inputs_at(model, &state)), scalar);
            // And the list of operations is the kernels'.
            let exact = straight.results_of(&straight.run(&given));
            assert_eq!(exact, by_kernels::<f64>(plan, &state));
        }
    }
}

#[test]
fn random_states_stay_within_the_intervals() {
    for (file, function) in [("double_pendulum", Function::Aba), ("iiwa14", Function::RneaDerivatives)] {
        let generated = robot(file, function);
        let straight = Straight::of(&generated.functions[0]);
        let bound = range::by_intervals(&straight, &generated.model, LIMITS);
        let found = range::by_states(&straight, &generated.model, LIMITS, 200);
        for (k, (found, bound)) in found.iter().zip(&bound).enumerate() {
            assert!(
                *found <= bound * (1.0 + 1e-12),
                "{file}: {:?} reaches {found}, beyond {bound}",
                straight.ops[k]
            );
        }
        if function == Function::RneaDerivatives {
            assert!(straight.largest(&bound).expect("values").1.is_finite());
        }
    }
}
