//! Why a robot is not loaded, or a call is refused.

use crate::Engine;

/// Why a robot is not loaded, or a call is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URDF or an option is wrong.
    #[error(transparent)]
    Robot(#[from] rbd_build::Error),
    /// Functions that were planned for a target without the runtime, such as C.
    #[error("the functions were planned for another target than Rust; plan them with `trace`")]
    OtherTarget,
    /// The system gave no memory for machine code.
    #[error("the system gives no memory that may be executed: {0}")]
    Memory(#[from] region::Error),
    /// More arrays than there are registers for their addresses, with several states side by side.
    #[error("a kernel has too many arrays for several states side by side")]
    TooManyArrays,
    /// The engine that was asked for is not there.
    #[error("this processor has no {0}")]
    NoEngine(Engine),
    /// No function has this name.
    #[error("there is no function `{0}`{1}")]
    Unknown(String, Nearest),
    /// A function that was not asked for.
    #[error("`{0}` is not among the functions that this robot was loaded with")]
    NotAsked(&'static str),
    /// A function of steps, of a robot that was loaded without the option `step`.
    #[error("`{0}` comes with the option `step`, without which this robot was loaded")]
    NoSteps(&'static str),
    /// A function of controls, of a robot that was loaded without controls.
    #[error("`{0}` takes controls, and this robot has none; name its motors with the option `actuated`")]
    NotActuated(&'static str),
    /// A step with friction of a robot with a contact that is a plane.
    #[error(
        "`friction_step`: the contact `{0}` is a plane; list its corners as points, with the option `frames`"
    )]
    Plane(String),
    /// A function that cannot be loaded yet.
    #[error("`{function}` cannot be had at run time yet: {why}")]
    NotThereYet {
        /// The function.
        function: &'static str,
        /// Missing part.
        why: &'static str,
    },
    /// More or fewer arguments or results than the function has.
    #[error("`{function}` takes {expected} {what}, and was given {given}")]
    Count {
        /// The function.
        function: &'static str,
        /// `arguments` or `results`.
        what: &'static str,
        /// Number of arguments or results of the function.
        expected: usize,
        /// Number of arguments or results that were given.
        given: usize,
    },
    /// An argument or result of another size.
    #[error("`{function}`: `{name}` has {expected} numbers, and was given {given}")]
    Length {
        /// The function.
        function: &'static str,
        /// The argument or result.
        name: &'static str,
        /// Length that the function takes.
        expected: usize,
        /// Length that was given.
        given: usize,
    },
    /// A workspace of another robot.
    #[error("`{0}` needs more memory than this workspace has: it is another robot's")]
    Workspace(&'static str),
    /// A result that is to be zero at first is not; only builds with debug assertions look.
    #[error(
        "`{function}`: entry {entry} of `{name}` is zero in every state, and was given another number; with \
         `leaving_zeros`, give zeros, or what this function gave"
    )]
    NotZero {
        /// The function.
        function: &'static str,
        /// The result.
        name: &'static str,
        /// The entry, by columns.
        entry: usize,
    },
    /// An argument of a batch whose length is no whole number of states.
    #[error("`{function}`: `{name}` has {each} numbers a state, and {given} are no whole number of states")]
    States {
        /// The function.
        function: &'static str,
        /// The argument.
        name: &'static str,
        /// Length of one state.
        each: usize,
        /// Length that was given.
        given: usize,
    },
    /// Controls of a rollout that are no whole number of steps.
    #[error("`{function}`: `controls` has {each} numbers a step, and {given} are no whole number of steps")]
    Controls {
        /// The function.
        function: &'static str,
        /// Length of one step.
        each: usize,
        /// Length that was given.
        given: usize,
    },
    /// An order of results names an entry that there is not.
    #[error("`{function}`: the order of `{name}` names entry {entry}; name one below {length}")]
    Entry {
        /// The function.
        function: &'static str,
        /// The result.
        name: &'static str,
        /// The entry.
        entry: usize,
        /// Number of entries of the result.
        length: usize,
    },
    /// Results that do not agree with the reference. This is an error of this crate, and not of the URDF.
    #[error(
        "`{function}`: `{output}` is {error:e} of its largest entry off the reference; please report this robot"
    )]
    Disagrees {
        /// The function.
        function: &'static str,
        /// The result.
        output: &'static str,
        /// The largest difference, relative to the largest entry.
        error: f64,
    },
}

/// The known name nearest to a misspelt one.
#[derive(Clone, Debug)]
pub struct Nearest(pub(crate) Option<String>);

impl std::fmt::Display for Nearest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, "; did you mean `{name}`?"))
    }
}
