//! Frames: in which axes, and at which point, a frame's motion is given.

/// In which axes, and of which point, the motion of a frame is given: a velocity, an acceleration or the columns of a
/// Jacobian, `[linear; angular]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceFrame {
    /// In the frame's own axes; the linear part is that of the frame's origin.
    Local,
    /// In the world's axes; the linear part is that of the point of the moving body that is at the world's origin.
    World,
    /// In the world's axes; the linear part is that of the frame's origin.
    LocalWorldAligned,
}

impl ReferenceFrame {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Local, Self::World, Self::LocalWorldAligned];
}
