//! CasADi's interface for functions in C, which `casadi.external` loads.
//!
//! Each function of the robot has one. Exact Jacobians come from functions with first derivatives.
//! Exact second derivatives are in `adjoint`, steps in `casadi_step`, functions of contacts in
//! `casadi_contacts`. `coordinates` turns derivatives by tangent vectors into those by coordinates of q.
//!
//! A null pointer means zeros for an argument, and an unwanted result for a result.

use super::{Writer, adjoint, casadi_contacts, casadi_step, coordinates};
use crate::emit::c_family::{names, text};
use crate::emit::manifold::is_flat;
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{Dim, Dims, Param, Sizes};
use crate::table::functions::Spec;
use rbd_runtime::{Integrator, Model};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A quantity of CasADi: a dense matrix by columns, or a zero matrix without entries.
pub(super) struct Quantity {
    pub name: String,
    pub rows: usize,
    pub columns: usize,
    pub is_zero: bool,
}

impl Quantity {
    pub fn new(name: &str, shape: Dims, sizes: Sizes) -> Self {
        let (rows, columns) = shape.extent(sizes);
        Self::of(name, rows, columns)
    }

    /// A dense matrix.
    pub fn of(name: &str, rows: usize, columns: usize) -> Self {
        Self { name: name.into(), rows, columns, is_zero: false }
    }

    /// Name of the sparsity pattern, behind the robot's prefix.
    fn pattern(&self) -> String {
        format!("{}_by_{}{}", self.rows, self.columns, if self.is_zero { "_zero" } else { "" })
    }

    /// Sparsity pattern of CasADi: rows, columns, and 1 for a dense matrix.
    ///
    /// A zero matrix has the beginning of each column instead, all 0.
    fn numbers(&self) -> Vec<usize> {
        let mut all = vec![self.rows, self.columns];
        if self.is_zero {
            all.extend(std::iter::repeat_n(0, self.columns + 1));
        } else {
            all.push(1);
        }
        all
    }

    fn len(&self) -> usize {
        self.rows * self.columns
    }
}

/// A function that copies numbers, unless no place is given.
pub(super) fn copy(prefix: &str) -> String {
    format!(
        "static void {prefix}_copy(double *to, const double *from, int n)\n{{\n    \
         int i;\n    for (i = 0; to && i < n; i++) to[i] = from[i];\n}}\n\n"
    )
}

/// Text of CasADi's file.
pub fn text(
    c: &Writer<'_>,
    model: &Model<f64>,
    contacts: &[ContactAt],
    plans: &[Plan],
    step: Option<Integrator>,
) -> String {
    let (prefix, sizes) = (c.prefix, Sizes::from(model));
    let mut functions = String::new();
    let mut shapes = BTreeMap::new();
    let mut known = |list: &[Quantity]| shapes.extend(list.iter().map(|x| (x.pattern(), x.numbers())));
    for plan in plans {
        let spec = plan.spec();
        let of_plan = |plan: &Plan| names::name(model, plan);
        let name = format!("{prefix}_casadi_{}", of_plan(plan));
        let inputs = inputs(spec, sizes);
        let outputs = outputs(spec, sizes);
        known(&inputs);
        known(&outputs);
        evaluate(&mut functions, c, model, &name, (spec, &of_plan(plan)), &outputs);
        describe(&mut functions, prefix, &name, &inputs, &outputs);
        let derivative = plans.iter().find(|d| is_derivative(d.spec(), spec) && d.frame == plan.frame);
        if let Some(of_derivative) = derivative {
            let derivative = of_derivative.spec();
            let jacobian = format!("jac_{name}");
            let result = &outputs[0];
            let out = Quantity::of(&format!("out_{}", result.name), result.rows, result.columns);
            let with_result: Vec<Quantity> = self::inputs(spec, sizes).into_iter().chain([out]).collect();
            let block = |input: &Quantity| {
                Quantity::of(&format!("jac_{}_{}", result.name, input.name), result.rows, input.rows)
            };
            let blocks: Vec<Quantity> = inputs.iter().map(block).collect();
            known(&blocks);
            evaluate(&mut functions, c, model, &jacobian, (derivative, &of_plan(of_derivative)), &blocks);
            describe(&mut functions, prefix, &jacobian, &with_result, &blocks);
            known(&adjoint::forms(&mut functions, c, model, plans, (plan, of_derivative, &name)));
        }
    }
    known(&coordinates::forms(&mut functions, c, model));
    let of_step = casadi_step::forms(&mut functions, c, model, step);
    known(&of_step);
    let of_contacts = casadi_contacts::forms(&mut functions, c, model, (plans, contacts), step);
    known(&of_contacts);
    // A null pointer as an argument stands for zeros.
    let of_state = if of_step.is_empty() { 0 } else { sizes.nq + sizes.nv };
    let of_anchors = if of_contacts.is_empty() { 0 } else { 12 * contacts.len() };
    let given = plans.iter().flat_map(|p| inputs(p.spec(), sizes)).map(|x| x.len());
    let most = given.max().unwrap_or(0).max(of_state).max(of_anchors).max(1);
    let has_coordinates = functions.contains(&format!("{prefix}_casadi_posed("));
    let mut text = text::first_lines(c.origin);
    let _ = write!(
        text,
        "/* CasADi's interface to {prefix}.c: compile both to a shared library, then in Python\n \
         * f = casadi.external('{prefix}_casadi_rnea', './lib{prefix}.so'). */\n\
         #include \"{prefix}.h\"\n{}\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         #ifndef casadi_real\n#define casadi_real double\n#endif\n\
         #ifndef casadi_int\n#define casadi_int long long int\n#endif\n\
         #ifndef CASADI_SYMBOL_EXPORT\n\
         #if defined(_WIN32) || defined(__WIN32__) || defined(__CYGWIN__)\n\
         #define CASADI_SYMBOL_EXPORT __declspec(dllexport)\n\
         #elif defined(__GNUC__)\n\
         #define CASADI_SYMBOL_EXPORT __attribute__((visibility(\"default\")))\n\
         #else\n#define CASADI_SYMBOL_EXPORT\n#endif\n#endif\n\n\
         static const double {prefix}_zeros[{most}] = {{0}};\n\n\
         static const double *{prefix}_given(const double *x)\n{{\n    return x ? x : {prefix}_zeros;\n}}\n\n",
        if has_coordinates { "#include <math.h>\n" } else { "" }
    );
    // Functions with a single result write it in place and need no copy.
    if functions.contains(&format!("{prefix}_copy(")) {
        text.push_str(&copy(prefix));
    }
    if has_coordinates {
        text.push_str(&coordinates::define(c, model, &functions));
    }
    text.push_str(&adjoint::helpers(c, model, &functions));
    for (pattern, numbers) in shapes {
        let list: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let _ = writeln!(
            text,
            "static const casadi_int {prefix}_{pattern}[{}] = {{{}}};",
            numbers.len(),
            list.join(", ")
        );
    }
    let _ = write!(text, "\n{functions}#ifdef __cplusplus\n}}\n#endif\n");
    text
}

pub(super) fn inputs(spec: &Spec, sizes: Sizes) -> Vec<Quantity> {
    spec.params.iter().map(|p| Quantity::new(p.name, p.kind.shape(), sizes)).collect()
}

fn outputs(spec: &Spec, sizes: Sizes) -> Vec<Quantity> {
    spec.outputs.iter().map(|o| Quantity::new(o.name, o.shape, sizes)).collect()
}

/// True if a function gives the value of another, then its derivatives by each argument.
fn is_derivative(derivative: &Spec, of: &Spec) -> bool {
    of.outputs.len() == 1
        && derivative.params == of.params
        && derivative.outputs.len() == of.params.len() + 1
        && derivative.outputs[0] == of.outputs[0]
        && derivative.outputs[1..]
            .iter()
            .zip(of.params)
            .all(|(output, param)| output.name.ends_with(&format!("_d{}", param.name)))
}

/// True if a parameter's coordinates are not those of its tangent space.
pub(super) fn is_curved(model: &Model<f64>, param: Param) -> bool {
    param.kind.shape() == Dims::Vector(Dim::Nq) && !is_flat(model)
}

/// Arguments of a function in C, and statements before the call.
pub(super) fn arguments(c: &Writer<'_>, model: &Model<f64>, called: &Spec) -> (String, String) {
    let (prefix, mut before) = (c.prefix, String::new());
    let argument = |(k, param): (usize, &Param)| {
        if !is_curved(model, *param) {
            return format!("{prefix}_given(arg[{k}])");
        }
        let _ = writeln!(before, "    {prefix}_casadi_posed({prefix}_given(arg[{k}]), pose);");
        "pose".into()
    };
    let all: Vec<String> = called.params.iter().enumerate().map(argument).collect();
    (all.join(", "), before)
}

/// Declarations of the memory that the statements of [`arguments`] fill.
pub(super) fn memory(model: &Model<f64>, before: &str) -> String {
    if before.is_empty() { String::new() } else { format!("    double pose[{}];\n", model.nq) }
}

/// Writes a function that calls one of the robot's and returns the last of its results.
fn evaluate(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    name: &str,
    (called, its_name): (&Spec, &str),
    results: &[Quantity],
) {
    let prefix = c.prefix;
    let (arguments, before) = arguments(c, model, called);
    let memory = memory(model, &before);
    let _ = write!(
        text,
        "CASADI_SYMBOL_EXPORT int {name}(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)\n\
         {{\n{memory}"
    );
    let called_name = format!("{prefix}_{its_name}");
    match called.result {
        None => {
            let _ = write!(
                text,
                "    (void)iw;\n    (void)w;\n    (void)mem;\n{before}    if (res[0]) {called_name}({arguments}, res[0]);\n"
            );
        }
        Some(result) => {
            let _ = write!(
                text,
                "    {} out;\n    (void)iw;\n    (void)w;\n    (void)mem;\n{before}    {called_name}({arguments}, &out);\n",
                c.result_type(result)
            );
            let skipped = called.outputs.len() - results.len();
            for (k, (output, of)) in called.outputs[skipped..].iter().zip(results).enumerate() {
                let by = (skipped == 1).then(|| called.params[k]);
                if by.is_some_and(|param| is_curved(model, param)) {
                    let _ = writeln!(
                        text,
                        "    {prefix}_casadi_by_coordinates(res[{k}], out.{}, {prefix}_given(arg[{k}]), {});",
                        output.name, of.rows
                    );
                } else {
                    let _ = writeln!(text, "    {prefix}_copy(res[{k}], out.{}, {});", output.name, of.len());
                }
            }
        }
    }
    text.push_str("    return 0;\n}\n");
}

/// Writes the function by which CasADi asks which arguments a function is differentiated by.
pub(super) fn describe_differentiable(text: &mut String, name: &str, is_constant: &[bool]) {
    let list: Vec<String> =
        (0..is_constant.len()).filter(|k| is_constant[*k]).map(|k| format!("i != {k}")).collect();
    let _ = write!(
        text,
        "CASADI_SYMBOL_EXPORT int {name}_diff_in(casadi_int i)\n{{\n    return {};\n}}\n\n",
        list.join(" && ")
    );
}

/// Writes the functions by which CasADi asks for names and shapes.
pub(super) fn describe(
    text: &mut String,
    prefix: &str,
    name: &str,
    inputs: &[Quantity],
    outputs: &[Quantity],
) {
    for (what, list) in [("in", inputs), ("out", outputs)] {
        let cases = |f: &dyn Fn(&Quantity) -> String| -> String {
            list.iter().enumerate().map(|(k, x)| format!("    case {k}: return {};\n", f(x))).collect()
        };
        let names = cases(&|x| format!("\"{}\"", x.name));
        let sparsities = cases(&|x| format!("{prefix}_{}", x.pattern()));
        let _ = write!(
            text,
            "CASADI_SYMBOL_EXPORT casadi_int {name}_n_{what}(void)\n{{\n    return {};\n}}\n\
             CASADI_SYMBOL_EXPORT const char *{name}_name_{what}(casadi_int i)\n\
             {{\n    switch (i) {{\n{names}    default: return 0;\n    }}\n}}\n\
             CASADI_SYMBOL_EXPORT const casadi_int *{name}_sparsity_{what}(casadi_int i)\n\
             {{\n    switch (i) {{\n{sparsities}    default: return 0;\n    }}\n}}\n",
            list.len()
        );
    }
    let _ = write!(
        text,
        "CASADI_SYMBOL_EXPORT int {name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)\n\
         {{\n    if (sz_arg) *sz_arg = {};\n    if (sz_res) *sz_res = {};\n    if (sz_iw) *sz_iw = 0;\n    \
         if (sz_w) *sz_w = 0;\n    return 0;\n}}\n\
         CASADI_SYMBOL_EXPORT void {name}_incref(void)\n{{\n}}\n\
         CASADI_SYMBOL_EXPORT void {name}_decref(void)\n{{\n}}\n\n",
        inputs.len(),
        outputs.len()
    );
}
