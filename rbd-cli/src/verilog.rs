//! `rbd verilog`: a function as a circuit.

use crate::options::Reading;
use crate::output;
use crate::output::Error;
use crate::progress::Progress;
use clap::ValueEnum;
use rbd_build::{Function, Shape};
use rbd_verilog::{Angles, Circuit, Format, Formats, Integers, Limits, Options, Pipeline, Refusal, Straight};
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
    /// Multipliers that the circuit has; or `all` for a pipeline that takes a state in every cycle
    #[arg(long, value_name = "NUMBER", default_value = "16", value_parser = multipliers)]
    multipliers: Multipliers,
    /// Adders; by default in proportion to the sums that there are
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    adders: Option<u16>,
    /// Bits before and behind the point
    #[arg(long, default_value_t = Format::Q16_16)]
    format: Format,
    /// One format for all values, or one for each with as many bits in all
    #[arg(long, value_enum, default_value_t = Which::Common)]
    formats: Which,
    /// Where sines and cosines are taken: in the circuit, or by whoever gives the state
    #[arg(long, value_enum, default_value_t = Where::Inside)]
    angles: Where,
    /// Largest magnitudes of what the function takes; the format is checked against them, and
    /// vectors are drawn from them
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

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Which {
    Common,
    Each,
}

#[derive(Clone, Copy)]
enum Multipliers {
    Shared(usize),
    All,
}

fn multipliers(text: &str) -> Result<Multipliers, String> {
    match (text.trim(), text.trim().parse::<usize>()) {
        ("all", _) => Ok(Multipliers::All),
        (_, Ok(number @ 1..=256)) => Ok(Multipliers::Shared(number)),
        _ => Err("it is 1 to 256, or `all`".into()),
    }
}

#[derive(Clone, Copy)]
enum Task {
    Function(Function),
    Gradient,
}

fn task(text: &str) -> Result<Task, String> {
    match text.trim() {
        "gradient" => Ok(Task::Gradient),
        name => match rbd_build::option_table::functions_named(name)?[..] {
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
    if function.is_second_order() {
        return Err(Error::Request(format!(
            "no circuit of `{name}`: the runtime computes it, by loops over tables of the robot"
        )));
    }
    let progress = Progress::new("reading the URDF");
    let robot = arguments.reading.robot(&arguments.urdf)?.functions([function]).shape(Shape::Straight);
    let generated = progress.of(robot).trace()?;
    let warnings = generated.warnings.brief();
    if !warnings.is_empty() {
        progress.keep(&format!("{warnings}\n"));
    }
    progress.say("choosing formats of numbers");
    let (plan, model) = (&generated.functions[0], &generated.model);
    let (limits, format) = (arguments.range, arguments.format);
    let gradient = matches!(arguments.function, Task::Gradient);
    let straight = if gradient { Straight::gradient(plan) } else { Straight::of(plan) };
    let formats = match arguments.formats {
        Which::Each => Formats::each(&straight, model, limits, format),
        Which::Common if gradient => Formats::gradient(&straight, model, limits, format),
        Which::Common => Formats::common(&straight, format),
    };
    let angles = match arguments.angles {
        Where::Inside => Angles::Inside,
        Where::Given => Angles::Given,
    };
    let refused = |refusal: Refusal| {
        Error::Request(format!("{}: no circuit of `{name}`: {refusal}", arguments.urdf.display()))
    };
    formats.check(&straight, model, limits).map_err(refused)?;
    progress.say("laying out the circuit");
    let name = format!("{}_{name}", generated.name);
    let states = arguments.states as usize;
    let vectors = |integers: &Integers| {
        let state = |k: u32| integers.inputs_at(model, &limits.state(model, k.into()));
        let states: Vec<Vec<i32>> = (0..arguments.states).map(state).collect();
        integers.vectors(states.iter().map(Vec::as_slice))
    };
    let written = match arguments.multipliers {
        Multipliers::Shared(multipliers) => {
            let options = Options { multipliers, adders: arguments.adders.map(usize::from), angles };
            let circuit = Circuit::new(&name, &straight, &formats, options).map_err(refused)?;
            let files = vec![
                (".v", circuit.verilog()),
                ("_bench.v", circuit.test_bench(states)),
                (".hex", vectors(&circuit.integers)),
                (".csv", circuit.schedule_csv()),
            ];
            Written { said: folded(&circuit), stem: circuit.name, files }
        }
        Multipliers::All if arguments.adders.is_some() => {
            return Err(Error::Request("with `--multipliers all` every sum has an adder of its own".into()));
        }
        Multipliers::All => {
            let pipeline = Pipeline::new(&name, &straight, &formats, angles).map_err(refused)?;
            let files = vec![
                (".v", pipeline.verilog()),
                ("_bench.v", pipeline.test_bench(states)),
                (".hex", vectors(&pipeline.integers)),
            ];
            Written { said: pipelined(&pipeline), stem: pipeline.name, files }
        }
    };
    let Written { stem, said, files } = written;
    drop(progress);

    let folder = &arguments.output;
    let fault = |e| Error::Robot(rbd_build::Error::Write { path: folder.clone(), source: e });
    std::fs::create_dir_all(folder).map_err(fault)?;
    for (end, text) in &files {
        output::write_file(&folder.join(format!("{stem}{end}")), text)?;
    }
    output::print(&format!(
        "{stem}: {said}\n\
         simulate: cd {} && iverilog -g2001 -o {stem}.vvp {stem}.v {stem}_bench.v && vvp {stem}.vvp\n",
        folder.display(),
    ))?;
    Ok(ExitCode::SUCCESS)
}

struct Written {
    stem: String,
    said: String,
    files: Vec<(&'static str, String)>,
}

fn folded(circuit: &Circuit) -> String {
    let (inputs, results) = circuit.words();
    let units = circuit.schedule.units;
    let dividers = match units.dividers {
        0 => String::new(),
        n => format!(", {n} divider{}", if n == 1 { "" } else { "s" }),
    };
    format!(
        "{} products, {} multipliers, {} adders{dividers}, {}\n\
         {} cycles after the last of {inputs} inputs, {} after the first; then {results} results, one a cycle\n\
         {} memories, {} ways into them",
        circuit.integers.products(),
        units.multipliers,
        units.adders,
        circuit.integers.format_name(),
        circuit.latency(),
        circuit.schedule.cycles,
        circuit.binding.memories(),
        circuit.binding.wires(),
    )
}

fn pipelined(pipeline: &Pipeline) -> String {
    let (constant, variable) = pipeline.multipliers();
    format!(
        "{variable} multipliers, {constant} by constants, {} other units, {}\n\
         a state in every cycle, its results {} cycles later; {} registers of that width for waiting",
        pipeline.micro.ops.len() - constant - variable,
        pipeline.integers.format_name(),
        pipeline.latency(),
        pipeline.schedule.registers(),
    )
}
