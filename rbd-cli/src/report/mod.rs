//! `rbd report`: savings of specialising one robot, and zeros of its matrices.

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
use rbd_build::measure::{Cost, Pattern};
use rbd_build::urdf::RightAngles;
use rbd_build::{Function, Generated, Robot};
use rbd_runtime::reference::{OperationCount, dense_count};
use rbd_verilog::{Format, Limits};
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
    /// What fixed point of so many bits before and behind the point, as Q16.16, takes and loses;
    /// nothing else is shown
    #[arg(long, conflicts_with = "json")]
    format: Option<Format>,
    /// Largest magnitudes of what functions take, for `--format`
    #[arg(long, value_name = "q=..,v=..,a=..", default_value_t = Limits::default(), requires = "format")]
    range: Limits,
    #[command(flatten)]
    making: Making,
}

/// Everything that is shown.
struct Report {
    generated: Generated,
    functions: Vec<Measured>,
    /// Savings of each fused function.
    savings: Vec<Saving>,
    /// Each matrix's name on paper, and its zeros.
    patterns: Vec<(&'static str, Pattern)>,
    /// Bytes of the whole generated file.
    file_bytes: usize,
    /// Gain of an explicit `snap: 1e-5`, if the file has right angles that it takes.
    snapped: Option<Snapped>,
}

/// The robot with right angles of few digits taken for exact ones.
struct Snapped {
    angles: RightAngles,
    /// Operations of each function as it is, and so.
    totals: Vec<(Function, usize, usize)>,
}

/// Proposed value for right angles written with six digits or so.
const SNAP: f64 = 1e-5;

/// A function, and the generic algorithm for the same result.
struct Measured {
    cost: Cost,
    dense: Option<OperationCount>,
}

impl Measured {
    /// Ratio of the generic algorithm's operations to the generated function's. `None` if the
    /// function needs no operations, as gravity torques without gravity.
    fn ratio(&self) -> Option<f64> {
        let (dense, own) = (self.dense?.total(), self.cost.count.total());
        (own > 0).then(|| dense as f64 / own as f64)
    }
}

impl Report {
    fn new(generated: Generated, snapped: Option<Snapped>) -> Self {
        let measured =
            |cost: Cost| Measured { dense: dense_count(&generated.model, cost.function.name()), cost };
        // The first of these results that a generated function has.
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

    /// Mass of the robot, and the part of it fixed to the world, kg.
    fn mass(&self) -> (f64, f64) {
        let model = &self.generated.model;
        let base = model.base_inertia.mass;
        (model.bodies.iter().map(|b| b.inertia.mass).sum::<f64>() + base, base)
    }

    /// Number of mimic joints.
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
