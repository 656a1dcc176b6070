//! Resources of circuits on an FPGA, by yosys.

use super::{GIVEN, INSIDE, robot};
use rbd_build::Function;
use rbd_verilog::{Angles, Circuit, Format, Formats, Pipeline, Straight};
use std::path::Path;
use std::process::Command;

/// Cells of a circuit by yosys, by kind.
fn synthesised(name: &str, circuit: &str, command: &str) -> Option<Cells> {
    if Command::new("yosys").arg("-V").output().is_err() {
        println!("skipped: there is no yosys to synthesise {name} with");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-synthesis"));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("circuit.v"), circuit).expect("a file");
    let script = format!("read_verilog circuit.v; {command} -top {name}; tee -o cells.txt stat");
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

type Cells = std::collections::BTreeMap<String, usize>;

/// The yosys command for an FPGA, and the names of its look-up tables, multipliers and block
/// memories.
type Target = (&'static str, [&'static [&'static str]; 3]);
const ECP5: Target = ("synth_ecp5", [&["LUT4"], &["MULT18X18D"], &["DP16KD"]]);
const ULTRASCALE: Target = (
    "synth_xilinx -family xcup",
    [&["LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6"], &["DSP48E2"], &["RAMB18E2", "RAMB36E2"]],
);

/// For a pipeline, each type of unit is mapped once.
const ECP5_BY_UNITS: Target = ("synth_ecp5 -noflatten", ECP5.1);

/// Fails if a circuit exceeds the budget. Returns its resources, or zeros without yosys.
fn within(name: &str, circuit: &str, (command, kinds): Target, budget: [usize; 3]) {
    let Some(cells) = synthesised(name, circuit, command) else { return };
    println!("{name}, {command}: {cells:?}");
    let of = |names: &[&str]| {
        let of = |(name, n): (&String, &usize)| if names.contains(&name.as_str()) { *n } else { 0 };
        cells.iter().map(of).sum::<usize>()
    };
    let found = kinds.map(of);
    println!("{name}, {command}: look-up tables, multipliers, memories: {found:?}");
    assert!(found.iter().zip(budget).all(|(n, most)| *n <= most), "{name}: {found:?} beyond {budget:?}");
    // A budget far above the need would show nothing.
    assert!(
        found.iter().zip(budget).all(|(n, most)| 10 * n >= 8 * most),
        "{name}: {found:?} far below {budget:?}"
    );
}

/// Minutes: `.ci/everything` runs it. A budget that a change lowers is lowered with it.
#[test]
#[ignore = "yosys takes minutes"]
fn circuits_stay_within_their_budgets() {
    let generated = robot("iiwa14", Function::RneaDerivatives);
    let straight = Straight::of(&generated.functions[0]);
    let narrow = |bits, frac| Format { bits, frac };
    let budgets = [
        ("given", Format::Q16_16, GIVEN, [[21_000, 64, 130], [15_000, 64, 115]]),
        ("inside", Format::Q16_16, INSIDE, [[23_000, 64, 135], [17_500, 64, 135]]),
        // Two multipliers a product on UltraScale+, and one a product.
        ("bits_27", narrow(27, 16), INSIDE, [[20_000, 64, 135], [14_500, 32, 135]]),
        ("bits_18", narrow(18, 10), INSIDE, [[13_200, 16, 135], [9_200, 16, 120]]),
    ];
    for (name, format, options, [ecp5, ultrascale]) in budgets {
        let formats = Formats::common(&straight, format);
        let circuit = Circuit::new(name, &straight, &formats, options).expect("a circuit");
        let text = circuit.verilog();
        within(&circuit.name, &text, ECP5, ecp5);
        within(&circuit.name, &text, ULTRASCALE, ultrascale);
    }
    let rnea = robot("iiwa14", Function::Rnea);
    let straight = Straight::of(&rnea.functions[0]);
    let formats = Formats::common(&straight, Format::Q16_16);
    let pipeline = Pipeline::new("pipeline", &straight, &formats, Angles::Inside).expect("a pipeline");
    within(&pipeline.name, &pipeline.verilog(), ECP5_BY_UNITS, [10_500, 946, 0]);
    within(&pipeline.name, &pipeline.verilog(), ULTRASCALE, [27_000, 958, 0]);
}
