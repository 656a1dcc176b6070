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
    /// Its place among the robot's contacts, and what it holds, if it is one.
    pub contact: Option<(usize, ContactKind)>,
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
            let place = reading.contacts.iter().position(|(of, _)| *of == index);
            let contact = place.map(|place| (place, reading.contacts[place].1));
            references.iter().map(move |&reference| {
                Some(Self { index, body: frame.body, placement: frame.placement, reference, contact })
            })
        };
        reading.frames.iter().flat_map(of).collect()
    }
}
