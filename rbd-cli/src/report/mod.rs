//! `rbd report`: what specialising one robot saves, and where its matrices are zero.

mod fixed;
mod json;
mod pattern;
mod summary;
mod text;

use crate::options::Making;
use crate::output;
use crate::output::Error;
use crate::progress::Progress;
use rbd_build::fused::Saving;
use rbd_build::hardware::Format;
use rbd_build::hardware::range::Limits;
use rbd_build::measure::{Cost, Pattern};
use rbd_build::urdf::RightAngles;
use rbd_build::{Function, Generated, Robot};
use rbd_runtime::reference::{OperationCount, dense_count};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show operation counts, generated size and sparsity
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    urdf: PathBuf,
    /// For machines
    #[arg(long)]
    json: bool,
    /// What fixed point of so many bits before and behind the point, as Q16.16, takes and loses; nothing else is shown
    #[arg(long, conflicts_with = "json")]
    format: Option<Format>,
    /// Largest magnitudes of what functions take, for `--format`
    #[arg(long, value_name = "q=..,v=..,a=..", default_value_t = Limits::default(), requires = "format")]
    range: Limits,
    #[command(flatten)]
    making: Making,
}

/// All that is shown.
struct Report {
    generated: Generated,
    functions: Vec<Measured>,
    /// What each fused function saves.
    savings: Vec<Saving>,
    /// What each matrix is called on paper, and its zeros.
    patterns: Vec<(&'static str, Pattern)>,
    /// Bytes of the whole generated file.
    file_bytes: usize,
    /// What an explicit `snap: 1e-5` would gain, where the file has right angles that it takes.
    snapped: Option<Snapped>,
}

/// The robot with right angles of few digits taken for exact ones.
struct Snapped {
    angles: RightAngles,
    /// Operations of each function as it is, and so.
    totals: Vec<(Function, usize, usize)>,
}

/// What is proposed for right angles written with six digits or so.
const SNAP: f64 = 1e-5;

/// A function, and the generic algorithm for the same.
struct Measured {
    cost: Cost,
    dense: Option<OperationCount>,
}

impl Measured {
    /// How many times the generated function's operations the generic algorithm needs. A function that needs none
    /// (gravity torques without gravity) has no such ratio.
    fn ratio(&self) -> Option<f64> {
        let (dense, own) = (self.dense?.total(), self.cost.count.total());
        (own > 0).then(|| dense as f64 / own as f64)
    }
}

impl Report {
    fn new(generated: Generated, snapped: Option<Snapped>) -> Self {
        let measured =
            |cost: Cost| Measured { dense: dense_count(&generated.model, cost.function.name()), cost };
        // Each of the first of these results that a generated function gives.
        let matrices: [(_, &[&str]); 4] = [
            ("M", &["m", "dtau_da"]),
            ("M^-1", &["minv", "ddq_dtau"]),
            ("dtau_dq", &["dtau_dq"]),
            ("ddq_dq", &["ddq_dq"]),
        ];
        let pattern = |(shown, names): (_, &[&str])| {
            Some((shown, names.iter().find_map(|name| generated.pattern(name))?))
        };
        Self {
            savings: generated.savings(),
            functions: generated.costs().into_iter().map(measured).collect(),
            patterns: matrices.into_iter().filter_map(pattern).collect(),
            file_bytes: generated.source().len(),
            snapped,
            generated,
        }
    }

    /// All mass of the robot, and what of it rides on the fixed base, kg.
    fn mass(&self) -> (f64, f64) {
        let model = &self.generated.model;
        let base = model.base_inertia.mass;
        (model.bodies.iter().map(|b| b.inertia.mass).sum::<f64>() + base, base)
    }

    /// How many joints follow others.
    fn mimics(&self) -> usize {
        self.generated.model.bodies.iter().filter(|b| b.mimic.is_some()).count()
    }
}

/// Prints the report.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let robot = arguments.making.robot(&arguments.urdf)?;
    let progress = Progress::new("reading the URDF");
    let robot = progress.of(robot);
    let generated = robot.trace()?;
    progress.say("counting operations");
    if let Some(format) = arguments.format {
        drop(progress);
        fixed::write(&generated, format, arguments.range)?;
        return Ok(ExitCode::SUCCESS);
    }
    let snapped = snapped(arguments, &robot, &generated)?;
    progress.say("writing the text");
    let report = Report::new(generated, snapped);
    let text = if arguments.json { json::write(&report) } else { text::write(&report) };
    drop(progress);
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Traces the robot a second time where that has something to show.
fn snapped(arguments: &Arguments, robot: &Robot, own: &Generated) -> Result<Option<Snapped>, Error> {
    let angles = robot.read().map_err(rbd_build::Error::Urdf)?.right_angles;
    if angles.snapped == 0 || arguments.making.snap().is_some_and(|snap| snap >= SNAP) {
        return Ok(None);
    }
    let other = robot.clone().snap(SNAP).trace()?;
    let pairs = own.functions.iter().zip(&other.functions);
    let totals = pairs.map(|(a, b)| (a.function, a.count().total(), b.count().total())).collect();
    Ok(Some(Snapped { angles, totals }))
}
