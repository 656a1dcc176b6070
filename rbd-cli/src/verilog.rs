//! `rbd verilog`: a function as a circuit.

use crate::options::Reading;
use crate::output;
use crate::output::Error;
use clap::ValueEnum;
use rbd_build::emit::verilog::{Circuit, Options};
use rbd_build::hardware::integers::Scales;
use rbd_build::hardware::range::Limits;
use rbd_build::hardware::straight::Straight;
use rbd_build::hardware::{Angles, Format};
use rbd_build::{Function, Shape};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a function as a circuit in Verilog, with a test bench and vectors
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    urdf: PathBuf,
    /// The function; `gradient` is `-M^-1 dtau_dq` and `-M^-1 dtau_dv` with M^-1 given
    #[arg(long, value_name = "NAME", default_value = "rnea_derivatives", value_parser = task)]
    function: Task,
    /// Multipliers that the circuit has
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipliers: u16,
    /// Adders; by default in proportion to the sums that there are
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    adders: Option<u16>,
    /// Bits before and behind the point
    #[arg(long, default_value_t = Format::Q16_16)]
    format: Format,
    /// Where sines and cosines are taken: in the circuit, or by whoever gives the state
    #[arg(long, value_enum, default_value_t = Where::Inside)]
    angles: Where,
    /// Largest magnitudes of what the function takes; the format is checked against them, and vectors are drawn from them
    #[arg(long, value_name = "q=..,v=..,a=..", default_value_t = Limits::default())]
    range: Limits,
    /// States in the file of vectors
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    states: u32,
    /// The folder to write to
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum Where {
    Inside,
    Given,
}

#[derive(Clone, Copy)]
enum Task {
    Function(Function),
    Gradient,
}

fn task(text: &str) -> Result<Task, String> {
    match text.trim() {
        "gradient" => Ok(Task::Gradient),
        name => match rbd_build::table::functions_named(name)?[..] {
            [one] => Ok(Task::Function(one)),
            _ => Err(format!("`{name}` is a family of functions: a circuit is of one")),
        },
    }
}

/// Makes all before anything is written.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let (function, name) = match arguments.function {
        Task::Function(function) => (function, function.name()),
        Task::Gradient => (Function::RneaDerivatives, "gradient"),
    };
    let generated =
        arguments.reading.robot(&arguments.urdf)?.functions([function]).shape(Shape::Straight).trace()?;
    let warnings = generated.warnings.brief();
    if !warnings.is_empty() {
        eprintln!("{warnings}\n");
    }
    let (plan, model) = (&generated.functions[0], &generated.model);
    let (limits, format) = (arguments.range, arguments.format);
    let (straight, scales) = match arguments.function {
        Task::Function(_) => (Straight::of(plan), Scales::default()),
        Task::Gradient => {
            let straight = Straight::gradient(plan);
            let scales = Circuit::gradient_scales(&straight, model, limits, format);
            (straight, scales)
        }
    };
    let options = Options {
        format,
        multipliers: arguments.multipliers.into(),
        adders: arguments.adders.map(usize::from),
        angles: match arguments.angles {
            Where::Inside => Angles::Inside,
            Where::Given => Angles::Given,
        },
        scales,
    };
    let circuit =
        Circuit::of_robot(&format!("{}_{name}", generated.type_name()), &straight, model, limits, options)
            .map_err(|refusal| {
                Error::Request(format!("{}: no circuit of `{name}`: {refusal}", arguments.urdf.display()))
            })?;

    let states: Vec<Vec<i32>> =
        (0..arguments.states).map(|k| circuit.inputs(model, &limits.state(model, k.into()))).collect();
    let folder = &arguments.output;
    let fault = |e| Error::Robot(rbd_build::Error::Write { path: folder.clone(), source: e });
    std::fs::create_dir_all(folder).map_err(fault)?;
    let stem = &circuit.name;
    let files = [
        (format!("{stem}.v"), circuit.verilog()),
        (format!("{stem}_bench.v"), circuit.test_bench(states.len())),
        (format!("{stem}.hex"), circuit.vectors(states.iter().map(Vec::as_slice))),
        (format!("{stem}.csv"), circuit.schedule_csv()),
    ];
    for (file, text) in &files {
        output::write_file(&folder.join(file), text)?;
    }
    let (inputs, results) = circuit.words();
    let units = circuit.schedule.units;
    output::print(&format!(
        "{stem}: {} products, {} multipliers, {} adders, {format}\n\
         {} cycles after the last of {inputs} inputs, {} after the first; then {results} results, one a cycle\n\
         {} memories, {} ways into them\n\
         simulate: cd {} && iverilog -g2001 -o {stem}.vvp {stem}.v {stem}_bench.v && vvp {stem}.vvp\n",
        circuit.integers.products(),
        units.multipliers,
        units.adders,
        circuit.latency(),
        circuit.schedule.cycles,
        circuit.binding.memories(),
        circuit.binding.wires(),
        folder.display(),
    ))?;
    Ok(ExitCode::SUCCESS)
}
