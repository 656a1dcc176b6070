//! Options that several commands have, and how they are written.

use clap::Args;
use rbd_build::fused::Fused;
use rbd_build::{Base, ContactKind, Function, Robot, Shape};
use std::path::Path;

/// How a URDF is read.
#[derive(Args, Debug)]
pub struct Reading {
    /// The root link moves freely; by default it is bolted to the world
    #[arg(long)]
    pub floating: bool,
    /// Refuse what would only be warned of
    #[arg(long)]
    strict: bool,
    /// Say nothing of warnings with these codes, separated by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    allow: Vec<String>,
    /// Accept, with a warning, inertias that are not positive semidefinite
    #[arg(long)]
    allow_unphysical_inertia: bool,
    /// Gravitational acceleration in the world, m/s^2
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_parser = vector,
        allow_hyphen_values = true,
        default_value = "0,0,-9.81"
    )]
    gravity: [f64; 3],
    /// Make this joint fixed at this position, rad or m
    #[arg(long, value_name = "JOINT=VALUE", value_parser = setting)]
    lock: Vec<(String, f64)>,
    /// Add this rotor inertia to a joint, kg m^2 or kg
    #[arg(long, value_name = "JOINT=VALUE", value_parser = setting)]
    armature: Vec<(String, f64)>,
    /// Let the URDF's joint damping enter the dynamics
    #[arg(long)]
    damping: bool,
}

/// What is generated.
#[derive(Args, Debug)]
pub struct Making {
    #[command(flatten)]
    pub reading: Reading,
    /// The generated type; by default the file's stem in UpperCamelCase
    #[arg(long)]
    name: Option<String>,
    /// Only these functions or families of them, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = function)]
    functions: Option<Vec<Named>>,
    /// Generate functions of frames, for these links and fixed joints, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    frames: Vec<String>,
    /// Generate dynamics under contacts at these links and fixed joints, separated by commas: points, or with `=plane` after
    /// the name planes
    #[arg(long, value_name = "NAME[=KIND]", value_delimiter = ',', value_parser = contact)]
    contacts: Vec<(String, ContactKind)>,
    /// Generate dynamics with this closed loop: two frames whose origins coincide, or with `:6` at the end the whole frames
    #[arg(long, value_name = "NAME=FRAME:FRAME[:ROWS]", value_delimiter = ',', value_parser = closed_loop)]
    closed_loops: Vec<(String, [String; 2], ContactKind)>,
    /// Make the inertia of these links' bodies an argument of functions, separated by commas; `all` is every moving link
    #[arg(long, value_name = "LINK", value_delimiter = ',')]
    inertia_at_run_time: Vec<String>,
    /// Make loads on these links and fixed joints an argument of functions, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    loads: Vec<String>,
    /// Make gravity an argument of functions; --gravity is its default then
    #[arg(long)]
    gravity_at_run_time: bool,
    /// Generate one function for several quantities, as in `Step: ddq, placement(tool0), jacobian(tool0, local)`
    #[arg(long, value_name = "NAME: QUANTITY, ..")]
    fused: Vec<Fused>,
    /// How near to a multiple of a right angle an angle of an `rpy` must be to be taken for it, rad; by default only right
    /// angles written to eleven decimals or more are
    #[arg(long, value_name = "TOLERANCE")]
    pub snap: Option<f64>,
    /// The shape of code: straight, limbs or loops, or of one function, as in `minv=loops`; by default what costs least
    #[arg(long, value_name = "[FUNCTION=]SHAPE", value_delimiter = ',', value_parser = shape)]
    shape: Vec<(Option<Function>, Shape)>,
}

impl Reading {
    /// The robot in this file, read so.
    pub fn robot(&self, urdf: &Path) -> Robot {
        let base = if self.floating { Base::Floating } else { Base::Fixed };
        let robot = Robot::from_urdf(urdf)
            .base(base)
            .gravity(self.gravity)
            .damping(self.damping)
            .strict(self.strict)
            .allow_unphysical_inertia(self.allow_unphysical_inertia);
        let robot = self.allow.iter().fold(robot, |r, code| r.allow(code.trim()));
        let robot = self.lock.iter().fold(robot, |r, (joint, x)| r.lock(joint, *x));
        self.armature.iter().fold(robot, |r, (joint, x)| r.armature(joint, *x))
    }

    /// An option that contradicts itself.
    pub fn fault(&self) -> Option<String> {
        let twice = |option: &str, settings: &[(String, f64)]| {
            let mut names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            let repeated = names.windows(2).find(|w| w[0] == w[1])?[0];
            Some(format!("--{option} gives joint `{repeated}` twice"))
        };
        twice("lock", &self.lock).or_else(|| twice("armature", &self.armature))
    }
}

impl Making {
    /// The robot in this file, made so.
    pub fn robot(&self, urdf: &Path) -> Robot {
        let mut robot = self.reading.robot(urdf);
        if let Some(name) = &self.name {
            robot = robot.name(name);
        }
        if let Some(functions) = &self.functions {
            robot = robot.functions(functions.iter().flatten().copied());
        }
        robot = robot.frames(self.frames.iter().map(|name| name.trim()));
        robot = self.contacts.iter().fold(robot, |r, (name, kind)| r.contact(name, *kind));
        let loops = self.closed_loops.iter().cloned();
        robot = loops.fold(robot, |r, (name, frames, kind)| r.closed_loop(name, frames, kind));
        robot = match &self.inertia_at_run_time[..] {
            [all] if all == "all" => robot.all_inertia_at_run_time(),
            links => robot.inertia_at_run_time(links.iter().map(|name| name.trim())),
        };
        robot = robot.loads(self.loads.iter().map(|name| name.trim()));
        robot = robot.gravity_at_run_time(self.gravity_at_run_time);
        robot = self.fused.iter().cloned().fold(robot, Robot::fused);
        if let Some(snap) = self.snap {
            robot = robot.snap(snap);
        }
        self.shape.iter().fold(robot, |robot, (of, shape)| match of {
            Some(function) => robot.shape_of(*function, *shape),
            None => robot.shape(*shape),
        })
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

fn vector(text: &str) -> Result<[f64; 3], String> {
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    let n = numbers.len();
    numbers.try_into().map_err(|_| format!("expected three numbers, as in 0,0,-9.81; here are {n}"))
}

fn setting(text: &str) -> Result<(String, f64), String> {
    // The last `=`: a joint's name may hold one.
    let (joint, value) = text.rsplit_once('=').ok_or("expected a joint and a number, as in elbow=0.5")?;
    Ok((joint.to_owned(), number(value)?))
}

fn shape(text: &str) -> Result<(Option<Function>, Shape), String> {
    let (of, name) = match text.split_once('=') {
        Some((of, name)) => {
            let of = of.trim();
            let function = Function::from_name(of).ok_or_else(|| format!("there is no function `{of}`"))?;
            (Some(function), name.trim())
        }
        None => (None, text.trim()),
    };
    let known =
        || format!("there is no shape `{name}`; there are {}", Shape::ALL.map(Shape::name).join(", "));
    Ok((of, Shape::from_name(name).ok_or_else(known)?))
}

fn contact(text: &str) -> Result<(String, ContactKind), String> {
    match text.trim().rsplit_once('=') {
        None => Ok((text.trim().to_owned(), ContactKind::Point)),
        Some((name, "point")) => Ok((name.to_owned(), ContactKind::Point)),
        Some((name, "plane")) => Ok((name.to_owned(), ContactKind::Plane)),
        Some((_, kind)) => Err(format!("a contact is a `point` or a `plane`, and no `{kind}`")),
    }
}

fn closed_loop(text: &str) -> Result<(String, [String; 2], ContactKind), String> {
    let expected =
        || format!("expected a name and two frames, as in bar=rod:pivot or bar=rod:pivot:6, not `{text}`");
    let (name, frames) = text.split_once('=').ok_or_else(expected)?;
    let (frames, kind) = match frames.split(':').map(str::trim).collect::<Vec<_>>()[..] {
        [a, b] | [a, b, "3"] => ([a, b], ContactKind::Point),
        [a, b, "6"] => ([a, b], ContactKind::Plane),
        _ => return Err(expected()),
    };
    Ok((name.trim().to_owned(), frames.map(str::to_owned), kind))
}

/// The functions that a name stands for: one, or a family.
type Named = Vec<Function>;

pub fn function(text: &str) -> Result<Named, String> {
    let name = text.trim();
    Function::named(name).ok_or_else(|| {
        let known = Function::names();
        let near = rbd_build::nearest(name, known.iter().copied());
        let there_are = || format!("; there are {}", known.join(", "));
        let help = near.map_or_else(there_are, |near| format!(": did you mean `{near}`?"));
        format!("there is no such function{help}")
    })
}
