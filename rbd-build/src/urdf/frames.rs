//! Frames and contacts that a user names: found, or added.

use super::assemble::Assembled;
use super::rigid;
use crate::findings::{At, Report, quoted};
use crate::nearest::Nearest;
use crate::options::{ContactOption, FrameOption, ReadOptions};
use nalgebra::Vector3;
use rbd_runtime::model::Frame;
use rbd_runtime::{ContactKind, Model};

/// What is named, by numbers among the model's frames.
pub(super) struct Named {
    pub frames: Vec<usize>,
    pub contacts: Vec<(usize, ContactKind)>,
}

/// Adds the frames that are given by a link and a place, and finds all that are named. Where none are named these are the
/// contacts, or else the links that carry no joint.
pub(super) fn judge(assembled: &mut Assembled, options: &ReadOptions, report: &mut Report) -> Named {
    let mut frames = frames(assembled, options, report);
    let mut contacts: Vec<(usize, ContactKind)> = Vec::new();
    for option in &options.contacts {
        if let Some(index) = contact(&assembled.model, option, report) {
            if contacts.iter().any(|(known, _)| *known == index) {
                let what = "the contact is given twice";
                report.error("duplicate-contact", At::Nowhere, subject_of(option), what, "give it once");
            }
            contacts.push((index, option.kind));
            if !frames.contains(&index) {
                frames.push(index);
            }
        }
    }
    fused(&assembled.model, &options.fused_frames, report);
    if frames.is_empty() && options.frames.is_empty() {
        frames.clone_from(&assembled.leaves);
    }
    Named { frames, contacts }
}

fn subject_of(option: &ContactOption) -> String {
    format!("contacts of {}", quoted(&option.name))
}

/// The frame of a contact, which must be able to move.
fn contact(model: &Model<f64>, option: &ContactOption, report: &mut Report) -> Option<usize> {
    let found = model.frames.iter().position(|f| f.name == option.name);
    match found.map(|index| model.frames[index].body) {
        None => {
            let mut nearest = Nearest::new(model.frames.iter().map(|f| f.name.as_str()));
            let help = nearest.help(
                &option.name,
                "contacts are links and fixed joints of the URDF, and frames that `frames` adds",
            );
            let what = "there is no link, fixed joint or added frame of this name";
            report.error("unknown-frame", At::Nowhere, subject_of(option), what, help);
            None
        }
        Some(None) => {
            let what = "it is fixed to the world, so that nothing can be done about it";
            let help = "name a frame of a link that moves, or make the base floating";
            report.error("contact-on-world", At::Nowhere, subject_of(option), what, help);
            None
        }
        Some(Some(_)) => found,
    }
}

/// Whether there are the frames that fused functions name.
fn fused(model: &Model<f64>, names: &[String], report: &mut Report) {
    for name in names.iter().filter(|name| model.frames.iter().all(|f| f.name != **name)) {
        let mut nearest = Nearest::new(model.frames.iter().map(|f| f.name.as_str()));
        let help = "frames are links and fixed joints of the URDF, and frames that `frames` adds";
        let help = nearest.help(name, help);
        let subject = format!("fused of {}", quoted(name));
        let what = "there is no link, fixed joint or added frame of this name";
        report.error("unknown-frame", At::Nowhere, subject, what, help);
    }
}

fn frames(assembled: &mut Assembled, options: &ReadOptions, report: &mut Report) -> Vec<usize> {
    let mut found = Vec::new();
    for option in &options.frames {
        if let Some(index) = index_of("frames", &mut assembled.model, option, options, report)
            && !found.contains(&index)
        {
            found.push(index);
        }
    }
    found
}

/// The number of a frame that the option of this name asks for; it is added, if it is new.
pub(super) fn index_of(
    key: &str,
    model: &mut Model<f64>,
    option: &FrameOption,
    options: &ReadOptions,
    report: &mut Report,
) -> Option<usize> {
    let subject = format!("{key} of {}", quoted(&option.name));
    let named = |name: &str| model.frames.iter().position(|f| f.name == name);
    let (wanted, code, what) = match &option.on {
        None => (&option.name, "unknown-frame", "the URDF has no link or fixed joint of this name"),
        Some(on) => (&on.link, "unknown-link", "there is no such link to put it on"),
    };
    let Some(index) = named(wanted) else {
        let mut nearest = Nearest::new(model.frames.iter().map(|f| f.name.as_str()));
        let help = nearest.help(wanted, "frames are the links and fixed joints of the URDF");
        report.error(code, At::Nowhere, subject, what, help);
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
