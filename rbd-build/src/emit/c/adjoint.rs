//! CasADi's adjoint functions, for exact second derivatives without tensors.
//!
//! `adj1_` is the transposed Jacobian times a seed.
//! `jac_adj1_` has the Hessian of the seeded sum of results as its blocks.

use super::Writer;
use super::casadi::{Quantity, arguments, describe, inputs, is_curved, memory};
use crate::emit::c_family::second_order::is_forward;
use crate::emit::c_family::{names, text};
use crate::search::plan::Plan;
use crate::signatures::signature::{Dims, Param, Sizes};
use crate::table::functions::{Function, Spec};
use rbd_runtime::Model;
use std::fmt::Write;

/// Blocks of second derivatives by coordinates.
pub(super) const SECOND: &str = include_str!("text/casadi/second.c");

/// Returns the function that computes the Hessian of a weighted sum of results.
fn hessian_of(function: Function) -> Option<Function> {
    match function {
        Function::Rnea => Some(Function::RneaHessian),
        Function::Aba => Some(Function::AbaHessian),
        _ => None,
    }
}

/// Arguments of adjoint functions, in order: those of the function, its result, the seed.
///
/// The Jacobian has the adjoint function's results as further arguments.
struct Names<'a> {
    spec: &'static Spec,
    /// Name of the result.
    of: &'a str,
    sizes: Sizes,
}

impl Names<'_> {
    fn seeded(&self) -> Vec<Quantity> {
        let mut all = inputs(self.spec, self.sizes);
        all.extend(["out", "adj"].map(|begin| {
            Quantity::new(&format!("{begin}_{}", self.of), self.spec.outputs[0].shape, self.sizes)
        }));
        all
    }

    fn results(&self, begin: &str) -> Vec<Quantity> {
        let named = |p: &Param| Quantity::new(&format!("{begin}adj_{}", p.name), p.kind.shape(), self.sizes);
        self.spec.params.iter().map(named).collect()
    }
}

/// Writes both adjoint functions, if the robot has the functions that they call. Returns their shapes.
///
/// `name` is the function, and `derivative` has its Jacobian.
pub fn forms(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    plans: &[Plan],
    (plan, derivative, name): (&Plan, &Plan, &str),
) -> Vec<Quantity> {
    let (prefix, sizes) = (c.prefix, Sizes::from(model));
    if !matches!(plan.spec().outputs[0].shape, Dims::Scalar | Dims::Vector(_)) {
        return Vec::new();
    }
    let (spec, first) = (plan.spec(), derivative.spec());
    let names = Names { spec, of: spec.outputs[0].name, sizes };
    let seed = spec.params.len() + 1;
    let rows = spec.outputs[0].shape.extent(sizes).0;
    let head = |name: &str| {
        format!(
            "CASADI_SYMBOL_EXPORT int {name}(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)\n{{\n"
        )
    };
    let (given, before) = arguments(c, model, spec);
    let memory = memory(model, &before);
    let curved: Vec<bool> = spec.params.iter().map(|param| is_curved(model, *param)).collect();
    let first_type = c.result_type(first.result.expect("a derivative has several results"));
    let adjoint = format!("adj1_{name}");
    let _ = write!(
        text,
        "{}{memory}    {first_type} out;\n{}    (void)iw;\n    (void)w;\n    (void)mem;\n{before}    {prefix}_{}({given}, &out);\n",
        head(&adjoint),
        if before.is_empty() { String::new() } else { format!("    double by[{}];\n", sizes.nv) },
        names::name(model, derivative),
    );
    for (k, output) in first.outputs[1..].iter().enumerate() {
        let to = if curved[k] { "by".into() } else { format!("res[{k}]") };
        let _ = writeln!(
            text,
            "    {prefix}_seeded({to}, out.{}, {prefix}_given(arg[{seed}]), {rows});",
            output.name
        );
        if curved[k] {
            let _ = writeln!(
                text,
                "    {prefix}_casadi_by_coordinates(res[{k}], by, {prefix}_given(arg[{k}]), 1);"
            );
        }
    }
    text.push_str("    return 0;\n}\n");
    let mut shapes = names.results("");
    describe(text, prefix, &adjoint, &names.seeded(), &shapes);

    let hessian = hessian_of(plan.function).and_then(|f| plans.iter().find(|plan| plan.function == f));
    let Some(hessian) = hessian else { return shapes };
    let jacobian = format!("jac_{adjoint}");
    let of = hessian.spec();
    let _ = write!(
        text,
        "{}{memory}    {first_type} first;\n    {} of;\n    (void)iw;\n    (void)w;\n    (void)mem;\n{before}",
        head(&jacobian),
        c.result_type(of.result.expect("a Hessian has several results")),
    );
    let weighted = format!("{given}, {prefix}_given(arg[{seed}])");
    let _ = if is_forward(of) {
        writeln!(text, "    {prefix}_{}_with_first({weighted}, &first, &of);", of.name)
    } else {
        writeln!(
            text,
            "    {prefix}_{}({given}, &first);\n    {prefix}_{}({weighted}, &of);",
            first.name, of.name
        )
    };
    // Outputs 0 to 3 are value and gradient.
    // Blocks follow: q and q, q and v, v and v, q and the third argument.
    let [qq, qv, vv, qx] = [4, 5, 6, 7].map(|k| of.outputs[k].name);
    let blocks = [
        [Some((qq, false)), Some((qv, false)), Some((qx, false))],
        [Some((qv, true)), Some((vv, false)), None],
        [Some((qx, true)), None, None],
    ];
    let mut made = Vec::new();
    for (row, param) in spec.params.iter().enumerate() {
        for (column, by) in names.seeded().iter().enumerate() {
            let from = if column < 3 {
                blocks[row][column].map(|(name, is_turned)| (format!("of.{name}"), is_turned))
            } else {
                (column == seed).then(|| (format!("first.{}", first.outputs[1 + row].name), true))
            };
            let is_by_coordinates = |k: usize| curved.get(k).copied().unwrap_or(false);
            if let Some((from, is_turned)) = from.as_ref().filter(|_| before.is_empty()) {
                let copy = if *is_turned { "turned" } else { "block" };
                let _ = writeln!(text, "    {prefix}_{copy}(res[{}], {from});", made.len());
            }
            if let Some((from, is_turned)) = from.as_ref().filter(|_| !before.is_empty()) {
                let at = |k: usize| match is_by_coordinates(k) {
                    true => format!("{prefix}_given(arg[{k}])"),
                    false => "0".into(),
                };
                let _ = writeln!(
                    text,
                    "    {prefix}_casadi_block(res[{}], {from}, {}, {}, {});",
                    made.len(),
                    u8::from(*is_turned),
                    at(row),
                    at(column)
                );
                if row == column && is_by_coordinates(row) {
                    let _ = writeln!(
                        text,
                        "    {prefix}_casadi_add_turning(res[{}], of.{}, {});",
                        made.len(),
                        of.outputs[1].name,
                        at(row)
                    );
                }
            }
            let name = format!("jac_adj_{}_{}", param.name, by.name);
            let is_zero = from.is_none();
            made.push(Quantity {
                is_zero,
                ..Quantity::of(&name, param.kind.shape().extent(sizes).0, by.rows)
            });
        }
    }
    text.push_str("    return 0;\n}\n");
    let mut taken = names.seeded();
    taken.extend(names.results("out_"));
    describe(text, prefix, &jacobian, &taken, &made);
    shapes.extend(made);
    shapes
}

/// Helpers that the adjoint functions call, only those in use.
pub fn helpers(c: &Writer<'_>, model: &Model<f64>, functions: &str) -> String {
    let (prefix, n) = (c.prefix, model.nv);
    let mut text = String::new();
    if functions.contains(&format!("{prefix}_seeded(")) {
        let _ = write!(
            text,
            "/* to = m^T seed */\nstatic void {prefix}_seeded(double *to, const double *m, const double *seed, int rows)\n{{\n    \
             int i, j;\n    for (j = 0; to && j < {n}; j++) {{\n        to[j] = 0;\n        \
             for (i = 0; i < rows; i++) to[j] += m[j * rows + i] * seed[i];\n    }}\n}}\n\n"
        );
    }
    for (name, from, what) in [("block", "[j * N + i]", "m"), ("turned", "[i * N + j]", "m^T")] {
        if functions.contains(&format!("{prefix}_{name}(")) {
            let from = from.replace('N', &n.to_string());
            let _ = write!(
                text,
                "/* to = {what} */\nstatic void {prefix}_{name}(double *to, const double *m)\n{{\n    int i, j;\n    \
                 for (j = 0; to && j < {n}; j++) {{\n        for (i = 0; i < {n}; i++) to[j * {n} + i] = m{from};\n    }}\n}}\n\n"
            );
        }
    }
    if functions.contains(&format!("{prefix}_casadi_block(")) {
        text.push_str(&text::of(SECOND, prefix, c.real, n));
    }
    text
}
