//! Frames that a user names: found, or added.

use super::assemble::Assembled;
use super::rigid;
use crate::findings::{At, Report, quoted};
use crate::nearest::Nearest;
use crate::options::{FrameOption, ReadOptions};
use nalgebra::Vector3;
use rbd_runtime::Model;
use rbd_runtime::model::Frame;

/// Adds the frames that are given by a link and a place, and finds all that are named: their numbers among the model's
/// frames. Where none are named these are the links that carry no joint.
pub(super) fn judge(assembled: &mut Assembled, options: &ReadOptions, report: &mut Report) -> Vec<usize> {
    if options.frames.is_empty() {
        return assembled.leaves.clone();
    }
    let mut found = Vec::new();
    for option in &options.frames {
        if let Some(index) = index_of(&mut assembled.model, option, options, report)
            && !found.contains(&index)
        {
            found.push(index);
        }
    }
    found
}

fn index_of(
    model: &mut Model<f64>,
    option: &FrameOption,
    options: &ReadOptions,
    report: &mut Report,
) -> Option<usize> {
    let subject = format!("frames of {}", quoted(&option.name));
    let named = |name: &str| model.frames.iter().position(|f| f.name == name);
    let (wanted, code, what) = match &option.on {
        None => (&option.name, "unknown-frame", "the URDF has no link or fixed joint of this name"),
        Some(on) => (&on.link, "unknown-link", "there is no such link to put it on"),
    };
    let Some(index) = named(wanted) else {
        let mut nearest = Nearest::new(model.frames.iter().map(|f| f.name.as_str()));
        let mend = nearest.mend(wanted, "frames are the links and fixed joints of the URDF");
        report.error(code, At::Nowhere, subject, what, mend);
        return None;
    };
    let Some(on) = &option.on else { return Some(index) };
    if named(&option.name).is_some() {
        let what = "the URDF has a frame of this name already";
        report.error("duplicate-frame", At::Nowhere, subject, what, "give it another name");
        return None;
    }
    if !on.xyz.iter().chain(&on.rpy).all(|x| x.is_finite()) {
        let what = "its place is not finite";
        report.error("non-finite", At::Nowhere, subject, what, "give metres and radians");
        return None;
    }
    let here = rigid::origin(Vector3::from(on.xyz), Vector3::from(on.rpy), options.snapping());
    let Frame { body, placement, .. } = &model.frames[index];
    let frame = Frame { name: option.name.clone(), body: *body, placement: rigid::compose(placement, &here) };
    model.frames.push(frame);
    Some(model.frames.len() - 1)
}
