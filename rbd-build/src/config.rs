//! What build scripts call, and what the macro and the command stand on.

#[cfg(feature = "targets")]
mod c;
mod contacts;
mod error;
mod friction;
mod fused;
#[cfg(feature = "targets")]
mod gpu;
pub mod option_table;
mod options;
#[cfg(feature = "targets")]
mod python;
mod rows;
mod run_time;
mod rust;
#[cfg(feature = "urdf-rs")]
mod urdf_rs;

#[cfg(feature = "targets")]
pub use c::{COptions, GeneratedC};
pub use error::Error;
#[cfg(feature = "targets")]
pub use gpu::{GeneratedGpu, GpuOptions};
#[cfg(feature = "targets")]
pub use python::GeneratedPython;

use crate::cache::Cache;
use crate::emit::{Module, Naming, Rust, Target};
use crate::findings::Findings;
use crate::frames::{ContactAt, FrameAt};
use crate::functions::{FUNCTIONS, Function};
use crate::fused::{Fused, FusedPlan};
use crate::options::{ReadOptions, Shape, Shapes};
use crate::out_of_tree::outside_crate;
use crate::plan::Plan;
use crate::progress::{self, Observer, Step};
use crate::search::Search;
use crate::urdf::{self, Reading, WIDEST_SNAP};
use rbd_runtime::Model;
use rbd_runtime::loops::second::MOST_ROWS;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    /// The URDF, where it is not a file's.
    text: Option<String>,
    root: PathBuf,
    name: Option<String>,
    stem: Option<OsString>,
    visibility: String,
    attributes: String,
    runtime: String,
    read: ReadOptions,
    /// Those that are listed; none where the default ones are wanted.
    functions: Option<Vec<Function>>,
    shapes: Shapes,
    fused: Vec<Fused>,
    observer: Observer,
}

/// A generated robot, before it is text.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The robot as it was read.
    pub model: Model<f64>,
    /// What was odd about the URDF, notes included.
    pub warnings: Findings,
    /// How each function is computed.
    pub functions: Vec<Plan>,
    /// How each fused function is computed.
    pub fused: Vec<FusedPlan>,
    contacts: Vec<ContactAt>,
    naming: Naming,
    runtime: String,
    urdf: PathBuf,
}

/// A generated robot as text, which may be kept from an earlier time.
#[derive(Clone, Debug)]
pub struct Written<Text> {
    /// The generated type's name.
    pub type_name: String,
    /// What was odd about the URDF, notes included.
    pub warnings: Findings,
    /// How many functions there are.
    pub functions: usize,
    /// How long it took to look for the cheapest code and to write it; `None` where the text is from an earlier time.
    pub took: Option<Duration>,
    /// The text.
    pub text: Text,
}

impl<Text> Written<Text> {
    /// One line on a robot that took more than ten seconds to generate, or whose text of so many bytes the compiler takes long
    /// over: what it is, and how that is shortened. Nothing on others.
    pub fn said_of_time(&self, bytes: usize) -> Option<String> {
        progress::said(&self.type_name, self.functions, bytes, self.took)
    }
}

impl Robot {
    /// The robot that a URDF file describes. A path may be relative to the current directory, which in
    /// a build script is the crate's own.
    pub fn from_urdf(path: impl Into<PathBuf>) -> Self {
        Self {
            urdf: path.into(),
            text: None,
            root: PathBuf::new(),
            name: None,
            stem: None,
            visibility: "pub".into(),
            attributes: String::new(),
            runtime: "::rbd::__private".into(),
            read: ReadOptions::default(),
            functions: None,
            shapes: Shapes::default(),
            fused: Vec::new(),
            observer: Observer::default(),
        }
    }

    /// The robot that this URDF describes. Messages call it by the name, from which the generated type's name is made as
    /// from a file's.
    ///
    /// ```
    /// # fn main() -> Result<(), rbd_build::Error> {
    /// let urdf = r#"<robot name="rod">
    ///     <link name="base"/>
    ///     <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    ///         <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ///     <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    /// </robot>"#;
    /// let rod = rbd_build::Robot::from_urdf_text("rod", urdf).trace()?;
    /// assert_eq!((rod.type_name(), rod.model.nv), ("Rod", 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_urdf_text(name: impl Into<PathBuf>, urdf: impl Into<String>) -> Self {
        Self { text: Some(urdf.into()), ..Self::from_urdf(name) }
    }

    /// The URDF's path, from the current directory.
    pub fn urdf_path(&self) -> PathBuf {
        self.root.join(&self.urdf)
    }

    /// Reads the URDF and validates it; nothing is traced.
    ///
    /// # Errors
    /// Everything that is wrong with the URDF.
    pub fn read(&self) -> Result<Reading, Findings> {
        self.observer.tell(Step::Reading);
        match &self.text {
            Some(text) => urdf::read(text, &self.urdf.display().to_string(), &self.read),
            None => urdf::read_file_in(&self.root, &self.urdf, &self.read),
        }
    }

    /// Tells each step of generating, for whoever shows it, from whatever thread does it.
    #[must_use]
    pub fn observed(mut self, tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(tell);
        self
    }

    /// Reads the URDF and traces the functions.
    ///
    /// # Errors
    /// Everything that is wrong with the URDF, or with an option.
    pub fn trace(&self) -> Result<Generated, Error> {
        self.checked().map(|(naming, reading)| self.searched(naming, reading))
    }

    /// What [`Generated::module`] gives of [`Self::trace`], searched only if the cache does not have it. The URDF is read
    /// and judged in any case.
    ///
    /// # Errors
    /// Those of [`Self::trace`].
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

    /// What [`Self::module`] gives, but for what its functions do: here they panic and say that they are an outline. All
    /// that a compiler checks around them is the same, and takes it no time. For where no code is made of it.
    ///
    /// # Errors
    /// Those of [`Self::trace`].
    pub fn outline(&self) -> Result<Written<Module>, Error> {
        let (naming, reading) = self.checked()?;
        let search = Search::new(&reading.model, Rust::COSTS);
        let plans = self.wanted(&reading).into_iter();
        let plans: Vec<Plan> = plans.map(|(f, frame)| search.outline(f, frame)).collect();
        let fused: Vec<FusedPlan> = self.calls(&reading).into_iter().map(FusedPlan::outline).collect();
        let text = Rust(&naming).robot_with(&reading.model, &reading.contacts, &plans, &fused);
        let Naming { type_name, .. } = naming;
        let functions = plans.len() + fused.len();
        Ok(Written { type_name, warnings: reading.warnings, functions, took: None, text })
    }

    /// The same for [`Generated::source`].
    ///
    /// # Errors
    /// Those of [`Self::trace`].
    pub fn source(&self, cache: &Cache) -> Result<Written<String>, Error> {
        let what = format!("source {:?} {:?}", self.runtime, self.urdf.file_name());
        let written = self.written(cache, &what, |generated| [generated.source()])?;
        let Written { type_name, warnings, functions, took, text: [text] } = written;
        Ok(Written { type_name, warnings, functions, took, text })
    }

    /// Text that `write` makes, or that it made for the same key. Nothing else than what is in the key may go into it.
    fn written<const N: usize>(
        &self,
        cache: &Cache,
        what: &str,
        write: impl FnOnce(Generated) -> [String; N],
    ) -> Result<Written<[String; N]>, Error> {
        let (naming, reading) = self.checked()?;
        let (type_name, warnings) = (naming.type_name.clone(), reading.warnings.clone());
        let functions = self.wanted(&reading);
        let shapes: Vec<Option<Shape>> = functions.iter().map(|(f, _)| self.shapes.of(*f)).collect();
        // Debug text of numbers is theirs to the last bit. What the text depends on of the options on reading is in the
        // model and the frames.
        let key = format!(
            "{} {}\n{what}\n{naming:?}\n{functions:?}\n{shapes:?}\n{:?}\n{:?}\n{:?}",
            env!("CARGO_PKG_VERSION"),
            env!("RBD_GENERATOR"),
            self.fused,
            reading.contacts,
            reading.model
        );
        // One file a robot and way of asking: a change of the URDF takes its place.
        let robot = format!(
            "{type_name} {what} {:?} {functions:?} {shapes:?} {:?} {:?}",
            self.fused,
            self.urdf_path(),
            self.read
        );
        let mut took = None;
        let text = cache.text(&robot, &key, || {
            let begin = Instant::now();
            let text = write(self.searched(naming, reading));
            took = Some(begin.elapsed());
            text
        });
        Ok(Written { type_name, warnings, functions: functions.len() + self.fused.len(), took, text })
    }

    /// The options judged, and the URDF read.
    fn checked(&self) -> Result<(Naming, Reading), Error> {
        let type_name = self.type_name()?;
        self.check_rust()?;
        self.check_functions()?;
        let reading = self.judged()?;
        let rows: usize = reading.model.bodies.iter().map(|body| body.kind.nv()).sum();
        if rows > MOST_ROWS && self.chosen().iter().any(|f| f.is_by_tables()) {
            let what = format!(
                "second derivatives are for robots of up to {MOST_ROWS} degrees of freedom; this has {rows}"
            );
            return Err(Error::Option { name: "functions", what });
        }
        self.check_rows(rows, &Rust::COSTS, &self.chosen())?;
        self.check_friction(false)?;
        self.check_run_time(&reading.model)?;
        self.check_fused(&type_name, &reading)?;
        let (visibility, attributes) = (self.visibility.clone(), self.attributes.clone());
        Ok((Naming { type_name, visibility, attributes }, reading))
    }

    /// Whether the list of functions has each once, and something is generated.
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
            && read.closed_loops.is_empty();
        if listed.is_empty() && nothing_else {
            return refused(
                "the list is empty, so that nothing would be generated; name functions, or leave the option out for all of them"
                    .into(),
            );
        }
        Ok(())
    }

    /// The functions that are listed, or the default ones.
    fn chosen(&self) -> Vec<Function> {
        self.functions.clone().unwrap_or_else(|| Function::default_ones().collect())
    }

    /// What is asked for, in the table's order: functions, those of frames once for each frame and reference frame.
    fn wanted(&self, reading: &Reading) -> Vec<(Function, Option<FrameAt>)> {
        // Who names frames wants functions of frames.
        let chosen = self.chosen();
        let all_of_frames = !self.read.frames.is_empty() && !chosen.iter().any(|f| f.is_of_frame());
        let by_parameters = self.functions.is_none() && !reading.model.run_time.is_none();
        let wanted = FUNCTIONS.iter().map(|spec| spec.function).filter(|f| {
            chosen.contains(f)
                || all_of_frames && f.is_of_frame()
                || f.is_for_contacts() && !reading.contacts.is_empty()
                || by_parameters && f.is_by_parameters()
        });
        let of_frames = |function: Function| {
            let at = FrameAt::all(reading, function);
            at.into_iter().map(move |frame| (function, frame))
        };
        wanted.flat_map(of_frames).collect()
    }

    fn searched(&self, naming: Naming, reading: Reading) -> Generated {
        let search = Search::new(&reading.model, Rust::COSTS).observed(&self.observer);
        let (wanted, calls) = (self.wanted(&reading), self.calls(&reading));
        self.observer.tell(Step::Searching { functions: wanted.len() });
        let functions = search.all(&wanted, |f| self.shapes.of(f));
        let fused = calls.into_iter().map(|call| search.fused(call)).collect();
        self.observer.tell(Step::Writing);
        Generated {
            functions,
            fused,
            model: reading.model,
            contacts: reading.contacts,
            warnings: reading.warnings,
            naming,
            runtime: self.runtime.clone(),
            urdf: self.urdf.clone(),
        }
    }

    /// The URDF read, if the options on reading are sound.
    fn judged(&self) -> Result<Reading, Error> {
        if let Some(snap) = self.read.snap
            && !(0.0..=WIDEST_SNAP).contains(&snap)
        {
            return Err(Error::Option { name: "snap", what: format!("{snap} is not from 0 to 0.01") });
        }
        let no_loops = |(f, s): &(&Function, &Shape)| **s == Shape::Loops && !f.has_loops();
        if let Some((function, _)) = self.shapes.of.iter().find(no_loops) {
            let what = format!("`{}` has no loops; write `straight` or `limbs`, or nothing", function.name());
            return Err(Error::Option { name: "shape", what });
        }
        self.read().map_err(|findings| Error::Urdf(findings.brief()))
    }

    /// Writes `OUT_DIR/<stem>.rs`, for `rbd::include_robot!`, and tells cargo to run the build
    /// script again when the URDF changes. Warnings become cargo's, and so does a URDF outside of the crate.
    /// For build scripts.
    ///
    /// # Errors
    /// Everything that is wrong with the URDF or an option, or a file that cannot be written. Nothing is
    /// written unless all is well.
    pub fn generate(&self) -> Result<(), Error> {
        if self.text.is_none() {
            // Before anything can fail, so that a mended file is read again.
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
        // Not `with_extension`: a stem may have a dot.
        file.push(".rs");
        let path = Path::new(&out_dir).join(file);
        std::fs::write(&path, written.text).map_err(|source| Error::Write { path, source })
    }
}

impl Generated {
    /// The generated type's name.
    pub fn type_name(&self) -> &str {
        &self.naming.type_name
    }

    pub(crate) fn target(&self) -> Rust<'_> {
        Rust(&self.naming)
    }

    /// The Rust text in parts, unformatted: what the macro assembles.
    pub fn module(&self) -> Module {
        self.target().robot_with(&self.model, &self.contacts, &self.functions, &self.fused)
    }

    /// The Rust file: a header that says what made it, and formatted code.
    pub fn source(&self) -> String {
        let urdf = self.urdf.file_name().unwrap_or_default().to_string_lossy();
        format!(
            "// Generated by rbd {} from {}. Do not edit: change the URDF or the options and generate again.\n\n{}",
            env!("CARGO_PKG_VERSION"),
            urdf.escape_default(),
            self.module().source(&self.runtime)
        )
    }
}
