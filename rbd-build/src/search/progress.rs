//! Progress of the generator, told to whoever wants to know.

use crate::table::functions::Function;
use std::fmt;
use std::sync::Arc;

/// A step of generating a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The URDF is being read and judged.
    Reading,
    /// The search for the cheapest strategies of so many functions. A frame function counts once
    /// for each frame.
    Searching {
        /// Number of functions.
        functions: usize,
    },
    /// The cheapest way to this function is found. Functions come in any order, from several
    /// threads; some that follow from others are not told.
    Found {
        /// The function.
        function: Function,
    },
    /// Text is being written.
    Writing,
}

/// Whoever wants to know, if anybody does.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<dyn Fn(Step) + Send + Sync>>);

impl Observer {
    pub fn new(tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub fn tell(&self, step: Step) {
        if let Some(tell) = &self.0 {
            tell(step);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "observed" } else { "not observed" })
    }
}
