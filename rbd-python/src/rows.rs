//! Functions that are in no table of the generator: maps of the manifold of configurations, steps, rollouts,
//! and Hessians of contact dynamics.

use crate::array::tuple;
use crate::call::Computes;
use crate::contacts::doc_of;
use crate::layout::Layout;
use crate::parameters::Given;
use crate::steps::OfStep;
use crate::table::{ChosenBy, Item, Variant};
use crate::{contact_hessian, manifold, rollouts, steps};
use rbd_build::signature::Sizes;
use rbd_jit::{Controls, Loaded, Number, ReferenceFrame};

/// Signature of a function, with documentation.
#[derive(Debug)]
pub struct Row {
    /// Kind of computation.
    pub computes: Computes,
    /// Name of the function.
    pub name: &'static str,
    /// Description of the function.
    pub doc: &'static str,
    /// Equation of the function.
    pub equation: &'static str,
    /// Arguments, by names that [`argument`] knows.
    pub takes: &'static [&'static str],
    /// Arguments after `takes`: names, shapes, meanings.
    pub takes_more: &'static [(&'static str, Dims, &'static str)],
    /// Results: names, shapes, meanings.
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
    /// Vector of nq numbers, as a configuration.
    Configuration,
    /// Vector of nv numbers, as a velocity.
    Tangent,
    /// Matrix of nv rows and nv columns.
    Square,
    /// Vector of nu numbers, one for each control.
    Control,
    /// Matrix of nv rows, and a column for each control.
    ByControl,
    /// Matrix of a row and a column for each control.
    ControlByControl,
    /// Rows of all contacts.
    Rows,
    /// Matrix of a row for each row of the contacts, and nv columns.
    Wide,
    /// Matrix of a row for each row of the contacts, and a column for each control.
    RowsByControl,
    /// Vectors of nq numbers, one for each state of a rollout, the first one included.
    Configurations,
    /// Vectors of nv numbers, one for each state of a rollout, the first one included.
    Tangents,
    /// Vectors of nv numbers, one for each step of a rollout.
    TorquesOfSteps,
    /// Vectors of nu numbers, one for each step of a rollout.
    Controls,
}

/// Sizes of a robot and of a call.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Sizes of the robot.
    pub robot: Sizes,
    /// Number of controls of the option `actuated`.
    pub nu: usize,
    /// Number of steps of a rollout.
    pub steps: usize,
}

/// Argument of a step beside the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// Torques of all coordinates.
    Torques,
    /// Controls of the option `actuated`.
    Controls,
}

impl By {
    /// Numbers as what they are.
    pub fn controls<T>(self, numbers: &[T]) -> Controls<'_, T> {
        match self {
            Self::Torques => Controls::All(numbers),
            Self::Controls => Controls::Actuated(numbers),
        }
    }
}

impl Dims {
    /// The layout of an argument or a result.
    fn layout(self, name: &str, Extent { robot: Sizes { nq, nv, nr, .. }, nu, steps }: Extent) -> Layout {
        match self {
            Self::Scalar => Layout::flat(name, &[]),
            Self::Configuration => Layout::flat(name, &[nq]),
            Self::Tangent => Layout::flat(name, &[nv]),
            Self::Square => Layout::matrix(name, nv, nv),
            Self::Control => Layout::flat(name, &[nu]),
            Self::ByControl => Layout::matrix(name, nv, nu),
            Self::ControlByControl => Layout::matrix(name, nu, nu),
            Self::Rows => Layout::flat(name, &[nr]),
            Self::Wide => Layout::matrix(name, nr, nv),
            Self::RowsByControl => Layout::matrix(name, nr, nu),
            Self::Configurations => Layout::flat(name, &[steps + 1, nq]),
            Self::Tangents => Layout::flat(name, &[steps + 1, nv]),
            Self::TorquesOfSteps => Layout::flat(name, &[steps, nv]),
            Self::Controls => Layout::flat(name, &[steps, nu]),
        }
    }

    /// Shape in documentation, where it depends on the number of steps.
    fn of_steps(self, extent: Extent) -> Option<String> {
        match self {
            Self::Configurations => Some(format!("(N + 1, {})", extent.robot.nq)),
            Self::Tangents => Some(format!("(N + 1, {})", extent.robot.nv)),
            Self::TorquesOfSteps => Some(format!("(N, {})", extent.robot.nv)),
            Self::Controls => Some(format!("(N, {})", extent.nu)),
            _ => None,
        }
    }
}

/// Rows of steps and rollouts.
fn of_steps() -> impl Iterator<Item = &'static Row> {
    let of_torques = steps::OF_TORQUES.iter().chain(&rollouts::OF_TORQUES);
    of_torques.chain(&steps::OF_CONTROLS).chain(&rollouts::OF_CONTROLS)
}

/// All rows, whether a robot has them or not.
fn rows() -> impl Iterator<Item = &'static Row> {
    manifold::ROWS.iter().chain(of_steps()).chain([&contact_hessian::ROW])
}

/// The row of a function of steps or rollouts.
pub fn step_row(name: &str) -> Option<&'static Row> {
    of_steps().find(|row| row.name == name)
}

/// Names of the functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.name)
}

/// Classes of several results, with their fields. Functions of controls share some with others.
pub fn result_fields() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let is_first =
        |row: &&Row| rows().find(|other| other.result == row.result).is_some_and(|r| r.name == row.name);
    rows()
        .filter(is_first)
        .filter_map(|row| Some((row.result?, row.gives.iter().map(|(name, ..)| *name).collect())))
}

/// The functions of a robot.
pub fn items<T: Number>(robot: &Loaded<T>, sizes: Sizes) -> impl Iterator<Item = Item> {
    let has_steps = robot.integrator().is_some();
    let contacts = robot.contacts();
    let nr = contacts.iter().map(|contact| contact.rows.len()).sum();
    let sizes = Sizes { nc: contacts.len(), nr, ..sizes };
    let extent = Extent { robot: sizes, nu: robot.nu(), steps: 0 };
    let has_hessian = robot.contact_hessian_is_there().is_ok();
    let is_there = move |row: &&Row| {
        let has_contacts = row.keywords.is_empty() || sizes.nc > 0;
        let has_second = !row.is_contact_hessian() || has_hessian;
        has_steps && has_contacts && has_second && (!row.is_actuated() || extent.nu > 0)
    };
    let hessian = has_hessian.then_some(&contact_hessian::ROW);
    let with_parameters = of_steps().filter(is_there).chain(hessian);
    let with_parameters = with_parameters.map(move |row| item(row, extent, Given::of(robot, sizes)));
    manifold::ROWS.iter().map(move |row| item(row, extent, Given::default())).chain(with_parameters)
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
        "u" => (Dims::Control, "torques of the actuated joints, in the order of `ACTUATED`; N m, N"),
        _ => (Dims::Configuration, "configuration; rad, m, unit quaternions x, y, z, w"),
    }
}

/// Keywords that say how contacts hold during a step.
pub const HELD: &[&str] = &["active", "mu", "iterations", "kp", "kd", "anchors", "axes"];

impl Row {
    /// Returns whether the function takes controls of the option `actuated`.
    pub fn is_actuated(&self) -> bool {
        matches!(self.computes, Computes::Step(_, By::Controls) | Computes::Rollout(_, By::Controls))
    }

    /// Returns whether the function is a Hessian under contacts.
    pub fn is_contact_hessian(&self) -> bool {
        let of_step = matches!(self.computes, Computes::Step(OfStep::UnderContactsHessian, _));
        of_step || self.computes == Computes::ContactHessian
    }

    /// The layouts of its own arguments and of its results.
    pub fn layouts(&self, extent: Extent) -> (Vec<Layout>, Vec<Layout>) {
        let of = |(name, shape, _): &(&str, Dims, &str)| shape.layout(name, extent);
        let more = self.takes_more.iter().map(of);
        let takes = self.takes.iter().map(|name| argument(name).0.layout(name, extent)).chain(more);
        (takes.collect(), self.gives.iter().map(of).collect())
    }
}

fn item(row: &'static Row, extent: Extent, given: Given) -> Item {
    let mut lines = vec![row.doc.to_owned(), String::new(), row.equation.to_owned(), String::new()];
    let (mut takes, gives) = row.layouts(extent);
    let own = row.takes.iter().map(|name| argument(name));
    let own = own.chain(row.takes_more.iter().map(|(_, shape, doc)| (*shape, *doc)));
    let shape = |shape: Dims, layout: &Layout| shape.of_steps(extent).unwrap_or(tuple(&layout.shape));
    for (layout, (of, doc)) in takes.iter().zip(own) {
        lines.push(format!("- `{}`, {}: {doc}", layout.name, shape(of, layout)));
    }
    lines.extend(given.lines);
    lines.extend(row.keywords.iter().map(|name| format!("- `{name}`: {}", doc_of(name))));
    for (layout, (_, of, doc)) in gives.iter().zip(row.gives) {
        lines.push(format!("- gives `{}`, {}: {doc}", layout.name, shape(*of, layout)));
    }
    takes.extend(given.takes);
    let variant = Variant { computes: row.computes, frame: String::new(), reference: ReferenceFrame::Local };
    let is_rollout = matches!(row.computes, Computes::Rollout(..));
    Item {
        name: row.name.into(),
        doc: lines.join("\n"),
        takes,
        defaults: given.defaults,
        gives,
        result: row.result.map(str::to_owned),
        variants: vec![variant],
        keywords: row.keywords.to_vec(),
        rollout: is_rollout.then_some((row, extent)),
        chosen_by: ChosenBy::Nothing,
    }
}
