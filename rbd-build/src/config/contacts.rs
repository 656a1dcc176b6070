//! Contacts that a user names.

use super::{Error, Robot};
use crate::options::{ClosedLoopOption, ContactOption};
use rbd_runtime::ContactKind;

impl Robot {
    /// Generates dynamics under contacts, with these as points: links and fixed joints of the URDF, or frames of
    /// [`Self::frame`], by name. Which of them are active is an argument of each call. The functions that they need, of
    /// these frames among others, are generated as well.
    #[must_use]
    pub fn contacts(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        names.into_iter().fold(self, |robot, name| robot.contact(name, ContactKind::Point))
    }

    /// The same for one contact of this kind.
    #[must_use]
    pub fn contact(mut self, name: impl Into<String>, kind: ContactKind) -> Self {
        self.read.contacts.push(ContactOption { name: name.into(), kind });
        self
    }

    /// Generates dynamics with this closed loop, beside those with [`Self::contacts`]: two frames that coincide, or with
    /// [`ContactKind::Point`] their origins. They are named as contacts are. Whether it is closed is an argument of each call.
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

    /// For targets that have no contacts.
    pub(super) fn refuse_contacts(&self, written: &str) -> Result<(), Error> {
        let name = match (&self.read.contacts[..], &self.read.closed_loops[..]) {
            ([], []) => return Ok(()),
            ([], _) => "closed_loops",
            _ => "contacts",
        };
        let what = format!("functions of contacts are not written {written} yet");
        Err(Error::Option { name, what })
    }
}
