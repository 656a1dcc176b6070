//! Frames of a robot for which functions are generated.

use crate::functions::Function;
use crate::urdf::Reading;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactKind, ReferenceFrame};

/// The frame that a function is of, and how its motion is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameAt {
    /// Its number among the model's frames.
    pub index: usize,
    /// The body of the model that carries it; `None` for the world.
    pub body: Option<usize>,
    /// The frame in that body's joint frame, of the URDF (in the world, for `body: None`).
    pub placement: Placement<f64>,
    /// In which axes and of which point its motion is given.
    pub reference: ReferenceFrame,
}

/// A contact that dynamics are generated with.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAt {
    /// Its name: its frame's, or that of the closed loop.
    pub name: String,
    /// What it holds.
    pub kind: ContactKind,
    /// Its frame's number among the model's frames.
    pub frame: usize,
    /// That of the frame which it is to coincide with, of a closed loop.
    pub second: Option<usize>,
}

impl FrameAt {
    /// What a function is generated for: each of these frames with each reference frame, or nothing in particular if it
    /// is not of a frame.
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
