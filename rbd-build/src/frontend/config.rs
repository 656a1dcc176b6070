//! The builder `Robot`: the entry point of build scripts, of the macro and of the command line.

mod contacts;
mod fused;
mod kept;
pub mod option_table;
mod options;
mod refusals;
mod step;
#[cfg(feature = "urdf-rs")]
mod urdf_rs;

pub use crate::emit::error::Error;
pub use kept::Kept;

use crate::emit::generated::Generated;
use crate::emit::{Asked, Module, Rust, Target};
use crate::frontend::cache::Cache;
use crate::frontend::out_of_tree::outside_crate;
use crate::frontend::progress;
use crate::fused::{Fused, FusedFunction};
use crate::search::plan::Plan;
use crate::search::progress::{Observer, Step};
use crate::search::shape::{Shape, Shapes};
use crate::signatures::frames::FrameAt;
use crate::table::functions::{FUNCTIONS, Function};
use crate::urdf::findings::Findings;
use crate::urdf::options::ReadOptions;
use crate::urdf::{self, Reading, WIDEST_SNAP};
use rbd_runtime::Model;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use step::functions_of_steps;

/// A robot to generate: a URDF and options.
///
/// ```no_run
/// # fn main() -> Result<(), rbd_build::Error> {
/// // In build.rs; then `rbd::include_robot!("hyq");` in the crate.
/// rbd_build::Robot::from_urdf("robots/hyq.urdf").name("Hyq").base(rbd_build::Base::Floating).generate()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Robot {
    urdf: PathBuf,
    /// Text of the URDF, if it was not read from a file.
    text: Option<String>,
    root: PathBuf,
    name: Option<String>,
    stem: Option<OsString>,
    rust: Rust,
    read: ReadOptions,
    /// Functions listed by the user. `None` means the default functions.
    functions: Option<Vec<Function>>,
    shapes: Shapes,
    fused: Vec<Fused>,
    observer: Observer,
}

/// A robot that was read, and what is to be written of it.
struct Checked {
    name: String,
    reading: Reading,
    /// Functions that are asked for, by name or by default, and those that contacts and steps call, in the
    /// table's order.
    ///
    /// A function of frames occurs once for each frame and reference frame.
    functions: Vec<(Function, Option<FrameAt>)>,
}

/// A generated robot as text, new or from the cache.
#[derive(Clone, Debug)]
pub struct Written<Text> {
    /// The generated type's name.
    pub type_name: String,
    /// Findings on the URDF, notes included.
    pub warnings: Findings,
    /// Number of functions.
    pub functions: usize,
    /// Time of search and emission. `None` if the text is from the cache.
    pub took: Option<Duration>,
    /// The text.
    pub text: Text,
}

impl<Text> Written<Text> {
    /// A line of advice if generation took more than ten seconds, or if rustc needs long for text of `bytes`
    /// bytes.
    /// It names the cause and a remedy. `None` for other robots.
    pub fn said_of_time(&self, bytes: usize) -> Option<String> {
        progress::said(&self.type_name, self.functions, bytes, self.took)
    }
}

impl Robot {
    /// Robot described by a URDF file.
    ///
    /// A relative path starts at the current directory, which is the crate's directory in a build script.
    pub fn from_urdf(path: impl Into<PathBuf>) -> Self {
        Self {
            urdf: path.into(),
            text: None,
            root: PathBuf::new(),
            name: None,
            stem: None,
            rust: Rust::default(),
            read: ReadOptions::default(),
            functions: None,
            shapes: Shapes::default(),
            fused: Vec::new(),
            observer: Observer::default(),
        }
    }

    /// Robot described by a URDF given as text.
    ///
    /// Messages show `name` in place of a file, and the type's name is made from it.
    ///
    /// ```
    /// # fn main() -> Result<(), rbd_build::Error> {
    /// let urdf = r#"<robot name="rod">
    ///     <link name="base"/>
    ///     <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    ///         <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ///     <joint name="hinge" type="continuous">
    ///         <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    /// </robot>"#;
    /// let rod = rbd_build::Robot::from_urdf_text("rod", urdf).trace()?;
    /// assert_eq!((rod.name.as_str(), rod.model.nv), ("Rod", 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_urdf_text(name: impl Into<PathBuf>, urdf: impl Into<String>) -> Self {
        Self { text: Some(urdf.into()), ..Self::from_urdf(name) }
    }

    /// Path of the URDF, from the current directory.
    pub fn urdf_path(&self) -> PathBuf {
        self.root.join(&self.urdf)
    }

    /// Reads and validates the URDF. No function is traced.
    ///
    /// # Errors
    /// All faults of the URDF.
    pub fn read(&self) -> Result<Reading, Findings> {
        self.observer.tell(Step::Reading);
        match &self.text {
            Some(text) => urdf::read(text, &self.urdf.display().to_string(), &self.read),
            None => urdf::read_file_in(&self.root, &self.urdf, &self.read),
        }
    }

    /// Sets a callback that receives each step of generation. Any thread may call it.
    #[must_use]
    pub fn observed(mut self, tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(tell);
        self
    }

    /// Reads the URDF and traces the functions, for Rust.
    ///
    /// # Errors
    /// All faults of the URDF, or a fault in an option.
    pub fn trace(&self) -> Result<Generated, Error> {
        self.plan(self.rust.clone())
    }

    /// Reads the URDF and traces the functions for a target, such as `C`.
    ///
    /// [`Generated::files`] writes them. By default [`Self::name`] is made of the file's stem, in lower case
    /// but for Rust.
    ///
    /// # Errors
    /// All faults of the URDF, a fault in an option, or something that the target does not have.
    pub fn plan(&self, target: impl Target + 'static) -> Result<Generated, Error> {
        let checked = self.checked(&target)?;
        Ok(self.searched(Arc::new(target), checked))
    }

    /// Returns the text of [`Generated::module`], searched for only if the cache lacks it.
    ///
    /// The URDF is read and validated in either case.
    ///
    /// # Errors
    /// Errors of [`Self::trace`].
    pub fn module(&self, cache: &Cache) -> Result<Written<Module>, Error> {
        let written = self.written(cache, "module", |generated| {
            let Module { head, body, kernels_head, kernels } = generated.module();
            [head, body, kernels_head, kernels]
        })?;
        let [head, body, kernels_head, kernels] = written.text;
        let text = Module { head, body, kernels_head, kernels };
        let Written { type_name, warnings, functions, took, .. } = written;
        Ok(Written { type_name, warnings, functions, took, text })
    }

    /// Returns a module whose function bodies panic, for editors and other tools that only check types.
    ///
    /// Everything outside the bodies is as in [`Self::module`]. Compilation takes almost no time.
    ///
    /// # Errors
    /// Errors of [`Self::trace`].
    pub fn outline(&self) -> Result<Written<Module>, Error> {
        let Checked { name: type_name, reading, functions, .. } = self.checked(&self.rust)?;
        let search = <dyn Target>::search(&self.rust, &reading.model);
        let plans: Vec<Plan> = functions.into_iter().map(|(f, frame)| search.outline(f, frame)).collect();
        let fused: Vec<Plan<FusedFunction>> =
            self.calls(&reading).into_iter().map(|function| Plan::outline(function, Vec::new())).collect();
        let contacts = (&reading.contacts[..], &[][..]);
        let text = self.rust.robot_with(&type_name, &reading.model, contacts, &plans, &fused);
        let functions = plans.len() + fused.len();
        Ok(Written { type_name, warnings: reading.warnings, functions, took: None, text })
    }

    /// Returns the text of [`Generated::source`], searched for only if the cache lacks it.
    ///
    /// # Errors
    /// Errors of [`Self::trace`].
    pub fn source(&self, cache: &Cache) -> Result<Written<String>, Error> {
        let what = format!("source {:?} {:?}", self.rust.runtime_path, self.urdf.file_name());
        let written = self.written(cache, &what, |generated| [generated.source()])?;
        let Written { type_name, warnings, functions, took, text: [text] } = written;
        Ok(Written { type_name, warnings, functions, took, text })
    }

    /// Returns the text of `write`, or the cached text of an equal key. `write` must depend on nothing
    /// outside the key.
    fn written<const N: usize>(
        &self,
        cache: &Cache,
        what: &str,
        write: impl FnOnce(Generated) -> [String; N],
    ) -> Result<Written<[String; N]>, Error> {
        let checked = self.checked(&self.rust)?;
        let (type_name, warnings) = (checked.name.clone(), checked.reading.warnings.clone());
        let (count, (robot, key)) = (checked.functions.len(), self.key(what, &checked));
        let mut took = None;
        let text = cache.text(&robot, &key, || {
            let begin = Instant::now();
            let text = write(self.searched(Arc::new(self.rust.clone()), checked));
            took = Some(begin.elapsed());
            text
        });
        Ok(Written { type_name, warnings, functions: count + self.fused.len(), took, text })
    }

    /// Name of the cache's file, and the key: everything that the kept bytes depend on.
    fn key(&self, what: &str, checked: &Checked) -> (String, String) {
        let Checked { name: type_name, reading, functions, .. } = checked;
        let shapes: Vec<Option<Shape>> = functions.iter().map(|(f, _)| self.shapes.of(*f)).collect();
        // Debug text of floating-point numbers is exact to the last bit.
        // Options on reading need no entry: the model and the frames hold all their effects on the text.
        let key = format!(
            "{} {}\n{what}\n{type_name}\n{:?}\n{functions:?}\n{shapes:?}\n{:?}\n{:?}\n{:?}",
            env!("CARGO_PKG_VERSION"),
            env!("RBD_GENERATOR"),
            self.rust,
            self.fused,
            reading.contacts,
            reading.model
        );
        // One file for each robot and set of options, so that text of a changed URDF replaces the old text.
        let robot = format!(
            "{type_name} {what} {:?} {functions:?} {shapes:?} {:?} {:?}",
            self.fused,
            self.urdf_path(),
            self.read
        );
        (robot, key)
    }

    /// Reads the URDF, and checks the options for a target.
    fn checked(&self, target: &dyn Target) -> Result<Checked, Error> {
        self.check_functions()?;
        let reading = self.judged()?;
        let stem = || self.urdf.file_stem().unwrap_or_default().to_string_lossy();
        let name = self.name.clone().unwrap_or_else(|| target.name_of(&stem()));
        let asked = self.asked(target, &reading.model)?;
        let has_parts = target.capabilities().parts_of_contacts && !reading.contacts.is_empty();
        let of_contacts = |f: &Function| f.is_for_contacts() && has_parts;
        let forms = target.capabilities().step;
        let of_step =
            |f: &Function| self.rust.step.is_some_and(|by| functions_of_steps(by, forms).contains(f));
        let functions = FUNCTIONS.iter().map(|spec| spec.function);
        let functions = functions.filter(|f| asked.contains(f) || of_contacts(f) || of_step(f));
        let at_frames = |f| FrameAt::all(&reading, f).into_iter().map(move |frame| (f, frame));
        let functions: Vec<_> = functions.flat_map(at_frames).collect();
        let (model, contacts, fused) = (&reading.model, &reading.contacts[..], &self.fused[..]);
        let (step, actuated) = (self.rust.step.is_some(), !self.rust.actuated.is_empty());
        let all = Asked { name: &name, model, contacts, functions: &functions, fused, step, actuated };
        target.check(&all)?;
        self.check_target(target, &all)?;
        self.check_fused(&reading)?;
        self.check_step(&reading)?;
        Ok(Checked { name, reading, functions })
    }

    /// Checks that the list of functions has no duplicate and that something is generated.
    fn check_functions(&self) -> Result<(), Error> {
        let Some(listed) = &self.functions else { return Ok(()) };
        let refused = |what: String| Err(Error::Option { name: "functions", what });
        let twice = listed.iter().enumerate().find(|(k, function)| listed[..*k].contains(function));
        if let Some((_, function)) = twice {
            return refused(format!("`{}` is given twice", function.name()));
        }
        let read = &self.read;
        let nothing_else = self.fused.is_empty()
            && read.frames.is_empty()
            && read.contacts.is_empty()
            && read.closed_loops.is_empty()
            && self.rust.step.is_none();
        if listed.is_empty() && nothing_else {
            return refused(
                "the list is empty, so that nothing would be generated; name functions, or leave the option out for all of them"
                    .into(),
            );
        }
        Ok(())
    }

    /// Functions listed by the user, or the default ones of the target.
    fn asked(&self, target: &dyn Target, model: &Model<f64>) -> Result<Vec<Function>, Error> {
        let has_parameters = !model.run_time.is_none();
        let mut asked = self.functions.clone().unwrap_or_else(|| {
            let by_parameters = Function::ALL.into_iter().filter(|f| has_parameters && f.is_by_parameters());
            target.default_functions(model).into_iter().chain(by_parameters).collect()
        });
        if let Some(function) = asked.iter().find(|f| f.is_by_parameters() && !has_parameters) {
            let what = format!(
                "`{}` is a derivative by what is given at run time, and nothing is; write `inertia: {{ runtime: \
                 [\"link\"] }}` or `gravity: runtime`",
                function.name()
            );
            return Err(Error::Option { name: "functions", what });
        }
        // A user who names frames wants functions of frames, listed or not.
        if !self.read.frames.is_empty() && !asked.iter().any(|f| f.is_of_frame()) {
            asked.extend(Function::ALL.into_iter().filter(|f| f.is_of_frame()));
        }
        Ok(asked)
    }

    /// Searches for the cheapest plans.
    fn searched(&self, target: Arc<dyn Target>, checked: Checked) -> Generated {
        let Checked { name, reading, functions: wanted } = checked;
        let (has, calls) = (target.capabilities(), self.calls(&reading));
        let search = target.search(&reading.model).observed(&self.observer);
        let mut functions = match has.runtime {
            true => search.all(&wanted, |f| self.shapes.of(f)),
            false => search.composed(&wanted, &self.shapes, has.most_alive),
        };
        if !has.second_derivatives.is_some_and(|second| second.calls_parts) {
            functions.retain(|plan| wanted.contains(&(plan.function, plan.frame)));
        }
        let fused = calls.into_iter().map(|call| search.fused(call)).collect();
        self.observer.tell(Step::Writing);
        Generated {
            functions,
            fused,
            name,
            model: reading.model,
            contacts: reading.contacts,
            warnings: reading.warnings,
            urdf: self.urdf.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            rust: self.rust.clone(),
            target,
        }
    }

    /// Checks the options on reading, then reads the URDF.
    fn judged(&self) -> Result<Reading, Error> {
        if let Some(snap) = self.read.snap
            && !(0.0..=WIDEST_SNAP).contains(&snap)
        {
            return Err(Error::Option { name: "snap", what: format!("{snap} is not from 0 to 0.01") });
        }
        if let Some(smoothing) = self.read.friction
            && !(smoothing.is_finite() && smoothing > 0.0)
        {
            let what = format!("the smoothing {smoothing} is no velocity above zero, rad/s or m/s");
            return Err(Error::Option { name: "friction", what });
        }
        let no_loops = |(f, s): &(&Function, &Shape)| **s == Shape::Loops && !f.has_loops();
        if let Some((function, _)) = self.shapes.of.iter().find(no_loops) {
            let what = format!("`{}` has no loops; write `straight` or `limbs`, or nothing", function.name());
            return Err(Error::Option { name: "shape", what });
        }
        self.read().map_err(|findings| Error::Urdf(findings.brief()))
    }

    /// Writes `OUT_DIR/<stem>.rs` for `rbd::include_robot!`. For build scripts.
    ///
    /// Cargo runs the build script again when the URDF changes.
    /// Warnings become cargo's warnings. A URDF outside of the crate is one of them.
    ///
    /// # Errors
    /// All faults of the URDF, a fault in an option, or a file that cannot be written.
    /// Nothing is written if there is any error.
    pub fn generate(&self) -> Result<(), Error> {
        if self.text.is_none() {
            // Before anything can fail, so that cargo tries again after the user corrects the URDF.
            println!("cargo::rerun-if-changed={}", self.urdf_path().display());
            if let Some(said) = outside_crate(&self.urdf_path()) {
                println!("cargo::warning=rbd {said}");
            }
        }
        let out_dir = std::env::var_os("OUT_DIR");
        let written = self.source(&Cache::near(out_dir.as_ref()))?;
        for warning in written.warnings.brief().iter() {
            println!("cargo::warning={}", warning.to_string().replace('\n', "; "));
        }
        if let Some(said) = written.said_of_time(written.text.len()) {
            println!("cargo::warning=rbd {said}");
        }
        let Some(out_dir) = out_dir else {
            return Err(Error::NoBuildScript);
        };
        let mut file = self.stem.clone().unwrap_or_else(|| self.urdf.file_stem().unwrap_or_default().into());
        // `with_extension` would cut a stem that has a dot.
        file.push(".rs");
        let path = Path::new(&out_dir).join(file);
        std::fs::write(&path, written.text).map_err(|source| Error::Write { path, source })
    }
}
