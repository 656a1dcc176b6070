//! `rbd bench`: times of a robot's functions on this machine, beside the generic reference.

use crate::options::Making;
use crate::output::{self, Error};
use crate::progress::Progress;
use rbd_jit::{Function, Loaded, Options, Sample};
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Time a robot's functions on this machine, beside the generic reference. No compiler is needed
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    path: PathBuf,
    /// States of a batch; 0 leaves batches out
    #[arg(long, default_value_t = 256)]
    batch: usize,
    #[command(flatten)]
    making: Making,
}

/// Time for which a function is repeated, on each side.
const LASTS: Duration = Duration::from_millis(40);
/// Characters of the longest bar.
const LONGEST: f64 = 30.0;

/// Times of a function, ns.
struct Times {
    name: String,
    here: f64,
    batch: Option<f64>,
    reference: Option<f64>,
}

/// Prints the table.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let progress = Progress::new("reading the URDF");
    let builder = progress.of(arguments.making.robot(&arguments.path)?);
    let begin = Instant::now();
    let generated = builder.trace()?;
    let traced = begin.elapsed();
    let begin = Instant::now();
    let robot = Loaded::new(generated, Options { check: false, ..Options::default() }).map_err(of_jit)?;
    let made = begin.elapsed();
    let Some(sample) = robot.sample(1) else {
        let what = "robots that cannot move, or take inertias or gravity at run time, are not timed";
        return Err(Error::Request(format!("{}: {what}", arguments.path.display())));
    };
    progress.count(robot.functions().len(), "timing");
    let mut all = Vec::new();
    for function in robot.functions() {
        progress.one_more();
        // Of functions of a frame the first; the others take as long.
        if all.iter().all(|times: &Times| times.name != function.name()) {
            all.push(times(&robot, function, &sample, arguments.batch));
        }
    }
    drop(progress);
    let mut text = format!(
        "{}: {} degrees of freedom, by {}. Read, traced and searched in {}, machine code in {}.\n\n{}",
        arguments.path.display(),
        robot.nv(),
        robot.engine(),
        milliseconds(traced),
        milliseconds(made),
        table(&all, arguments.batch)
    );
    for (name, why) in robot.left_out() {
        let _ = writeln!(text, "{name}: {why}");
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// An error of code at run time as the command's.
pub fn of_jit(error: rbd_jit::Error) -> Error {
    match error {
        rbd_jit::Error::Robot(error) => Error::Robot(error),
        other => Error::Request(other.to_string()),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

fn times(robot: &Loaded, function: &Function, sample: &Sample<'_>, states: usize) -> Times {
    let inputs = sample.arguments(function);
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut results: Vec<Vec<f64>> = function.outputs().iter().map(|o| vec![0.0; o.length]).collect();
    let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let mut workspace = robot.workspace();
    let here = least(|| {
        function.call(&mut workspace, black_box(&inputs), black_box(&mut outputs)).expect("arguments fit");
    });
    let batch = (states > 0).then(|| {
        let repeated: Vec<Vec<f64>> = inputs.iter().map(|input| input.repeat(states)).collect();
        let inputs: Vec<&[f64]> = repeated.iter().map(Vec::as_slice).collect();
        let mut results: Vec<Vec<f64>> =
            function.outputs().iter().map(|o| vec![0.0; o.length * states]).collect();
        let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        let batch = robot.batch();
        let all = least(|| {
            batch.call(function, black_box(&inputs), black_box(&mut outputs)).expect("arguments fit");
        });
        all / states as f64
    });
    let reference = sample.reference(function).is_some().then(|| {
        least(|| {
            black_box(sample.reference(black_box(function)));
        })
    });
    Times { name: function.name().to_owned(), here, batch, reference }
}

/// The least time of a call, ns.
fn least(mut call: impl FnMut()) -> f64 {
    // A first call makes what is made once, and says how many fill a millisecond.
    call();
    let begin = Instant::now();
    call();
    let repeat = (1e-3 / begin.elapsed().as_secs_f64().max(1e-9)).clamp(1.0, 1e5) as u32;
    let (begin, mut least) = (Instant::now(), f64::INFINITY);
    while begin.elapsed() < LASTS {
        let now = Instant::now();
        (0..repeat).for_each(|_| call());
        least = least.min(now.elapsed().as_secs_f64() / f64::from(repeat));
    }
    least * 1e9
}

fn table(all: &[Times], states: usize) -> String {
    let batch = format!("in {states}, ns");
    let mut table = output::table(["function", "call, ns", &batch, "reference, ns", "times faster", ""]);
    let faster = |times: &Times| times.reference.map(|reference| reference / times.here);
    let most = all.iter().filter_map(faster).fold(1.0, f64::max);
    let shown = |time: Option<f64>| time.map_or_else(String::new, |time| format!("{time:.0}"));
    for times in all {
        let faster = faster(times);
        let ratio = faster.map_or_else(String::new, |faster| format!("{faster:.1}"));
        let bar = faster.map_or_else(String::new, |faster| bar(faster / most));
        let (here, reference) = (Some(times.here), times.reference);
        let row = [times.name.clone(), shown(here), shown(times.batch), shown(reference), ratio, bar];
        table.add_row(row);
    }
    format!("{table}\n")
}

/// A bar of a share of the longest one, to an eighth of a character.
fn bar(share: f64) -> String {
    let eighths = (share * LONGEST * 8.0).round() as usize;
    let part = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let last = (eighths % 8).checked_sub(1).map(|k| part[k]);
    "█".repeat(eighths / 8).chars().chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(1.0).chars().count(), 30);
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.5 / 30.0), "█▌");
    }
}
