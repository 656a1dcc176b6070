//! Names of functions. A function of a frame carries the frame's name and the reference frame.

use super::spelling::{comment, is_prefix};
use crate::emit::Asked;
use crate::emit::error::Error;
use crate::fused::Fused;
use crate::search::plan::Plan;
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use rbd_runtime::{Model, ReferenceFrame};

/// Name of a function behind the robot's prefix. A function of a frame begins with the frame's name.
///
/// Names cannot collide, since function and reference frame at the end of a name are unambiguous.
pub fn name(model: &Model<f64>, plan: &Plan) -> String {
    name_of(model, plan.function, plan.frame)
}

/// Name of a function, of a frame if one is given.
pub fn name_of(model: &Model<f64>, function: Function, frame: Option<FrameAt>) -> String {
    let Some(at) = frame else { return function.name().into() };
    let label = &labels(model)[at.index];
    let reference = if function.has_reference() { reference(at.reference) } else { "" };
    format!("{label}_{}{reference}", function.name())
}

/// Checks the robot's name, and the names of fused functions: those of the target by `fault`.
pub fn check(asked: &Asked<'_>, place: &str, fault: impl Fn(&Fused) -> Option<String>) -> Result<(), Error> {
    let refused = |name, what| Err(Error::Option { name, what });
    if !is_prefix(asked.name) {
        let what = format!(
            "`{}` cannot begin names in C; write a letter of ASCII, then letters, digits and single `_`",
            asked.name
        );
        return refused("name", what);
    }
    if let Some(what) = asked.fused.iter().find_map(|fused| fused_fault(fused).or_else(|| fault(fused))) {
        return refused("fused", what);
    }
    let functions = asked.functions.iter().map(|(function, at)| name_of(asked.model, *function, *at));
    let functions: Vec<String> = functions.collect();
    match asked.fused.iter().map(Fused::method).find(|method| functions.contains(method)) {
        None => Ok(()),
        Some(method) => {
            let what =
                format!("there is another function `{method}` {place}; call the result something else");
            refused("fused", what)
        }
    }
}

/// Sentence on a function's frame, for documentation.
pub fn doc(model: &Model<f64>, plan: &Plan) -> Option<String> {
    let at = plan.frame?;
    let given = match at.reference {
        _ if !plan.function.has_reference() => "",
        ReferenceFrame::Local => ", in its own axes",
        ReferenceFrame::World => ", in the world's axes and of the point at the world's origin",
        ReferenceFrame::LocalWorldAligned => ", in the world's axes",
    };
    Some(format!("The frame is {} of the URDF{given}.", comment(&model.frames[at.index].name)))
}

/// Reason why a fused function or one of its results cannot have its name, if there is one.
fn fused_fault(fused: &Fused) -> Option<String> {
    let method = fused.method();
    let mut names = fused.entries().iter().map(|entry| entry.field()).chain([method.as_str()]);
    let name = names.find(|name| !is_prefix(name))?;
    Some(format!("`{name}` is no name in C; write letters of ASCII, digits and single `_`"))
}

fn reference(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "_local",
        ReferenceFrame::World => "_world",
        ReferenceFrame::LocalWorldAligned => "_local_world_aligned",
    }
}

/// Names of the frames as parts of identifiers, all different.
fn labels(model: &Model<f64>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for frame in &model.frames {
        let mut label = String::new();
        for c in frame.name.chars() {
            match c.to_ascii_lowercase() {
                c if c.is_ascii_alphanumeric() => label.push(c),
                _ if label.ends_with('_') || label.is_empty() => {}
                _ => label.push('_'),
            }
        }
        let mut label = label.trim_end_matches('_').to_owned();
        while label.is_empty() || labels.contains(&label) {
            label.push('x');
        }
        labels.push(label);
    }
    labels
}
