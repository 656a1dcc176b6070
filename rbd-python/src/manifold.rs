//! Maps of the manifold of configurations, as functions of Python.

use crate::array::tuple;
use crate::call::Computes;
use crate::layout::Layout;
use crate::table::{ChosenBy, Item, Variant};
use rbd_build::signature::Sizes;
use rbd_jit::{Error, Loaded, ReferenceFrame};

/// A map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Map {
    Integrate,
    Difference,
    IntegrateJacobians,
    DifferenceJacobians,
    Interpolate,
    RandomConfiguration,
}

impl Map {
    /// Computes one state.
    pub fn call(self, robot: &Loaded, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), Error> {
        match (self, inputs, outputs) {
            (Self::Integrate, [q, dv], [out]) => robot.integrate(q, dv, out),
            (Self::Difference, [q0, q1], [out]) => robot.difference(q0, q1, out),
            (Self::IntegrateJacobians, [_, dv], [by_q, by_dv]) => robot.integrate_jacobians(dv, by_q, by_dv),
            (Self::DifferenceJacobians, [q0, q1], [by_q0, by_q1]) => {
                robot.difference_jacobians(q0, q1, by_q0, by_q1)
            }
            (Self::Interpolate, [q0, q1, [t]], [out]) => robot.interpolate(q0, q1, *t, out),
            (Self::RandomConfiguration, [uniform], [out]) => robot.random_configuration(uniform, out),
            (map, ..) => unreachable!("{map:?} has other arguments"),
        }
    }
}

/// A row: what a map takes and gives.
struct Row {
    map: Map,
    name: &'static str,
    doc: &'static str,
    equation: &'static str,
    takes: &'static [&'static str],
    gives: &'static [(&'static str, Shape, &'static str)],
    result: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Shape {
    Configuration,
    Tangent,
    Square,
}

const ROWS: [Row; 6] = [
    Row {
        map: Map::Integrate,
        name: "integrate",
        doc: "The configuration reached from `q` by the tangent vector `dv` (a velocity times a time).",
        equation: "q (+) dv",
        takes: &["q", "dv"],
        gives: &[("q", Shape::Configuration, "configuration; rad, m")],
        result: None,
    },
    Row {
        map: Map::Difference,
        name: "difference",
        doc: "The tangent vector that leads from `q0` to `q1`.",
        equation: "integrate(q0, difference(q0, q1)) = q1",
        takes: &["q0", "q1"],
        gives: &[("dv", Shape::Tangent, "tangent vector; rad, m")],
        result: None,
    },
    Row {
        map: Map::IntegrateJacobians,
        name: "integrate_jacobians",
        doc: "The derivatives of `integrate` by both arguments, in the tangent spaces of argument and result.",
        equation: "dq = d integrate(q, dv) / dq, dv = d integrate(q, dv) / d dv",
        takes: &["q", "dv"],
        gives: &[
            ("dq", Shape::Square, "derivative in the tangent space of `q`; 1"),
            ("dv", Shape::Square, "derivative by the tangent vector `dv`; 1"),
        ],
        result: Some("IntegrateJacobians"),
    },
    Row {
        map: Map::DifferenceJacobians,
        name: "difference_jacobians",
        doc: "The derivatives of `difference` by both arguments, in the tangent spaces.",
        equation: "dq0 = d difference(q0, q1) / dq0, dq1 = d difference(q0, q1) / dq1",
        takes: &["q0", "q1"],
        gives: &[
            ("dq0", Shape::Square, "derivative in the tangent space of `q0`; 1"),
            ("dq1", Shape::Square, "derivative in the tangent space of `q1`; 1"),
        ],
        result: Some("DifferenceJacobians"),
    },
    Row {
        map: Map::Interpolate,
        name: "interpolate",
        doc: "The configuration at `t` on the way from `q0` (`t = 0`) to `q1` (`t = 1`).",
        equation: "integrate(q0, t * difference(q0, q1))",
        takes: &["q0", "q1", "t"],
        gives: &[("q", Shape::Configuration, "configuration; rad, m")],
        result: None,
    },
    Row {
        map: Map::RandomConfiguration,
        name: "random_configuration",
        doc: "A configuration within the limits, of numbers that a random generator gives: \
              `random_configuration(rng.random(NV))`. A coordinate without limits is within a whole turn or \
              from -1 to 1 m, a quaternion any rotation.",
        equation: "lower + uniform * (upper - lower)",
        takes: &["uniform"],
        gives: &[("q", Shape::Configuration, "configuration; rad, m")],
        result: None,
    },
];

/// Names of the functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Classes of several results, with their fields.
pub fn result_fields() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    ROWS.iter().filter_map(|row| Some((row.result?, row.gives.iter().map(|(name, ..)| *name).collect())))
}

/// All maps.
pub fn items(sizes: Sizes) -> impl Iterator<Item = Item> {
    ROWS.iter().map(move |row| item(row, sizes))
}

fn item(row: &Row, sizes: Sizes) -> Item {
    let argument = |name: &&str| match *name {
        "t" => (Layout::flat("t", &[]), "where on the way"),
        "uniform" => (Layout::flat(name, &[sizes.nv]), "numbers from 0 to 1"),
        "dv" => (Layout::flat(name, &[sizes.nv]), "tangent vector; rad, m"),
        _ => (Layout::flat(name, &[sizes.nq]), "configuration; rad, m, unit quaternions x, y, z, w"),
    };
    let mut lines = vec![row.doc.to_owned(), String::new(), row.equation.to_owned(), String::new()];
    let mut takes = Vec::new();
    for (layout, doc) in row.takes.iter().map(argument) {
        lines.push(format!("- `{}`, {}: {doc}", layout.name, tuple(&layout.shape)));
        takes.push(layout);
    }
    let mut gives = Vec::new();
    for (name, shape, doc) in row.gives {
        let layout = match shape {
            Shape::Configuration => Layout::flat(name, &[sizes.nq]),
            Shape::Tangent => Layout::flat(name, &[sizes.nv]),
            Shape::Square => Layout::matrix(name, sizes.nv, sizes.nv),
        };
        lines.push(format!("- gives `{name}`, {}: {doc}", tuple(&layout.shape)));
        gives.push(layout);
    }
    let computes = Computes::Manifold(row.map);
    let variant = Variant { computes, frame: String::new(), reference: ReferenceFrame::Local };
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
