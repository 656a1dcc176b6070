//! One function of a robot: methods for users, and the kernels that they call.

use super::body::{Body, Results};
use super::frames::{Frames, reference_name};
use super::interface::kernels_module;
use super::run_time::Parameters;
use super::tables;
use super::types::{Names, ident, number, param, spelled};
use crate::names::upper_camel_case;
use crate::search::plan::{Code, Composition, Plan, Stage, Version, Wire};
use crate::signatures::signature::{Dims, Kind, Param, Sizes};
use crate::table::functions::{Function, Spec};
use proc_macro2::TokenStream;
use quote::quote;
use rbd_ir::kernel::Role;
use rbd_runtime::Model;
use std::fmt::Write;

/// Items of a function.
pub struct FunctionText {
    /// Name of the robot's type.
    pub type_name: String,
    /// Kernels, one a stage.
    pub kernels: String,
    /// Associated functions of the robot's type, which call the kernels.
    pub methods: String,
}

impl FunctionText {
    /// Text of a function of a robot's type.
    ///
    /// Kernels of its parts are emitted elsewhere, from `plans` if the robot has the part, else from the
    /// part's plan.
    pub fn new(type_name: &str, model: &Model<f64>, plan: &Plan, plans: &[Plan]) -> Self {
        let (spec, sizes) = (plan.spec(), Sizes::from(model));
        let (mut calls, kernels) = stages(type_name, "", plan, model);
        if let Some(composition) = &plan.composition {
            calls = composed(type_name, spec, composition, model, plans);
        }
        let docs = docs(plan, sizes, model);
        let methods = if plan.function.takes_parameters(model) {
            Parameters::new(type_name, model).methods(spec, sizes, &docs, &calls)
        } else {
            methods(spec, sizes, &docs, &Chosen::default(), &calls)
        };
        Self { type_name: type_name.into(), kernels, methods: methods.to_string() }
    }

    /// Kernels of parts that are no functions of the robot.
    pub fn of_parts(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> String {
        let mut parts: Vec<&Plan> = Vec::new();
        for part in plans.iter().flat_map(Plan::dependencies) {
            let is_there = |other: &Plan| other.function == part.function;
            if !plans.iter().any(is_there) && !parts.iter().copied().any(is_there) {
                parts.push(part);
            }
        }
        parts.into_iter().map(|part| stages(type_name, "", part, model).1).collect()
    }

    /// Text of a function of frames, which has a plan for each frame and reference frame.
    ///
    /// If both are constants, the compiler selects the kernel.
    pub fn of_frames(type_name: &str, model: &Model<f64>, frames: &Frames, plans: &[&Plan]) -> Self {
        let (spec, sizes) = (plans[0].spec(), Sizes::from(model));
        let of = frames.type_ident();
        let (mut arms, mut kernels) = (TokenStream::new(), String::new());
        let has_reference = plans[0].function.has_reference();
        for plan in plans {
            let at = plan.frame.expect("it is of a frame");
            let (variant, reference) = (frames.variant(at.index), reference_name(at.reference));
            // Variants contain no `_`, so frames `x` and `derivatives_x` cannot yield equal kernel names.
            let (calls, text) = stages(type_name, &format!("_{variant}_{reference}"), plan, model);
            let (variant, reference) = (ident(variant), ident(reference));
            arms.extend(if has_reference {
                quote!((#of::#variant, rt::ReferenceFrame::#reference) => { #calls })
            } else {
                quote!(#of::#variant => { #calls })
            });
            kernels.push_str(&text);
        }
        let mut chosen = Chosen { takes: quote!(frame: #of,), passes: quote!(frame,) };
        let mut choice = quote!(frame);
        if has_reference {
            chosen.takes.extend(quote!(reference: rt::ReferenceFrame,));
            chosen.passes.extend(quote!(reference,));
            choice = quote!((frame, reference));
        }
        let most = plans.iter().max_by_key(|plan| plan.count().total()).expect("there are some");
        let methods =
            methods(spec, sizes, &docs(most, sizes, model), &chosen, &quote!(match #choice { #arms }));
        Self { type_name: type_name.into(), kernels, methods: methods.to_string() }
    }
}

/// Arguments that select a kernel, as parameters and as passed.
#[derive(Default)]
pub(super) struct Chosen {
    takes: TokenStream,
    passes: TokenStream,
}

/// Calls of a plan's kernels, and the kernels' text.
fn stages(type_name: &str, at: &str, plan: &Plan, model: &Model<f64>) -> (TokenStream, String) {
    let sizes = Sizes::from(model);
    let under_forces = plan.function.under_forces().filter(|_| plan.code == Code::UnderForces);
    let spec = under_forces.map_or(plan.spec(), Function::spec);
    let (mut calls, mut kernels) = (TokenStream::new(), String::new());
    let module = ident(&kernels_module(type_name));
    let results = if spec.result.is_some() { Results::Fields } else { Results::Whole };
    let out = (results, &*format!("pub out: &'a mut {},\n", Names::from(sizes).returned(spec)));
    for (k, stage) in plan.stages.iter().enumerate() {
        let part = if k == 0 { String::new() } else { format!("Part{}", k + 1) };
        let kernel = format!("{}{at}{part}Of{type_name}", upper_camel_case(spec.name));
        let names = params_of(&stage.scalar).into_iter().map(|p| {
            let name = ident(p.name);
            match p.kind {
                Kind::Inertias => quote!(#name: &parameters.#name),
                Kind::Gravity => quote!(#name: rt::from_ref(&parameters.#name)),
                Kind::Forces if plan.code == Code::UnderForces => quote!(#name: &rt::no_forces()),
                Kind::Configuration | Kind::Tangent | Kind::Forces => quote!(#name),
            }
        });
        let name = ident(&kernel);
        let arguments = quote!(#module::#name { #(#names,)* angles, out });
        calls.extend(super::loops::run(&stage.scalar.kernel, arguments));
        if plan.code == Code::UnderForces {
            continue;
        }
        kernels.push_str(&kernel_text(&kernel, out, &plan.without_zeros(k), sizes));
    }
    if plan.code == Code::None {
        let passes = spec.params.iter().map(|p| ident(p.name));
        let first = tables::gives_first(spec).then(|| quote!(first,));
        let parameters = plan.function.takes_parameters(model).then(|| quote!(parameters,));
        calls = quote!(let _ = (angles, out, #first #parameters #(#passes),*); rt::outline(););
    }
    (calls, kernels)
}

/// Statements that compose a function of the results of its parts.
fn composed(
    type_name: &str,
    spec: &Spec,
    composition: &Composition,
    model: &Model<f64>,
    plans: &[Plan],
) -> TokenStream {
    let calls = composition.dependencies.iter().map(|part| {
        let part = plans.iter().find(|other| other.function == part.function).unwrap_or(part);
        match &part.composition {
            Some(of_part) => composed(type_name, part.spec(), of_part, model, plans),
            None => stages(type_name, "", part, model).0,
        }
    });
    let module = ident(&kernels_module(type_name));
    tables::composed(spec, &composition.composer, model, &module, &calls.collect::<Vec<_>>())
}

/// Doc attributes, one a line.
pub fn doc_lines(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// Documentation of equation, parameters and result. `size` writes a size.
pub fn described(spec: &Spec, size: impl Fn(Dims) -> String) -> Vec<String> {
    let mut lines = vec![String::new(), format!("`{}`", spec.equation), String::new()];
    for p in spec.params {
        lines.push(format!("- `{}` ({}): {}", p.name, size(p.kind.shape()), p.doc));
    }
    if let Some(only) = spec.only_output() {
        lines.push(format!("- returns `{}` ({}): {}; {}", only.name, size(only.shape), only.doc, only.unit));
    }
    lines
}

/// Size of a shape, as documentation.
pub(super) fn output_size(shape: Dims, sizes: Sizes) -> String {
    match (shape, shape.extent(sizes)) {
        (Dims::Scalar, _) => "a number".into(),
        (Dims::Vector(_), (rows, _)) => rows.to_string(),
        (Dims::Placement, _) => "a pose".into(),
        (Dims::Placements(n), _) => n.of(sizes).to_string(),
        (_, (rows, columns)) => format!("{rows} x {columns}"),
    }
}

fn docs(plan: &Plan, sizes: Sizes, model: &Model<f64>) -> Vec<String> {
    let (spec, count) = (plan.spec(), plan.count());
    let mut lines = vec![spec.doc.to_owned()];
    lines.extend(described(spec, |shape| output_size(shape, sizes)));
    if plan.code == Code::None {
        return lines;
    }
    lines.push(String::new());
    if plan.composition.is_some() {
        let parts: Vec<String> =
            plan.dependencies().iter().map(|p| format!("`{}`", p.function.name())).collect();
        lines.push(match &parts[..] {
            [] => "By loops over tables, in the runtime.".into(),
            parts if model.run_time.is_none() => {
                format!("By {}, and loops over tables, in the runtime.", parts.join(" and "))
            }
            parts => format!("By {}, and loops in the runtime.", parts.join(" and ")),
        });
        return lines;
    }
    if let Some(other) = plan.function.under_forces().filter(|_| plan.code == Code::UnderForces) {
        lines.push(format!("By the code of [`Self::{}`], with forces of zero.", other.name()));
    }
    lines.push(format!(
        "{} additions, {} multiplications, {} divisions, {} angles; formulation: {}.",
        count.adds, count.muls, count.divs, count.sin_cos, plan.strategy
    ));
    lines
}

/// True if the `_into` form may leave zeros alone: it gives a matrix or a tensor, and of no frame.
fn leaves_zeros(spec: &Spec) -> bool {
    let has = spec.outputs.iter().any(|output| output.shape.leaves_zeros());
    has && !spec.function.is_of_frame()
}

/// Documentation of the `_into` form.
pub fn into_doc(spec: &Spec) -> String {
    let what = if leaves_zeros(spec) {
        "Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot."
    } else {
        "Writes every entry of `out`, which needs no particular value before."
    };
    format!("[`Self::{}`] without a copy. {what}", spec.name)
}

/// Aliases for the search of rustdoc.
pub fn aliases(spec: &Spec) -> TokenStream {
    let aliases = spec.aliases.iter().filter(|alias| **alias != spec.name);
    quote!(#(#[doc(alias = #aliases)])*)
}

/// Declarations of a function's parameters.
pub fn takes(params: &[Param], sizes: Sizes) -> Vec<TokenStream> {
    let nq = number(sizes.nq);
    let take = |p: &Param| {
        let (name, of) = (ident(p.name), param(*p, sizes));
        match p.kind {
            Kind::Configuration => quote!(#name: &impl rt::Configuration<T, #nq>),
            Kind::Tangent | Kind::Forces | Kind::Inertias | Kind::Gravity => quote!(#name: &#of),
        }
    };
    params.iter().map(take).collect()
}

/// A function's methods: one that returns its result, and one that writes it in place.
pub(super) struct Methods<'a> {
    pub name: &'a str,
    pub params: &'a [Param],
    pub sizes: Sizes,
    pub docs: TokenStream,
    /// Type of the result.
    pub returned: TokenStream,
    /// Initial value of the result.
    pub zeros: TokenStream,
    /// Visibility and documentation of the second.
    pub into: (TokenStream, TokenStream),
}

impl Methods<'_> {
    /// Text of both. `calls` is the body of the second.
    pub fn text(&self, chosen: &Chosen, calls: &TokenStream) -> TokenStream {
        let Chosen { takes: chosen, passes: passed } = chosen;
        let Self { docs, returned, zeros, into: (visibility, into_docs), .. } = self;
        let takes = takes(self.params, self.sizes);
        let passes: Vec<_> = self.params.iter().map(|p| ident(p.name)).collect();
        let (name, into) = (ident(self.name), ident(&format!("{}_into", self.name)));
        quote! {
            #docs
            #[must_use]
            #[inline]
            pub fn #name<T: rt::Scalar>(#(#takes,)* #chosen) -> #returned {
                let mut out = #zeros;
                Self::#into(#(#passes,)* #passed &mut out);
                out
            }
            #into_docs
            #[inline]
            #visibility fn #into<T: rt::Scalar>(#(#takes,)* #chosen out: &mut #returned) {
                #calls
            }
        }
    }
}

/// Calls of kernels, which also take sines and cosines if the caller has them.
pub(super) fn with_angles(calls: &TokenStream) -> TokenStream {
    quote! {
        let (q, angles) = (rt::Configuration::coordinates(q), rt::Configuration::angles(q));
        #calls
    }
}

/// Methods of a function of the table. The second is public if the result is large.
fn methods(spec: &Spec, sizes: Sizes, docs: &[String], chosen: &Chosen, calls: &TokenStream) -> TokenStream {
    let (docs, aliases) = (doc_lines(docs), aliases(spec));
    let into = match spec.is_large() {
        true => (quote!(pub), doc_lines(&[into_doc(spec)])),
        false => (quote!(), quote!()),
    };
    let methods = Methods {
        name: spec.name,
        params: spec.params,
        sizes,
        docs: quote!(#docs #aliases),
        returned: Names::from(sizes).returned(spec),
        zeros: zeros(spec),
        into,
    };
    let calls = with_angles(calls);
    if tables::gives_first(spec) { with_first(spec, &methods, &calls) } else { methods.text(chosen, &calls) }
}

/// Forms of second derivatives of forward dynamics, which may also return first derivatives.
fn with_first(spec: &Spec, methods: &Methods<'_>, call: &TokenStream) -> TokenStream {
    let takes = takes(spec.params, methods.sizes);
    let passes: Vec<_> = spec.params.iter().map(|p| ident(p.name)).collect();
    let (both, nv) = (ident(&format!("{}_with_first_into", spec.name)), number(methods.sizes.nv));
    let (returned, both_docs) = (&methods.returned, doc_lines(&first_docs(spec)));
    let alone = quote!(Self::#both(#(#passes,)* &mut rt::AbaDerivatives::zeros(), out););
    let alone = methods.text(&Chosen::default(), &alone);
    quote! {
        #alone
        #both_docs
        #[inline]
        pub fn #both<T: rt::Scalar>(#(#takes,)* first: &mut rt::AbaDerivatives<T, #nv>, out: &mut #returned) {
            #call
        }
    }
}

/// Documentation of the form that also returns first derivatives.
pub(super) fn first_docs(spec: &Spec) -> [String; 3] {
    [
        format!(
            "[`Self::{}`] and the first derivatives that it is made from, none of which is computed twice.",
            spec.name
        ),
        String::new(),
        "`first` is what `zeros` made, or this function for the same robot.".into(),
    ]
}

/// Initial value of a function's result.
pub fn zeros(spec: &Spec) -> TokenStream {
    match spec.result.map(ident) {
        Some(result) => quote!(rt::#result::zeros()),
        None => zeros_of(spec.outputs[0].shape),
    }
}

/// Initial value of a shape.
pub fn zeros_of(shape: Dims) -> TokenStream {
    match shape {
        Dims::Scalar => quote!(rt::zero()),
        Dims::Tensor(..) => quote!(rt::tensor_zeros()),
        Dims::Placement => quote!(rt::Placement::identity()),
        Dims::Placements(_) => quote!(rt::placements_identity()),
        Dims::Vector(_) | Dims::Matrix(..) => quote!(rt::zeros()),
    }
}

/// Parameters of a kernel.
pub(super) fn params_of(version: &Version) -> Vec<Param> {
    let inputs = version.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
    let params = inputs.filter_map(|(id, _)| match version.wire(id) {
        Wire::Param(param) => Some(param),
        Wire::Output(_) | Wire::Own => None,
    });
    params.collect()
}

/// Text of a stage's kernel, with `outs` as the fields of its results. It is text and no tokens, since
/// kernels may have hundreds of thousands of statements.
pub(super) fn kernel_text(
    kernel: &str,
    (results, outs): (Results, &str),
    stage: &Stage,
    sizes: Sizes,
) -> String {
    let mut takes = String::new();
    for p in params_of(&stage.scalar) {
        let _ = writeln!(takes, "pub {}: &'a {},", p.name, param(p, sizes));
    }
    let mut parts = String::new();
    let mut body = |version: &Version, suffix: &str| {
        let (text, items) = Body::new(results, version).text(&format!("{kernel}{suffix}"));
        parts.push_str(&items);
        text
    };
    let limbs = match &stage.simd[..] {
        [] => None,
        [only] => Some(body(only, "Limbs")),
        // Kernels run in order, each in its own scope.
        all => {
            let all = all.iter().enumerate();
            Some(all.map(|(k, version)| format!("{{\n{}}}\n", body(version, &format!("Limbs{k}")))).collect())
        }
    };
    let text = body(&stage.scalar, "");
    kernel_item(kernel, &takes, outs, sizes, &text, limbs) + &parts
}

/// A kernel from its fields and bodies.
pub(super) fn kernel_item(
    name: &str,
    takes: &str,
    outs: &str,
    sizes: Sizes,
    run: &str,
    run_limbs: Option<String>,
) -> String {
    let body = |name: &str, bound: &str, text: &str| {
        format!(
            "#[inline(always)]\n\
             fn {name}<S: rt::{bound}>(self, recast: rt::Recast<T, S>) {{\n{text}}}\n"
        )
    };
    let (takes, outs) = (spelled(takes), spelled(outs));
    format!(
        "pub struct {name}<'a, T, A> {{\n{takes}pub angles: A,\n{outs}}}\n\
         impl<T: rt::Scalar, A: rt::Angles<T, {}>> rt::Dispatched<T>\n\
         for {name}<'_, T, A> {{\n\
         type Output = ();\n\
         {}{}}}\n",
        sizes.nq,
        body("run", "Scalar", run),
        run_limbs.map(|text| body("run_limbs", "LimbScalar", &text)).unwrap_or_default(),
    )
}
