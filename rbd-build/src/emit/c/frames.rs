//! What functions are called: those of frames by the frame and by what its motion is given in.

use super::spell::comment;
use crate::plan::Plan;
use rbd_runtime::{Model, ReferenceFrame};

/// A function's name behind the robot's prefix. That of a frame begins with the frame's, so that whatever a frame is called
/// no two names are the same: from their ends they are read in one way only.
pub fn name(model: &Model<f64>, plan: &Plan) -> String {
    let spec = plan.spec();
    let Some(at) = plan.frame else { return spec.name.into() };
    let label = &labels(model)[at.index];
    let reference = if plan.function.has_reference() { reference(at.reference) } else { "" };
    format!("{label}_{}{reference}", spec.name)
}

/// Which frame a function is of, for its documentation.
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

fn reference(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "_local",
        ReferenceFrame::World => "_world",
        ReferenceFrame::LocalWorldAligned => "_local_world_aligned",
    }
}

/// The frames' names as parts of identifiers, all different.
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
