//! The module around the kernels: the type, its associated items, and the trait.

use super::body::Body;
use super::{manifold, static_model};
use crate::functions::{FUNCTIONS, Spec};
use crate::kernel::Role;
use crate::plan::{Plan, Stage, Version, Wire};
use crate::signature::{Dim, FEXT, Kind, Param, Shape, Sizes};
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
pub fn module(naming: &Naming, model: &Model<f64>, plans: &[Plan]) -> Module {
    let Naming { type_name, visibility, attributes } = naming;
    let docs = if is_documented(attributes) { String::new() } else { type_docs(model) };
    let head = format!(
        "{attributes}\n{docs}#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n\
         {visibility} struct {type_name};\n"
    );
    let (mut body, mut kernels) = (String::new(), String::new());
    let _ = writeln!(body, "const _: () = rt::assert_version({:?});", env!("CARGO_PKG_VERSION"));
    body.push_str("#[allow(unused_imports)]\nuse rt::names::*;\n");
    if plans.iter().flat_map(|p| &p.stages).any(|stage| stage.simd.is_some()) {
        kernels.push_str("use rt::Limbs as _;\n");
    }
    static_model::write(&mut body, type_name, model);
    manifold::write(&mut body, type_name, model);
    for plan in plans {
        let function = FunctionText::new(type_name, model, plan);
        kernels.push_str(&function.kernels);
        body.push_str(&function.methods);
    }
    if FUNCTIONS.iter().all(|f| plans.iter().any(|p| p.function == f.function)) {
        robot_trait(&mut body, type_name, model.into());
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

fn shape_type(shape: Shape, sizes: Sizes) -> String {
    let (rows, columns) = shape.extent(sizes);
    match shape {
        Shape::Vector(_) => format!("rt::SVector<T, {rows}>"),
        Shape::Matrix(..) => format!("rt::SMatrix<T, {rows}, {columns}>"),
        Shape::Scalar | Shape::Tensor(..) => unimplemented!("no function gives a {shape:?} yet"),
    }
}

fn param_type(param: Param, sizes: Sizes) -> String {
    match param.kind {
        // A vector a body, so that users name bodies by index.
        Kind::Forces => format!("[{}; {}]", shape_type(Shape::Vector(Dim::Fixed(6)), sizes), sizes.nb),
        kind => shape_type(kind.shape(), sizes),
    }
}

/// The places where a function's signature is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The robot's own function.
    Own,
    /// The same where sines and cosines are known.
    At,
    /// The trait's method.
    Trait,
}

/// A signature in parts.
struct Signature {
    /// `q: &rt::SVector<T, 7>, ..`.
    parameters: String,
    /// `q, ..`: to pass them on.
    names: String,
    /// What is returned.
    returns: String,
}

impl Signature {
    fn new(spec: &Spec, sizes: Sizes, form: Form) -> Self {
        let one = |p: &Param| match (p.kind, form) {
            (Kind::Configuration, Form::At) => ("at", format!("rt::Posture<T, {}>", sizes.nq)),
            (Kind::Forces, Form::Trait) => (p.name, "Self::Forces<T>".into()),
            _ => (p.name, param_type(*p, sizes)),
        };
        let all: Vec<(&str, String)> = spec.params.iter().map(one).collect();
        let parameters: Vec<String> = all.iter().map(|(name, of)| format!("{name}: &{of}")).collect();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        Self { parameters: parameters.join(", "), names: names.join(", "), returns: return_type(spec, sizes) }
    }
}

fn return_type(spec: &Spec, sizes: Sizes) -> String {
    match spec.result {
        Some(result) => format!("rt::{result}<T, {}>", sizes.nv),
        None => shape_type(spec.outputs[0].shape, sizes),
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
    /// The text of a function of the type with this name.
    pub fn new(type_name: &str, model: &Model<f64>, plan: &Plan) -> Self {
        let spec = plan.spec();
        let (name, module) = (spec.name, kernels_module(type_name));
        let (mut calls, mut kernels) = (String::new(), String::new());
        for (k, stage) in plan.stages.iter().enumerate() {
            let part = if k == 0 { String::new() } else { format!("Part{}", k + 1) };
            let kernel = format!("{}{part}Of{type_name}", crate::naming::upper_camel_case(name));
            let names = params_of(&stage.scalar).iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
            let _ = writeln!(calls, "T::dispatch({module}::{kernel} {{ {names}, angles, out }});");
            kernels.push_str(&kernel_text(&kernel, spec, stage, model.into()));
        }
        let count = plan.count();
        let docs = format!(
            "/// {}\n///\n/// {} additions, {} multiplications, {} divisions, {} angles; formulation: {}.",
            spec.doc, count.adds, count.muls, count.divs, count.sin_cos, plan.strategy
        );
        let at_docs = format!("/// [`Self::{name}`] where sines and cosines are known.");
        let taken = format!("let angles = rt::Taken;\n{calls}");
        let given = format!("let (q, angles) = (&at.q, at);\n{calls}");
        let own = Signature::new(spec, model.into(), Form::Own);
        let at = Signature::new(spec, model.into(), Form::At);
        let methods = format!(
            "impl {type_name} {{\n{}{}}}\n",
            wrappers(spec, &own, (name, &docs), &taken),
            wrappers(spec, &at, (&format!("{name}_at"), &at_docs), &given)
        );
        Self { kernels, methods }
    }
}

/// The function that returns its result, and the one that writes it by calling kernels: where the result is large, that
/// is public as well.
fn wrappers(spec: &Spec, signature: &Signature, (name, docs): (&str, &str), calls: &str) -> String {
    let Signature { parameters, names, returns } = signature;
    let returned =
        spec.result.map_or_else(|| "rt::zeros()".into(), |result| format!("rt::{result}::zeros()"));
    let into_docs = "Writes every entry of `out`, which needs no particular value before.";
    let (call_visibility, call_docs) = if spec.is_large() {
        ("pub ", format!("/// [`Self::{name}`] without a copy. {into_docs}\n"))
    } else {
        ("", String::new())
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

/// The parameters that a kernel takes.
fn params_of(version: &Version) -> Vec<Param> {
    let inputs = version.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
    let params = inputs.filter_map(|(id, _)| match version.wire(id) {
        Wire::Param(param) => Some(param),
        Wire::Output(_) | Wire::Own => None,
    });
    params.collect()
}

/// What computes a stage of a function.
fn kernel_text(kernel: &str, spec: &'static Spec, stage: &Stage, sizes: Sizes) -> String {
    let params = params_of(&stage.scalar);
    let fields: String =
        params.iter().map(|p| format!("pub {}: &'a {},\n", p.name, param_type(*p, sizes))).collect();
    let body = |name: &str, bound: &str, version: &Version| {
        format!(
            "#[inline(always)]\n\
             fn {name}<S: rt::{bound}>(self, recast: rt::Recast<T, S>) {{\n{}}}\n",
            Body::new(spec, version).text()
        )
    };
    format!(
        "pub struct {kernel}<'a, T, A> {{\n{fields}pub angles: A,\npub out: &'a mut {},\n}}\n\
         impl<T: rt::Scalar, A: rt::Angles<T, {}>> rt::Kernel<T> for {kernel}<'_, T, A> {{\n\
         type Output = ();\n\
         {}{}}}\n",
        return_type(spec, sizes),
        sizes.nq,
        body("run", "Scalar", &stage.scalar),
        stage.simd.as_ref().map(|simd| body("run_limbs", "LimbScalar", simd)).unwrap_or_default(),
    )
}

/// Everything again through the trait, for code that is generic over robots.
fn robot_trait(text: &mut String, type_name: &str, sizes: Sizes) {
    let Sizes { nq, nv, nb } = sizes;
    let _ = write!(
        text,
        "impl rt::Robot<{nq}, {nv}> for {type_name} {{\n\
         const NB: rt::usize = {nb};\n\
         const NAME: &'static rt::str = Self::NAME;\n\
         type Forces<T: rt::Scalar> = {};\n\
         fn joints() -> &'static [rt::Joint] {{ &Self::JOINTS }}\n\
         fn neutral<T: rt::Scalar>() -> rt::SVector<T, {nq}> {{ Self::neutral() }}\n\
         fn integrate<T: rt::Scalar>(q: &rt::SVector<T, {nq}>, dv: &rt::SVector<T, {nv}>) -> rt::SVector<T, {nq}> {{\n\
         Self::integrate(q, dv) }}\n\
         fn difference<T: rt::Scalar>(q0: &rt::SVector<T, {nq}>, q1: &rt::SVector<T, {nq}>) -> rt::SVector<T, {nv}> {{\n\
         Self::difference(q0, q1) }}\n",
        param_type(FEXT, sizes)
    );
    for spec in &FUNCTIONS {
        let Signature { parameters, names, returns } = Signature::new(spec, sizes, Form::Trait);
        let name = spec.name;
        let _ = write!(
            text,
            "#[inline]\nfn {name}<T: rt::Scalar>({parameters}) -> {returns} {{ Self::{name}({names}) }}\n"
        );
        if spec.is_large() {
            let _ = write!(
                text,
                "#[inline]\nfn {name}_into<T: rt::Scalar>({parameters}, out: &mut {returns}) {{\n\
                 Self::{name}_into({names}, out) }}\n"
            );
        }
    }
    text.push_str("}\n");
}
