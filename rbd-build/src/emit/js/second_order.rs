//! Second derivatives that are not kernels.
//!
//! - Loops over tables: the Hessian of weighted torques.
//! - Composition: the Hessian of forward dynamics, from first derivatives and the Hessian of torques. Another
//!   function returns these first derivatives as well.
//! - Tensors: one row at a time, each as the Hessian of one torque or acceleration.

use super::Js;
use super::function::{Definition, Function, fresh};
use super::spell::table;
use crate::emit::c_family::helpers::Helper;
use crate::emit::c_family::products::numbers;
use crate::emit::c_family::second_order::{self, is_forward};
use crate::search::plan::{Composition, Plan};
use crate::signatures::second_order::MU;
use crate::signatures::signature::{A, Dims, FEXT, Output, Param, Sizes};
use crate::table::functions::Function as Row;
use crate::table::routines::draft::products_with_full;
use crate::table::routines::{Dependency, Way};
use rbd_runtime::Model;
use std::fmt::Write;

const FORWARD: &str = include_str!("text/forward_hessian.js");
const TENSORS: &str = include_str!("text/tensors.js");

/// End of the name of a function that also returns first derivatives.
pub const WITH_FIRST: &str = "_with_first";

/// Formulation and cost, for documentation.
pub fn made_of(model: &Model<f64>, plan: &Plan) -> Option<String> {
    plan.composition.as_ref().map(|_| second_order::made_of(model, plan, &Js::COSTS))
}

/// True if there is a function that also returns first derivatives.
pub fn gives_first(function: Row) -> bool {
    function.is_second_order() && !function.is_tensor() && is_forward(function.spec())
}

fn ways(plans: &[Plan]) -> impl Iterator<Item = Way> {
    plans.iter().filter_map(|plan| plan.composition.as_ref()).map(|of| of.way())
}

/// Memory and fixed text that the functions of a module share.
pub fn shared(model: &Model<f64>, plans: &[Plan]) -> String {
    let has = |wanted: &[Way]| ways(plans).any(|way| wanted.contains(&way));
    let mut text = String::new();
    if has(&[Way::OfParts, Way::TorqueByTorque, Way::OneByOne]) {
        text += "const _mu = new Float64Array(NV);\nlet _of_torques;\n\n";
    }
    if has(&[Way::OfParts, Way::OneByOne]) {
        let terms = table(numbers(&products_with_full(model)));
        let _ = writeln!(
            text,
            "let _of_accelerations;\nconst _hessian_terms = new Uint16Array([\n    {terms}]);\n\n{FORWARD}"
        );
    }
    if has(&[Way::OneByOne]) {
        let row = fresh(Row::AbaHessian.spec().outputs, Sizes::from(model));
        let _ = writeln!(text, "const _row = new Float64Array(NV), _of_row = {row};\n");
    }
    if has(&[Way::TorqueByTorque, Way::OneByOne]) {
        let _ = writeln!(text, "{TENSORS}");
    }
    text
}

/// Names of arguments. `instead` may replace a parameter's name.
fn arguments(params: &[Param], instead: impl Fn(Param) -> Option<&'static str>) -> String {
    let names: Vec<&str> = params.iter().map(|param| instead(*param).unwrap_or(param.name)).collect();
    names.join(", ")
}

/// The call for the Hessian of torques under weights `_mu`, at accelerations of a name.
fn of_torques(of: &Composition, accelerations: &'static str) -> String {
    let hessian = of.dependency(Dependency::Hessian).expect("what is no loops is made of it").spec();
    let given = arguments(hessian.params, |param| match param {
        A => Some(accelerations),
        MU => Some("_mu"),
        _ => None,
    });
    format!("    _of_torques = {}({given}, _of_torques);\n", hessian.name)
}

/// Names of the matrices or of the tensors among results.
fn blocks(outputs: &[Output], of: &str) -> String {
    let is_block = |output: &&Output| matches!(output.shape, Dims::Matrix(..) | Dims::Tensor(..));
    let names: Vec<String> =
        outputs.iter().filter(is_block).map(|output| format!("{of}{}", output.name)).collect();
    names.join(", ")
}

/// Text of the function.
pub fn definition(model: &Model<f64>, plan: &Plan, of: &Composition) -> Definition {
    let (function, sizes, spec) = (Function::of_plan(model, plan), Sizes::from(model), plan.spec());
    let (name, passed) = (spec.name, arguments(spec.params, |_| None));
    let first = of.dependency(Dependency::First).map(Plan::spec);
    let first = |to: &str| {
        let first = first.expect("forward dynamics has first derivatives");
        format!("{}({}, {to})", first.name, arguments(first.params, |_| None))
    };
    let first_kept = || format!("    _of_accelerations = {};\n", first("_of_accelerations"));
    let head = function.head(sizes, "", &[]);
    let mut helpers = vec![Helper::NegativeProduct];
    let text = match of.way() {
        Way::OfParts => {
            let (with_first, torques) =
                (function.head(sizes, WITH_FIRST, &["first"]), of_torques(of, "first.ddq"));
            format!(
                "function _{name}({passed}, first, out) {{\n    \
                 _weights_of_torques(first.ddq_dtau, lambda, _mu);\n{torques}    \
                 return _hessian_of_parts(first, _of_torques, lambda, _mu, out);\n}}\n\n\
                 {head}{}    return _{name}({passed}, _of_accelerations, out);\n}}\n\n\
                 {with_first}    {};\n    return _{name}({passed}, first, out);\n}}\n\n",
                first_kept(),
                first("first")
            )
        }
        Way::OneByOne => {
            let (from, to) = (blocks(Row::AbaHessian.spec().outputs, "_of_row."), blocks(spec.outputs, ""));
            let torques = of_torques(of, "_of_accelerations.ddq");
            format!(
                "{head}{}    for (let i = 0; i < NV; i++) {{\n        _row.fill(0);\n        _row[i] = 1;\n        \
                 _weights_of_torques(_of_accelerations.ddq_dtau, _row, _mu);\n    {torques}        \
                 _hessian_of_parts(_of_accelerations, _of_torques, _row, _mu, _of_row);\n        \
                 _spread(i, [{from}], [{to}]);\n    }}\n    return out;\n}}\n\n",
                first_kept()
            )
        }
        Way::TorqueByTorque => {
            helpers.clear();
            let (from, to) =
                (blocks(Row::RneaHessian.spec().outputs, "_of_torques."), blocks(spec.outputs, ""));
            let torques = of_torques(of, A.name);
            format!(
                "{head}    for (let i = 0; i < NV; i++) {{\n        _mu.fill(0);\n        _mu[i] = 1;\n    {torques}        \
                 _spread(i, [{from}], [{to}]);\n    }}\n    return out;\n}}\n\n"
            )
        }
        Way::Hessian => {
            helpers = vec![Helper::Loops("tables")];
            let fext = if spec.params.contains(&FEXT) { FEXT.name } else { "null" };
            let results: Vec<&str> = spec.outputs.iter().map(|output| output.name).collect();
            format!(
                "{head}    _loops.rnea_hessian(q, v, a, {fext}, mu, {});\n    return out;\n}}\n\n",
                results.join(", ")
            )
        }
        Way::Torques | Way::Accelerations => unreachable!("JavaScript has no loops for tensors"),
    };
    Definition { text, helpers: helpers.into_iter().collect(), ..Definition::default() }
}
