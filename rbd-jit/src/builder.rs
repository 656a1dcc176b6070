//! A robot to be loaded: a URDF and options.

use crate::error::Nearest;
use crate::{Error, Id, Loaded, Options};
use rbd_build::fused::Fused;
use rbd_build::{Base, ContactKind, Shape, Step};
use rbd_runtime::Integrator;
use std::path::PathBuf;

/// A robot to be loaded: a URDF and options.
///
/// The options are those of [`rbd_build::Robot`], which build scripts use (docs/options.md).
///
/// ```
/// # fn main() -> Result<(), rbd_jit::Error> {
/// # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
/// use rbd_jit::{Base, Robot};
/// let robot = Robot::from_urdf(urdf).base(Base::Fixed).functions(["rnea", "crba"]).load()?;
/// assert_eq!(robot.nv(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "`load` makes its functions"]
pub struct Robot {
    robot: rbd_build::Robot,
    /// A name that no function has.
    unknown: Option<String>,
}

/// Functions that a robot is loaded with, by row or by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A function of the table.
    Id(Id),
    /// Name of a function or of a family, such as `rnea` or `dynamics`.
    Name(String),
}

impl From<Id> for Wanted {
    fn from(id: Id) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for Wanted {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for Wanted {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<rbd_build::Robot> for Robot {
    fn from(robot: rbd_build::Robot) -> Self {
        Self { robot: robot.at_run_time(), unknown: None }
    }
}

macro_rules! options {
    ($($(#[doc = $doc:literal])* $name:ident($($argument:ident: $type:ty),*);)*) => {
        impl Robot {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("See [`rbd_build::Robot::", stringify!($name), "`].")]
                pub fn $name(mut self, $($argument: $type),*) -> Self {
                    self.robot = self.robot.$name($($argument),*);
                    self
                }
            )*
        }
    };
}

options! {
    /// Joint between the world and the root; fixed by default.
    base(base: Base);
    /// Gravitational acceleration in the world, m/s^2.
    gravity(gravity: [f64; 3]);
    /// Makes gravity an argument of functions.
    gravity_at_run_time(given: bool);
    /// Makes the inertias of bodies an argument of functions, by their links.
    inertia_at_run_time(links: impl IntoIterator<Item = impl Into<String>>);
    /// Makes the inertia of every moving body an argument of functions.
    all_inertia_at_run_time();
    /// Makes loads at frames an argument of functions.
    loads(frames: impl IntoIterator<Item = impl Into<String>>);
    /// Makes a load an argument of functions, at a place where the URDF has no frame.
    load_at(name: impl Into<String>, link: impl Into<String>, xyz: [f64; 3], rpy: [f64; 3]);
    /// Fixes a joint at a position, rad or m.
    lock(joint: impl Into<String>, position: f64);
    /// Adds a joint's rotor inertia, kg m^2 or kg.
    armature(joint: impl Into<String>, inertia: f64);
    /// Includes the URDF's joint damping.
    damping(enters: bool);
    /// Includes the URDF's joint friction, smoothed below this velocity, rad/s or m/s.
    friction(smoothing: f64);
    /// Refuses files that have warnings.
    strict(strict: bool);
    /// Accepts inertias that no body has.
    allow_unphysical_inertia(allow: bool);
    /// Silences a warning.
    allow(code: impl Into<String>);
    /// Requests a shape of code for all functions.
    shape(shape: Shape);
    /// Requests a shape of code for a function.
    shape_of(function: Id, shape: Shape);
    /// Rounds rotations that are nearly right angles.
    snap(tolerance: f64);
    /// Frames of which functions are made, by their names.
    frames(names: impl IntoIterator<Item = impl Into<String>>);
    /// Adds a frame to a link, at `xyz` (m), rotated by `rpy` (rad).
    frame(name: impl Into<String>, link: impl Into<String>, xyz: [f64; 3], rpy: [f64; 3]);
    /// Contacts at points of frames.
    contacts(names: impl IntoIterator<Item = impl Into<String>>);
    /// A contact of a kind at a frame.
    contact(name: impl Into<String>, kind: ContactKind);
    /// A closed loop between two frames.
    closed_loop(name: impl Into<String>, frames: [impl Into<String>; 2], kind: ContactKind);
    /// The state after a time step, its derivatives and its Hessian, by this integrator.
    step(integrator: Integrator);
    /// Joints with motors, whose torques are the controls of further functions of steps.
    actuated(joints: impl IntoIterator<Item = impl Into<String>>);
    /// A function of several results, which share their work.
    fused(fused: Fused);
    /// Reports progress.
    observed(tell: impl Fn(Step) + Send + Sync + 'static);
}

impl Robot {
    /// The robot that a URDF file describes.
    pub fn from_urdf(path: impl Into<PathBuf>) -> Self {
        rbd_build::Robot::from_urdf(path).into()
    }

    /// The robot that the text of a URDF describes; messages call it by `name`, a path.
    pub fn from_urdf_text(name: impl Into<PathBuf>, urdf: impl Into<String>) -> Self {
        rbd_build::Robot::from_urdf_text(name, urdf).into()
    }

    /// Functions to be loaded, by rows or names; by default all first-order ones and kinematics.
    ///
    /// A name is that of a function or of a family, such as `rnea` or `dynamics`.
    pub fn functions(mut self, functions: impl IntoIterator<Item = impl Into<Wanted>>) -> Self {
        let mut all: Vec<Id> = Vec::new();
        for wanted in functions {
            let found = match wanted.into() {
                Wanted::Id(id) => vec![id],
                Wanted::Name(name) => Id::named(&name).unwrap_or_else(|| {
                    self.unknown.get_or_insert(name);
                    Vec::new()
                }),
            };
            all.extend(found.into_iter().filter(|id| !all.contains(id)).collect::<Vec<_>>());
        }
        self.robot = self.robot.functions(all);
        self
    }

    /// The builder of build scripts with these options.
    ///
    /// # Errors
    /// [`Error::Unknown`], if a name is no function's.
    pub fn builder(self) -> Result<rbd_build::Robot, Error> {
        match self.unknown {
            None => Ok(self.robot),
            Some(name) => {
                let names = rbd_build::functions::FUNCTIONS.iter().map(|spec| spec.name);
                let nearest = Nearest(rbd_build::nearest(&name, names).map(Into::into));
                Err(Error::Unknown(name, nearest))
            }
        }
    }

    /// Reads the URDF and makes machine code of the functions that were asked for.
    ///
    /// Those that cannot be had at run time yet are left out, and asking for one of them says why.
    ///
    /// # Errors
    /// Everything that is wrong with the URDF or an option, and names that no function has.
    pub fn load(self) -> Result<Loaded, Error> {
        self.load_with(Options::default())
    }

    /// Loads the robot like [`Self::load`], with an engine, a cache or a check of one's own choice.
    ///
    /// # Errors
    /// Those of [`Self::load`], and [`Error::NoEngine`].
    pub fn load_with(self, options: Options) -> Result<Loaded, Error> {
        Loaded::of(&self.builder()?, options)
    }

    /// Loads the robot like [`Self::load`], in single precision: arguments and results are `f32`.
    ///
    /// ```
    /// # fn main() -> Result<(), rbd_jit::Error> {
    /// # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
    /// let robot = rbd_jit::Robot::from_urdf(urdf).functions(["rnea"]).load_f32()?;
    /// let mut tau = [0.0_f32; 2];
    /// robot.rnea(&mut robot.workspace(), &[0.3, -0.2], &[0.0; 2], &[0.0; 2], &mut tau)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::load`].
    #[cfg(feature = "single")]
    pub fn load_f32(self) -> Result<Loaded<f32>, Error> {
        self.load_f32_with(Options::default())
    }

    /// Loads the robot like [`Self::load_f32`], with an engine, a cache or a check of one's own choice.
    ///
    /// # Errors
    /// Those of [`Self::load_with`].
    #[cfg(feature = "single")]
    pub fn load_f32_with(self, options: Options) -> Result<Loaded<f32>, Error> {
        Loaded::of(&self.builder()?, options)
    }
}
