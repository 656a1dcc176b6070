//! Functions in fixed point: against `f64`, and circuits against the scalar, bit for bit.
//!
//! Circuits are simulated by Icarus where it is installed (`apt-get install iverilog`); the larger ones, and what they
//! take of an FPGA, by `.ci/everything`.

use rbd_build::emit::verilog::{Circuit, Options};
use rbd_build::hardware::bind::{placed, port, written};
use rbd_build::hardware::integers::Scales;
use rbd_build::hardware::micro::Source;
use rbd_build::hardware::precision::{Formats, Precision, errors};
use rbd_build::hardware::range::{self, Limits};
use rbd_build::hardware::schedule::{Schedule, Units};
use rbd_build::hardware::straight::Straight;
use rbd_build::hardware::{Angles, Format, Refusal};
use rbd_build::plan::Plan;
use rbd_build::signature::{A, Param, Q, V};
use rbd_build::{Base, Function, Generated, Robot};
use rbd_runtime::random::State;
use rbd_runtime::{Fixed, Model, Scalar};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIMITS: Limits = Limits { q: 2.9, v: 1.5, a: 5.0, tau: 50.0, fext: 20.0 };
const GIVEN: Options = Options {
    format: Format::Q16_16,
    multipliers: 16,
    adders: None,
    angles: Angles::Given,
    scales: Scales { input: None, dependent: 0 },
};
const INSIDE: Options = Options { angles: Angles::Inside, ..GIVEN };

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

fn robot(file: &str, function: Function) -> Generated {
    let path = root().join(format!("robots/{file}.urdf"));
    Robot::from_urdf(path).functions([function]).trace().expect("a robot")
}

/// One leg of HyQ, on a fixed trunk.
fn leg() -> Generated {
    let joints =
        ["rf", "lh", "rh"].iter().flat_map(|leg| ["haa", "hfe", "kfe"].map(|j| format!("{leg}_{j}_joint")));
    let robot = Robot::from_urdf(root().join("robots/hyq.urdf")).functions([Function::RneaDerivatives]);
    joints.fold(robot, |robot, joint| robot.lock(joint, 0.3)).trace().expect("a leg")
}

/// What the kernels of a plan give on a scalar.
fn by_kernels<T: Scalar>(plan: &Plan, state: &State) -> Vec<T> {
    let argument = |param: Param| {
        let numbers = match param {
            Q => &state.q,
            V => &state.v,
            A => &state.a,
            other => panic!("{} has no value here", other.name),
        };
        numbers.iter().map(|x| T::from_f64(*x)).collect()
    };
    plan.run(argument).into_iter().flat_map(|(_, values)| values).collect()
}

/// States, and the circuit's words for each: that the results are those of the scalar is checked on the way.
fn vectors<const F: u32, const B: u32>(
    circuit: &Circuit,
    plan: &Plan,
    model: &Model<f64>,
    states: u64,
) -> String {
    let states: Vec<State> = (0..states).map(|seed| LIMITS.state(model, seed)).collect();
    let inputs: Vec<Vec<i32>> = states.iter().map(|state| circuit.inputs(model, state)).collect();
    for (state, inputs) in states.iter().zip(&inputs) {
        let scalar: Vec<i32> =
            by_kernels::<Fixed<F, B>>(plan, state).into_iter().map(Fixed::to_bits).collect();
        assert_eq!(circuit.integers.run(inputs), scalar, "the vectors are not those of the scalar");
    }
    circuit.vectors(inputs.iter().map(Vec::as_slice))
}

/// What the bench says of a circuit; `None`, with a word, without Icarus.
fn simulated(circuit: &Circuit, states: usize, vectors: &str) -> Option<String> {
    if Command::new("iverilog").arg("-V").output().is_err() {
        println!("skipped: there is no iverilog to simulate {} with", circuit.name);
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{}", circuit.name, circuit.format));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in [
        ("circuit.v", &circuit.verilog()),
        ("bench.v", &circuit.test_bench(states)),
        ("vectors.hex", &vectors.into()),
    ] {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{program}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said + &String::from_utf8_lossy(&output.stderr)
    };
    let warnings = run("iverilog", &["-g2001", "-Wall", "-o", "simulation", "circuit.v", "bench.v"]);
    assert_eq!(warnings, "", "{}", circuit.name);
    Some(run("vvp", &["-n", "simulation", "+vectors=vectors.hex"]))
}

/// Simulates a circuit of a robot in states that the scalar has computed.
fn check<const F: u32, const B: u32>(
    name: &str,
    generated: &Generated,
    options: Options,
    states: u64,
) -> Circuit {
    let options = Options { format: Format { bits: B, frac: F }, ..options };
    let (plan, model) = (&generated.functions[0], &generated.model);
    let circuit = Circuit::of_robot(name, &Straight::of(plan), model, LIMITS, options).expect("a circuit");
    verify(&circuit);
    let vectors = vectors::<F, B>(&circuit, plan, model, states);
    if let Some(said) = simulated(&circuit, states as usize, &vectors) {
        let numbers = states as usize * circuit.words().1;
        let expected = format!(
            "{states} states, {numbers} numbers, 0 differ, {} cycles after the last input",
            circuit.latency()
        );
        assert_eq!(said.trim(), expected, "{name}");
        println!("{name}, {}: {expected}", circuit.format);
    }
    circuit
}

/// What holds of every schedule, found again from the circuit alone.
fn verify(circuit: &Circuit) {
    let Circuit { micro, schedule, binding, .. } = circuit;
    let mut busy = std::collections::BTreeSet::new();
    let mut writes = std::collections::BTreeMap::new();
    for (k, work) in micro.ops.iter().enumerate() {
        let (t, unit) = (schedule.start[k], schedule.unit[k]);
        assert!(busy.insert((unit, t)), "a unit starts two things in a cycle");
        assert_eq!(work.is_mac(), unit < schedule.units.multipliers);
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
        // What was measured is the scalar itself.
        for seed in 0..50 {
            let state = LIMITS.state(model, seed);
            let scalar = by_kernels::<Fixed<16>>(plan, &state);
            let given = range::inputs(&straight.inputs, model, &state);
            let scalar: Vec<f64> = scalar.into_iter().map(Fixed::to_f64).collect();
            assert_eq!(straight.run_on_integers(&formats, &given), scalar);
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

#[test]
fn forward_dynamics_need_a_format_for_each_value() {
    let generated = robot("iiwa14", Function::Aba);
    let straight = Straight::of(&generated.functions[0]);
    let precision = Precision::new(&straight, &generated.model, Format::Q16_16, LIMITS, 100);
    assert!(!precision.fits(Format::Q16_16), "{} bits", precision.by_states);
    let [common] = &precision.errors[..] else { panic!("one result") };
    let by_value = precision.errors_by_value.expect("it does not fit");
    // Relative to the largest acceleration: nothing is left in the common format, four digits with one each.
    assert!(common.worst > 0.1 * common.largest, "{common:?}");
    assert!(by_value[0].worst < 1e-4 * by_value[0].largest, "{by_value:?}");
    let refusal =
        Circuit::of_robot("aba", &straight, &generated.model, LIMITS, GIVEN).expect_err("it does not fit");
    assert!(matches!(refusal, Refusal::DoesNotFit { .. }), "{refusal}");
    assert_eq!(Circuit::new("aba", &straight, GIVEN).expect_err("no divider"), Refusal::Divides);
}

#[test]
fn a_double_pendulum_is_the_recorded_circuit_and_agrees_with_the_scalar() {
    let generated = robot("double_pendulum", Function::RneaDerivatives);
    let few = Options { multipliers: 3, ..INSIDE };
    let circuit = check::<16, 32>("double_pendulum", &generated, few, 200);
    // Its joints' angles are turned from its coordinates.
    let straight = Straight::of(&generated.functions[0]);
    assert_eq!(Circuit::new("given", &straight, GIVEN).expect_err("no inputs"), Refusal::AngleIsNoCoordinate);
    check::<18, 27>("narrow", &generated, few, 100);
    check::<10, 18>("narrower", &generated, Options { multipliers: 1, ..few }, 100);
    let path = root().join("tests/golden/double_pendulum.v");
    if std::env::var_os("RBD_BLESS").is_some() {
        std::fs::write(&path, circuit.verilog()).expect("the file can be written");
    }
    let recorded = std::fs::read_to_string(&path).expect("the recorded circuit");
    assert!(recorded == circuit.verilog(), "see CONTRIBUTING.md#recorded-files");
}

#[test]
fn iiwa14_takes_at_most_eighty_cycles_on_sixteen_multipliers() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let straight = Straight::of(&generated.functions[0]);
    let mut all = Vec::new();
    for options in [GIVEN, INSIDE] {
        let circuit = Circuit::new("iiwa14", &straight, options).expect("a circuit");
        verify(&circuit);
        assert!(circuit.latency() <= 80, "{:?}: {}", options.angles, circuit.latency());
        // What they cost of an FPGA: .ci/everything asks yosys.
        assert!(circuit.binding.wires() < 750, "{}", circuit.binding.wires());
        println!("{:?}: {} after the last of {:?} words", options.angles, circuit.latency(), circuit.words());
        all.push(circuit.micro);
    }
    // More multipliers, fewer cycles, until the longest way is all that counts.
    let micro = &all[1];
    let cycles = |n| Schedule::new(micro, Units::with_multipliers(n, micro)).cycles;
    let all = [2, 4, 8, 16, 32].map(cycles);
    println!("cycles from the first input on 2, 4, 8, 16, 32: {all:?}");
    assert!(all.windows(2).all(|w| w[1] < w[0]), "{all:?}");
}

#[test]
fn names_are_no_verilog() {
    let hostile = root().join("tests/golden/hostile_names.urdf");
    let generated =
        Robot::from_urdf(hostile).functions([Function::Rnea]).base(Base::Fixed).trace().expect("a robot");
    let straight = Straight::of(&generated.functions[0]);
    let name = "x; endmodule module `define \\ \"\n y";
    let circuit = Circuit::new(name, &straight, Options { multipliers: 2, ..INSIDE }).expect("a circuit");
    assert_eq!(circuit.name, "rbd_x_endmodule_module_define_y");
    for text in [circuit.verilog(), circuit.test_bench(1)] {
        for body in &generated.model.bodies {
            assert!(!text.contains(&body.joint) && !text.contains(&body.link), "{}", body.joint);
        }
        assert!(text.is_ascii());
    }
    let vectors = circuit.vectors([&vec![0; circuit.words().0][..]]);
    if let Some(said) = simulated(&circuit, 1, &vectors) {
        assert!(said.contains(" 0 differ"), "{said}");
    }
}

/// Minutes: `.ci/everything` runs it.
#[test]
#[ignore = "a thousand states of larger circuits take Icarus minutes"]
fn larger_circuits_agree_with_the_scalar_in_a_thousand_states() {
    let arm = robot("iiwa14", Function::RneaDerivatives);
    check::<16, 32>("iiwa14", &arm, INSIDE, 1000);
    check::<16, 32>("iiwa14_given", &arm, GIVEN, 1000);
    check::<16, 27>("iiwa14_narrow", &arm, INSIDE, 1000);
    check::<16, 32>(
        "iiwa14_rnea",
        &robot("iiwa14", Function::Rnea),
        Options { multipliers: 8, ..INSIDE },
        1000,
    );
    let leg = leg();
    assert_eq!(leg.model.nv, 3);
    check::<16, 32>("hyq_leg", &leg, Options { multipliers: 8, ..INSIDE }, 1000);
    // The gradient: the scalar has one format only, so the circuit is compared with its integers, and these with f64.
    let (straight, model) = (Straight::gradient(&arm.functions[0]), &arm.model);
    let scales = Circuit::gradient_scales(&straight, model, LIMITS, Format::Q16_16);
    let circuit = Circuit::of_robot("gradient", &straight, model, LIMITS, Options { scales, ..INSIDE })
        .expect("a circuit");
    verify(&circuit);
    let states: Vec<Vec<i32>> =
        (0..1000).map(|seed| circuit.inputs(model, &LIMITS.state(model, seed))).collect();
    let said = simulated(&circuit, states.len(), &circuit.vectors(states.iter().map(Vec::as_slice)));
    if let Some(said) = said {
        assert!(said.contains("98000 numbers, 0 differ"), "{said}");
        println!("gradient: {said}");
    }
}

#[test]
fn the_gradient_is_that_of_forward_dynamics() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let model = &generated.model;
    let straight = Straight::gradient(&generated.functions[0]);
    let scales = Circuit::gradient_scales(&straight, model, LIMITS, Format::Q16_16);
    let circuit = Circuit::new("gradient", &straight, Options { scales, ..INSIDE }).expect("a circuit");
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for seed in 0..100 {
        let state = LIMITS.state(model, seed);
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        // At the torques that give these accelerations.
        let tau = model.rnea(q, v, state.a.as_slice());
        let reference = model.aba_derivatives(q, v, tau.as_slice(), None);
        let reference: Vec<f64> = reference.ddq_dq.iter().chain(reference.ddq_dv.iter()).copied().collect();
        let exact = straight.results_of(&straight.run(&range::inputs(&straight.inputs, model, &state)));
        let results = circuit.integers.run(&circuit.inputs(model, &state));
        let size = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let ports = circuit.integers.results.iter().map(|(port, _)| port);
        for (((x, exact), bits), port) in reference.iter().zip(exact).zip(results).zip(ports) {
            assert!((exact - x).abs() < 1e-10 * size, "{exact} {x}");
            let fixed = f64::from(bits) / 2_f64.powi(port.frac as i32);
            worst = worst.max((fixed - x).abs());
            largest = largest.max(x.abs());
        }
    }
    println!("gradient: {worst:.2e} of {largest:.1}; scales {scales:?}; {} cycles", circuit.latency());
    assert!(worst < 1e-3 * largest, "{worst:e} of {largest:e}");
}

/// Cells of a circuit by yosys, by kind.
fn synthesised(circuit: &Circuit, command: &str) -> Option<std::collections::BTreeMap<String, usize>> {
    if Command::new("yosys").arg("-V").output().is_err() {
        println!("skipped: there is no yosys to synthesise {} with", circuit.name);
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-synthesis", circuit.name));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("circuit.v"), circuit.verilog()).expect("a file");
    let script = format!("read_verilog circuit.v; {command} -top {}; tee -o cells.txt stat", circuit.name);
    let output =
        Command::new("yosys").args(["-q", "-p", &script]).current_dir(&folder).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.join("cells.txt")).expect("the cells");
    let cell = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, number) = (words.next()?, words.next()?.parse().ok()?);
        (words.next().is_none() && name.starts_with(|c: char| c.is_ascii_uppercase()))
            .then(|| (name.to_owned(), number))
    };
    Some(text.lines().filter_map(cell).collect())
}

/// Minutes: `.ci/everything` runs it. A budget that a change lowers is lowered with it.
#[test]
#[ignore = "yosys takes minutes"]
fn circuits_stay_within_their_budgets() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let straight = Straight::of(&generated.functions[0]);
    let sum = |cells: &std::collections::BTreeMap<String, usize>, names: &[&str]| {
        let of = |(name, n): (&String, &usize)| if names.contains(&name.as_str()) { *n } else { 0 };
        cells.iter().map(of).sum::<usize>()
    };
    // Look-up tables, multipliers and block memories.
    let targets: [(&str, [&[&str]; 3]); 2] = [
        ("synth_ecp5", [&["LUT4"], &["MULT18X18D"], &["DP16KD"]]),
        (
            "synth_xilinx -family xcup",
            [&["LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6"], &["DSP48E2"], &["RAMB18E2", "RAMB36E2"]],
        ),
    ];
    let budgets = [
        ("given", GIVEN, [[21_000, 64, 130], [15_000, 64, 115]]),
        ("inside", INSIDE, [[23_000, 64, 135], [17_500, 64, 150]]),
    ];
    for (name, options, budgets) in budgets {
        let circuit = Circuit::new(name, &straight, options).expect("a circuit");
        for ((command, kinds), budget) in targets.iter().zip(budgets) {
            let Some(cells) = synthesised(&circuit, command) else { return };
            println!("{name}, {command}: {cells:?}");
            let found = kinds.map(|names| sum(&cells, names));
            println!("{name}, {command}: look-up tables, multipliers, memories: {found:?}");
            assert!(
                found.iter().zip(budget).all(|(n, most)| *n <= most && *n > 0),
                "{found:?} beyond {budget:?}"
            );
        }
    }
}
