//! A loaded robot: its description and its functions.

use crate::check::Sample;
use crate::contacts::{Contact, Contacts, Rows};
use crate::error::Nearest;
use crate::joint::Joint;
use crate::kept::{KIND, Sources};
use crate::machine::Machine;
use crate::parameters::Own;
use crate::steps::Steps;
use crate::workspace::LINE;
use crate::{Batch, Engine, Error, Function, Number, Workspace};
use rbd_build::functions::{CONTACT_FUNCTIONS, FUNCTIONS};
use rbd_build::signature::Sizes;
use rbd_build::{Cache, Findings, Generated, Kept};
use rbd_runtime::{Model, ReferenceFrame, Structure};

/// A robot whose functions are machine code, made for the robot at run time.
///
/// Threads may share it: calls change nothing but the caller's [`Workspace`] and results. Numbers are `f64`,
/// or `f32` if it was loaded by [`Robot::load_f32`](crate::Robot::load_f32).
///
/// ```
/// use rbd_jit::Robot;
/// # fn main() -> Result<(), rbd_jit::Error> {
/// # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
/// let robot = Robot::from_urdf(urdf).functions(["aba"]).load()?;
/// let mut workspace = robot.workspace();
/// let mut ddq = [0.0; 2];
/// robot.aba(&mut workspace, &[0.1, 0.2], &[0.0, 0.0], &[0.0, 0.0], &mut ddq)?;
/// assert!(ddq[0] != 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Loaded<T: Number = f64> {
    model: Model<f64>,
    /// The model in the numbers that it was loaded for.
    rounded: Model<T>,
    /// Inertias and gravity where functions take them, and are not given any.
    own: Own<T>,
    joints: Vec<Joint>,
    warnings: Findings,
    engine: Engine,
    functions: Vec<Function<T>>,
    /// Index in [`Self::functions`] of each function of the table; of functions of frames, that of the first.
    places: Vec<Result<usize, Missing>>,
    contacts: Result<Contacts, Missing>,
    /// Kernels of the contacts' rows.
    rows: Rows<T>,
    most_work: usize,
    steps: Result<Steps, Missing>,
}

/// Workspace size that one of these functions or kernels takes at most, in whole cache lines of numbers.
fn most_work<T: Number>(functions: &[Function<T>], rows: &Rows<T>) -> usize {
    let most = functions.iter().map(Function::work).max().unwrap_or(0);
    most.max(rows.work()).next_multiple_of(LINE)
}

/// The seed of the state at which functions are compared with the reference when a robot is loaded.
const SEED: u64 = 1;

/// Why a function is not there.
#[derive(Clone, Copy, Debug)]
enum Missing {
    NotAsked,
    NotYet(&'static str),
}

/// Options for loading a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The engine; the fastest one of this processor, if none is given.
    pub engine: Option<Engine>,
    /// True if each function is compared with the generic reference at one random state, as it is by default.
    pub check: bool,
    /// Cache of traced kernels, with which the same robot is loaded in milliseconds the next time. By default
    /// there is none. No machine code is kept.
    pub cache: Cache,
}

impl Default for Options {
    fn default() -> Self {
        Self { engine: None, check: true, cache: Cache::none() }
    }
}

impl Loaded {
    /// Machine code of functions that were planned for Rust.
    ///
    /// # Errors
    /// [`Error::OtherTarget`], [`Error::NoEngine`], [`Error::Memory`], [`Error::Disagrees`].
    pub fn new(generated: Generated, options: Options) -> Result<Self, Error> {
        Self::of_generated(generated, options)
    }
}

#[cfg(feature = "single")]
impl Loaded<f32> {
    /// Loads a robot like [`Loaded::new`], in single precision.
    ///
    /// # Errors
    /// Those of [`Loaded::new`].
    pub fn new_f32(generated: Generated, options: Options) -> Result<Self, Error> {
        Self::of_generated(generated, options)
    }
}

impl<T: Number> Loaded<T> {
    /// Machine code of the functions that a builder asks for.
    pub(crate) fn of(robot: &rbd_build::Robot, options: Options) -> Result<Self, Error> {
        if options.cache == Cache::none() {
            return Self::of_generated(robot.trace()?, options);
        }
        let make = |kept: &Kept, generated: &Generated| {
            let sources = Sources::of(generated);
            (sources.write(kept), sources)
        };
        let (kept, sources) = robot.kept(&options.cache, KIND, Sources::read, make)?;
        Self::of_sources(kept, &sources, &options)
    }

    /// Machine code of functions that were planned for Rust.
    fn of_generated(generated: Generated, options: Options) -> Result<Self, Error> {
        if !generated.capabilities().runtime {
            return Err(Error::OtherTarget);
        }
        let sources = Sources::of(&generated);
        let kept = Kept {
            contacts: generated.contacts.clone(),
            functions: generated.functions.iter().map(|plan| (plan.function, plan.frame)).collect(),
            fused: generated.fused.iter().map(|plan| plan.function.clone()).collect(),
            integrator: generated.integrator(),
            controls: generated.controls(),
            model: generated.model,
            warnings: generated.warnings,
        };
        Self::of_sources(kept, &sources, &options)
    }

    pub(crate) fn of_sources(kept: Kept, sources: &Sources, options: &Options) -> Result<Self, Error> {
        let engine = options.engine.unwrap_or_else(Engine::best);
        if !engine.is_there() {
            return Err(Error::NoEngine(engine));
        }
        let machine = Machine::new(engine);
        let Kept { model, warnings, contacts, functions: wanted, fused, integrator, controls } = kept;
        let mut functions = Vec::new();
        let mut places = vec![Err(Missing::NotAsked); FUNCTIONS.len()];
        for ((id, frame), source) in wanted.into_iter().zip(&sources.functions) {
            let place = &mut places[id as usize];
            match Function::new(id, frame, source, &model, &machine) {
                Ok(function) => {
                    if place.is_err() {
                        *place = Ok(functions.len());
                    }
                    functions.push(function);
                }
                Err(Error::NotThereYet { why, .. }) => *place = Err(Missing::NotYet(why)),
                Err(error) => return Err(error),
            }
        }
        for (call, source) in fused.iter().zip(&sources.fused) {
            functions.push(Function::fused(call, source, &model, &machine)?);
        }
        let sizes = Sizes::from(&model).with_contacts(&contacts);
        let rows = Rows::new(&sources.rows, sizes, &machine)?;
        let contacts = match &contacts[..] {
            [] => Err(Missing::NotAsked),
            all => Contacts::new(&model, all, &functions).map_err(Missing::NotYet),
        };
        let steps = match integrator {
            None => Err(Missing::NotAsked),
            Some(integrator) => {
                Steps::new((integrator, controls), &model, &functions).map_err(Missing::NotYet)
            }
        };
        let (joints, rounded, own) = (Joint::all(&model), model.cast(), Own::of(&model));
        let robot = Self {
            most_work: most_work(&functions, &rows),
            model,
            rounded,
            own,
            joints,
            warnings,
            engine,
            functions,
            places,
            contacts,
            rows,
            steps,
        };
        if options.check {
            robot.sample(SEED).map_or(Ok(()), Sample::dynamics)?;
        }
        Ok(robot)
    }

    /// A robot of these functions, for tests.
    #[cfg(test)]
    pub(crate) fn of_functions(model: Model<f64>, engine: Engine, functions: Vec<Function<T>>) -> Self {
        let places = vec![Err(Missing::NotAsked); FUNCTIONS.len()];
        let (warnings, contacts, steps) =
            (Findings::default(), Err(Missing::NotAsked), Err(Missing::NotAsked));
        Self {
            joints: Joint::all(&model),
            rounded: model.cast(),
            own: Own::of(&model),
            most_work: most_work(&functions, &Rows::default()),
            model,
            warnings,
            engine,
            functions,
            places,
            contacts,
            rows: Rows::default(),
            steps,
        }
    }

    /// Engine that computes the robot.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The robot as it was read: joints, frames, sizes, and the generic reference.
    pub fn model(&self) -> &Model<f64> {
        &self.model
    }

    /// The robot in the numbers that it was loaded for.
    pub(crate) fn rounded(&self) -> &Model<T> {
        &self.rounded
    }

    /// The robot's own inertias and gravity, as far as functions take any.
    pub(crate) fn own(&self) -> &Own<T> {
        &self.own
    }

    /// Warnings about the URDF.
    pub fn warnings(&self) -> &Findings {
        &self.warnings
    }

    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        self.model.nq
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.model.nv
    }

    /// Moving joints, depth first from the root; a floating base is the first, `root_joint`.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Memory for calls, of one thread at a time.
    pub fn workspace(&self) -> Workspace<T> {
        let steps = self.steps.as_ref().map_or(0, |steps| {
            let under_contacts = self.contacts.as_ref().map_or(0, Contacts::work_of_steps);
            steps.work().max(under_contacts + steps.scratch())
        });
        Workspace::new(self.work_of_functions() + steps)
    }

    /// Numbers of memory that any of its functions takes, and those of contacts beside, in whole cache lines.
    pub(crate) fn work_of_functions(&self) -> usize {
        self.most_work() + self.rows.factors().next_multiple_of(LINE)
    }

    /// Numbers of memory that one kernel or function takes at most, in whole cache lines. Factors of the mass
    /// matrix follow.
    pub(crate) fn most_work(&self) -> usize {
        self.most_work
    }

    /// Kernels of the contacts' rows.
    pub(crate) fn rows(&self) -> &Rows<T> {
        &self.rows
    }

    /// Many states at once.
    pub fn batch(&self) -> Batch<'_, T> {
        Batch::new(self)
    }

    /// The functions that were loaded, in the table's order, and then fused functions.
    pub fn functions(&self) -> &[Function<T>] {
        &self.functions
    }

    /// The functions, to give their batches an order of results ([`Function::set_order`]).
    pub fn functions_mut(&mut self) -> &mut [Function<T>] {
        &mut self.functions
    }

    /// The functions that were asked for and cannot be had at run time yet, and what is missing.
    pub fn left_out(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        let has_steps = !matches!(self.steps, Err(Missing::NotAsked));
        let held = ["contact_step", "contact_step_derivatives"].into_iter().filter(move |_| has_steps);
        let slide = [
            "friction_step",
            "friction_step_derivatives",
            "friction_step_with_joints",
            "friction_step_with_joints_derivatives",
        ];
        let of_contacts = CONTACT_FUNCTIONS.iter().map(|spec| spec.name).chain(slide).chain(held);
        let contacts = of_contacts.map(|name| (name, self.contacts.as_ref().err()));
        let all = FUNCTIONS.iter().zip(&self.places).map(|(spec, place)| (spec.name, place.as_ref().err()));
        all.chain(contacts).filter_map(|(name, missing)| match missing {
            Some(Missing::NotYet(why)) => Some((name, *why)),
            _ => None,
        })
    }

    /// Contacts and closed loops, or why there are none.
    pub(crate) fn contacts_for(&self, function: &'static str) -> Result<&Contacts, Error> {
        self.contacts.as_ref().map_err(|missing| match missing {
            Missing::NotAsked => Error::NotAsked(function),
            Missing::NotYet(why) => Error::NotThereYet { function, why },
        })
    }

    /// The steps, or why there are none.
    pub(crate) fn steps_for(&self, function: &'static str) -> Result<&Steps, Error> {
        self.steps.as_ref().map_err(|missing| match missing {
            Missing::NotAsked => Error::NoSteps(function),
            Missing::NotYet(why) => Error::NotThereYet { function, why },
        })
    }

    /// Error that keeps a function of steps from this robot, if there is one.
    #[doc(hidden)]
    pub fn missing_step(&self, function: &'static str) -> Option<Error> {
        self.steps_for(function).err()
    }

    /// The steps, if there are any.
    pub(crate) fn steps(&self) -> Option<&Steps> {
        self.steps.as_ref().ok()
    }

    /// Contacts and closed loops, in the order of their rows.
    pub fn contacts(&self) -> &[Contact] {
        self.contacts.as_ref().map_or(&[], Contacts::all)
    }

    /// The function of this name, of the table or fused; of functions of frames that of the first frame and
    /// reference frame, of which [`Self::frame_function`] has them all.
    ///
    /// # Errors
    /// If there is none of this name, or it was not loaded.
    pub fn function(&self, name: &str) -> Result<&Function<T>, Error> {
        if let Some(spec) = FUNCTIONS.iter().find(|spec| spec.name == name) {
            return self.by_id(spec.function);
        }
        self.functions.iter().find(|function| function.name() == name).ok_or_else(|| {
            let names = FUNCTIONS.iter().map(|spec| spec.name);
            let names = names.chain(self.functions.iter().map(Function::name));
            Error::Unknown(name.into(), Nearest(rbd_build::nearest(name, names).map(Into::into)))
        })
    }

    /// A function of a frame, by the frame's name.
    ///
    /// # Errors
    /// If there is none of this name and frame.
    pub fn frame_function(
        &self,
        name: &str,
        frame: &str,
        reference: ReferenceFrame,
    ) -> Result<&Function<T>, Error> {
        let first = self.function(name)?;
        let is_it = |f: &&Function<T>| {
            let is_frame =
                |(k, of): (usize, ReferenceFrame)| self.model.frames[k].name == frame && of == reference;
            f.name() == first.name() && f.frame().is_some_and(is_frame)
        };
        let found = self.functions.iter().find(is_it);
        found.ok_or_else(|| Error::Unknown(format!("{name} of {frame}"), Nearest(None)))
    }

    /// Entries of the result `output` of `function` that can differ from zero. `None` if there is no such
    /// matrix. Of one frame: [`Self::frame_function`], and [`Function::structure`].
    pub fn structure(&self, function: &str, output: &str) -> Option<Structure<'_>> {
        if function == "step_derivatives" {
            return self.steps()?.structure(self, output);
        }
        self.function(function).ok()?.structure(output)
    }

    /// A function of the table.
    ///
    /// # Errors
    /// If it was not loaded.
    pub fn by_id(&self, id: rbd_build::Function) -> Result<&Function<T>, Error> {
        match self.places[id as usize] {
            Ok(place) => Ok(&self.functions[place]),
            Err(Missing::NotAsked) => Err(Error::NotAsked(id.name())),
            Err(Missing::NotYet(why)) => Err(Error::NotThereYet { function: id.name(), why }),
        }
    }
}
