//! Options for contacts and closed loops.

use super::Robot;
use crate::urdf::options::{ClosedLoopOption, ContactOption};
use rbd_runtime::ContactKind;

impl Robot {
    /// Generates dynamics under point contacts at frames named here.
    ///
    /// A name is a link or fixed joint of the URDF, or a frame of [`Self::frame`].
    /// Each call says which contacts are active. Functions that the contacts need are generated as well.
    #[must_use]
    pub fn contacts(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        names.into_iter().fold(self, |robot, name| robot.contact(name, ContactKind::Point))
    }

    /// Adds a contact of any kind to those of [`Self::contacts`].
    #[must_use]
    pub fn contact(mut self, name: impl Into<String>, kind: ContactKind) -> Self {
        self.read.contacts.push(ContactOption { name: name.into(), kind });
        self
    }

    /// Generates dynamics with a closed loop: two frames that coincide.
    ///
    /// With [`ContactKind::Point`] only their origins coincide.
    /// Frames are named as for [`Self::contacts`]. Each call says which loops are closed.
    #[must_use]
    pub fn closed_loop(
        mut self,
        name: impl Into<String>,
        frames: [impl Into<String>; 2],
        kind: ContactKind,
    ) -> Self {
        let frames = frames.map(Into::into);
        self.read.closed_loops.push(ClosedLoopOption { name: name.into(), frames, kind });
        self
    }
}
