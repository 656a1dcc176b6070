//! Shapes of arrays in Python, and functions that write results into arrays.

use crate::table::signature::{Dim, Kind, Output, Param, Shape, Sizes};

/// Shape of an argument for one state.
pub fn of_param(param: &Param, sizes: Sizes) -> Vec<usize> {
    match param.kind {
        Kind::Configuration => vec![sizes.nq],
        Kind::Tangent => vec![sizes.nv],
        Kind::Forces => vec![sizes.nb, 6],
        Kind::Inertias => vec![sizes.np, 10],
        Kind::Gravity => vec![3],
    }
}

/// Shape of a result for one state. Element `[i, j]` of an array is entry (i, j) of a matrix.
pub fn of_output(output: &Output, sizes: Sizes) -> Vec<usize> {
    let n = |dim: Dim| dim.of(sizes);
    match output.shape {
        Shape::Scalar => vec![],
        Shape::Vector(rows) => vec![n(rows)],
        Shape::Matrix(rows, columns) => vec![n(rows), n(columns)],
        // Body and parameter are adjacent axes, so that they can be merged into one.
        Shape::Tensor(Dim::Fixed(1), columns, Dim::Nb) => vec![sizes.nb, n(columns)],
        Shape::Tensor(rows, columns, Dim::Nb) => vec![n(rows), sizes.nb, n(columns)],
        Shape::Tensor(rows, columns, Dim::Np) => vec![n(rows), sizes.np, n(columns)],
        Shape::Tensor(rows, columns, slices) => vec![n(rows), n(columns), n(slices)],
        Shape::Placement => vec![4, 4],
        Shape::Placements(slices) => vec![n(slices), 4, 4],
    }
}

/// Function of `text/rows.rs` that writes a result, and true if it takes a slice.
pub fn writer(output: &Output) -> (&'static str, bool) {
    match output.shape {
        Shape::Scalar => ("scalar", false),
        Shape::Vector(_) | Shape::Matrix(..) => ("matrix", false),
        Shape::Tensor(_, _, Dim::Nb | Dim::Np) => ("by_bodies", false),
        Shape::Tensor(..) => ("tensor", false),
        Shape::Placement => ("placements", true),
        Shape::Placements(_) => ("placements", false),
    }
}

/// Remark on elements of a result, for documentation.
pub fn elements(output: &Output) -> &'static str {
    match output.shape {
        Shape::Tensor(_, _, Dim::Nb) => "; the axes before the last are body and parameter of it",
        Shape::Tensor(_, _, Dim::Np) => "; the axes before the last are inertia and parameter of it",
        Shape::Tensor(..) => "; `[k][(i, j)]` here is element `[i, j, k]`",
        Shape::Placement | Shape::Placements(_) => "; as matrices [[R, p], [0, 1]]",
        _ => "",
    }
}

/// A shape as a Python tuple. With `states`, the first axis is for states.
pub fn tuple(shape: &[usize], states: bool) -> String {
    let mut items: Vec<String> = shape.iter().map(usize::to_string).collect();
    if states {
        items.insert(0, "states".into());
    }
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}

/// Shapes with and without an axis for states, as documentation.
pub fn either(shape: &[usize]) -> String {
    format!("{} or {}", tuple(shape, false), tuple(shape, true))
}
