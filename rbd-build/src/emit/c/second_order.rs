//! Second derivatives that are not kernels.
//!
//! - Loops over tables: the Hessian of weighted torques, and tensors.
//! - Composition: the Hessian of forward dynamics, from first derivatives and the Hessian of torques.
//! - Tensors without loops: one row at a time, each as the Hessian of one torque or acceleration.

use super::interface::{Form, GIVEN, taken};
use super::tables;
use super::{C, Writer};
use crate::emit::c_family::helpers::Helper;
use crate::emit::c_family::second_order::{self, is_forward, reads_tables};
use crate::emit::c_family::text::length;
use crate::search::plan::{Composition, Plan, Stage};
use crate::signatures::second_order::MU;
use crate::signatures::signature::{A, Dims, FEXT, Kind, Param, Q, Sizes, V};
use crate::table::functions::Function;
use crate::table::routines::draft::products_with_full;
use crate::table::routines::{Dependency, Way};
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Formulation and cost, for documentation.
pub fn made_of(model: &Model<f64>, plan: &Plan) -> String {
    let large = if plan.spec().function.is_tensor() { " Large: keep it in static memory." } else { "" };
    second_order::made_of(model, plan, &C::COSTS) + large
}

/// Helpers that the definition calls. Dependencies are functions of their own.
pub fn helpers(plan: &Plan) -> BTreeSet<Helper> {
    let all = match plan.composition.as_ref().map(|of| of.way()) {
        Some(Way::Hessian) => vec![Helper::Loops("rnea_hessian")],
        Some(Way::Torques) => vec![Helper::Loops("rnea_tensors")],
        Some(Way::Accelerations) => vec![Helper::Loops("rnea_tensors"), Helper::Loops("aba_tensors")],
        Some(Way::OfParts | Way::OneByOne) => vec![Helper::AbaHessian],
        Some(Way::TorqueByTorque) | None => Vec::new(),
    };
    all.into_iter().collect()
}

/// The form that also returns first derivatives.
const WITH_FIRST: Form =
    Form { given: false, parameters: false, defined: false, first: Some("AbaDerivatives") };

/// Declarations of the forms that also return first derivatives, if the function has any.
pub fn declaration(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Option<String> {
    if plan.composition.is_none() || !is_forward(plan.spec()) {
        return None;
    }
    let head = |form: Form| c.head(Sizes::from(model), &plan.signature(), &form);
    let name = format!("{}_{}", c.prefix, plan.function.name());
    let own =
        format!("/* {name}, and the first derivatives that it is made from. */\n{};\n\n", head(WITH_FIRST));
    let with = plan.function.takes_parameters(model).then(|| {
        let form = Form { parameters: true, ..WITH_FIRST };
        format!("/* {name}_with_first with other parameters. */\n{};\n\n", head(form))
    });
    Some(own + &with.unwrap_or_default())
}

/// Ends of the name, and the first argument, of the form of a function with sines and cosines.
fn at(function: Function, model: &Model<f64>) -> [&'static str; 2] {
    if function.takes_parameters(model) { ["_with_at", "parameters, "] } else { ["_at", ""] }
}

/// Arguments of a call, with these as sines and cosines. `instead` may replace a parameter's name.
fn arguments(
    params: &[Param],
    angles: [&'static str; 2],
    instead: impl Fn(Param) -> Option<&'static str>,
) -> String {
    let mut names = Vec::new();
    for param in params {
        names.push(instead(*param).unwrap_or(param.name));
        if param.kind == Kind::Configuration {
            names.extend(angles);
        }
    }
    names.join(", ")
}

/// Body by loops: the Hessian of weighted torques, or tensors.
///
/// Tensors of accelerations are computed from tensors of torques and first derivatives.
fn by_loops(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> String {
    let (spec, prefix) = (plan.spec(), c.prefix);
    let fext = if spec.params.contains(&FEXT) { FEXT.name } else { "0" };
    let [q, v, a, mu] = [Q, V, A, MU].map(|param| param.name);
    let [sin, cos] = GIVEN;
    if !spec.function.is_tensor() {
        return format!("    {prefix}_table_rnea_hessian({q}, {sin}, {cos}, {v}, {a}, {fext}, {mu}, out);\n");
    }
    let out: Vec<String> = spec.outputs.iter().map(|output| format!("out->{}", output.name)).collect();
    let out = out.join(", ");
    let torques = |a: &str| {
        format!("    {prefix}_table_rnea_tensors({q}, {sin}, {cos}, {v}, {a}, {fext},\n        {out});\n")
    };
    match plan.dependencies().first() {
        None => torques(a),
        Some(first) => format!(
            "{}{}    {prefix}_table_aba_tensors(first, {out});\n",
            of_first(prefix, model, first),
            torques("first->ddq")
        ),
    }
}

/// The call for first derivatives.
fn of_first(prefix: &str, model: &Model<f64>, first: &Plan) -> String {
    let (spec, [at, parameters]) = (first.spec(), at(first.function, model));
    let arguments = arguments(spec.params, GIVEN, |_| None);
    format!("    {prefix}_{}{at}({parameters}{arguments}, first);\n", spec.name)
}

/// Body composed of the results of dependencies.
fn by_parts(c: &Writer<'_>, model: &Model<f64>, plan: &Plan, composition: &Composition) -> String {
    let (spec, prefix, real) = (plan.spec(), c.prefix, c.real.name());
    let hessian = composition.dependency(Dependency::Hessian).expect("what is no loops is made of it").spec();
    let sizes = Sizes::from(model);
    let n = length(sizes.nv);
    let (first, is_tensor) = (composition.dependency(Dependency::First), composition.way().gives_tensors());
    let is_forward = first.is_some();
    let of_hessian = arguments(hessian.params, GIVEN, |p| match p {
        A if is_forward => Some("first->ddq"),
        _ => None,
    });
    let [at, parameters] = at(hessian.function, model);
    let of_hessian = format!("{prefix}_{}{at}({parameters}{of_hessian}, &of);", hessian.name);
    let mut lines = vec![format!("{} of;", c.result_type("RneaHessian"))];
    if is_forward || is_tensor {
        lines.push(format!("{real} mu[{n}] = {{0}};"));
    }
    if is_forward && is_tensor {
        lines.push(format!("{} row;", c.result_type("AbaHessian")));
        lines.push(format!("{real} lambda[{n}] = {{0}};"));
    }
    if is_tensor {
        lines.push("int i, k;".into());
    }
    lines.extend(first.map(|first| of_first(prefix, model, first).trim().to_owned()));
    let (mut inner, mut text) = (Vec::new(), String::new());
    if is_forward {
        inner.push(format!("{prefix}_weights_of_torques(first->ddq_dtau, lambda, mu);"));
    }
    inner.push(of_hessian);
    if is_forward {
        let to = if is_tensor { "&row" } else { "out" };
        let products = products_with_full(model);
        let groups = products.len();
        text = tables::terms("terms", &products);
        inner.push(format!("{prefix}_aba_hessian_of_parts(first, &of, lambda, mu, terms, {groups}, {to});"));
    }
    if is_tensor {
        let (weight, from) = if is_forward { ("lambda", "row") } else { ("mu", "of") };
        lines.push(format!("for (i = 0; i < {}; i++) {{", sizes.nv));
        lines.push(format!("    {weight}[i] = 1;"));
        lines.extend(inner.iter().map(|line| format!("    {line}")));
        lines.push(format!("    {weight}[i] = 0;"));
        lines.push(format!("    for (k = 0; k < {}; k++) {{", sizes.nv * sizes.nv));
        let row = plan.function.hessian_of_row().expect("tensors are made of rows").spec();
        let blocks = row.outputs.iter().filter(|output| matches!(output.shape, Dims::Matrix(..)));
        for (output, block) in spec.outputs.iter().zip(blocks) {
            lines.push(format!("        out->{}[{n} * k + i] = {from}.{}[k];", output.name, block.name));
        }
        lines.extend(["    }".into(), "}".into()]);
    } else {
        lines.extend(inner);
    }
    text.extend(lines.iter().map(|line| format!("    {line}\n")));
    text
}

/// Definition of a function.
pub fn definition(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> String {
    let (spec, sizes, prefix) = (plan.spec(), Sizes::from(model), c.prefix);
    let (name, is_forward) = (spec.name, is_forward(spec));
    let body = match &plan.composition {
        Some(of) if !of.way().reads_tables() => by_parts(c, model, plan, of),
        _ => by_loops(c, model, plan),
    };
    let coordinates = coordinates(c, model, plan);
    let taken = taken(c, sizes, &coordinates);
    let takes = plan.function.takes_parameters(model);
    let ([with, given], default) =
        (if takes { ["_with", "parameters, "] } else { [""; 2] }, format!("&{prefix}_given, "));
    let head = |form: Form| c.head(sizes, &plan.signature(), &Form { defined: true, ..form });
    // A form of a function, of the same name with an end.
    let form = |given: bool, parameters: bool| Form { given, parameters, ..Form::default() };
    let first_form = |given: bool, parameters: bool| Form { given, parameters, ..WITH_FIRST };
    // Without coordinates, sines and cosines are never read.
    let angles = if coordinates.is_empty() { [Q.name; 2] } else { GIVEN };
    let passed = arguments(spec.params, angles, |_| None);
    let all = arguments(spec.params, GIVEN, |_| None);
    let plain = arguments_without_angles(spec.params);
    let mut text = String::new();
    let mut define = |head: String, body: String| {
        let _ = write!(text, "{head}\n{{\n{body}}}\n\n");
    };
    if is_forward {
        define(format!("static {}", head(first_form(true, takes))), body);
        let call = format!("    {prefix}_{name}_with_first{with}_at({given}{all}, &first, out);\n");
        define(head(form(true, takes)), format!("    {} first;\n{call}", c.result_type("AbaDerivatives")));
        let call = format!("    {prefix}_{name}_with_first{with}_at({given}{passed}, first, out);\n");
        define(head(first_form(false, takes)), format!("{taken}{call}"));
    } else {
        define(head(form(true, takes)), body);
    }
    define(head(form(false, takes)), format!("{taken}    {prefix}_{name}{with}_at({given}{passed}, out);\n"));
    if takes {
        // Forms without parameters pass the default values.
        define(head(form(true, false)), format!("    {prefix}_{name}_with_at({default}{all}, out);\n"));
        define(head(form(false, false)), format!("    {prefix}_{name}_with({default}{plain}, out);\n"));
        if is_forward {
            let call = format!("    {prefix}_{name}_with_first_with({default}{plain}, first, out);\n");
            define(head(first_form(false, false)), call);
        }
    }
    text
}

/// Arguments of a call without sines and cosines.
fn arguments_without_angles(params: &[Param]) -> String {
    params.iter().map(|param| param.name).collect::<Vec<_>>().join(", ")
}

/// Coordinates whose sines and cosines the function or its dependencies read.
pub(super) fn coordinates(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    for dependency in plan.dependencies().iter().chain([plan]) {
        if reads_tables(dependency) {
            let robot = Owned::from_model(model).expect("joints are numbered depth first");
            all.extend(tables::coordinates(&robot));
        }
        for version in dependency.stages.iter().flat_map(Stage::versions) {
            all.extend(c.body(dependency.spec().result.is_some(), version).coordinates());
        }
    }
    all
}
