//! Fused functions: the struct of results, methods for users, and the kernel.

use super::body::Results;
use super::families::capital;
use super::function::{Chosen, Methods, doc_lines, kernel_text, output_size, with_angles, zeros_of};
use super::interface::kernels_module;
use super::types::{Names, ident};
use crate::fused::{Field, FusedFunction};
use crate::search::plan::{Code, Plan};
use crate::signatures::signature::{Output, Sizes};
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::{Model, ReferenceFrame};
use std::fmt::Write;

/// Placeholder in a module's head for the path of the runtime. The front end that assembles the module sets
/// it.
pub const RUNTIME: &str = "__rbd_runtime";

/// Items of a fused function.
pub struct FusedText {
    /// Struct of results, for a module's head.
    pub result: String,
    /// The kernel.
    pub kernels: String,
    /// Methods that call the kernel.
    pub methods: String,
}

impl FusedText {
    /// Text of a fused function of a robot's type.
    pub fn new(type_name: &str, visibility: &str, model: &Model<f64>, plan: &Plan<FusedFunction>) -> Self {
        let sizes = Sizes::from(model);
        let result = result(type_name, visibility, sizes, plan);
        let kernel = format!("{}FusedOf{type_name}", plan.function.fused.name());
        let out = (Results::Apart, &*outs(sizes, &plan.signature().outputs));
        let kernels = plan.stages.iter().map(|stage| kernel_text(&kernel, out, stage, sizes)).collect();
        let methods = methods(type_name, sizes, plan, &kernel).to_string();
        Self { result, kernels, methods }
    }
}

/// Description of a field, with its unit.
pub fn described(field: &Field) -> String {
    let of = field.entry.frame().map_or(String::new(), |(frame, reference)| {
        let given = match reference {
            _ if !field.entry.quantity().has_reference() => "",
            ReferenceFrame::Local => ", in its own axes",
            ReferenceFrame::World => ", in the world's axes, of the point at the world's origin",
            ReferenceFrame::LocalWorldAligned => ", in the world's axes",
        };
        format!(", of `{}`{given}", frame.escape_default())
    });
    format!("{}{of}; {}", field.output.doc, field.output.unit)
}

/// Text of the struct, which is beside the robot's type. Paths there must be absolute.
fn result(type_name: &str, visibility: &str, sizes: Sizes, plan: &Plan<FusedFunction>) -> String {
    let (names, fused) = (Names::from(sizes), &plan.function.fused);
    let mut text = format!(
        "/// What `{type_name}::{}` gives.\n#[derive(Clone, Copy, Debug, PartialEq)]\n#[allow(nonstandard_style)]\n\
         {visibility} struct {}<T> {{\n",
        fused.method(),
        fused.name()
    );
    for field in &plan.function.fields {
        let doc = format!(" {} ({}).", capital(&described(field)), output_size(field.output.shape, sizes));
        let of = names.shape(field.output.shape).to_string().replace("rt ::", &format!("{RUNTIME} ::"));
        let _ = writeln!(text, "#[doc = {doc:?}]\npub {}: {of},", field.output.name);
    }
    text + "}\n"
}

/// Documentation of the method.
fn docs(sizes: Sizes, plan: &Plan<FusedFunction>) -> Vec<String> {
    let (fused, count) = (&plan.function.fused, plan.count());
    let mut lines = vec![
        format!(
            "Several quantities at once, as [`{}`]: what they have in common is computed once.",
            fused.name()
        ),
        String::new(),
    ];
    for p in &plan.function.params {
        lines.push(format!("- `{}` ({}): {}", p.name, output_size(p.kind.shape(), sizes), p.doc));
    }
    lines.push(String::new());
    lines.push("It gives:".into());
    lines.extend(plan.function.fields.iter().map(|field| {
        let output = field.output;
        format!("- `{}` ({}): {}", output.name, output_size(output.shape, sizes), described(field))
    }));
    let has = |name| plan.function.params.iter().any(|p| p.name == name);
    if has("a") && has("tau") {
        lines.push(String::new());
        lines.push(
            "`a` and `tau` are two arguments: torques and whatever else depends on accelerations are those of `a`, \
             accelerations and their derivatives those of `tau`."
                .into(),
        );
    }
    if plan.code == Code::None {
        return lines;
    }
    lines.push(String::new());
    lines.push(format!(
        "{} additions, {} multiplications, {} divisions, {} angles.",
        count.adds, count.muls, count.divs, count.sin_cos
    ));
    lines
}

fn methods(type_name: &str, sizes: Sizes, plan: &Plan<FusedFunction>, kernel: &str) -> TokenStream {
    let fused = &plan.function.fused;
    let (robot, result) = (ident(type_name), ident(fused.name()));
    let into = ident(&format!("{}_into", fused.method()));
    let passes: Vec<_> = plan.function.params.iter().map(|p| ident(p.name)).collect();
    let fields: Vec<_> = plan.function.fields.iter().map(|f| ident(f.output.name)).collect();
    let zeros = plan.function.fields.iter().map(|f| zeros_of(f.output.shape));
    let into_docs = doc_lines(&[format!(
        "[`Self::{}`] without a copy. Writes every entry of `out`, which needs no particular value before.",
        fused.method()
    )]);
    let zeros_docs = doc_lines(&[format!(
        "All zero, poses at the origin: something for [`{type_name}::{}`](`{type_name}::{into}`) to write to.",
        fused.method()
    )]);
    let mut calls = TokenStream::new();
    for stage in &plan.stages {
        let (module, kernel) = (ident(&kernels_module(type_name)), ident(kernel));
        let to: Vec<_> = fields.iter().map(|f| ident(&format!("out_{f}"))).collect();
        let arguments = quote!(#module::#kernel { #(#passes,)* angles, #(#to: &mut out.#fields),* });
        calls.extend(super::loops::run(&stage.scalar.kernel, arguments));
    }
    if plan.code == Code::None {
        calls = quote!(let _ = (angles, out, #(#passes),*); rt::outline(););
    }
    let methods = Methods {
        name: &fused.method(),
        params: &plan.function.params,
        sizes,
        docs: doc_lines(&docs(sizes, plan)),
        returned: quote!(#result<T>),
        zeros: quote!(#result::zeros()),
        into: (quote!(pub), into_docs),
    };
    let methods = methods.text(&Chosen::default(), &with_angles(&calls));
    let heading = doc_lines(&["# Fused functions".to_owned()]);
    quote! {
        impl<T: rt::Scalar> #result<T> {
            #zeros_docs
            #[must_use]
            pub fn zeros() -> Self {
                Self { #(#fields: #zeros),* }
            }
        }
        impl<T: rt::Scalar> ::core::default::Default for #result<T> {
            fn default() -> Self {
                Self::zeros()
            }
        }
        impl<T: rt::batch::Float> rt::batch::Lanewise for #result<T> {
            type Float = T;
            type Lanes = #result<<T as rt::batch::Float>::Lanes>;
            #[inline]
            fn zeros() -> Self::Lanes {
                #result::zeros()
            }
            #[inline]
            fn pack<'s>(
                state: impl ::core::ops::Fn(rt::usize) -> &'s Self + ::core::marker::Copy,
            ) -> Self::Lanes
            where
                Self: 's,
            {
                #result { #(#fields: rt::batch::Lanewise::pack(|lane| &state(lane).#fields)),* }
            }
            #[inline]
            fn unpack<const I: rt::usize>(lanes: &Self::Lanes, state: &mut Self) {
                #(rt::batch::Lanewise::unpack::<{ I }>(&lanes.#fields, &mut state.#fields);)*
            }
            #[inline]
            fn unpack_all<const N: rt::usize>(lanes: &Self::Lanes, mut states: [&mut Self; N]) {
                #(rt::batch::Lanewise::unpack_all(&lanes.#fields, states.each_mut().map(|state| &mut state.#fields));)*
            }
        }
        #heading
        impl #robot {
            #methods
        }
    }
}

/// Fields of a kernel with a reference to each field of the result.
///
/// Kernels are in a module that cannot name the struct if the robot is declared inside of a function.
pub(super) fn outs(sizes: Sizes, outputs: &[Output]) -> String {
    let names = Names::from(sizes);
    outputs.iter().map(|o| format!("pub out_{}: &'a mut {},\n", o.name, names.shape(o.shape))).collect()
}
