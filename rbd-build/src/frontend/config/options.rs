//! General options of the builder.

use super::Robot;
use crate::search::shape::Shape;
use crate::table::functions::Function;
use crate::urdf::options::{Base, FrameOn, FrameOption};
use std::ffi::OsString;
use std::path::PathBuf;

impl Robot {
    /// Directory that paths are relative to, instead of the current one.
    ///
    /// Messages still show the path given to [`Self::from_urdf`].
    #[must_use]
    pub fn relative_to(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// Name of the generated type.
    ///
    /// By default the file's stem in UpperCamelCase: `ur5_robot.urdf` becomes `Ur5Robot`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Stem of the file that [`Self::generate`] writes, and the argument of `rbd::include_robot!`.
    ///
    /// By default the URDF's stem. Give each robot its own stem if several share a URDF.
    #[must_use]
    pub fn stem(mut self, stem: impl Into<OsString>) -> Self {
        self.stem = Some(stem.into());
        self
    }

    /// Joint between the world and the root link: fixed (the default) or floating.
    #[must_use]
    pub fn base(mut self, base: Base) -> Self {
        self.read.base = base;
        self
    }

    /// Gravitational acceleration in the world, m/s^2. By default `[0, 0, -9.81]`.
    #[must_use]
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.read.gravity = gravity;
        self
    }

    /// Makes gravity an argument of functions, with the value of [`Self::gravity`] as default.
    #[must_use]
    pub fn gravity_at_run_time(mut self, given: bool) -> Self {
        self.read.gravity_at_run_time = given;
        self
    }

    /// Makes the inertia of bodies an argument of functions, with the URDF's inertia as default.
    ///
    /// A body is named by its link. Links fixed to that link belong to the body.
    #[must_use]
    pub fn inertia_at_run_time(mut self, links: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.read.inertia.links.extend(links.into_iter().map(Into::into));
        self
    }

    /// Makes the inertia of every moving body an argument of functions, with the URDF's as default.
    #[must_use]
    pub fn all_inertia_at_run_time(mut self) -> Self {
        self.read.inertia.all = true;
        self
    }

    /// Makes loads an argument of functions: inertia added to that of the URDF, by default none.
    ///
    /// A load's frame is a link, a fixed joint or an added frame.
    #[must_use]
    pub fn loads(mut self, frames: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let named = frames.into_iter().map(|name| FrameOption { name: name.into(), on: None });
        self.read.inertia.loads.extend(named);
        self
    }

    /// Makes a load an argument of functions, at a place where the URDF has no frame.
    ///
    /// The place is given on a link, at `xyz` (m), rotated by `rpy` (rad, as in a URDF).
    #[must_use]
    pub fn load_at(
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

    /// Fixes a joint at a position, rad or m.
    #[must_use]
    pub fn lock(mut self, joint: impl Into<String>, position: f64) -> Self {
        self.read.lock.insert(joint.into(), position);
        self
    }

    /// Adds a joint's rotor inertia to the diagonal of M, in every function.
    ///
    /// The inertia is reflected through the gear, in kg m^2 or kg.
    #[must_use]
    pub fn armature(mut self, joint: impl Into<String>, inertia: f64) -> Self {
        self.read.armature.insert(joint.into(), inertia);
        self
    }

    /// Includes the URDF's joint damping in the dynamics. By default it is left out.
    #[must_use]
    pub fn damping(mut self, enters: bool) -> Self {
        self.read.damping = enters;
        self
    }

    /// Includes the URDF's joint friction F, from `<dynamics friction="F"/>`, in the dynamics.
    /// The friction force is `F v / sqrt(v^2 + smoothing^2)`, with the smoothing in rad/s or m/s.
    /// It approaches Coulomb's friction for velocities well above the smoothing.
    /// Every function of velocities includes it, and so do first and second derivatives.
    #[must_use]
    pub fn friction(mut self, smoothing: f64) -> Self {
        self.read.friction = Some(smoothing);
        self
    }

    /// Makes warnings refuse the URDF. By default they do not.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.read.strict = strict;
        self
    }

    /// Accepts an inertia that is not positive semidefinite, with a warning. By default it is an error.
    #[must_use]
    pub fn allow_unphysical_inertia(mut self, allow: bool) -> Self {
        self.read.allow_unphysical_inertia = allow;
        self
    }

    /// Leaves out the warnings of a code such as `damping-ignored`, in strict reading too.
    #[must_use]
    pub fn allow(mut self, code: impl Into<String>) -> Self {
        self.read.allow.insert(code.into());
        self
    }

    /// Functions to generate. By default those of [`Function::default_ones`].
    #[must_use]
    pub fn functions(mut self, functions: impl IntoIterator<Item = Function>) -> Self {
        self.functions = Some(functions.into_iter().collect());
        self
    }

    /// Shape of code for all functions that have it. By default the cheapest shape of each function.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.of_all = Some(shape);
        self
    }

    /// Shape of code for one function. Overrides [`Self::shape`].
    #[must_use]
    pub fn shape_of(mut self, function: Function, shape: Shape) -> Self {
        self.shapes.of.insert(function, shape);
        self
    }

    /// Largest distance, rad, at which an angle of an `rpy` is rounded to a multiple of a right angle or to
    /// zero.
    ///
    /// - `1e-5` accepts right angles written with five or six digits, such as 1.5708. It rotates a frame by
    ///   at most that much for each angle.
    /// - By default, right angles need eleven decimals: 1.57079632679 is rounded, 1.5707963268 is not.
    /// - `0.0` accepts only the double nearest to a right angle.
    #[must_use]
    pub fn snap(mut self, tolerance: f64) -> Self {
        self.read.snap = Some(tolerance);
        self
    }

    /// Generates the functions of frames for links and fixed joints of the URDF, by name.
    ///
    /// Without names, functions of frames among [`Self::functions`] are generated for the leaf links of the
    /// tree.
    #[must_use]
    pub fn frames(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let named = names.into_iter().map(|name| FrameOption { name: name.into(), on: None });
        self.read.frames.extend(named);
        self
    }

    /// Generates the functions of frames for a frame that the URDF lacks.
    ///
    /// The frame is on a link, at `xyz` (m), rotated by `rpy` (rad, as in a URDF).
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

    /// Visibility of the generated type, as Rust text. By default `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: impl Into<String>) -> Self {
        self.rust.visibility = visibility.into();
        self
    }

    /// Attributes of the generated type, as Rust text. By default a description of the robot.
    ///
    /// Write doc comments as `#[doc = ".."]`.
    #[must_use]
    pub fn attributes(mut self, attributes: impl Into<String>) -> Self {
        self.rust.attributes = attributes.into();
        self
    }

    /// Chooses the functions' shapes for kernels that become machine code while the program runs, as
    /// `rbd-jit` does.
    #[must_use]
    pub fn at_run_time(mut self) -> Self {
        self.rust.at_run_time = true;
        self
    }

    /// Path of the module in which generated code finds the runtime. By default `::rbd::__private`.
    ///
    /// Without the crate `rbd`, use `::rbd_runtime::__private`.
    /// The path is also used in a submodule, so begin it with `crate` or a crate's name.
    #[must_use]
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.rust.runtime_path = path.into();
        self
    }
}
