//! Parameters at run time as a type, and the forms of functions that take them.

use super::families::with_parameters;
use super::function::{aliases, doc_lines, first_docs, into_doc, takes, zeros};
use super::tables;
use super::types::{Names, ident, number};
use crate::names::{distinct, upper_camel_case};
use crate::signatures::signature::Sizes;
use crate::table::functions::{Function, Spec};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;
use rbd_runtime::model::RunTimeInertia;
use std::fmt::Write;

/// Parameters of a robot at run time. There may be none.
pub struct Parameters<'m> {
    robot: Ident,
    model: &'m Model<f64>,
    /// Variants that name the inertias.
    variants: Vec<Ident>,
}

impl<'m> Parameters<'m> {
    /// Parameters of a robot's type.
    pub fn new(type_name: &str, model: &'m Model<f64>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for inertia in &model.run_time.inertias {
            let name = upper_camel_case(&inertia.name);
            names.push(distinct(name, |name| name == "ALL" || names.iter().any(|known| known == name)));
        }
        Self { robot: ident(type_name), model, variants: names.iter().map(|name| ident(name)).collect() }
    }

    fn inertias(&self) -> &'m [RunTimeInertia<f64>] {
        &self.model.run_time.inertias
    }

    /// Name of the type.
    pub fn type_ident(&self) -> Ident {
        ident(&format!("{}Parameters", self.robot))
    }

    fn enum_ident(&self) -> Ident {
        ident(&format!("{}Inertia", self.robot))
    }

    /// Text of the types, which are public beside the robot's.
    pub fn type_text(&self, visibility: &str) -> String {
        if self.model.run_time.is_none() {
            return String::new();
        }
        let mut text = String::new();
        let (parameters, of, n) = (self.type_ident(), self.enum_ident(), self.variants.len());
        if n > 0 {
            let _ = writeln!(
                text,
                "/// Inertias that are given at run time.\n\
                 #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n\
                 #[allow(nonstandard_style)]\n{visibility} enum {of} {{"
            );
            for (inertia, variant) in self.inertias().iter().zip(&self.variants) {
                let name = inertia.name.escape_default();
                let doc = if inertia.whole {
                    format!(
                        "That of the body of `{name}`, links that are fixed to it included, in its joint frame."
                    )
                } else {
                    format!(
                        "A load at `{name}`, in the axes and about the origin of that frame; by default none."
                    )
                };
                let _ = writeln!(text, "#[doc = {doc:?}]\n{variant},");
            }
            text.push_str("}\n");
        }
        let _ = writeln!(
            text,
            "/// What functions with `_with` in their names take; by default what the URDF and the options say.\n\
             #[derive(Clone, Copy, Debug, PartialEq)]\n{visibility} struct {parameters}<T> {{"
        );
        if n > 0 {
            let _ = writeln!(
                text,
                "/// m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz of each [`{of}`], in order: kg, kg m and kg m^2, about the \
                 origin of its frame.\npub inertia: [[T; 10]; {n}],"
            );
        }
        if self.model.run_time.gravity {
            text.push_str("/// Gravitational acceleration in the world, m/s^2.\npub gravity: [T; 3],\n");
        }
        text + "}\n"
    }

    /// Items of the types.
    pub fn items(&self) -> TokenStream {
        if self.model.run_time.is_none() {
            return TokenStream::new();
        }
        let parameters = self.type_ident();
        let docs = |text: &str| doc_lines(&[text.to_owned()]);
        let of_inertia = (!self.variants.is_empty()).then(|| self.of_inertia());
        let (mut default, mut mapped) = (TokenStream::new(), TokenStream::new());
        if !self.variants.is_empty() {
            let rows = self.inertias().iter().map(|given| {
                let zero = [0.0; 10];
                let row = if given.whole { self.model.bodies[given.body].inertia.parameters() } else { zero };
                quote!([#(#row),*])
            });
            default.extend(quote!(inertia: rt::constants([#(#rows),*]),));
            mapped.extend(quote!(inertia: self.inertia.map(|a| a.map(|a| to(a))),));
        }
        if self.model.run_time.gravity {
            let [x, y, z]: [f64; 3] = self.model.gravity.into();
            default.extend(quote!(gravity: { let [a] = rt::constants([[#x, #y, #z]]); a },));
            mapped.extend(quote!(gravity: self.gravity.map(|a| to(a)),));
        }
        let map = docs("The same in another scalar: `parameters.map(F64x4::splat)`.");
        quote! {
            #of_inertia
            impl<T: rt::Scalar> rt::Default for #parameters<T> {
                fn default() -> Self {
                    Self { #default }
                }
            }
            impl<T: rt::Copy> #parameters<T> {
                #map
                #[must_use]
                pub fn map<U>(&self, to: impl rt::Fn(T) -> U) -> #parameters<U> {
                    #parameters { #mapped }
                }
            }
        }
    }

    /// Implementations of traits for a robot with some functions.
    pub fn implementations(&self, has: impl Fn(Function) -> bool) -> TokenStream {
        if self.model.run_time.is_none() {
            return TokenStream::new();
        }
        let (robot, parameters) = (&self.robot, self.type_ident());
        let takes = |function: Function| function.takes_parameters(self.model);
        let of_dynamics = Function::dynamics().all(has);
        let of_dynamics = of_dynamics.then(|| with_parameters(&robot.to_string(), self.model.into(), takes));
        quote! {
            impl rt::HasParameters for #robot { type Parameters<T: rt::Scalar> = #parameters<T>; }
            #of_dynamics
        }
    }

    fn of_inertia(&self) -> TokenStream {
        let (parameters, of, variants, n) =
            (self.type_ident(), self.enum_ident(), &self.variants, number(self.variants.len()));
        let places: Vec<_> = (0..variants.len()).map(number).collect();
        let names = self.inertias().iter().map(|given| &given.name);
        let docs = |text: &str| doc_lines(&[text.to_owned()]);
        let all = docs("All of them, in order.");
        let name = docs("Its name in the URDF.");
        let with =
            docs("The same with this inertia, about the origin of its frame, in place of what it was.");
        quote! {
            impl #of {
                #all
                pub const ALL: [Self; #n] = [#(Self::#variants),*];
                #name
                #[must_use]
                pub const fn name(self) -> &'static rt::str {
                    match self { #(Self::#variants => #names),* }
                }
            }
            impl<T> rt::Index<#of> for #parameters<T> {
                type Output = [T; 10];
                fn index(&self, of: #of) -> &[T; 10] {
                    match of { #(#of::#variants => &self.inertia[#places]),* }
                }
            }
            impl<T> rt::IndexMut<#of> for #parameters<T> {
                fn index_mut(&mut self, of: #of) -> &mut [T; 10] {
                    match of { #(#of::#variants => &mut self.inertia[#places]),* }
                }
            }
            impl<T: rt::Scalar> #parameters<T> {
                #with
                #[must_use]
                pub fn with(mut self, of: #of, inertia: rt::Inertia<T>) -> Self {
                    self[of] = inertia.parameters();
                    self
                }
            }
        }
    }

    /// A function in four forms: with and without parameters at run time, each with and without `_into`.
    ///
    /// Without parameters, it uses the default values. The `_into` forms are public if the result is large.
    pub fn methods(&self, spec: &Spec, sizes: Sizes, docs: &[String], calls: &TokenStream) -> TokenStream {
        let (takes, of) = (takes(spec.params, sizes), self.type_ident());
        let passes: Vec<_> = spec.params.iter().map(|p| ident(p.name)).collect();
        let [name, into, with, with_into] =
            ["", "_into", "_with", "_with_into"].map(|form| ident(&format!("{}{form}", spec.name)));
        let (returned, zeros, aliases) = (Names::from(sizes).returned(spec), zeros(spec), aliases(spec));
        let (first, rest) = docs.split_first().expect("a function is documented");
        let by_default = format!("{first} With default parameters: [`Self::{with}`] takes others.");
        let by_default = doc_lines(&[&[by_default][..], rest].concat());
        let given = format!("{first} With what is given at run time, `parameters`.");
        let given = doc_lines(&[&[given][..], rest].concat());
        let into_docs = doc_lines(&[into_doc(spec)]);
        let with_into_docs =
            doc_lines(&[into_doc(spec).replace(&format!("Self::{name}`"), &format!("Self::{with}`"))]);
        let visibility = spec.is_large().then(|| quote!(pub));
        if tables::gives_first(spec) {
            let nv = number(sizes.nv);
            let first = quote!(first: &mut rt::AbaDerivatives<T, #nv>);
            let [both, both_with] = ["_with_first_into", "_with_first_with_into"]
                .map(|form| ident(&format!("{}{form}", spec.name)));
            let both_docs = doc_lines(&first_docs(spec));
            let both_with_docs =
                doc_lines(&[format!("[`Self::{both}`] with what is given at run time, `parameters`.")]);
            return quote! {
                #by_default
                #aliases
                #[must_use]
                #[inline]
                pub fn #name<T: rt::Scalar>(#(#takes,)*) -> #returned {
                    Self::#with(&rt::Default::default(), #(#passes,)*)
                }
                #into_docs
                #[inline]
                pub fn #into<T: rt::Scalar>(#(#takes,)* out: &mut #returned) {
                    Self::#with_into(&rt::Default::default(), #(#passes,)* out);
                }
                #both_docs
                #[inline]
                pub fn #both<T: rt::Scalar>(#(#takes,)* #first, out: &mut #returned) {
                    Self::#both_with(&rt::Default::default(), #(#passes,)* first, out);
                }
                #given
                #[must_use]
                #[inline]
                pub fn #with<T: rt::Scalar>(parameters: &#of<T>, #(#takes,)*) -> #returned {
                    let mut out = #zeros;
                    Self::#with_into(parameters, #(#passes,)* &mut out);
                    out
                }
                #with_into_docs
                #[inline]
                pub fn #with_into<T: rt::Scalar>(parameters: &#of<T>, #(#takes,)* out: &mut #returned) {
                    Self::#both_with(parameters, #(#passes,)* &mut rt::AbaDerivatives::zeros(), out);
                }
                #both_with_docs
                #[inline]
                pub fn #both_with<T: rt::Scalar>(
                    parameters: &#of<T>, #(#takes,)* #first, out: &mut #returned
                ) {
                    let (q, angles) = (rt::Configuration::coordinates(q), rt::Configuration::angles(q));
                    #calls
                }
            };
        }
        let into_by_default = spec.is_large().then(|| {
            quote! {
                #into_docs
                #[inline]
                pub fn #into<T: rt::Scalar>(#(#takes,)* out: &mut #returned) {
                    Self::#with_into(&rt::Default::default(), #(#passes,)* out);
                }
            }
        });
        quote! {
            #by_default
            #aliases
            #[must_use]
            #[inline]
            pub fn #name<T: rt::Scalar>(#(#takes,)*) -> #returned {
                Self::#with(&rt::Default::default(), #(#passes,)*)
            }
            #into_by_default
            #given
            #[must_use]
            #[inline]
            pub fn #with<T: rt::Scalar>(parameters: &#of<T>, #(#takes,)*) -> #returned {
                let mut out = #zeros;
                Self::#with_into(parameters, #(#passes,)* &mut out);
                out
            }
            #with_into_docs
            #[inline]
            #visibility fn #with_into<T: rt::Scalar>(parameters: &#of<T>, #(#takes,)* out: &mut #returned) {
                let (q, angles) = (rt::Configuration::coordinates(q), rt::Configuration::angles(q));
                #calls
            }
        }
    }
}
