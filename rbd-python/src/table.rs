//! The functions of a loaded robot as Python has them: rows of the table, with frames as arguments.

use crate::call::Computes;
use crate::layout::Layout;
use crate::rows::{Extent, Row};
use crate::{contacts, friction, rows};
use rbd_build::functions::{FUNCTIONS, Spec};
use rbd_build::signature::{GRAVITY, INERTIA, Kind, Output, Param, Sizes};
use rbd_jit::{Loaded, Number, ReferenceFrame};

/// A function as Python has it.
#[derive(Debug)]
pub struct Item {
    /// Name of the function.
    pub name: String,
    /// Documentation of the function.
    pub doc: String,
    /// Arguments: those by position first, then those by keyword.
    pub takes: Vec<Layout>,
    /// Defaults of arguments by keyword.
    pub defaults: Vec<Vec<f64>>,
    /// Results.
    pub gives: Vec<Layout>,
    /// The class of several results.
    pub result: Option<String>,
    /// Variants that compute the function.
    pub variants: Vec<Variant>,
    /// Keywords that say how contacts hold or slide.
    pub keywords: Vec<&'static str>,
    /// Row and the robot's sizes, of a rollout: shapes then depend on the number of steps.
    pub rollout: Option<(&'static Row, Extent)>,
    /// Arguments that choose a variant: none, the frame, or the frame and its axes.
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
    /// Kind of computation.
    pub computes: Computes,
    /// Name of the frame.
    pub frame: String,
    /// The axes in which the frame's motion is given.
    pub reference: ReferenceFrame,
}

/// Name of a reference frame in Python.
pub fn reference_name(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "local",
        ReferenceFrame::World => "world",
        ReferenceFrame::LocalWorldAligned => "local_world_aligned",
    }
}

/// The inertias that functions take by default: the URDF's, and no loads.
pub fn default_inertia<T: Number>(robot: &Loaded<T>) -> Vec<f64> {
    let model = robot.model();
    let of = |inertia: &rbd_runtime::model::RunTimeInertia<f64>| match inertia.whole {
        true => model.bodies[inertia.body].inertia.parameters(),
        false => [0.0; 10],
    };
    model.run_time.inertias.iter().flat_map(of).collect()
}

/// All functions that were loaded.
pub fn items<T: Number>(robot: &Loaded<T>) -> Vec<Item> {
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
            None => items.push(match FUNCTIONS.iter().find(|spec| spec.name == function.name()) {
                Some(spec) => item(robot, spec, function, sizes, variant),
                None => fused(robot, function, sizes, variant),
            }),
        }
    }
    items.extend(contacts::items(robot));
    items.extend(friction::items(robot));
    items.extend(rows::items(robot, sizes));
    items
}

fn item<T: Number>(
    robot: &Loaded<T>,
    spec: &Spec,
    function: &rbd_jit::Function<T>,
    sizes: Sizes,
    variant: Variant,
) -> Item {
    let params = params(function);
    let gives: Vec<Layout> = spec.outputs.iter().map(|output| Layout::of_output(output, sizes)).collect();
    let chosen_by = match (spec.function.is_of_frame(), spec.function.has_reference()) {
        (false, _) => ChosenBy::Nothing,
        (true, false) => ChosenBy::Frame,
        (true, true) => ChosenBy::FrameAndReference,
    };
    let takes: Vec<Layout> = params.iter().map(|param| Layout::of_param(param, sizes)).collect();
    let heads = [spec.doc, spec.equation];
    let doc = doc(&heads, &params, &takes, spec.outputs, &gives, chosen_by);
    let (defaults, result) = (defaults(robot, &params), spec.result.map(str::to_owned));
    let (name, variants) = (spec.name.into(), vec![variant]);
    Item {
        name,
        doc,
        takes,
        defaults,
        gives,
        result,
        variants,
        keywords: Vec::new(),
        rollout: None,
        chosen_by,
    }
}

/// A fused function.
fn fused<T: Number>(
    robot: &Loaded<T>,
    function: &rbd_jit::Function<T>,
    sizes: Sizes,
    variant: Variant,
) -> Item {
    let (params, outputs) = (params(function), function.results());
    let gives: Vec<Layout> = outputs.iter().map(|output| Layout::of_output(output, sizes)).collect();
    let takes: Vec<Layout> = params.iter().map(|param| Layout::of_param(param, sizes)).collect();
    let heads = ["Several quantities at once: what they have in common is computed once."];
    let doc = doc(&heads, &params, &takes, outputs, &gives, ChosenBy::Nothing);
    let (defaults, result) = (defaults(robot, &params), Some(upper_camel_case(function.name())));
    let (name, variants, chosen_by) = (function.name().into(), vec![variant], ChosenBy::Nothing);
    Item {
        name,
        doc,
        takes,
        defaults,
        gives,
        result,
        variants,
        keywords: Vec::new(),
        rollout: None,
        chosen_by,
    }
}

/// `step_of_arm` as `StepOfArm`.
fn upper_camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| word.is_ascii() && !word.is_empty()).map(capital).collect()
}

/// The arguments of a function as the table has them; those that are given at run time are last.
fn params<T: Number>(function: &rbd_jit::Function<T>) -> Vec<Param> {
    let known = || FUNCTIONS.iter().flat_map(|spec| spec.params).chain(&[INERTIA, GRAVITY]);
    let of = |argument: &rbd_jit::Argument| known().find(|param| param.name == argument.name).copied();
    function.inputs().iter().filter_map(of).collect()
}

/// Defaults of those that are given at run time.
fn defaults<T: Number>(robot: &Loaded<T>, params: &[Param]) -> Vec<Vec<f64>> {
    let of = |param: &Param| match param.kind {
        Kind::Inertias => Some(default_inertia(robot)),
        Kind::Gravity => Some(robot.model().gravity.as_slice().to_vec()),
        _ => None,
    };
    params.iter().filter_map(of).collect()
}

/// The documentation of a function: paragraphs, then its arguments and results.
pub fn doc(
    paragraphs: &[&str],
    params: &[Param],
    takes: &[Layout],
    outputs: &[Output],
    gives: &[Layout],
    chosen_by: ChosenBy,
) -> String {
    let shape = |layout: &Layout| crate::array::tuple(&layout.shape);
    let mut lines: Vec<String> =
        paragraphs.iter().flat_map(|text| [(*text).to_owned(), String::new()]).collect();
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
    for (layout, output) in gives.iter().zip(outputs) {
        let (doc, unit) = (output.doc, output.unit);
        let elements = if layout.is_pose { "; matrices [[R, p], [0, 1]]" } else { "" };
        lines.push(format!("- gives `{}`, {}: {doc}; {unit}{elements}", layout.name, shape(layout)));
    }
    lines.join("\n")
}
