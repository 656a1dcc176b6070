//! Functions that are in no table of the generator: maps of the manifold of configurations, steps and
//! rollouts.

use crate::array::tuple;
use crate::call::Computes;
use crate::contacts::doc_of;
use crate::layout::Layout;
use crate::table::{ChosenBy, Item, Variant};
use crate::{manifold, rollouts, steps};
use rbd_build::signature::Sizes;
use rbd_jit::{Loaded, Number, ReferenceFrame};

/// What a function takes and gives.
#[derive(Debug)]
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
    /// Arguments after these: names, shapes, meanings.
    pub takes_more: &'static [(&'static str, Dims, &'static str)],
    /// Its results: names, shapes, meanings.
    pub gives: &'static [(&'static str, Dims, &'static str)],
    /// The class of several results.
    pub result: Option<&'static str>,
    /// Keywords that say how contacts hold.
    pub keywords: &'static [&'static str],
}

/// The shape of an argument or a result.
#[derive(Clone, Copy, Debug)]
pub enum Dims {
    /// A number.
    Scalar,
    /// As many numbers as a configuration has.
    Configuration,
    /// As many numbers as a velocity has.
    Tangent,
    /// A matrix of as many rows and columns as a velocity has numbers.
    Square,
    /// Rows of all contacts.
    Rows,
    /// A matrix of as many rows as contacts have, and as many columns as a velocity has numbers.
    Wide,
    /// For each state of a rollout, the first one too, as many numbers as a configuration has.
    Configurations,
    /// For each state of a rollout, the first one too, as many numbers as a velocity has.
    Tangents,
    /// For each step of a rollout as many numbers as a velocity has.
    Controls,
}

impl Dims {
    /// The layout of a result, of a rollout of so many steps.
    fn layout(self, name: &str, sizes: Sizes, steps: usize) -> Layout {
        let Sizes { nq, nv, nr, .. } = sizes;
        match self {
            Self::Scalar => Layout::flat(name, &[]),
            Self::Configuration => Layout::flat(name, &[nq]),
            Self::Tangent => Layout::flat(name, &[nv]),
            Self::Square => Layout::matrix(name, nv, nv),
            Self::Rows => Layout::flat(name, &[nr]),
            Self::Wide => Layout::matrix(name, nr, nv),
            Self::Configurations => Layout::flat(name, &[steps + 1, nq]),
            Self::Tangents => Layout::flat(name, &[steps + 1, nv]),
            Self::Controls => Layout::flat(name, &[steps, nv]),
        }
    }

    /// As documentation has it, where it depends on the number of steps.
    fn of_steps(self, sizes: Sizes) -> Option<String> {
        match self {
            Self::Configurations => Some(format!("(N + 1, {})", sizes.nq)),
            Self::Tangents => Some(format!("(N + 1, {})", sizes.nv)),
            Self::Controls => Some(format!("(N, {})", sizes.nv)),
            _ => None,
        }
    }
}

/// All rows, whether a robot has them or not.
fn rows() -> impl Iterator<Item = &'static Row> {
    manifold::ROWS.iter().chain(&steps::ROWS).chain(&rollouts::ROWS)
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
    let contacts = robot.contacts();
    let nr = contacts.iter().map(|contact| contact.rows.len()).sum();
    let sizes = Sizes { nc: contacts.len(), nr, ..sizes };
    let is_there = move |row: &&Row| has_steps && (row.keywords.is_empty() || sizes.nc > 0);
    let steps = steps::ROWS.iter().chain(&rollouts::ROWS).filter(is_there);
    manifold::ROWS.iter().chain(steps).map(move |row| item(row, sizes))
}

/// The shape of an argument, and what it is.
fn argument(name: &str) -> (Dims, &'static str) {
    match name {
        "t" => (Dims::Scalar, "where on the way"),
        "dt" => (Dims::Scalar, "time of a step; s"),
        "uniform" => (Dims::Tangent, "numbers from 0 to 1"),
        "dv" => (Dims::Tangent, "tangent vector; rad, m"),
        "v" => (Dims::Tangent, "velocity; rad/s, m/s"),
        "tau" => (Dims::Tangent, "joint torques and forces; N m, N"),
        "lambda_q" => (Dims::Tangent, "weights in the tangent space at the next configuration"),
        "lambda_v" => (Dims::Tangent, "weights of the next velocity"),
        "controls" => (Dims::Controls, "torques of each step; N m, N"),
        _ => (Dims::Configuration, "configuration; rad, m, unit quaternions x, y, z, w"),
    }
}

/// The layouts of arguments and results, of a rollout of so many steps.
pub fn layouts(row: &Row, sizes: Sizes, steps: usize) -> (Vec<Layout>, Vec<Layout>) {
    let of = |(name, shape, _): &(&str, Dims, &str)| shape.layout(name, sizes, steps);
    let more = row.takes_more.iter().map(of);
    let takes = row.takes.iter().map(|name| argument(name).0.layout(name, sizes, steps)).chain(more);
    (takes.collect(), row.gives.iter().map(of).collect())
}

fn item(row: &'static Row, sizes: Sizes) -> Item {
    let mut lines = vec![row.doc.to_owned(), String::new(), row.equation.to_owned(), String::new()];
    let (takes, gives) = layouts(row, sizes, 0);
    let own = row.takes.iter().map(|name| argument(name));
    let own = own.chain(row.takes_more.iter().map(|(_, shape, doc)| (*shape, *doc)));
    let shape = |shape: Dims, layout: &Layout| shape.of_steps(sizes).unwrap_or(tuple(&layout.shape));
    for (layout, (of, doc)) in takes.iter().zip(own) {
        lines.push(format!("- `{}`, {}: {doc}", layout.name, shape(of, layout)));
    }
    lines.extend(row.keywords.iter().map(|name| format!("- `{name}`: {}", doc_of(name))));
    for (layout, (_, of, doc)) in gives.iter().zip(row.gives) {
        lines.push(format!("- gives `{}`, {}: {doc}", layout.name, shape(*of, layout)));
    }
    let variant = Variant { computes: row.computes, frame: String::new(), reference: ReferenceFrame::Local };
    let is_rollout = matches!(row.computes, Computes::Rollout(_));
    Item {
        name: row.name.into(),
        doc: lines.join("\n"),
        takes,
        defaults: Vec::new(),
        gives,
        result: row.result.map(str::to_owned),
        variants: vec![variant],
        keywords: row.keywords.to_vec(),
        rollout: is_rollout.then_some((row, sizes)),
        chosen_by: ChosenBy::Nothing,
    }
}
