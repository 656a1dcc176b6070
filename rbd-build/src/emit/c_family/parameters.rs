//! Parameters at run time: indices of the inertias, and default values.

use super::spelling::{self, comment};
use crate::names::distinct;
use rbd_runtime::Model;
use std::fmt::Write;

/// Names of the inertias, such as `IIWA14_INERTIA_HAND`.
fn names(upper: &str, model: &Model<f64>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for inertia in &model.run_time.inertias {
        let name = format!("{upper}_INERTIA_{}", spelling::prefix(&inertia.name).to_uppercase());
        // Names that differ in the URDF may be equal in C.
        names.push(distinct(name, |name| names.iter().any(|known| known == name)));
    }
    names
}

/// Writes the index of each inertia.
pub fn numbers(text: &mut String, prefix: &str, model: &Model<f64>) {
    for (k, (name, inertia)) in
        names(&prefix.to_uppercase(), model).iter().zip(&model.run_time.inertias).enumerate()
    {
        let of = if inertia.whole {
            "the body's, links that are fixed to it included, in its joint frame"
        } else {
            "a load in the axes and about the origin of that frame, by default none"
        };
        let _ = writeln!(text, "#define {name} {k} /* {}: {of} */", comment(&inertia.name));
    }
}

/// Default values of inertias and gravity at run time, from the URDF and the options.
pub fn defaults(model: &Model<f64>) -> Vec<Vec<f64>> {
    let run_time = &model.run_time;
    let of = |inertia: &rbd_runtime::model::RunTimeInertia<f64>| match inertia.whole {
        true => model.bodies[inertia.body].inertia.parameters(),
        false => [0.0; 10],
    };
    let inertias: Vec<f64> = run_time.inertias.iter().flat_map(of).collect();
    let gravity = run_time.gravity.then(|| model.gravity.as_slice().to_vec());
    (!inertias.is_empty()).then_some(inertias).into_iter().chain(gravity).collect()
}
