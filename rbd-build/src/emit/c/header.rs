//! The header: what users read.

use super::interface::{extent, first_lines};
use super::spell::comment;
use super::{C, contacts, frames, fused, joints, manifold, run_time, second_order};
use crate::frames::ContactAt;
use crate::fused::FusedPlan;
use crate::plan::Plan;
use crate::signature::{Kind, Output, Param, Shape, Sizes};
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The header.
pub fn text(
    c: &C<'_>,
    model: &Model<f64>,
    all_contacts: &[ContactAt],
    plans: &[Plan],
    all_fused: &[FusedPlan],
) -> String {
    let (guard, prefix) = (c.prefix.to_uppercase(), c.prefix);
    let sizes = Sizes::from(model);
    let mut text = first_lines(c);
    let _ = write!(
        text,
        "/* Dynamics of {}: {} moving bodies, {} configuration and {} velocity coordinates.\n \
         *\n \
         * Matrices are stored by columns: entry (i, j) of a matrix with n rows is [n * j + i]. Results must not overlap\n \
         * arguments; every entry of a result is written. Nothing is allocated, nothing is global, nothing can fail.\n \
         * SI units, angles in rad; quaternions are x, y, z, w. Where a function's unit says rad and N m, they are m and\n \
         * N for joints that slide. Functions whose names end in _at take the sines and cosines of the coordinates that\n \
         * turn, and compute none.\n */\n\
         #ifndef {guard}_H\n#define {guard}_H\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         #define {guard}_NQ {} /* configuration coordinates */\n\
         #define {guard}_NV {} /* velocity coordinates */\n\
         #define {guard}_NB {} /* moving bodies */\n\n",
        comment(&model.name),
        sizes.nb,
        sizes.nq,
        sizes.nv,
        sizes.nq,
        sizes.nv,
        sizes.nb
    );
    joints::declare(&mut text, c, model);
    run_time::declare(&mut text, c, model);
    let mut structs = BTreeSet::new();
    for spec in plans.iter().map(Plan::spec) {
        if let Some(result) = spec.result.filter(|result| structs.insert(*result)) {
            result_struct(&mut text, c, sizes, result, spec.outputs);
        }
    }
    for plan in plans {
        document(&mut text, model, plan);
        let _ = writeln!(text, "{};", c.signature(model, plan, false, false));
        let name = frames::name(model, plan);
        let _ = writeln!(text, "/* {prefix}_{name} where sines and cosines are known. */");
        let _ = writeln!(text, "{};\n", c.signature(model, plan, true, false));
        if let Some(with_first) = second_order::declaration(c, model, plan) {
            text.push_str(&with_first);
        }
        run_time::declarations(&mut text, c, model, plan);
    }
    for plan in all_fused {
        fused::declare(&mut text, c, model, plan);
    }
    contacts::declare(&mut text, c, model, all_contacts);
    manifold::declare(&mut text, c, model);
    text.push_str("#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// The type of several results.
pub(super) fn result_struct(text: &mut String, c: &C<'_>, sizes: Sizes, result: &str, outputs: &[Output]) {
    text.push_str("typedef struct {\n");
    for output in outputs {
        let (real, n) = (c.real.name(), extent(output.shape, sizes));
        let _ = writeln!(text, "    {real} {}[{n}]; /* {} */", output.name, result_doc(*output, sizes));
    }
    let _ = writeln!(text, "}} {};\n", c.result_type(result));
}

pub(super) fn result_doc(output: Output, sizes: Sizes) -> String {
    let place = match output.shape {
        Shape::Tensor(rows, columns, _) if output.doc.contains("[k][(i, j)]") => {
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

/// What a function computes of what.
pub(in crate::emit) fn document(text: &mut String, model: &Model<f64>, plan: &Plan) {
    let (spec, count, sizes) = (plan.spec(), plan.count(), Sizes::from(model));
    let _ = writeln!(
        text,
        "/* {}\n *\n *   {}\n *",
        function_doc(plan),
        equations(spec.equation).join("\n *   ")
    );
    if let Some(frame) = frames::doc(model, plan) {
        let _ = writeln!(text, " * {frame}\n *");
    }
    for param in spec.params {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(*param));
    }
    for output in spec.outputs {
        let _ = writeln!(text, " * gives {} {}", output.name, result_doc(*output, sizes));
    }
    if plan.is_by_tables() {
        let _ = writeln!(text, " *\n * {} */", second_order::made_of(model, plan));
        return;
    }
    let _ = writeln!(
        text,
        " *\n * {} additions, {} multiplications, {} divisions, {} angles; formulation: {}. */",
        count.adds, count.muls, count.divs, count.sin_cos, plan.strategy
    );
}

/// One after the other, what are separated by commas outside of parentheses and brackets.
fn equations(all: &str) -> Vec<&str> {
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

/// What a function does; how Rust's forms that write treat memory is not said here.
fn function_doc(plan: &Plan) -> &'static str {
    let spec = plan.spec();
    if plan.is_by_tables() {
        spec.doc.split_inclusive(". ").next().unwrap_or_default().trim_end()
    } else {
        spec.doc
    }
}

/// How a shape is documented.
pub(in crate::emit) fn shown(shape: Shape, sizes: Sizes) -> String {
    let (rows, columns) = shape.extent(sizes);
    match shape {
        Shape::Scalar => "[1]".into(),
        Shape::Vector(_) => format!("[{rows}]"),
        Shape::Matrix(..) => format!("[{rows} x {columns}]"),
        Shape::Tensor(_, columns, slices) => {
            format!("[{rows} x {} x {}]", columns.of(sizes), slices.of(sizes))
        }
        // Three columns of the rotation, and the translation.
        Shape::Placement => "[3 x 4]".into(),
        Shape::Placements(n) => format!("[3 x 4 x {}]", n.of(sizes)),
    }
}

/// What a parameter is; what Rust has as an array of vectors is one array here.
pub(in crate::emit) fn param_doc(param: Param) -> String {
    match param.kind {
        Kind::Configuration | Kind::Tangent | Kind::Inertias | Kind::Gravity => param.doc.into(),
        Kind::Forces => format!("{}; body i's from entry 6 i on", param.doc),
    }
}

#[cfg(test)]
mod tests {
    use super::equations;
    use crate::functions::FUNCTIONS;

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
