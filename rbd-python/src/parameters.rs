//! Inertias and gravity that functions are given at run time, after their own arguments.

use crate::array::tuple;
use crate::layout::Layout;
use crate::table::default_inertia;
use rbd_build::signature::{GRAVITY, INERTIA, Param, Sizes};
use rbd_jit::{Loaded, Number, Parameters};

/// Parameters of a function at run time: layouts, defaults, and lines of documentation.
#[derive(Debug, Default)]
pub struct Given {
    /// Layouts.
    pub takes: Vec<Layout>,
    /// Defaults: the URDF's.
    pub defaults: Vec<Vec<f64>>,
    /// A line for each.
    pub lines: Vec<String>,
}

impl Given {
    /// Parameters of a function that takes all parameters of the robot.
    pub fn of<T: Number>(robot: &Loaded<T>, sizes: Sizes) -> Self {
        let model = robot.model();
        let inertia = (!model.run_time.inertias.is_empty()).then(|| (INERTIA, default_inertia(robot)));
        let gravity = model.run_time.gravity.then(|| (GRAVITY, model.gravity.as_slice().to_vec()));
        let mut given = Self::default();
        for (param, default) in inertia.into_iter().chain(gravity) {
            given.add(&param, sizes, default);
        }
        given
    }

    fn add(&mut self, param: &Param, sizes: Sizes, default: Vec<f64>) {
        let (layout, name) = (Layout::of_param(param, sizes), param.name);
        let shape = tuple(&layout.shape);
        self.lines.push(format!("- `{name}`, {shape}: {}; by default `default_{name}()`", param.doc));
        self.takes.push(layout);
        self.defaults.push(default);
    }
}

/// The arguments after a function's own, as parameters of a robot.
pub fn parameters<'a, T: Number>(robot: &Loaded<T>, given: &[&'a [T]]) -> Parameters<'a, T> {
    let mut given = given.iter().copied();
    let has_inertia = !robot.model().run_time.inertias.is_empty();
    let inertia = if has_inertia { given.next().unwrap_or_default() } else { &[] };
    Parameters { inertia, gravity: given.next().unwrap_or_default() }
}

/// A function's own arguments and the parameters after them, of a function that takes all parameters.
pub fn split<'i, 'a, T: Number>(
    robot: &Loaded<T>,
    inputs: &'i [&'a [T]],
) -> (&'i [&'a [T]], Parameters<'a, T>) {
    let of = &robot.model().run_time;
    let count = usize::from(!of.inertias.is_empty()) + usize::from(of.gravity);
    let (own, given) = inputs.split_at(inputs.len() - count);
    (own, parameters(robot, given))
}
