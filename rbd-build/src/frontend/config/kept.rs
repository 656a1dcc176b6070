//! Cache for what others make of a traced robot: kernels for code at run time.

use super::{Error, Robot};
use crate::emit::controls;
use crate::emit::generated::Generated;
use crate::frontend::cache::Cache;
use crate::fused::FusedFunction;
use crate::signatures::frames::{ContactAt, FrameAt};
use crate::table::functions::Function;
use crate::urdf::findings::Findings;
use rbd_runtime::{Integrator, Model};
use std::sync::Arc;

/// A robot as it was read, and what is to be generated for it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The robot.
    pub model: Model<f64>,
    /// Findings on the URDF, notes included.
    pub warnings: Findings,
    /// Contacts and closed loops, in the order of their rows.
    pub contacts: Vec<ContactAt>,
    /// The functions, in the table's order.
    pub functions: Vec<(Function, Option<FrameAt>)>,
    /// The fused functions.
    pub fused: Vec<FusedFunction>,
    /// The integrator of the option `step`.
    pub integrator: Option<Integrator>,
    /// Velocity coordinates of the controls of the option `actuated`.
    pub controls: Vec<usize>,
}

impl Robot {
    /// Returns the robot as read, and what `read` makes of cached bytes or else `make` of the traced robot.
    ///
    /// `make` also gives the bytes to keep, which are found again for an equal robot, options and generator.
    /// `read` returns `None` for bytes that `make` did not write. `what` names the kind of bytes and its
    /// version.
    ///
    /// # Errors
    /// Errors of [`Self::trace`].
    pub fn kept<T>(
        &self,
        cache: &Cache,
        what: &str,
        read: impl FnOnce(&Kept, &[u8]) -> Option<T>,
        make: impl FnOnce(&Kept, &Generated) -> (Vec<u8>, T),
    ) -> Result<(Kept, T), Error> {
        let checked = self.checked(&self.rust)?;
        let (robot, key) = self.key(what, &checked);
        let reading = &checked.reading;
        let kept = Kept {
            model: reading.model.clone(),
            warnings: reading.warnings.clone(),
            contacts: reading.contacts.clone(),
            functions: checked.functions.clone(),
            fused: self.calls(reading),
            integrator: self.integrator(),
            controls: controls(&reading.model, &self.rust.actuated),
        };
        if let Some(known) = cache.bytes(&robot, &key).and_then(|bytes| read(&kept, &bytes)) {
            return Ok((kept, known));
        }
        let (bytes, made) = make(&kept, &self.searched(Arc::new(self.rust.clone()), checked));
        cache.keep(&robot, &key, &bytes);
        Ok((kept, made))
    }
}
