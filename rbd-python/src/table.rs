//! The functions of a loaded robot as Python has them: rows of the table, with frames as arguments.

use crate::call::Computes;
use crate::layout::Layout;
use crate::manifold;
use rbd_build::functions::{FUNCTIONS, Spec};
use rbd_build::signature::{GRAVITY, INERTIA, Kind, Param, Sizes};
use rbd_jit::{ReferenceFrame, Robot};

/// A function as Python has it.
#[derive(Debug)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// Arguments: those by position first, then those by keyword.
    pub takes: Vec<Layout>,
    /// Defaults of arguments by keyword.
    pub defaults: Vec<Vec<f64>>,
    /// Results.
    pub gives: Vec<Layout>,
    /// The class of several results.
    pub result: Option<String>,
    /// What computes it.
    pub variants: Vec<Variant>,
    /// Whether its frame is an argument, and the frame's axes.
    pub chosen_by: ChosenBy,
}

/// Arguments that choose a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenBy {
    /// There is one.
    Nothing,
    /// `frame`.
    Frame,
    /// `frame` and `reference`.
    FrameAndReference,
}

/// A function of the loaded robot.
#[derive(Debug)]
pub struct Variant {
    /// What computes it.
    pub computes: Computes,
    /// Its frame.
    pub frame: String,
    /// The axes in which the frame's motion is given.
    pub reference: ReferenceFrame,
}

/// As Python calls it.
pub fn reference_name(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "local",
        ReferenceFrame::World => "world",
        ReferenceFrame::LocalWorldAligned => "local_world_aligned",
    }
}

/// The inertias that functions take by default: the URDF's, and no loads.
pub fn default_inertia(robot: &Robot) -> Vec<f64> {
    let model = robot.model();
    let of = |inertia: &rbd_runtime::model::RunTimeInertia<f64>| match inertia.whole {
        true => model.bodies[inertia.body].inertia.parameters(),
        false => [0.0; 10],
    };
    model.run_time.inertias.iter().flat_map(of).collect()
}

/// All functions that were loaded.
pub fn items(robot: &Robot) -> Vec<Item> {
    let sizes = Sizes::from(robot.model());
    let mut items: Vec<Item> = Vec::new();
    for (place, function) in robot.functions().iter().enumerate() {
        let (frame, reference) = match function.frame() {
            Some((frame, reference)) => (robot.model().frames[frame].name.clone(), reference),
            None => (String::new(), ReferenceFrame::Local),
        };
        let variant = Variant { computes: Computes::Function(place), frame, reference };
        match items.iter_mut().find(|item| item.name == function.name()) {
            Some(item) => item.variants.push(variant),
            None => {
                let spec = FUNCTIONS.iter().find(|spec| spec.name == function.name());
                items.extend(spec.map(|spec| item(robot, spec, function, sizes, variant)));
            }
        }
    }
    items.extend(manifold::items(sizes));
    items
}

fn item(robot: &Robot, spec: &Spec, function: &rbd_jit::Function, sizes: Sizes, variant: Variant) -> Item {
    let (mut params, mut defaults) = (spec.params.to_vec(), Vec::new());
    for argument in &function.inputs()[spec.params.len()..] {
        if argument.name == INERTIA.name {
            params.push(INERTIA);
            defaults.push(default_inertia(robot));
        } else {
            params.push(GRAVITY);
            defaults.push(robot.model().gravity.as_slice().to_vec());
        }
    }
    let takes: Vec<Layout> = params.iter().map(|param| Layout::of_param(param, sizes)).collect();
    let gives: Vec<Layout> = spec.outputs.iter().map(|output| Layout::of_output(output, sizes)).collect();
    let chosen_by = match (spec.function.is_of_frame(), spec.function.has_reference()) {
        (false, _) => ChosenBy::Nothing,
        (true, false) => ChosenBy::Frame,
        (true, true) => ChosenBy::FrameAndReference,
    };
    let doc = doc(spec, &params, &takes, &gives, chosen_by);
    let result = spec.result.map(str::to_owned);
    Item { name: spec.name.into(), doc, takes, defaults, gives, result, variants: vec![variant], chosen_by }
}

fn doc(spec: &Spec, params: &[Param], takes: &[Layout], gives: &[Layout], chosen_by: ChosenBy) -> String {
    let shape = |layout: &Layout| crate::array::tuple(&layout.shape);
    let mut lines = vec![spec.doc.to_owned(), String::new(), spec.equation.to_owned(), String::new()];
    for (layout, param) in takes.iter().zip(params) {
        let default = match param.kind {
            Kind::Inertias => "; by default `default_inertia()`",
            Kind::Gravity => "; by default `default_gravity()`",
            _ => "",
        };
        lines.push(format!("- `{}`, {}: {}{default}", layout.name, shape(layout), param.doc));
    }
    if chosen_by != ChosenBy::Nothing {
        lines.push("- `frame`: one of `FRAMES`".into());
    }
    if chosen_by == ChosenBy::FrameAndReference {
        lines.push("- `reference`: the frame's axes, `local`, `world` or `local_world_aligned`".into());
    }
    for (layout, output) in gives.iter().zip(spec.outputs) {
        let (doc, unit) = (output.doc, output.unit);
        let elements = if layout.is_pose { "; matrices [[R, p], [0, 1]]" } else { "" };
        lines.push(format!("- gives `{}`, {}: {doc}; {unit}{elements}", layout.name, shape(layout)));
    }
    lines.join("\n")
}
