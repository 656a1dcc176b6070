//! The shapes of arrays in Python, and what writes a result of each into one.

use crate::signature::{Dim, Kind, Output, Param, Shape, Sizes};

/// The shape of an argument for one state.
pub fn of_param(param: &Param, sizes: Sizes) -> Vec<usize> {
    match param.kind {
        Kind::Configuration => vec![sizes.nq],
        Kind::Tangent => vec![sizes.nv],
        Kind::Forces => vec![sizes.nb, 6],
        Kind::Inertias => vec![sizes.np, 10],
        Kind::Gravity => vec![3],
    }
}

/// The shape of a result for one state. A matrix's `[i, j]` is its entry (i, j).
pub fn of_output(output: &Output, sizes: Sizes) -> Vec<usize> {
    let n = |dim: Dim| dim.of(sizes);
    match output.shape {
        Shape::Scalar => vec![],
        Shape::Vector(rows) => vec![n(rows)],
        Shape::Matrix(rows, columns) => vec![n(rows), n(columns)],
        // By the parameters of bodies: the body, then its parameter, so that they can be taken for one axis.
        Shape::Tensor(Dim::Fixed(1), columns, Dim::Nb) => vec![sizes.nb, n(columns)],
        Shape::Tensor(rows, columns, Dim::Nb) => vec![n(rows), sizes.nb, n(columns)],
        Shape::Tensor(rows, columns, Dim::Np) => vec![n(rows), sizes.np, n(columns)],
        Shape::Tensor(rows, columns, slices) => vec![n(rows), n(columns), n(slices)],
        Shape::Placement => vec![4, 4],
        Shape::Placements(slices) => vec![n(slices), 4, 4],
    }
}

/// The function of `text/rows.rs` that writes it, and whether that takes a slice.
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

/// What documentation says of an element of it.
pub fn elements(output: &Output) -> &'static str {
    match output.shape {
        Shape::Tensor(_, _, Dim::Nb) => "; the axes before the last are body and parameter of it",
        Shape::Tensor(_, _, Dim::Np) => "; the axes before the last are inertia and parameter of it",
        Shape::Tensor(..) => "; `[k][(i, j)]` here is element `[i, j, k]`",
        Shape::Placement | Shape::Placements(_) => "; as matrices [[R, p], [0, 1]]",
        _ => "",
    }
}

/// As Python writes a tuple of these.
pub fn tuple(shape: &[usize], states: bool) -> String {
    let mut items: Vec<String> = shape.iter().map(usize::to_string).collect();
    if states {
        items.insert(0, "states".into());
    }
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}

/// The shapes that are accepted or given.
pub fn either(shape: &[usize]) -> String {
    format!("{} or {}", tuple(shape, false), tuple(shape, true))
}
