//! Parameters that the user wants at run time, found among links and frames.

use super::frames;
use crate::names::nearest::Nearest;
use crate::urdf::findings::{At, Report, quoted};
use crate::urdf::options::{FrameOption, ReadOptions};
use rbd_runtime::Model;
use rbd_runtime::model::{Frame, RunTime, RunTimeInertia};
use rbd_runtime::spatial::Placement;

/// Parameters of the model that are given at run time. Frames of loads are added to the model.
pub(super) fn judge(model: &mut Model<f64>, options: &ReadOptions, report: &mut Report) -> RunTime<f64> {
    let mut inertias: Vec<RunTimeInertia<f64>> = Vec::new();
    let asked = &options.inertia;
    if asked.all {
        inertias.extend((0..model.bodies.len()).map(|body| of_body(model, body)));
    }
    let mut found: Vec<RunTimeInertia<f64>> = Vec::new();
    found.extend(asked.links.iter().filter_map(|name| of_link(model, name, report)));
    found.extend(asked.loads.iter().filter_map(|option| load(model, option, options, report)));
    for inertia in found {
        if inertias.iter().any(|known| known.name == inertia.name) {
            let (what, help) =
                ("it is given twice", "give it once: a load is part of all that a body's inertia is");
            report.error("duplicate-inertia", At::Nowhere, subject(&inertia.name), what, help);
        } else {
            inertias.push(inertia);
        }
    }
    RunTime { inertias, gravity: options.gravity_at_run_time }
}

fn subject(name: &str) -> String {
    format!("inertia of {}", quoted(name))
}

fn of_body(model: &Model<f64>, body: usize) -> RunTimeInertia<f64> {
    RunTimeInertia {
        name: model.bodies[body].link.clone(),
        body,
        placement: Placement::identity(),
        whole: true,
    }
}

/// Complete inertia of the body whose moving link is the given one.
fn of_link(model: &Model<f64>, name: &str, report: &mut Report) -> Option<RunTimeInertia<f64>> {
    if let Some(body) = model.bodies.iter().position(|b| b.link == name) {
        return Some(of_body(model, body));
    }
    let (code, what, help) = match model.frames.iter().find(|f| f.name == name).map(|f| f.body) {
        Some(Some(body)) => {
            let link = quoted(&model.bodies[body].link);
            (
                "fixed-link",
                format!("it is fixed to {link}, of whose inertia it is a part"),
                format!("name {link}, or give what is added there: `loads: [\"..\"]`"),
            )
        }
        Some(None) => {
            let (what, help) = on_world();
            ("unfelt-inertia", what, help)
        }
        None => {
            let mut nearest = Nearest::new(model.bodies.iter().map(|b| b.link.as_str()));
            let help = nearest.help(name, "inertias are given of links that a joint moves");
            ("unknown-link", "the URDF has no link of this name".to_owned(), help)
        }
    };
    report.error(code, At::Nowhere, subject(name), what, help);
    None
}

fn on_world() -> (String, String) {
    let what = "it is fixed to the world, where no motion feels it".to_owned();
    (what, "name a link that moves, or make the base floating".to_owned())
}

/// A load at a frame.
fn load(
    model: &mut Model<f64>,
    option: &FrameOption,
    options: &ReadOptions,
    report: &mut Report,
) -> Option<RunTimeInertia<f64>> {
    let index = frames::index_of("inertia", model, option, options, report)?;
    let Frame { body, placement, .. } = &model.frames[index];
    let (&Some(body), placement) = (body, *placement) else {
        let (what, help) = on_world();
        report.error("unfelt-inertia", At::Nowhere, subject(&option.name), what, help);
        return None;
    };
    Some(RunTimeInertia { name: option.name.clone(), body, placement, whole: false })
}
