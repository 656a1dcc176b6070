//! Why nothing was generated.

use crate::findings::Findings;
use std::fmt;
use std::path::PathBuf;

/// Why nothing was generated.
///
/// `Debug` prints the same report as `Display`, and then the causes: it is what a build script whose `main` returns
/// this shows.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URDF, or what was asked of it, is wrong; every finding is located.
    #[error(transparent)]
    Urdf(#[from] Findings),
    /// An option that does not concern the URDF is wrong.
    #[error("{name}: {what}")]
    Option {
        /// The option.
        name: &'static str,
        /// What is wrong, and how to fix it.
        what: String,
    },
    /// [`Robot::generate`](super::Robot::generate) outside of a build script.
    #[error("OUT_DIR is not set: `generate` is for build scripts; elsewhere use `trace` and `source`")]
    NoBuildScript,
    /// The generated file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        let mut causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        causes.try_for_each(|cause| write!(f, ": {cause}"))
    }
}
