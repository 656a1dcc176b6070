//! The module around the kernels: the type, its associated items, and the trait.

use super::kernel::Kernel;
use super::{manifold, tables};
use crate::function::{Argument, Function, Traced};
use rbd_runtime::Model;
use std::fmt::Write;
use syn::parse::Parser;
use syn::{Attribute, Meta};

/// How the generated items are called and where they find what they stand on.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The type's name.
    pub type_name: String,
    /// Its visibility, as `pub` or `pub(crate)`; may be empty.
    pub visibility: String,
    /// Attributes on the type, doc comments included, as tokens.
    pub attributes: String,
}

/// A module's text in parts, between which whoever assembles it says where the runtime is:
///
/// ```text
/// {head}
/// {ALLOW}
/// const _: () = {
///     use .. as rt;
///     {body}
///     {kernels_head} {
///         use .. as rt;
///         {kernels}
///     }
/// };
/// ```
///
/// Nothing leaks out of the block, and nothing that the user called `f64` or `Option` gets in. A constant or unit
/// struct of the user's by the name of a variable is what would: patterns take it for a value to compare with. So the
/// kernels, whose variables are many, are in a module, where nothing of the user's is seen; what is left in the block
/// for the sake of the type has few names, and for those there are functions in the block, which patterns may hide.
#[derive(Clone, Debug)]
pub struct Module {
    /// The type.
    pub head: String,
    /// What refers to the type.
    pub body: String,
    /// The attributes, `mod` and the name of the module of kernels.
    pub kernels_head: String,
    /// What computes.
    pub kernels: String,
}

impl Module {
    /// The attributes that the block of the body needs: taste in lints differs, and nobody reads this code by eye.
    pub const ALLOW: &str =
        "#[allow(dead_code, unused_qualifications, unused_results, unreachable_pub, single_use_lifetimes)]
         #[allow(nonstandard_style)]
         #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]";

    /// The whole as Rust text, not yet formatted.
    pub fn text(&self, runtime: &str) -> String {
        let Self { head, body, kernels_head, kernels } = self;
        format!(
            "{head}{}const _: () = {{\nuse {runtime} as rt;\n{body}\
             {kernels_head} {{\nuse {runtime} as rt;\n{kernels}}}\n}};\n",
            Self::ALLOW
        )
    }
}

/// The module of a robot.
pub fn module(naming: &Naming, model: &Model<f64>, traced: &[Traced]) -> Module {
    let Naming { type_name, visibility, attributes } = naming;
    let docs = if is_documented(attributes) { String::new() } else { type_docs(model) };
    let head = format!(
        "{attributes}\n{docs}#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n\
         {visibility} struct {type_name};\n"
    );
    let (mut body, mut kernels) = (String::new(), String::new());
    let _ = writeln!(body, "const _: () = rt::assert_version({:?});", env!("CARGO_PKG_VERSION"));
    body.push_str("#[allow(unused_imports)]\nuse rt::names::*;\n");
    if traced.iter().flat_map(Traced::stages).any(|t| t.limbs.is_some()) {
        kernels.push_str("use rt::Limbs as _;\n");
    }
    tables::write(&mut body, type_name, model);
    manifold::write(&mut body, type_name, model);
    for traced in traced {
        let function = FunctionText::new(type_name, model, traced);
        kernels.push_str(&function.kernels);
        body.push_str(&function.methods);
    }
    if Function::ALL.iter().all(|f| traced.iter().any(|t| t.function == *f)) {
        robot_trait(&mut body, type_name, model);
    }
    let kernels_head = format!("#[allow(unused_imports)]\nmod {}", kernels_module(type_name));
    Module { head, body, kernels_head, kernels }
}

/// The module that a robot's kernels are in. No type of the user's has this name: it has that of the robot in it.
fn kernels_module(type_name: &str) -> String {
    format!("kernels_of_{type_name}")
}

/// Whether the type has documentation among these attributes.
fn is_documented(attributes: &str) -> bool {
    let attributes = Attribute::parse_outer.parse_str(attributes).expect("checked with the other options");
    attributes.iter().any(|a| matches!(&a.meta, Meta::NameValue(meta) if meta.path.is_ident("doc")))
}

fn type_docs(model: &Model<f64>) -> String {
    format!(
        "/// Dynamics of `{}`, specialised: {} moving bodies, {} configuration and {} velocity coordinates.\n",
        model.name.escape_default(),
        model.bodies.len(),
        model.nq,
        model.nv
    )
}

impl Function {
    /// The struct that it returns, or `None` where that is one vector or matrix.
    pub(super) fn result(self) -> Option<&'static str> {
        match self {
            Self::RneaDerivatives | Self::RneaDerivativesFext => Some("RneaDerivatives"),
            Self::AbaDerivatives | Self::AbaDerivativesFext => Some("AbaDerivatives"),
            _ => None,
        }
    }

    fn docs(self) -> &'static str {
        match self {
            Self::Rnea => {
                "Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`."
            }
            Self::RneaFext => {
                "Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving \
                 body i, in its joint frame."
            }
            Self::Bias => {
                "Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q)."
            }
            Self::Gravity => "Torques that hold the robot at rest, g(q).",
            Self::Aba => "Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.",
            Self::AbaFext => {
                "Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving \
                 body i, in its joint frame."
            }
            Self::Crba => "The joint-space mass matrix M(q), full and symmetric.",
            Self::Minv => "The inverse of the mass matrix, full and symmetric.",
            Self::RneaDerivatives => {
                "Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and \
                 `dtau_da`, which is M(q)."
            }
            Self::RneaDerivativesFext => {
                "The same under external forces. Each is constant in its own body's joint frame: it turns with \
                 the body. A force fixed in the world needs a term of its own in `dtau_dq`."
            }
            Self::AbaDerivatives => {
                "Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and \
                 `ddq_dtau`, which is the inverse of M(q)."
            }
            Self::AbaDerivativesFext => {
                "The same under external forces. Each is constant in its own body's joint frame: it turns with \
                 the body. A force fixed in the world needs a term of its own in `ddq_dq`."
            }
        }
    }
}

fn argument_type(argument: Argument, model: &Model<f64>) -> String {
    match argument {
        Argument::Configuration => format!("rt::SVector<T, {}>", model.nq),
        Argument::Tangent(_) => format!("rt::SVector<T, {}>", model.nv),
        Argument::Forces => format!("[rt::SVector<T, 6>; {}]", model.bodies.len()),
    }
}

/// A parameter's name and type.
type Parameter = (&'static str, String);

/// The first parameter of every function.
fn configuration(model: &Model<f64>) -> Parameter {
    ("q", argument_type(Argument::Configuration, model))
}

/// Parameters and the names to pass them on, where the configuration is given so.
fn parameters(function: Function, model: &Model<f64>, configuration: &Parameter) -> (String, String) {
    let one = |a: Argument| match a {
        Argument::Configuration => configuration.clone(),
        _ => (a.name(), argument_type(a, model)),
    };
    let all: Vec<Parameter> = function.arguments().into_iter().map(one).collect();
    let parameters: Vec<String> = all.iter().map(|(name, of)| format!("{name}: &{of}")).collect();
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    (parameters.join(", "), names.join(", "))
}

fn return_type(function: Function, model: &Model<f64>) -> String {
    let n = model.nv;
    match (function, function.result()) {
        (_, Some(result)) => format!("rt::{result}<T, {n}>"),
        (Function::Crba | Function::Minv, _) => format!("rt::SMatrix<T, {n}, {n}>"),
        _ => format!("rt::SVector<T, {n}>"),
    }
}

/// The items that are one function.
pub struct FunctionText {
    /// What computes it, one a stage.
    pub kernels: String,
    /// What calls them.
    pub methods: String,
}

impl FunctionText {
    /// The text of a traced function of the type with this name.
    pub fn new(type_name: &str, model: &Model<f64>, traced: &Traced) -> Self {
        let function = traced.function;
        let name = function.name();
        let module = kernels_module(type_name);
        let (mut calls, mut kernels) = (String::new(), String::new());
        for (k, stage) in traced.stages().enumerate() {
            let part = if k == 0 { String::new() } else { format!("Part{}", k + 1) };
            let kernel = format!("{}{part}Of{type_name}", crate::naming::upper_camel_case(name));
            let names = arguments_of(stage, k).iter().map(|a| a.name()).collect::<Vec<_>>().join(", ");
            let _ = writeln!(calls, "T::dispatch({module}::{kernel} {{ {names}, angles, out }});");
            kernels.push_str(&kernel_text(&kernel, function, stage, k, model));
        }
        let count = traced.count();
        let docs = format!(
            "/// {}\n///\n/// {} additions, {} multiplications, {} divisions, {} angles; formulation: {}.",
            function.docs(),
            count.adds,
            count.muls,
            count.divs,
            count.sin_cos,
            traced.formulation
        );
        let posture = ("at", format!("rt::Posture<T, {}>", model.nq));
        let at_docs = format!("/// [`Self::{name}`] where sines and cosines are known.");
        let taken = format!("let angles = rt::Taken;\n{calls}");
        let given = format!("let (q, angles) = (&at.q, at);\n{calls}");
        let methods = format!(
            "impl {type_name} {{\n{}{}}}\n",
            wrappers(function, model, (name, &docs), &configuration(model), &taken),
            wrappers(function, model, (&format!("{name}_at"), &at_docs), &posture, &given)
        );
        Self { kernels, methods }
    }
}

/// The function that returns its result, and the one that writes it by calling kernels: for matrices, that is public
/// as well.
fn wrappers(
    function: Function,
    model: &Model<f64>,
    (name, docs): (&str, &str),
    configuration: &Parameter,
    calls: &str,
) -> String {
    let (parameters, names) = parameters(function, model, configuration);
    let returns = return_type(function, model);
    let returned =
        function.result().map_or_else(|| "rt::zeros()".into(), |result| format!("rt::{result}::zeros()"));
    let into_docs = "Writes every entry of `out`, which needs no particular value before.";
    let (call_visibility, call_docs) = if returns.starts_with("rt::SVector") {
        ("", String::new())
    } else {
        ("pub ", format!("/// [`Self::{name}`] without a copy. {into_docs}\n"))
    };
    format!(
        "{docs}\n\
         #[must_use]\n#[inline]\n\
         pub fn {name}<T: rt::Scalar>({parameters}) -> {returns} {{\n\
         let mut out = {returned};\n\
         Self::{name}_into({names}, &mut out);\n\
         out\n}}\n\
         {call_docs}#[inline]\n\
         {call_visibility}fn {name}_into<T: rt::Scalar>({parameters}, out: &mut {returns}) {{\n\
         {calls}}}\n"
    )
}

/// The arguments of a stage's kernel: one after the first has its accelerations from the result.
fn arguments_of(stage: &Traced, k: usize) -> Vec<Argument> {
    let mut arguments = stage.function.arguments();
    arguments.retain(|a| k == 0 || *a != Argument::Tangent("a"));
    arguments
}

/// What computes the `k`-th stage of a function.
fn kernel_text(kernel: &str, function: Function, stage: &Traced, k: usize, model: &Model<f64>) -> String {
    let arguments = arguments_of(stage, k);
    let fields: String =
        arguments.iter().map(|a| format!("pub {}: &'a {},\n", a.name(), argument_type(*a, model))).collect();
    let recasts: String = stage
        .function
        .arguments()
        .iter()
        .map(|a| match a {
            Argument::Forces => "let fext = recast.matrices(self.fext);\n".into(),
            a if arguments.contains(a) => format!("let {0} = recast.matrix(self.{0});\n", a.name()),
            _ => "let a = recast.matrix(&self.out.ddq);\n".into(),
        })
        .collect();
    let body = |name: &str, bound: &str, stage: &Traced| {
        let body = Kernel::new(function, stage).body();
        let constants = if body.contains("k(") { "let k = S::from_f64;\n" } else { "" };
        format!(
            "#[inline(always)]\n\
             fn {name}<S: rt::{bound}>(self, recast: rt::Recast<T, S>) {{\n\
             {constants}{recasts}{body}}}\n"
        )
    };
    format!(
        "pub struct {kernel}<'a, T, A> {{\n{fields}pub angles: A,\npub out: &'a mut {},\n}}\n\
         impl<T: rt::Scalar, A: rt::Angles<T, {}>> rt::Kernel<T> for {kernel}<'_, T, A> {{\n\
         type Output = ();\n\
         {}{}}}\n",
        return_type(function, model),
        model.nq,
        body("run", "Scalar", stage),
        stage.limbs.as_ref().map(|limbs| body("run_limbs", "LimbScalar", limbs)).unwrap_or_default(),
    )
}

/// Everything again through the trait, for code that is generic over robots.
fn robot_trait(text: &mut String, type_name: &str, model: &Model<f64>) {
    let (nq, nv, nb) = (model.nq, model.nv, model.bodies.len());
    let _ = write!(
        text,
        "impl rt::Robot<{nq}, {nv}> for {type_name} {{\n\
         const NB: rt::usize = {nb};\n\
         const NAME: &'static rt::str = Self::NAME;\n\
         type Forces<T: rt::Scalar> = [rt::SVector<T, 6>; {nb}];\n\
         fn joints() -> &'static [rt::Joint] {{ &Self::JOINTS }}\n\
         fn neutral<T: rt::Scalar>() -> rt::SVector<T, {nq}> {{ Self::neutral() }}\n\
         fn integrate<T: rt::Scalar>(q: &rt::SVector<T, {nq}>, dv: &rt::SVector<T, {nv}>) -> rt::SVector<T, {nq}> {{\n\
         Self::integrate(q, dv) }}\n\
         fn difference<T: rt::Scalar>(q0: &rt::SVector<T, {nq}>, q1: &rt::SVector<T, {nq}>) -> rt::SVector<T, {nv}> {{\n\
         Self::difference(q0, q1) }}\n"
    );
    for function in Function::ALL {
        let (parameters, names) = parameters(function, model, &configuration(model));
        let parameters = parameters.replace(&format!("[rt::SVector<T, 6>; {nb}]"), "Self::Forces<T>");
        let (name, returns) = (function.name(), return_type(function, model));
        let _ = write!(
            text,
            "#[inline]\nfn {name}<T: rt::Scalar>({parameters}) -> {returns} {{ Self::{name}({names}) }}\n"
        );
        if !returns.starts_with("rt::SVector") {
            let _ = write!(
                text,
                "#[inline]\nfn {name}_into<T: rt::Scalar>({parameters}, out: &mut {returns}) {{\n\
                 Self::{name}_into({names}, out) }}\n"
            );
        }
    }
    text.push_str("}\n");
}
