//! Heads of functions, and the source around the kernels.

use super::{
    Contacts, Steps, Writer, actuated, contact_hessian, contact_rows, contact_step, contacts, friction,
    joints, manifold, rollouts, run_time, second_order, step, tables, text, zeros,
};
use crate::emit::c_family;
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::spelling::names;
use crate::emit::c_family::text::{extent, first_lines, length, wrapped};
use crate::emit::manifold::is_flat;
use crate::fused::FusedFunction;
use crate::names::snake_case;
use crate::search::plan::{Plan, Stage, Version};
use crate::signatures::signature::{Kind, Signature, Sizes};
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A form of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form {
    /// True if the function takes sines and cosines as arguments.
    pub given: bool,
    /// True if the function takes parameters at run time.
    pub parameters: bool,
    /// Type of first derivatives that the function also returns.
    pub first: Option<&'static str>,
    /// True if the head is of a definition, where arguments are `restrict`.
    pub defined: bool,
}

/// Arguments for sines and cosines.
pub(super) const GIVEN: [&str; 2] = ["sin_q", "cos_q"];

impl Writer<'_> {
    fn text(&self, text: &str, model: &Model<f64>) -> String {
        c_family::text::of(text, self.prefix, self.real, model.nv)
    }

    /// Type of several results.
    pub fn result_type(&self, result: &str) -> String {
        format!("{}_{}_t", self.prefix, snake_case(result))
    }

    /// Head of one form of a function.
    pub(super) fn head(&self, sizes: Sizes, of: &Signature, form: &Form) -> String {
        let (real, restrict) = (self.real.name(), if form.defined { "RBD_RESTRICT " } else { "" });
        let array = |name: &str, n: usize| format!("const {real} {name}[{restrict}{n}]");
        let mut parameters = Vec::new();
        parameters.extend(form.parameters.then(|| run_time::parameter(self, restrict)));
        for param in &of.params {
            parameters.push(array(param.name, extent(param.kind.shape(), sizes)));
            if form.given && param.kind == Kind::Configuration {
                parameters.extend(GIVEN.map(|name| array(name, length(sizes.nq))));
            }
        }
        parameters.extend(form.first.map(|result| format!("{} *{restrict}first", self.result_type(result))));
        parameters.push(match &of.result {
            Some(result) => format!("{} *{restrict}out", self.result_type(result)),
            None => {
                let output = of.outputs[0];
                format!("{real} {}[{restrict}{}]", output.name, extent(output.shape, sizes))
            }
        });
        let with = if form.parameters { "_with" } else { "" };
        let with_first = if form.first.is_some() { "_with_first" } else { "" };
        let at = if form.given { "_at" } else { "" };
        wrapped(&format!("void {}_{}{with_first}{with}{at}({})", self.prefix, of.name, parameters.join(", ")))
    }

    /// Declarations of a function, and of its form with sines and cosines as arguments.
    pub(super) fn declarations(&self, sizes: Sizes, of: &Signature) -> String {
        let head = |given: bool| self.head(sizes, of, &Form { given, ..Form::default() });
        format!(
            "{};\n/* {}_{} where sines and cosines are known. */\n{};\n\n",
            head(false),
            self.prefix,
            of.name,
            head(true)
        )
    }
}

/// Name, parameters and results of a plan. A function of a frame has the frame's name before its own.
pub(super) fn signature(model: &Model<f64>, plan: &Plan) -> Signature {
    Signature { name: c_family::names::name(model, plan), ..plan.signature() }
}

/// Text of the source file.
pub fn source(
    c: &Writer<'_>,
    model: &Model<f64>,
    of_contacts: Contacts<'_>,
    plans: &[Plan],
    all_fused: &[Plan<FusedFunction>],
    steps: Option<Steps<'_>>,
) -> String {
    let all_contacts = of_contacts.at;
    let mut text = first_lines(c.origin);
    let _ = write!(
        text,
        "/* C99 and nothing else: gcc -O2 {0}.c. Where the processor has fused multiply-add (-mfma, -mcpu=cortex-m7), it is\n \
         * used; -ffast-math is not needed. Define RBD_FMA, RBD_SINCOS, RBD_SIN and RBD_COS to choose your own. */\n\
         #include \"{0}.h\"\n#include <float.h>\n\n",
        c.prefix
    );
    let mut functions = Written::default();
    for plan in plans {
        functions.push(definition(c, model, plan));
    }
    for plan in all_fused {
        functions.push(defined(c, Sizes::from(model), &plan.signature(), &plan.stages, false));
    }
    if !all_contacts.is_empty() {
        // Functions of contacts call functions of frames, whose helpers are already requested.
        functions.push(contact_rows::define(c, model, of_contacts.rows));
        functions.push(contacts::define(c, model, plans, of_contacts).into());
        functions.push(c.text(contacts::HOLD, model).into());
        functions.push(c.text(&contacts::functions(c, model, of_contacts), model).into());
        functions.push(c.text(&contact_hessian::define(c, model, plans, all_contacts), model).into());
        functions.push(friction::define(c, model, of_contacts, |fixed| c.text(fixed, model)).into());
    }
    if let Some(Steps { integrator, controls }) = steps {
        let text = |fixed: &str| c.text(fixed, model);
        functions.push(step::define(c, model, integrator, text).into());
        functions.push(actuated::define(c, model, controls, text).into());
        functions.push(rollouts::define(c, model, &Steps { integrator, controls }, text).into());
        if !all_contacts.is_empty() {
            functions.push(contact_step::define(c, model, (plans, all_contacts), integrator, text).into());
        }
    }
    let Written { text: functions, mut helpers } = functions;
    let mut of_joints = String::new();
    joints::define(&mut of_joints, c, model);
    run_time::define(&mut of_joints, c, model);
    let mut of_manifold = String::new();
    manifold::write(&mut of_manifold, c, model);
    if !is_flat(model) {
        helpers.insert(Helper::Sines);
    }
    let pieces = tables::pieces(model, &helpers);
    helpers.extend(pieces.iter().flat_map(|(_, helpers)| *helpers));
    if helpers.contains(&Helper::AbaHessian) {
        helpers.insert(Helper::NegativeProduct);
    }
    let of_loops = |(piece, _): &(&str, _)| c.text(&tables::with_friction(model, piece), model);
    let loops: String = pieces.iter().map(of_loops).collect();
    text.push_str(&c.text(text::macros(c.real), model));
    if helpers.contains(&Helper::Hypot) {
        text.push_str(&c.text(text::HYPOT, model));
    }
    if helpers.contains(&Helper::Sines) {
        text.push_str(&c.text(&text::sines(c.real), model));
    }
    if helpers.contains(&Helper::Zeros) {
        text.push_str(&c.text(text::ZEROS, model));
    }
    let stages = plans.iter().flat_map(|plan| &plan.stages);
    let stages = stages.chain(all_fused.iter().flat_map(|plan| &plan.stages));
    let versions = stages.flat_map(Stage::versions);
    for version in versions {
        for product in version.kernel.products() {
            let result = version.kernel.array(product.result());
            assert_eq!((result.rows, result.columns), (model.nv, model.nv), "the loops are for these sizes");
        }
    }
    let [forward, negative, gram] =
        [Helper::AbaHessian, Helper::NegativeProduct, Helper::GramProduct].map(|x| helpers.contains(&x));
    let pieces = [(text::ROWS, negative || gram), (text::NEGATIVE, negative), (text::GRAM, gram)];
    for (piece, wanted) in pieces.into_iter().chain([(text::FORWARD_HESSIAN, forward)]) {
        if wanted {
            text.push_str(&c.text(piece, model));
        }
    }
    if !loops.is_empty() {
        text.push_str(&tables::tables(c, model));
        text.push_str(&loops);
    }
    text.push_str(&of_joints);
    text.push_str(&of_manifold);
    text.push_str(&functions);
    text
}

/// Definition of a function, and of its forms.
pub fn definition(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Written {
    if let Some(written) = zeros::definition(c, model, plan) {
        return written;
    }
    if plan.composition.is_some() {
        let text = second_order::definition(c, model, plan);
        return Written { text, helpers: second_order::helpers(plan) };
    }
    let parameters = plan.function.takes_parameters(model);
    defined(c, Sizes::from(model), &signature(model, plan), &plan.stages, parameters)
}

/// Definition of a function of these stages.
pub(super) fn defined(
    c: &Writer<'_>,
    sizes: Sizes,
    of: &Signature,
    stages: &[Stage],
    parameters: bool,
) -> Written {
    let Stages { text, coordinates, helpers } =
        Stages::of(c, of.result.is_some(), &arguments(of, parameters), stages);
    Written { text: forms(c, sizes, of, &text, &coordinates, parameters), helpers }
}

/// Statements of all stages of a function.
pub(super) struct Stages {
    pub text: String,
    /// Coordinates whose sines and cosines are read.
    pub coordinates: BTreeSet<u32>,
    pub helpers: BTreeSet<Helper>,
}

impl Stages {
    /// Statements of these stages, in a function with these arguments. With `in_struct` its results are the
    /// fields of one.
    pub(super) fn of(c: &Writer<'_>, in_struct: bool, arguments: &[&str], stages: &[Stage]) -> Self {
        let (mut text, mut coordinates) = (String::new(), BTreeSet::new());
        let mut texts: Vec<Written> = Vec::new();
        let mut blocks = |versions: &[Version]| -> String {
            let block = |version: &Version| {
                let body = c.body(in_struct, version);
                coordinates.extend(body.coordinates());
                texts.push(body.text());
                texts
                    .last()
                    .map(|body| format!("    {{\n{}    }}\n", indented(&body.text)))
                    .unwrap_or_default()
            };
            versions.iter().map(block).collect()
        };
        for stage in stages {
            let scalar = blocks(std::slice::from_ref(&stage.scalar));
            match &stage.simd[..] {
                [] => text += &scalar,
                simd => {
                    let _ = write!(text, "#if RBD_VECTORS\n{}#else\n{scalar}#endif\n", blocks(simd));
                }
            }
        }
        let mut unused = String::new();
        for name in arguments {
            // An argument needs `(void)` if any version does not read it.
            if !texts.iter().all(|body| names(&body.text, name)) {
                let _ = writeln!(unused, "    (void){name};");
            }
        }
        let mut helpers: BTreeSet<Helper> = texts.into_iter().flat_map(|body| body.helpers).collect();
        if !coordinates.is_empty() {
            helpers.insert(Helper::Sines);
        }
        Self { text: unused + &text, coordinates, helpers }
    }
}

/// Definition of a function, in the form that takes sines and cosines by these statements, and in the others.
pub(super) fn forms(
    c: &Writer<'_>,
    sizes: Sizes,
    of: &Signature,
    statements: &str,
    coordinates: &BTreeSet<u32>,
    parameters: bool,
) -> String {
    let mut arguments = arguments(of, parameters);
    if coordinates.is_empty() {
        // Without coordinates, these arguments are never read.
        for name in &mut arguments {
            if GIVEN.contains(name) {
                *name = "q";
            }
        }
    }
    let taken = taken(c, sizes, coordinates);
    let head = |given: bool, parameters: bool| {
        c.head(sizes, of, &Form { given, parameters, defined: true, ..Form::default() })
    };
    let call = |end: &str, arguments: &[&str]| {
        format!("    {}_{}{end}({});\n", c.prefix, of.name, arguments.join(", "))
    };
    let end = if parameters { "_with_at" } else { "_at" };
    let mut text = format!(
        "{}\n{{\n{statements}}}\n\n{}\n{{\n{taken}{}}}\n\n",
        head(true, parameters),
        head(false, parameters),
        call(end, &arguments)
    );
    if parameters {
        // Forms without parameters pass the default values.
        let default = format!("&{}_given", c.prefix);
        let mut passed = arguments.clone();
        passed[0] = &default;
        let (plain, angles) = (call(end, &passed), all_names(of));
        let mut with_angles = vec![default.as_str()];
        with_angles.extend(angles);
        let at = call(end, &with_angles);
        let _ = write!(
            text,
            "{}\n{{\n{at}}}\n\n{}\n{{\n{taken}{plain}}}\n\n",
            head(true, false),
            head(false, false)
        );
    }
    text
}

/// [`all_names`], after the parameters at run time if it takes them.
pub(super) fn arguments(of: &Signature, parameters: bool) -> Vec<&'static str> {
    parameters.then_some("parameters").into_iter().chain(all_names(of)).collect()
}

/// Arguments of the form with sines and cosines, the result included.
pub(super) fn all_names(of: &Signature) -> Vec<&'static str> {
    let mut names = Vec::new();
    for param in &of.params {
        names.push(param.name);
        if param.kind == Kind::Configuration {
            names.extend(GIVEN);
        }
    }
    names.push(if of.result.is_some() { "out" } else { of.outputs[0].name });
    names
}

/// Declares arrays of sines and cosines and fills the entries of `coordinates`. Empty if there are none.
pub(super) fn taken(c: &Writer<'_>, sizes: Sizes, coordinates: &BTreeSet<u32>) -> String {
    if coordinates.is_empty() {
        return String::new();
    }
    let mut taken = format!("    {} sin_q[{1}], cos_q[{1}];\n", c.real.name(), length(sizes.nq));
    for (from, to) in runs(coordinates) {
        let at = |name: &str| if from == 0 { name.into() } else { format!("{name} + {from}") };
        let (q, sin_q, cos_q) = (at("q"), at("sin_q"), at("cos_q"));
        let _ = writeln!(taken, "    {}_sin_cos({}, {q}, {sin_q}, {cos_q});", c.prefix, to - from);
    }
    taken
}

pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("        {line}\n")).collect()
}

/// Runs of consecutive numbers: the first, and one past the last.
fn runs(numbers: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &k in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end == k => *end = k + 1,
            _ => runs.push((k, k + 1)),
        }
    }
    runs
}
