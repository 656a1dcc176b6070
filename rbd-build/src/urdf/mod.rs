//! Reads a URDF, judges it, and makes a [`Model`] of it.
//!
//! Everything that dynamics need is read with its place in the file. All faults and oddities are
//! reported at once, each with its place and its help. Meshes, materials, transmissions, plugins
//! and foreign tags are ignored: dynamics do not need them.
//!
//! The steps, one module each:
//!
//! - `source`: the bare text
//! - `elements`: attributes and numbers
//! - `vocabulary`: unknown words
//! - `parts`, `origin`, `inertial`: single links and joints
//! - `tree`: connection of links and joints
//! - `roles`: joints that move, are locked, or follow others
//! - `assemble`: the model, with fixed joints merged
//! - `run_time`: parameters that functions take as an argument
//! - `units`: numbers in other units than SI
//! - `singular`: invertibility of the mass matrix

mod assemble;
pub mod codes;
mod elements;
pub mod findings;
mod frames;
mod inertial;
mod not_xml;
pub mod options;
mod origin;
mod parts;
mod rigid;
mod roles;
mod run_time;
mod singular;
mod source;
mod tree;
mod unfelt;
mod units;
mod vocabulary;

use crate::signatures::frames::ContactAt;
use crate::urdf::findings::{At, Findings, Report, quoted};
use crate::urdf::options::ReadOptions;
use elements::Element;
use frames::Named;
use rbd_runtime::Model;
pub(crate) use rigid::Snap;
use std::io::Read;
use std::path::Path;
pub use units::RightAngles;

/// An accepted robot, and the oddities of its file.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The robot: fixed and locked joints merged, mimic chains flattened.
    pub model: Model<f64>,
    /// Warnings and notes.
    pub warnings: Findings,
    /// Frames that functions are generated for, as indices into the model's.
    pub frames: Vec<usize>,
    /// The contacts, and after them the closed loops.
    pub contacts: Vec<ContactAt>,
    /// Right angles that are written with few digits.
    pub right_angles: RightAngles,
}

/// Reads a URDF from a file.
///
/// # Errors
/// Everything that [`read`] finds, and a file that is missing, over 16 MiB or not UTF-8.
pub fn read_file(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Reading, Findings> {
    read_file_in(Path::new(""), path.as_ref(), options)
}

/// Reads a URDF from a file; messages show its path relative to the directory `root`.
///
/// # Errors
/// Returns the errors of [`read_file`].
pub fn read_file_in(root: &Path, path: &Path, options: &ReadOptions) -> Result<Reading, Findings> {
    let shown = path.display().to_string();
    let refuse = |code, what: String, help: &str| {
        let mut report = Report::new(options.strict, &options.allow);
        report.error(code, At::Nowhere, "", what, help);
        Err(report.finish(&shown, ""))
    };
    let mut bytes = Vec::new();
    // One byte beyond the limit tells a file that is too large from one that just fits, and bounds
    // input from a device or a pipe.
    let limit = source::MAX_BYTES as u64 + 1;
    let open = std::fs::File::open(root.join(path));
    if let Err(e) = open.and_then(|f| f.take(limit).read_to_end(&mut bytes)) {
        let help = if root == Path::new("") {
            "check the path"
        } else {
            "check the path, which counts from the directory of Cargo.toml"
        };
        // The system's own words differ from one system to another.
        let what = match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => format!("cannot be read: {e}"),
        };
        return refuse("unreadable-file", what, help);
    }
    if bytes.len() > source::MAX_BYTES {
        return refuse("too-large", TOO_LARGE.to_owned(), TOO_LARGE_MEND);
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => read(text, &shown, options),
        Err(e) => {
            let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
            let encoding = if utf16 { "; it looks like UTF-16" } else { "" };
            let line = bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            let what = format!("not UTF-8 from line {line} on{encoding}");
            refuse("not-utf8", what, "save the file as UTF-8")
        }
    }
}

const TOO_LARGE: &str = "larger than 16 MiB";
const TOO_LARGE_MEND: &str = "a URDF holds no meshes: remove what is embedded in it";

/// Reads a URDF from text; messages call it `file`.
///
/// # Errors
/// All faults of the text and of the options, or of the text as seen through the options.
pub fn read(text: &str, file: &str, options: &ReadOptions) -> Result<Reading, Findings> {
    let mut report = Report::new(options.strict, &options.allow);
    let model = judge(text, options, &mut report);
    let refused = report.has_errors();
    let findings = report.finish(file, text);
    match model {
        Some((model, Named { frames, contacts }, right_angles)) if !refused => {
            Ok(Reading { model, warnings: findings, frames, contacts, right_angles })
        }
        _ => Err(findings),
    }
}

/// Largest difference between a written and a meant right angle, rad.
pub(crate) const WIDEST_SNAP: f64 = 1e-2;

fn judge(text: &str, options: &ReadOptions, report: &mut Report) -> Option<(Model<f64>, Named, RightAngles)> {
    codes::judge(&options.allow, report);
    if let Some(snap) = options.snap.filter(|snap| !(0.0..=WIDEST_SNAP).contains(snap)) {
        let what = format!("{snap} is not from 0 to {WIDEST_SNAP}");
        report.error(
            "snap-out-of-range",
            At::Nowhere,
            "snap",
            what,
            "give an angle in radians, such as 1e-5",
        );
    }
    if text.len() > source::MAX_BYTES {
        report.error("too-large", At::Nowhere, "", TOO_LARGE, TOO_LARGE_MEND);
        return None;
    }
    let scanned = source::scan(text, report)?;
    let document = match roxmltree::Document::parse(&scanned.text) {
        Ok(document) => document,
        Err(error) => {
            not_xml::report(&error, &scanned, text, report);
            return None;
        }
    };
    let root = document.root_element();
    if !is_robot(root, report) {
        return None;
    }
    let namespace = root.tag_name().namespace();
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for node in root.children().filter(|n| n.is_element() && n.tag_name().namespace() == namespace) {
        match node.tag_name().name() {
            "link" => links.push(parts::link(node, options, report)),
            "joint" => joints.push(parts::joint(node, options, report)),
            _ => {}
        }
    }
    vocabulary::judge(Element { node: root, subject: "robot" }, report);
    origin::judge_version(root, report);
    for link in &links {
        let subject = parts::subject("link", Some(link.name));
        inertial::judge(&link.inertial, &subject, options.allow_unphysical_inertia, report);
    }
    let tree = tree::judge(&links, &joints, At::Byte(root.range().start), report);
    let roles = roles::judge(&joints, options, report);
    units::judge(&links, &joints, tree.as_ref(), report);
    let right_angles = units::right_angles(&joints, options, report);
    // The parts are assembled from here on, which needs each of them.
    if report.is_broken() {
        return None;
    }
    let name = root.attribute("name").unwrap_or_default();
    let tree = tree?;
    let mut assembled = assemble::model(name, &links, &joints, &tree, &roles?, options, report)?;
    let unfelt = singular::judge(&assembled, At::Byte(root.range().start), report);
    assemble::judge_masses(&assembled, &links, &tree, &unfelt, report);
    let named = frames::judge(&mut assembled, options, report);
    assembled.model.run_time = run_time::judge(&mut assembled.model, options, report);
    Some((assembled.model, named, right_angles))
}

/// Returns whether the root element is a robot.
fn is_robot(root: roxmltree::Node<'_, '_>, report: &mut Report) -> bool {
    let tag = root.tag_name().name();
    let at = At::Byte(root.range().start);
    if tag != "robot" {
        let help = match tag {
            "sdf" | "world" | "model" => "this looks like SDF: export the robot as URDF",
            "mujoco" => "this looks like MJCF: export the robot as URDF",
            _ => "a URDF's root element is `<robot name=\"...\">`",
        };
        let what = format!("the root element is {}, not `<robot>`", quoted(&format!("<{tag}>")));
        report.error("not-a-robot", at, "", what, help);
        return false;
    }
    let element = Element { node: root, subject: "robot" };
    let _ = element.name("name", report);
    true
}
