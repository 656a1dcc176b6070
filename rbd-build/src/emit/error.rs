//! Errors of the builder.

use crate::urdf::findings::Findings;
use std::fmt;
use std::path::PathBuf;

/// Reason why nothing was generated.
///
/// `Debug` prints the report of `Display` and the causes, since cargo shows `Debug` of errors from `main`.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Faults in the URDF or in options on reading it, each with its place.
    #[error(transparent)]
    Urdf(#[from] Findings),
    /// A fault in an option that does not concern the URDF.
    #[error("{name}: {what}")]
    Option {
        /// The option's name.
        name: &'static str,
        /// The fault and a remedy.
        what: String,
    },
    /// Call of [`Robot::generate`](crate::Robot::generate) outside of a build script.
    #[error("OUT_DIR is not set: `generate` is for build scripts; elsewhere use `trace` and `source`")]
    NoBuildScript,
    /// The generated file cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
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
