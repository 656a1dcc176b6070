//! The configuration manifold, as functions of a module.

use super::items::Item;
use super::{TYPE_NAME, shapes};
use crate::emit::rust::{ident, number};
use crate::frontend::naming::upper_camel_case;
use crate::table::signature::{Dim, Output, Shape, Sizes};
use quote::quote;

/// A function of the manifold.
struct Row {
    name: &'static str,
    doc: &'static str,
    equation: &'static str,
    takes: &'static [&'static str],
    result: Option<&'static str>,
    gives: Vec<Output>,
    /// Operations of a state, a degree of freedom.
    operations: usize,
}

fn output(name: &'static str, shape: Shape, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape, symmetric: false, unit, doc }
}

fn rows() -> [Row; 6] {
    let (q, v) = (Shape::Vector(Dim::Nq), Shape::Vector(Dim::Nv));
    let square = Shape::Matrix(Dim::Nv, Dim::Nv);
    [
        Row {
            name: "integrate",
            doc: "The configuration reached from `q` by the tangent vector `dv` (a velocity times a time).",
            equation: "q (+) dv",
            takes: &["q", "dv"],
            result: None,
            gives: vec![output("q", q, "rad, m", "configuration")],
            operations: 10,
        },
        Row {
            name: "difference",
            doc: "The tangent vector that leads from `q0` to `q1`.",
            equation: "integrate(q0, difference(q0, q1)) = q1",
            takes: &["q0", "q1"],
            result: None,
            gives: vec![output("dv", v, "rad, m", "tangent vector")],
            operations: 10,
        },
        Row {
            name: "integrate_jacobians",
            doc: "The derivatives of `integrate` by both arguments, in the tangent spaces of argument and result.",
            equation: "dq = d integrate(q, dv) / dq, dv = d integrate(q, dv) / d dv",
            takes: &["q", "dv"],
            result: Some("IntegrateJacobians"),
            gives: vec![
                output("dq", square, "1", "derivative in the tangent space of `q`"),
                output("dv", square, "1", "derivative by the tangent vector `dv`"),
            ],
            operations: 40,
        },
        Row {
            name: "difference_jacobians",
            doc: "The derivatives of `difference` by both arguments, in the tangent spaces.",
            equation: "dq0 = d difference(q0, q1) / dq0, dq1 = d difference(q0, q1) / dq1",
            takes: &["q0", "q1"],
            result: Some("DifferenceJacobians"),
            gives: vec![
                output("dq0", square, "1", "derivative in the tangent space of `q0`"),
                output("dq1", square, "1", "derivative in the tangent space of `q1`"),
            ],
            operations: 40,
        },
        Row {
            name: "interpolate",
            doc: "The configuration at `t` on the way from `q0` (`t = 0`) to `q1` (`t = 1`).",
            equation: "integrate(q0, t * difference(q0, q1))",
            takes: &["q0", "q1", "t"],
            result: None,
            gives: vec![output("q", q, "rad, m", "configuration")],
            operations: 20,
        },
        Row {
            name: "random_configuration",
            doc: "A configuration within the limits, of numbers that a random generator gives: `random_configuration(rng.random(NV))`.",
            equation: "lower + uniform * (upper - lower)",
            takes: &["uniform"],
            result: None,
            gives: vec![output(
                "q",
                q,
                "rad, m",
                "configuration; a coordinate without limits is within a whole turn or from -1 to 1 m, a quaternion any rotation",
            )],
            operations: 10,
        },
    ]
}

/// All functions.
pub fn items(sizes: Sizes) -> impl Iterator<Item = Item> {
    rows().into_iter().map(move |row| item(sizes, row))
}

fn item(sizes: Sizes, row: Row) -> Item {
    let (Sizes { nq, nv, .. }, robot, function) = (sizes, ident(TYPE_NAME), ident(row.name));
    let vector = |n: usize| {
        let n = number(n);
        quote!(rt::SVector<T, #n>)
    };
    let argument = |name: &str| match name {
        "t" => (vec![], quote!(T), "where on the way; also a number, for all states"),
        "uniform" => (vec![nv], vector(nv), "numbers from 0 to 1"),
        "dv" => (vec![nv], vector(nv), "tangent vector; rad, m"),
        _ => (vec![nq], vector(nq), "configuration; rad, m, unit quaternions x, y, z, w"),
    };
    let mut docs = vec![row.doc.to_owned(), String::new(), format!("`{}`", row.equation), String::new()];
    let (mut takes, mut passed) = (Vec::new(), Vec::new());
    for name in row.takes {
        let ((shape, of, doc), variable) = (argument(name), ident(name));
        docs.push(format!("- `{name}`, {}: {doc}", shapes::either(&shape)));
        passed.push(if shape.is_empty() { quote!(*#variable) } else { quote!(#variable) });
        takes.push(((*name).to_owned(), shape, of));
    }
    let gives: Vec<_> = row.gives.iter().map(|o| (*o, shapes::of_output(o, sizes))).collect();
    docs.extend(
        gives
            .iter()
            .map(|(o, of)| format!("- gives `{}`, {}: {}; {}", o.name, shapes::either(of), o.doc, o.unit)),
    );
    let (results, zeros) = match row.result {
        Some(class) => {
            let (class, n) = (ident(class), number(nv));
            (quote!(rt::#class<T, #n>), quote!(rt::#class::zeros()))
        }
        None => (vector(gives[0].1.iter().product()), quote!(rt::zeros())),
    };
    let compute = match row.name {
        "random_configuration" => {
            quote!(*results = rt::random_configuration::<#robot, T, _, _>(#(#passed),*);)
        }
        _ => quote!(*results = #robot::#function(#(#passed),*);),
    };
    Item {
        name: row.name.into(),
        class: upper_camel_case(row.name),
        docs,
        takes,
        more: Vec::new(),
        gives,
        result: row.result.map(String::from),
        results,
        zeros,
        compute,
        one_by_one: false,
        operations: row.operations * nv,
    }
}
