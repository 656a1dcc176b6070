//! Frames, contacts and closed loops that a user names: found, or added.

use super::assemble::Assembled;
use super::rigid;
use crate::names::nearest::nearest;
use crate::signatures::frames::ContactAt;
use crate::urdf::findings::{At, Report, quoted};
use crate::urdf::options::{ClosedLoopOption, ContactOption, FrameOption, ReadOptions};
use nalgebra::Vector3;
use rbd_runtime::Model;
use rbd_runtime::model::Frame;

/// Named frames, as indices into the model's frames.
pub(super) struct Named {
    pub frames: Vec<usize>,
    pub contacts: Vec<ContactAt>,
}

/// Adds the frames that are given by a link and a pose, and finds all named frames.
///
/// If none are named, the frames are those of contacts, or else the links that carry no joint.
pub(super) fn judge(assembled: &mut Assembled, options: &ReadOptions, report: &mut Report) -> Named {
    let mut frames = frames(assembled, options, report);
    let model = &assembled.model;
    let mut contacts: Vec<ContactAt> = Vec::new();
    let found = options.contacts.iter().filter_map(|option| {
        let found = contact(model, option, report)?;
        Some((subject_of(option), found))
    });
    let found: Vec<_> = found.collect();
    let loops = options.closed_loops.iter().filter_map(|option| {
        let found = closed_loop(model, option, report)?;
        Some((format!("closed_loops of {}", quoted(&option.name)), found))
    });
    let loops: Vec<_> = loops.collect();
    for (subject, contact) in found.into_iter().chain(loops) {
        if contacts.iter().any(|known| known.name == contact.name) {
            let what = "there is another contact or closed loop of this name";
            report.error("duplicate-contact", At::Nowhere, subject, what, "give each once");
        }
        for frame in [Some(contact.frame), contact.second].into_iter().flatten() {
            if !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        contacts.push(contact);
    }
    fused(model, &options.fused_frames, report);
    if frames.is_empty() && options.frames.is_empty() {
        frames.clone_from(&assembled.leaves);
    }
    Named { frames, contacts }
}

fn subject_of(option: &ContactOption) -> String {
    format!("contacts of {}", quoted(&option.name))
}

/// The frame that an unknown name probably means, or a list of the names.
fn help(model: &Model<f64>, wrong: &str) -> String {
    /// Names that are listed: a humanoid has ninety frames.
    const LISTED: usize = 12;
    let names = || model.frames.iter().map(|f| f.name.as_str());
    if let Some(near) = nearest(wrong, names()) {
        return format!("did you mean {}?", quoted(near));
    }
    let listed: Vec<String> = names().take(LISTED).map(quoted).collect();
    let more = match names().count().saturating_sub(LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!("the frames are the links and fixed joints of the URDF: {}{more}", listed.join(", "))
}

/// The number of a frame of this name.
fn named(model: &Model<f64>, key: &str, name: &str, report: &mut Report) -> Option<usize> {
    let found = model.frames.iter().position(|f| f.name == name);
    if found.is_none() {
        let what = "there is no link, fixed joint or added frame of this name";
        let subject = format!("{key} of {}", quoted(name));
        report.error("unknown-frame", At::Nowhere, subject, what, help(model, name));
    }
    found
}

/// Judges a contact, whose frame must be able to move.
fn contact(model: &Model<f64>, option: &ContactOption, report: &mut Report) -> Option<ContactAt> {
    let frame = named(model, "contacts", &option.name, report)?;
    if model.frames[frame].body.is_none() {
        let what = "it is fixed to the world, so that nothing can be done about it";
        let help = "name a frame of a link that moves, or make the base floating";
        report.error("contact-on-world", At::Nowhere, subject_of(option), what, help);
        return None;
    }
    Some(ContactAt { name: option.name.clone(), kind: option.kind, frame, second: None })
}

/// Judges a closed loop, whose frames must be able to move apart.
fn closed_loop(model: &Model<f64>, option: &ClosedLoopOption, report: &mut Report) -> Option<ContactAt> {
    let [first, second] = option.frames.each_ref().map(|name| named(model, "closed_loops", name, report));
    let (frame, second) = (first?, second?);
    if model.frames[frame].body == model.frames[second].body {
        let what = "its frames are on one body, so that nothing can move them apart";
        let help = "name frames of two links that move relative to one another";
        let subject = format!("closed_loops of {}", quoted(&option.name));
        report.error("loop-on-one-body", At::Nowhere, subject, what, help);
        return None;
    }
    Some(ContactAt { name: option.name.clone(), kind: option.kind, frame, second: Some(second) })
}

/// Checks that the frames named by fused functions exist.
fn fused(model: &Model<f64>, names: &[String], report: &mut Report) {
    for name in names.iter().filter(|name| model.frames.iter().all(|f| f.name != **name)) {
        let subject = format!("fused of {}", quoted(name));
        let what = "there is no link, fixed joint or added frame of this name";
        report.error("unknown-frame", At::Nowhere, subject, what, help(model, name));
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
        report.error(code, At::Nowhere, subject, what, help(model, wanted));
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
