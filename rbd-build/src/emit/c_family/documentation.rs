//! Comments that document functions: equation, arguments, results and formulation.

use super::names;
use crate::search::plan::Plan;
use crate::signatures::signature::{Dim, Dims, Kind, Output, Param, Sizes};
use rbd_runtime::Integrator;
use rbd_runtime::Model;
use std::fmt::Write;

/// Shape, meaning and unit of a result.
pub fn result_doc(output: Output, sizes: Sizes) -> String {
    let place = match output.shape {
        Dims::Tensor(rows, columns, Dim::Nv) => {
            format!(
                "; `[k][(i, j)]` is [{} * k + {} * j + i]",
                rows.of(sizes) * columns.of(sizes),
                rows.of(sizes)
            )
        }
        _ => String::new(),
    };
    format!("{} {}, {}{place}", shown(output.shape, sizes), output.doc, output.unit)
}

/// Writes equation, arguments and results of a function.
///
/// With `made_of`, its text takes the place of operation counts.
pub fn document(text: &mut String, model: &Model<f64>, plan: &Plan, made_of: Option<&str>) {
    let (spec, count, sizes) = (plan.spec(), plan.count(), Sizes::from(model));
    let _ = writeln!(
        text,
        "/* {}\n *\n *   {}\n *",
        function_doc(plan),
        equations(spec.equation).join("\n *   ")
    );
    if let Some(frame) = names::doc(model, plan) {
        let _ = writeln!(text, " * {frame}\n *");
    }
    for param in spec.params {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(*param));
    }
    for output in spec.outputs {
        let _ = writeln!(text, " * gives {} {}", output.name, result_doc(*output, sizes));
    }
    if let Some(made_of) = made_of {
        let _ = writeln!(text, " *\n * {made_of} */");
        return;
    }
    let _ = writeln!(
        text,
        " *\n * {} additions, {} multiplications, {} divisions, {} angles; formulation: {}. */",
        count.adds, count.muls, count.divs, count.sin_cos, plan.strategy
    );
}

/// Splits a list of equations at commas outside of parentheses and brackets.
pub fn equations(all: &str) -> Vec<&str> {
    let (mut depth, mut from, mut each) = (0, 0, Vec::new());
    for (at, c) in all.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                each.push(all[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    each.push(all[from..].trim());
    each
}

/// Description of a function. Remarks on memory concern Rust's `_into` functions only and are cut off.
fn function_doc(plan: &Plan) -> &'static str {
    let spec = plan.spec();
    if plan.composition.is_some() {
        spec.doc.split_inclusive(". ").next().unwrap_or_default().trim_end()
    } else {
        spec.doc
    }
}

/// Documentation of a shape.
pub fn shown(shape: Dims, sizes: Sizes) -> String {
    let (rows, columns) = shape.extent(sizes);
    match shape {
        Dims::Scalar => "[1]".into(),
        Dims::Vector(_) => format!("[{rows}]"),
        Dims::Matrix(..) => format!("[{rows} x {columns}]"),
        Dims::Tensor(_, columns, slices) => {
            format!("[{rows} x {} x {}]", columns.of(sizes), slices.of(sizes))
        }
        // Three columns of the rotation, then the translation.
        Dims::Placement => "[3 x 4]".into(),
        Dims::Placements(n) => format!("[3 x 4 x {}]", n.of(sizes)),
    }
}

/// Documentation of a parameter. Rust's array of vectors is one flat array in C.
pub fn param_doc(param: Param) -> String {
    match param.kind {
        Kind::Configuration | Kind::Tangent | Kind::Inertias | Kind::Gravity => param.doc.into(),
        Kind::Forces => format!("{}; body i's from entry 6 i on", param.doc),
    }
}

/// Equation of a step by an integrator.
pub fn equation_of_step(integrator: Integrator) -> &'static str {
    match integrator {
        Integrator::SemiImplicit => "v+ = v + dt ddq(q, v, tau), q+ = integrate(q, dt v+)",
        Integrator::Explicit => "v+ = v + dt ddq(q, v, tau), q+ = integrate(q, dt v)",
        Integrator::Rk4 => "Runge and Kutta's method of order 4, on the manifold",
        Integrator::ImplicitDamping => {
            "v+ = v + dt (M + dt D)^-1 (tau - b(q, v)), q+ = integrate(q, dt v+), D being joint damping"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::equations;
    use crate::table::functions::FUNCTIONS;

    #[test]
    fn equations_are_whole() {
        let count = |text: &str, c: char| text.matches(c).count();
        for spec in &FUNCTIONS {
            for line in equations(spec.equation) {
                let is_whole = count(line, '[') == count(line, ']') && count(line, '(') == count(line, ')');
                assert!(is_whole, "{}: {line}", spec.name);
            }
        }
        assert_eq!(equations("placement = [R(q), p(q)], a = b"), ["placement = [R(q), p(q)]", "a = b"]);
    }
}
