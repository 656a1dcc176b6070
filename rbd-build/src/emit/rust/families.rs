//! Traits of families of functions: a robot's implementations, and the runtime's text of the traits.

use super::batches;
use super::function::{aliases, described, doc_lines, into_doc, zeros_of};
use super::types::{Names, ident, number, result_sizes};
use crate::search::plan::Plan;
use crate::signatures::signature::{Dim, Dims, FEXT, Kind, Output, Sizes};
use crate::table::family::Family;
use crate::table::functions::{FUNCTIONS, Function, Spec};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;

/// Implementations for a robot with the functions of these plans.
pub fn implementations(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> TokenStream {
    let sizes = Sizes::from(model);
    let has = |function| plans.iter().any(|plan| plan.function == function);
    let mut out = mechanism(type_name, model, plans);
    let (robot, names) = (ident(type_name), Names::from(sizes));
    let Names { nq, nv, .. } = &names;
    let whole: Vec<Family> =
        Family::ALL.into_iter().filter(|f| f.functions().all(|spec| has(spec.function))).collect();
    // No blanket implementation: the compiler would then report each missing family.
    if Family::DYNAMICS.iter().all(|family| whole.contains(family)) {
        out.extend(quote!(impl rt::Dynamics<#nq, #nv> for #robot {}));
    }
    if Family::ALL.into_iter().filter(|f| f.is_of_every_robot()).all(|family| whole.contains(&family)) {
        out.extend(quote!(impl rt::Robot<#nq, #nv> for #robot {}));
    }
    for family in whole.into_iter().filter(|family| family.is_trait()) {
        let methods = family.functions().map(|spec| {
            let Method { value, into, passes, name, into_name, .. } = Method::new(spec, &names);
            let into =
                spec.is_large().then(|| quote!(#[inline] #into { Self::#into_name(#(#passes,)* out) }));
            quote!(#[inline] #value { Self::#name(#(#passes),*) } #into)
        });
        let family = ident(family.name());
        out.extend(quote!(impl rt::#family<#nq, #nv> for #robot { #(#methods)* }));
    }
    out
}

/// Batches and the implementation of `Mechanism`, which every robot has.
fn mechanism(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> TokenStream {
    let (robot, sizes) = (ident(type_name), Sizes::from(model));
    let [nq, nv, nb] = [sizes.nq, sizes.nv, sizes.nb].map(number);
    let (forces, costs) = (super::types::param(FEXT, sizes), batches::costs(plans, model));
    quote! {
        /// # Batches
        impl #robot {
            /// Functions of this robot for many states: several at a time in SIMD lanes, or one after the other,
            /// whichever takes less time.
            #[must_use]
            pub const fn batch() -> rt::Batch<Self, #nq, #nv> { rt::Batch::new() }
        }
        impl rt::Sealed for #robot {}
        impl rt::Mechanism<#nq, #nv> for #robot {
            const NB: rt::usize = #nb;
            const NAME: &'static rt::str = Self::NAME;
            const JOINTS: &'static [rt::Joint] = &TABLES.joints;
            const STRUCTURES: &'static [rt::Structure<'static>] = &STRUCTURES;
            #costs
            type Forces<T: rt::Scalar> = #forces;
            fn neutral<T: rt::Scalar>() -> rt::SVector<T, #nq> { Self::neutral() }
            fn integrate<T: rt::Scalar>(q: &rt::SVector<T, #nq>, dv: &rt::SVector<T, #nv>) -> rt::SVector<T, #nq> {
                Self::integrate(q, dv)
            }
            fn difference<T: rt::Scalar>(q0: &rt::SVector<T, #nq>, q1: &rt::SVector<T, #nq>) -> rt::SVector<T, #nv> {
                Self::difference(q0, q1)
            }
            fn integrate_jacobians<T: rt::Scalar>(
                q: &rt::SVector<T, #nq>, dv: &rt::SVector<T, #nv>,
            ) -> rt::IntegrateJacobians<T, #nv> {
                Self::integrate_jacobians(q, dv)
            }
            fn difference_jacobians<T: rt::Scalar>(
                q0: &rt::SVector<T, #nq>, q1: &rt::SVector<T, #nq>,
            ) -> rt::DifferenceJacobians<T, #nv> {
                Self::difference_jacobians(q0, q1)
            }
            fn pinocchio_order() -> rt::CoordinateOrder<#nq, #nv> { Self::pinocchio_order() }
            fn structure(function: &rt::str, output: &rt::str) -> rt::Option<rt::Structure<'static>> {
                Self::structure(function, output)
            }
            rt::when_alloc! {
                fn model<T: rt::Scalar>() -> rt::Model<T> { Self::model() }
            }
        }
    }
}

/// A method of a trait, with and without `_into`, without bodies.
struct Method {
    name: Ident,
    into_name: Ident,
    value: TokenStream,
    into: TokenStream,
    /// The method with parameters at run time.
    with: TokenStream,
    with_into: TokenStream,
    with_name: Ident,
    with_into_name: Ident,
    passes: Vec<Ident>,
}

impl Method {
    fn new(spec: &Spec, names: &Names) -> Self {
        let nq = &names.nq;
        let takes: Vec<TokenStream> = spec
            .params
            .iter()
            .map(|p| {
                let (name, shape) = (ident(p.name), p.kind.shape());
                match p.kind {
                    Kind::Configuration => quote!(#name: &impl rt::Configuration<T, #nq>),
                    Kind::Forces => quote!(#name: &Self::Forces<T>),
                    Kind::Tangent | Kind::Inertias | Kind::Gravity => {
                        let of = names.shape(shape);
                        quote!(#name: &#of)
                    }
                }
            })
            .collect();
        let [name, into_name, with_name, with_into_name] =
            ["", "_into", "_with", "_with_into"].map(|form| ident(&format!("{}{form}", spec.name)));
        let returned = names.returned(spec);
        Self {
            value: quote!(fn #name<T: rt::Scalar>(#(#takes),*) -> #returned),
            into: quote!(fn #into_name<T: rt::Scalar>(#(#takes,)* out: &mut #returned)),
            with: quote!(fn #with_name<T: rt::Scalar>(parameters: &Self::Parameters<T>, #(#takes),*) -> #returned),
            with_into: quote! {
                fn #with_into_name<T: rt::Scalar>(
                    parameters: &Self::Parameters<T>, #(#takes,)* out: &mut #returned
                )
            },
            passes: spec.params.iter().map(|p| ident(p.name)).collect(),
            name,
            into_name,
            with_name,
            with_into_name,
        }
    }
}

/// Implementation for a robot with all functions of dynamics. `takes` selects those with parameters.
pub fn with_parameters(type_name: &str, sizes: Sizes, takes: impl Fn(Function) -> bool) -> TokenStream {
    let (robot, names) = (ident(type_name), Names::from(sizes));
    let Names { nq, nv, .. } = &names;
    let methods = Function::dynamics().map(|function| {
        let Method { with, with_into, passes, name, into_name, with_name, with_into_name, .. } =
            Method::new(function.spec(), &names);
        let (given, name, into_name) = if takes(function) {
            (quote!(parameters,), with_name, with_into_name)
        } else {
            (quote!(), name, into_name)
        };
        let unused = (!takes(function)).then(|| quote!(let _ = parameters;));
        let into = function
            .spec()
            .is_large()
            .then(|| quote!(#[inline] #with_into { #unused Self::#into_name(#given #(#passes,)* out) }));
        quote!(#[inline] #with { #unused Self::#name(#given #(#passes),*) } #into)
    });
    quote! {
        impl rt::DynamicsWithParameters<#nq, #nv> for #robot { #(#methods)* }
    }
}

/// Text of the runtime's `functions.rs`: result structs, traits of families, and the table for macros.
pub fn runtime_text() -> String {
    let structs = result_structs();
    let traits = Family::ALL.into_iter().filter(|f| f.is_trait()).map(family_trait);
    let of_dynamics = Family::DYNAMICS.map(|family| ident(family.name()));
    let with_parameters = trait_with_parameters();
    let others = Family::ALL.into_iter().filter(|f| f.is_of_every_robot() && !Family::DYNAMICS.contains(f));
    let others: Vec<_> = others.map(|family| ident(family.name())).collect();
    let rows = Function::dynamics().map(|function| macro_row(function.spec()));
    let dynamics: Vec<_> = Function::dynamics().map(|function| ident(function.name())).collect();
    let tokens = quote! {
        use crate::__private::{tensor_zeros, zero, zeros};
        use crate::{Configuration, Mechanism, Scalar};
        use nalgebra::{SMatrix, SVector};

        #structs
        #(#traits)*

        /// Robots with dynamics and their first derivatives: what the name `dynamics` in the option `functions` stands for.
        #[diagnostic::on_unimplemented(
            note = "a robot made with `functions: [..]` implements the families that it has all functions of",
            note = "NQ and NV are the type's own: `Dynamics<{{R::NQ}}, {{R::NV}}>`"
        )]
        pub trait Dynamics<const NQ: usize, const NV: usize>: #(#of_dynamics<NQ, NV>)+* {}

        /// Robots with every family of functions that has a trait: all that are generated without the option `functions`.
        ///
        /// A solver for any robot is written `fn solve<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(..)`; one that
        /// needs less says so by a family, such as [`InverseDynamics`], or by [`Dynamics`]. Every function is also an
        /// associated function of the generated type itself, where it is documented with its cost.
        #[diagnostic::on_unimplemented(
            note = "a robot made with `functions: [..]` implements the families that it has all functions of",
            note = "NQ and NV are the type's own: `Robot<{{R::NQ}}, {{R::NV}}>`"
        )]
        pub trait Robot<const NQ: usize, const NV: usize>: Dynamics<NQ, NV> #(+ #others<NQ, NV>)* {}

        #with_parameters

        /// Calls the macro with the names of the functions of dynamics and their first derivatives, and what else it is given.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! dynamics_functions {
            ([$($callback:tt)*] $($rest:tt)*) => { $($callback)*! { $($rest)* #(#dynamics)* } };
        }

        /// Calls the macro with a function's row: its name, that of the form that writes, parameters, kind of result, and
        /// outputs. What else it is given goes behind.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! function_row {
            #((#dynamics [$($callback:tt)*] $($rest:tt)*) => { $($callback)*! { #rows $($rest)* } };)*
        }
        #[doc(hidden)]
        pub use {dynamics_functions, function_row};
    };
    written("Results and traits of generated functions.", tokens)
}

/// Text of a file of the runtime, with a first line about its content.
pub(super) fn written(about: &str, tokens: TokenStream) -> String {
    let file = syn::parse2(tokens).expect("the emitter writes Rust");
    format!(
        "//! {about}\n\
         // Written from the generator's table of functions (`rbd-build/src/table/functions.rs`). Do not edit:\n\
         // `cargo xtask bless` writes it again.\n\n{}",
        // Generated code finds the runtime behind a name. In the runtime itself, items are imported.
        prettyplease::unparse(&file).replace("rt::", "")
    )
}

pub(super) fn size(shape: Dims) -> String {
    let name = |dim: Dim| match dim {
        Dim::Nq => "NQ".into(),
        Dim::Nv => "NV".into(),
        Dim::Nb => "NB".into(),
        Dim::Np => "NP".into(),
        Dim::Nc => "NC".into(),
        Dim::Nr => "NR".into(),
        Dim::Nf => "NF".into(),
        Dim::Fixed(n) => n.to_string(),
    };
    match shape {
        Dims::Scalar => "a number".into(),
        Dims::Vector(rows) => name(rows),
        Dims::Matrix(rows, columns) => format!("{} x {}", name(rows), name(columns)),
        Dims::Tensor(rows, columns, slices) => {
            format!("{} of {} x {}", name(slices), name(rows), name(columns))
        }
        Dims::Placement => "a pose".into(),
        Dims::Placements(slices) => name(slices),
    }
}

fn result_structs() -> TokenStream {
    let mut done = Vec::new();
    let mut out = TokenStream::new();
    for spec in &FUNCTIONS {
        let Some(result) = spec.result.filter(|result| !done.contains(result)) else { continue };
        done.push(result);
        let docs = [format!("What `{}` gives.", spec.name), String::new(), format!("`{}`", spec.equation)];
        out.extend(result_struct(result, &docs, spec.outputs));
        let (result, sizes) = (ident(result), size_names(spec.outputs));
        let fields = spec.outputs.iter().map(|o| ident(o.name));
        out.extend(quote!(crate::batch::lanewise!(#result #(#sizes)*: #(#fields)*);));
    }
    out
}

/// Names of the size parameters of a result's type.
fn size_names(outputs: &[Output]) -> Vec<Ident> {
    result_sizes(outputs).into_iter().map(|dim| ident(&size(Dims::Vector(dim)))).collect()
}

/// A struct of several results.
pub(super) fn result_struct(result: &str, docs: &[String], outputs: &[Output]) -> TokenStream {
    let (result, doc, sizes, names) = (ident(result), doc_lines(docs), size_names(outputs), Names::generic());
    let fields: Vec<_> = outputs.iter().map(|o| ident(o.name)).collect();
    let types = outputs.iter().map(|o| names.shape(o.shape));
    let docs =
        outputs.iter().map(|o| doc_lines(&[format!("{} ({}): {}.", capital(o.doc), size(o.shape), o.unit)]));
    let zeros = outputs.iter().map(|o| zeros_of(o.shape));
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct #result<T #(, const #sizes: usize)*> {
            #(#docs pub #fields: #types,)*
        }
        impl<T: Scalar #(, const #sizes: usize)*> #result<T #(, #sizes)*> {
            /// All zero: something for the `_into` functions to write to.
            #[must_use]
            pub fn zeros() -> Self {
                Self { #(#fields: #zeros),* }
            }
        }
        impl<T: Scalar #(, const #sizes: usize)*> Default for #result<T #(, #sizes)*> {
            fn default() -> Self {
                Self::zeros()
            }
        }
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn family_trait(family: Family) -> TokenStream {
    let names = Names::generic();
    let methods = family.functions().map(|spec| {
        let Method { value, into, .. } = Method::new(spec, &names);
        let mut lines = vec![spec.doc.to_owned()];
        lines.extend(described(spec, size));
        let (docs, aliases) = (doc_lines(&lines), aliases(spec));
        let into = spec.is_large().then(|| {
            let docs = doc_lines(&[into_doc(spec)]);
            quote!(#docs #into;)
        });
        quote!(#docs #aliases #[must_use] #value; #into)
    });
    let all: Vec<String> = family.functions().map(|spec| format!("`{}`", spec.name)).collect();
    let note = format!(
        "a robot made with `functions: [..]` implements `{}` if it has {}; `{}` in the list names these",
        family.name(),
        all.join(", "),
        family.option()
    );
    let (name, doc) = (ident(family.name()), doc_lines(&[family.doc().to_owned()]));
    quote! {
        #doc
        #[diagnostic::on_unimplemented(
            note = #note,
            note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
        )]
        pub trait #name<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
            #(#methods)*
        }
    }
}

/// The trait of robots with dynamics and parameters at run time.
fn trait_with_parameters() -> TokenStream {
    let names = Names::generic();
    let methods = Function::dynamics().map(|function| {
        let (spec, Method { with, with_into, .. }) = (function.spec(), Method::new(function.spec(), &names));
        let docs = doc_lines(&[
            spec.doc.to_owned(),
            String::new(),
            format!("`{}`, with inertia and gravity of `parameters`.", spec.equation),
        ]);
        let into = spec.is_large().then(|| {
            let docs = doc_lines(&[format!("[`Self::{}_with`] without a copy.", spec.name)]);
            quote!(#docs #with_into;)
        });
        quote!(#docs #[must_use] #with; #into)
    });
    quote! {
        /// Robots that take inertia or gravity at run time.
        ///
        /// Those made with the option `inertia`, or `gravity: runtime`.
        #[diagnostic::on_unimplemented(
            note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`"
        )]
        pub trait HasParameters {
            /// What is given; by default that of the URDF and the options.
            type Parameters<T: Scalar>: Copy + Default;
        }

        /// Robots with dynamics and their first derivatives that take inertia or gravity at run time.
        ///
        /// Those made with the option `inertia`, or `gravity: runtime`, and all functions of [`Dynamics`]. Functions
        /// that do not depend on what is given ignore it: the mass matrix of a robot that takes gravity alone.
        #[diagnostic::on_unimplemented(
            note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`, and has all of `dynamics`",
            note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
        )]
        pub trait DynamicsWithParameters<const NQ: usize, const NV: usize>: Dynamics<NQ, NV> + HasParameters {
            #(#methods)*
        }
    }
}

/// Row of a function for macros: `[rnea rnea_into (q v a) vector (tau)]`.
fn macro_row(spec: &Spec) -> TokenStream {
    let name = ident(spec.name);
    let params = spec.params.iter().map(|p| ident(p.name));
    let outputs = spec.outputs.iter().map(|o| ident(o.name));
    let result = match (spec.result, spec.outputs[0].shape) {
        (Some(result), _) => ident(result),
        (None, Dims::Scalar) => ident("scalar"),
        (None, Dims::Vector(_)) => ident("vector"),
        (None, Dims::Matrix(..)) => ident("matrix"),
        (None, Dims::Tensor(..)) => ident("tensor"),
        (None, Dims::Placement | Dims::Placements(_)) => ident("placements"),
    };
    let into = ident(&format!("{}_into", spec.name));
    quote!([#name #into (#(#params)*) #result (#(#outputs)*)])
}
