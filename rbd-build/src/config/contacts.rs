//! Contacts that a user names, and the functions that they need.

use super::Robot;
use crate::functions::Function;
use crate::options::ContactOption;
use rbd_runtime::ContactKind;

/// What dynamics under contacts stands on.
pub(super) const NEEDED: [Function; 10] = [
    Function::Bias,
    Function::Minv,
    Function::RneaFext,
    Function::AbaDerivativesFext,
    Function::FramePlacement,
    Function::FrameJacobian,
    Function::FrameVelocity,
    Function::FrameBiasAcceleration,
    Function::FrameVelocityDerivatives,
    Function::FrameAccelerationDerivatives,
];

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
}
