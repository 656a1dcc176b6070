//! What others make of a traced robot and keep, as bytes: code at run time.

use super::{Error, Robot};
use crate::frontend::cache::Cache;
use crate::frontend::generated::Generated;
use crate::fused::Call;
use crate::table::frames::{ContactAt, FrameAt};
use crate::table::functions::Function;
use crate::urdf::findings::Findings;
use rbd_runtime::Model;
use std::sync::Arc;

/// A robot as it was read, and what is to be generated for it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The robot.
    pub model: Model<f64>,
    /// What was odd about the URDF, notes included.
    pub warnings: Findings,
    /// Contacts and closed loops, in the order of their rows.
    pub contacts: Vec<ContactAt>,
    /// The functions, in the table's order.
    pub functions: Vec<(Function, Option<FrameAt>)>,
    /// The fused functions.
    pub fused: Vec<Call>,
}

impl Robot {
    /// Reads and judges the URDF. Then `read` makes something of the bytes that an earlier call of `make` gave for the same
    /// robot, options and generator; or else the robot is traced and `make` gives new bytes, which are kept.
    ///
    /// `read` refuses what is no work of `make`'s. `what` names the kind of bytes and its version.
    ///
    /// # Errors
    /// Those of [`Self::trace`].
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
        };
        if let Some(known) = cache.bytes(&robot, &key).and_then(|bytes| read(&kept, &bytes)) {
            return Ok((kept, known));
        }
        let (bytes, made) = make(&kept, &self.searched(Arc::new(self.rust.clone()), checked));
        cache.keep(&robot, &key, &bytes);
        Ok((kept, made))
    }
}
