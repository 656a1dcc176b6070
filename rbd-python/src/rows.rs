//! Functions that are in no table of the generator: maps of the manifold of configurations, and steps.

use crate::array::tuple;
use crate::call::Computes;
use crate::layout::Layout;
use crate::table::{ChosenBy, Item, Variant};
use crate::{manifold, steps};
use rbd_build::signature::Sizes;
use rbd_jit::{Loaded, Number, ReferenceFrame};

/// What a function takes and gives.
pub struct Row {
    /// What computes it.
    pub computes: Computes,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its equation.
    pub equation: &'static str,
    /// Its arguments, by names that [`argument`] knows.
    pub takes: &'static [&'static str],
    /// Its results: names, shapes, meanings.
    pub gives: &'static [(&'static str, Shape, &'static str)],
    /// The class of several results.
    pub result: Option<&'static str>,
}

/// The shape of a result.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A number.
    Scalar,
    /// As many numbers as a configuration has.
    Configuration,
    /// As many numbers as a velocity has.
    Tangent,
    /// A matrix of as many rows and columns as a velocity has numbers.
    Square,
}

/// All rows, whether a robot has them or not.
fn rows() -> impl Iterator<Item = &'static Row> {
    manifold::ROWS.iter().chain(&steps::ROWS)
}

/// Names of the functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.name)
}

/// Classes of several results, with their fields.
pub fn result_fields() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    rows().filter_map(|row| Some((row.result?, row.gives.iter().map(|(name, ..)| *name).collect())))
}

/// The functions of a robot.
pub fn items<T: Number>(robot: &Loaded<T>, sizes: Sizes) -> impl Iterator<Item = Item> {
    let has_steps = robot.integrator().is_some();
    let steps = steps::ROWS.iter().filter(move |_| has_steps);
    manifold::ROWS.iter().chain(steps).map(move |row| item(row, sizes))
}

/// The layout of an argument, and what it is.
fn argument(name: &str, sizes: Sizes) -> (Layout, &'static str) {
    let (shape, doc): (&[usize], _) = match name {
        "t" => (&[], "where on the way"),
        "dt" => (&[], "time; s"),
        "uniform" => (&[sizes.nv], "numbers from 0 to 1"),
        "dv" => (&[sizes.nv], "tangent vector; rad, m"),
        "v" => (&[sizes.nv], "velocity; rad/s, m/s"),
        "tau" => (&[sizes.nv], "joint torques and forces; N m, N"),
        "lambda_q" => (&[sizes.nv], "weights in the tangent space at the next configuration"),
        "lambda_v" => (&[sizes.nv], "weights of the next velocity"),
        _ => (&[sizes.nq], "configuration; rad, m, unit quaternions x, y, z, w"),
    };
    (Layout::flat(name, shape), doc)
}

fn item(row: &Row, sizes: Sizes) -> Item {
    let mut lines = vec![row.doc.to_owned(), String::new(), row.equation.to_owned(), String::new()];
    let mut takes = Vec::new();
    for (layout, doc) in row.takes.iter().map(|name| argument(name, sizes)) {
        lines.push(format!("- `{}`, {}: {doc}", layout.name, tuple(&layout.shape)));
        takes.push(layout);
    }
    let mut gives = Vec::new();
    for (name, shape, doc) in row.gives {
        let layout = match shape {
            Shape::Scalar => Layout::flat(name, &[]),
            Shape::Configuration => Layout::flat(name, &[sizes.nq]),
            Shape::Tangent => Layout::flat(name, &[sizes.nv]),
            Shape::Square => Layout::matrix(name, sizes.nv, sizes.nv),
        };
        lines.push(format!("- gives `{name}`, {}: {doc}", tuple(&layout.shape)));
        gives.push(layout);
    }
    let variant = Variant { computes: row.computes, frame: String::new(), reference: ReferenceFrame::Local };
    Item {
        name: row.name.into(),
        doc: lines.join("\n"),
        takes,
        defaults: Vec::new(),
        gives,
        result: row.result.map(str::to_owned),
        variants: vec![variant],
        contact: None,
        chosen_by: ChosenBy::Nothing,
    }
}
