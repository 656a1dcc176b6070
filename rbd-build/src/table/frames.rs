//! Variants of functions of frames.

use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use crate::urdf::Reading;
use rbd_runtime::ReferenceFrame;

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
