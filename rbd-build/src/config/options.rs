//! What can be said of a robot: the builder's options.

use super::Robot;
use crate::functions::Function;
use crate::options::{Base, FrameOn, FrameOption, Shape};
use std::ffi::OsString;
use std::path::PathBuf;

impl Robot {
    /// The directory that paths are relative to, instead of the current one. Messages go on naming
    /// the file as it was given to [`Self::from_urdf`].
    #[must_use]
    pub fn relative_to(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// The generated type's name. By default the file's stem in UpperCamelCase: `ur5_robot.urdf` makes `Ur5Robot`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The stem of the file that [`Self::generate`] writes, which is also what `rbd::include_robot!` is given.
    /// By default the URDF's; several robots from one URDF need one each.
    #[must_use]
    pub fn stem(mut self, stem: impl Into<OsString>) -> Self {
        self.stem = Some(stem.into());
        self
    }

    /// What the root link rides on: fixed (the default) or floating.
    #[must_use]
    pub fn base(mut self, base: Base) -> Self {
        self.read.base = base;
        self
    }

    /// Gravitational acceleration in the world, m/s^2; by default `[0, 0, -9.81]`.
    #[must_use]
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.read.gravity = gravity;
        self
    }

    /// Makes gravity an argument of functions, with [`Self::gravity`] as default.
    #[must_use]
    pub fn gravity_at_run_time(mut self, given: bool) -> Self {
        self.read.gravity_at_run_time = given;
        self
    }

    /// Makes the inertia of these links' bodies, links that are fixed to them included, an argument of functions. The
    /// URDF's is its default.
    #[must_use]
    pub fn inertia_at_run_time(mut self, links: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.read.inertia.links.extend(links.into_iter().map(Into::into));
        self
    }

    /// The same of every moving body.
    #[must_use]
    pub fn all_inertia_at_run_time(mut self) -> Self {
        self.read.inertia.all = true;
        self
    }

    /// Makes loads on these links, fixed joints or added frames an argument of functions: inertia that is added to what the
    /// URDF has there, by default none.
    #[must_use]
    pub fn loads(mut self, frames: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let named = frames.into_iter().map(|name| FrameOption { name: name.into(), on: None });
        self.read.inertia.loads.extend(named);
        self
    }

    /// The same for a load at a place that the URDF has no frame at: on this link, at `xyz` (m), turned by `rpy` (rad, as in a
    /// URDF).
    #[must_use]
    pub fn load(
        mut self,
        name: impl Into<String>,
        link: impl Into<String>,
        xyz: [f64; 3],
        rpy: [f64; 3],
    ) -> Self {
        let on = Some(FrameOn { link: link.into(), xyz, rpy });
        self.read.inertia.loads.push(FrameOption { name: name.into(), on });
        self
    }

    /// Makes the joint fixed at this position, rad or m.
    #[must_use]
    pub fn lock(mut self, joint: impl Into<String>, position: f64) -> Self {
        self.read.lock.insert(joint.into(), position);
        self
    }

    /// Adds rotor inertia (kg m^2 or kg, seen through the gear) on M's diagonal, in every function.
    #[must_use]
    pub fn armature(mut self, joint: impl Into<String>, inertia: f64) -> Self {
        self.read.armature.insert(joint.into(), inertia);
        self
    }

    /// Whether the URDF's joint damping enters the dynamics; by default it does not.
    #[must_use]
    pub fn damping(mut self, enters: bool) -> Self {
        self.read.damping = enters;
        self
    }

    /// Whether warnings refuse the URDF; by default they do not.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.read.strict = strict;
        self
    }

    /// Whether an inertia that is not positive semidefinite is accepted with a warning; by default it is not.
    #[must_use]
    pub fn allow_unphysical_inertia(mut self, allow: bool) -> Self {
        self.read.allow_unphysical_inertia = allow;
        self
    }

    /// Leaves out the warnings of this code, such as `damping-ignored`, in strict reading too.
    #[must_use]
    pub fn allow(mut self, code: impl Into<String>) -> Self {
        self.read.allow.insert(code.into());
        self
    }

    /// The functions to generate; by default those of [`Function::default_ones`].
    #[must_use]
    pub fn functions(mut self, functions: impl IntoIterator<Item = Function>) -> Self {
        self.functions = Some(functions.into_iter().collect());
        self
    }

    /// The shape of code of every function that has it; by default of each what costs least.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.of_all = Some(shape);
        self
    }

    /// The shape of code of this function, whatever [`Self::shape`] says of all.
    #[must_use]
    pub fn shape_of(mut self, function: Function, shape: Shape) -> Self {
        self.shapes.of.insert(function, shape);
        self
    }

    /// How near to a multiple of a right angle, zero included, an angle of an `rpy` must be to be taken for it, rad:
    /// `1e-5` takes right angles written with five or six digits, such as 1.5708, and turns a frame by at most that
    /// much for each angle. By default only right angles written to eleven decimals or more are taken for what they
    /// are, such as 1.57079632679, and not 1.5707963268; with `0.0`, only those that a double cannot say better.
    #[must_use]
    pub fn snap(mut self, tolerance: f64) -> Self {
        self.read.snap = Some(tolerance);
        self
    }

    /// Generates the functions of frames, for these: links and fixed joints of the URDF, by name. Without any, and with
    /// such functions among [`Self::functions`], they are generated for the links at the ends of the tree.
    #[must_use]
    pub fn frames(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let named = names.into_iter().map(|name| FrameOption { name: name.into(), on: None });
        self.read.frames.extend(named);
        self
    }

    /// The same for a frame that the URDF does not have: on this link, at `xyz` (m), turned by `rpy` (rad, as in a
    /// URDF).
    #[must_use]
    pub fn frame(
        mut self,
        name: impl Into<String>,
        link: impl Into<String>,
        xyz: [f64; 3],
        rpy: [f64; 3],
    ) -> Self {
        let on = Some(FrameOn { link: link.into(), xyz, rpy });
        self.read.frames.push(FrameOption { name: name.into(), on });
        self
    }

    /// Visibility of the generated type, as Rust text; by default `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: impl Into<String>) -> Self {
        self.visibility = visibility.into();
        self
    }

    /// Attributes of the generated type, as Rust text (doc comments as `#[doc = ".."]`); by default a
    /// description of the robot.
    #[must_use]
    pub fn attributes(mut self, attributes: impl Into<String>) -> Self {
        self.attributes = attributes.into();
        self
    }

    /// Path of the module that generated code finds the runtime in: by default `::rbd::__private`; without
    /// `rbd` itself it is `::rbd_runtime::__private`. It is read in a module of its own too, so that it must mean the
    /// same there: a crate's name or `crate` is its beginning.
    #[must_use]
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.runtime = path.into();
        self
    }
}
