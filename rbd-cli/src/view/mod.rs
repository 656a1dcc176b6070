//! `rbd view`: a page that shows the robot and moves it by its generated functions.
//!
//! - `geometry` reads shapes of links, `meshes` the files that they name, `trajectory` a recording.
//! - `marks` says where findings are shown, `ellipsoid` how inertias are drawn.
//! - `contacts` lists points that may meet the ground.
//! - `fit` finds inertias that lie outside of their shapes.
//! - `data` describes the robot for the page, `page` puts the file together.
//! - The page's sources are in `rbd-cli/view/`.

mod contacts;
mod data;
mod ellipsoid;
mod fit;
mod geometry;
mod marks;
mod meshes;
mod page;
mod trajectory;

use crate::options::Reading;
use crate::output::{self, Error};
use crate::progress::Progress;
use rbd_build::{Function, Js};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a page that shows a robot and moves it, for any browser, without a server or a network
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    urdf: PathBuf,
    /// The page
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// A folder of packages that meshes are in, besides the URDF's own folder and package
    #[arg(long, value_name = "FOLDER")]
    meshes: Vec<PathBuf>,
    /// A recording to replay: lines of comma-separated numbers, each a time and a configuration q, or
    /// both and a velocity
    #[arg(long, value_name = "FILE.csv")]
    trajectory: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

/// Functions that the page calls. For contacts with the ground, it calls `minv` too.
const FUNCTIONS: [Function; 7] = [
    Function::Gravity,
    Function::AbaFext,
    Function::Crba,
    Function::ForwardKinematics,
    Function::CenterOfMass,
    Function::KineticEnergy,
    Function::PotentialEnergy,
];

/// Writes the page.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let urdf = &arguments.urdf;
    let is_urdf = matches!((urdf.canonicalize(), arguments.output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if is_urdf {
        return Err(Error::Request(format!("{} is the URDF itself", arguments.output.display())));
    }
    let progress = Progress::new("reading the URDF");
    // An impossible inertia is a finding, and what the page is there to show.
    let robot = arguments.reading.robot(urdf)?.allow_unphysical_inertia(true);
    let floats = robot.read().is_ok_and(|reading| data::floats(&reading.model));
    let functions = FUNCTIONS.into_iter().chain(floats.then_some(Function::Minv));
    let made = progress.of(robot.functions(functions)).plan(Js)?;
    drop(progress);
    let trajectory = arguments.trajectory.as_deref().map(|path| trajectory::read(path, &made.model));
    let text = std::fs::read_to_string(urdf).unwrap_or_default();
    let document = roxmltree::Document::parse(text.trim_start_matches('\u{feff}')).ok();
    let geometry =
        document.as_ref().map(|document| geometry::read(document, urdf, &arguments.meshes, &made.model));
    let geometry = geometry.unwrap_or_default();
    for left_out in &geometry.left_out {
        eprintln!("left out: {left_out}");
    }
    let data = data::of(&made, document.as_ref(), &geometry, trajectory.transpose()?.as_ref());
    let page = page::text(&made, &data);
    output::write_file(&arguments.output, &page)?;
    eprintln!("wrote {}: {} bytes", arguments.output.display(), page.len());
    Ok(ExitCode::SUCCESS)
}
