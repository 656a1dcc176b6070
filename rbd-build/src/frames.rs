//! Frames of a robot for which functions are generated.

use crate::functions::Function;
use crate::urdf::Reading;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactKind, ReferenceFrame};

/// Frame and reference frame of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameAt {
    /// Its number among the model's frames.
    pub index: usize,
    /// The body of the model that carries it; `None` for the world.
    pub body: Option<usize>,
    /// The frame in that body's joint frame, of the URDF (in the world, for `body: None`).
    pub placement: Placement<f64>,
    /// Axes and reference point of its motion.
    pub reference: ReferenceFrame,
}

/// A contact that dynamics are generated with.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAt {
    /// Its name: the frame's, or the closed loop's.
    pub name: String,
    /// What it holds.
    pub kind: ContactKind,
    /// Its frame's number among the model's frames.
    pub frame: usize,
    /// Second frame of a closed loop, which coincides with the first.
    pub second: Option<usize>,
}

impl FrameAt {
    /// Variants of a function to generate: each of these frames with each reference frame, or a
    /// single `None` if it is not of a frame.
    pub(crate) fn all(reading: &Reading, function: Function) -> Vec<Option<Self>> {
        if !function.is_of_frame() {
            return vec![None];
        }
        let references =
            if function.has_reference() { &ReferenceFrame::ALL[..] } else { &ReferenceFrame::ALL[..1] };
        let of = |&index: &usize| {
            let frame = &reading.model.frames[index];
            references.iter().map(move |&reference| {
                Some(Self { index, body: frame.body, placement: frame.placement, reference })
            })
        };
        reading.frames.iter().flat_map(of).collect()
    }
}
