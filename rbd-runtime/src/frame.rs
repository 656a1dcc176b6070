//! Frames: axes and reference points of a frame's motion, and robots with functions of frames.

use crate::functions::{FrameAccelerationDerivatives, FrameVelocityDerivatives};
use crate::spatial::Placement;
use crate::{Configuration, Mechanism, Scalar};
use nalgebra::{SMatrix, SVector};

/// Axes and reference point of a frame's motion.
///
/// A motion is a velocity, an acceleration or a column of a Jacobian, `[linear; angular]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceFrame {
    /// The frame's own axes. The linear part is that of the frame's origin.
    Local,
    /// The world's axes. The linear part is that of the body-fixed point that coincides with the
    /// world's origin.
    World,
    /// The world's axes. The linear part is that of the frame's origin.
    LocalWorldAligned,
}

impl ReferenceFrame {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Local, Self::World, Self::LocalWorldAligned];
}

/// A robot with functions of frames; the frame is chosen at run time from [`Self::FRAMES`].
///
/// Implemented by robots made with the option `frames`, `contacts` or `closed_loops`. If the option
/// `functions` is used, its list must contain `frames`, unless contacts need them. `R::FRAMES[k]`
/// is the k-th frame, and [`Self::frame_named`] finds a frame by name.
///
/// A call compiles the function for every frame. If the frame is known, call the generated type's
/// own function with a variant of its enum: the compiler then keeps that frame only.
#[diagnostic::on_unimplemented(
    note = "a robot implements `Frames` if it is made with `frames: [..]` or `contacts: [..]`; `frames` in the list `functions` names its functions",
    note = "NQ and NV are the type's own: `Frames<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Frames<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The robot's enum of frames.
    type Frame: Copy + PartialEq + core::fmt::Debug + Send + Sync + 'static;
    /// All frames that have generated functions.
    const FRAMES: &'static [Self::Frame];

    /// The frame's name in the URDF.
    #[must_use]
    fn frame_name(frame: Self::Frame) -> &'static str;
    /// The pose of the frame in the world.
    #[must_use]
    fn frame_placement<T: Scalar>(q: &impl Configuration<T, NQ>, frame: Self::Frame) -> Placement<T>;
    /// The Jacobian of the frame: its velocity by v.
    #[must_use]
    fn frame_jacobian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> SMatrix<T, 6, NV>;
    /// The velocity of the frame, `J(q) v`.
    #[must_use]
    fn frame_velocity<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> SVector<T, 6>;
    /// The rate of the numbers of [`Self::frame_velocity`] at zero joint accelerations, `dJ/dt v`.
    #[must_use]
    fn frame_bias_acceleration<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> SVector<T, 6>;
    /// The velocity of the frame and its derivatives.
    #[must_use]
    fn frame_velocity_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> FrameVelocityDerivatives<T, NV>;
    /// The spatial acceleration of the frame, without gravity, and its derivatives.
    #[must_use]
    fn frame_acceleration_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> FrameAccelerationDerivatives<T, NV>;
    /// The spatial acceleration of the frame, without gravity.
    ///
    /// Robots without the function of this name compute it with its derivatives.
    #[must_use]
    fn frame_acceleration<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        frame: Self::Frame,
        reference: ReferenceFrame,
    ) -> SVector<T, 6> {
        Self::frame_acceleration_derivatives(q, v, a, frame, reference).acceleration
    }
    /// The frame with this name in the URDF.
    #[must_use]
    fn frame_named(name: &str) -> Option<Self::Frame> {
        Self::FRAMES.iter().copied().find(|frame| Self::frame_name(*frame) == name)
    }
}
