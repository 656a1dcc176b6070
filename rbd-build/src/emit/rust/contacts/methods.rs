//! Methods of dynamics under contacts, and the robot's implementations of their traits.

use super::super::function::doc_lines;
use super::super::types::{Names, ident, number};
use super::Contacts;
use crate::signatures::signature::{Kind, Sizes};
use crate::table::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec, Form, contact_functions};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A function of contacts in one of its forms.
#[derive(Clone, Copy)]
pub(super) struct Method<'a> {
    pub spec: &'static ContactSpec,
    pub form: Form,
    /// Sizes of the robot.
    pub names: &'a Names,
    /// Type of the parameters at run time.
    pub parameters: &'a TokenStream,
}

/// Declaration of a parameter.
fn declared(param: ContactParam, names: &Names) -> TokenStream {
    let (Names { nq, nc, nr, .. }, name) = (names, ident(param.name()));
    let of = match param {
        ContactParam::State(p) if p.kind == Kind::Configuration => quote!(&impl rt::Configuration<T, #nq>),
        ContactParam::State(p) => {
            let of = names.shape(p.kind.shape());
            quote!(&#of)
        }
        ContactParam::Forces => quote!(&rt::SVector<T, #nr>),
        ContactParam::Active => quote!(&[rt::bool; #nc]),
        ContactParam::Restitution => quote!(T),
        ContactParam::Settings => quote!(&rt::contact::ContactSettings<T, #nc>),
        ContactParam::Axes => quote!(rt::contact::ContactAxes),
    };
    quote!(#name: #of)
}

/// Documentation in which functions of contacts become links.
fn linked(text: &str) -> String {
    CONTACT_FUNCTIONS.iter().fold(text.to_owned(), |text, spec| {
        text.replace(&format!("`{}`", spec.name), &format!("[`Self::{}`]", spec.name))
    })
}

impl Method<'_> {
    /// Forms of all functions. `takes` says for each whether it has forms without and with parameters.
    pub fn forms(takes: impl Fn(&ContactSpec) -> [bool; 2]) -> Vec<(&'static ContactSpec, Form)> {
        let mut forms = Vec::new();
        for (spec, form) in contact_functions() {
            let [without, with] = takes(spec);
            for parameters in [without.then_some(false), with.then_some(true)].into_iter().flatten() {
                let outs = [Some(false), spec.has_place(form).then_some(true)];
                forms.extend(outs.into_iter().flatten().map(|out| (spec, Form { parameters, out, ..form })));
            }
        }
        forms
    }

    pub fn name(&self) -> Ident {
        ident(&self.form.name(self.spec.name))
    }

    /// Name, parameters and result.
    pub fn head(&self) -> TokenStream {
        let (name, returned) = (self.name(), self.names.returned_of_contacts(self.spec));
        let parameters = self.form.parameters.then(|| {
            let of = self.parameters;
            quote!(parameters: &#of)
        });
        let own = self.spec.params_of(self.form).map(|param| declared(param, self.names));
        let takes = parameters.into_iter().chain(own);
        match self.form.out {
            true => quote!(fn #name<T: rt::Scalar>(#(#takes,)* out: &mut #returned)),
            false => quote!(fn #name<T: rt::Scalar>(#(#takes),*) -> #returned),
        }
    }

    /// Arguments of a call. Parameters at run time are passed only with `parameters`.
    pub fn passes(&self, parameters: bool) -> Vec<Ident> {
        let own = self.spec.params_of(self.form).map(ContactParam::name);
        let (first, last) = (parameters.then_some("parameters"), self.form.out.then_some("out"));
        first.into_iter().chain(own).chain(last).map(ident).collect()
    }

    /// Attributes: documentation and `must_use`.
    pub fn attributes(&self, docs: &[String]) -> TokenStream {
        let out_of = Form { out: false, ..self.form }.name(self.spec.name);
        let docs = match self.form.out {
            true if self.spec.leaves_zeros() => doc_lines(&[
                format!("[`Self::{out_of}`] in place."),
                String::new(),
                "Leaves entries alone that are zero in every state: `out` is made by `zeros()`, or by an earlier".into(),
                "call of this function for this robot.".into(),
            ]),
            true => doc_lines(&[format!("[`Self::{out_of}`] without a copy. Writes every entry of `out`.")]),
            false => doc_lines(docs),
        };
        let must_use = (!self.form.out).then(|| quote!(#[must_use]));
        quote!(#docs #must_use)
    }

    /// Documentation, one line an element.
    pub fn docs(&self) -> Vec<String> {
        let plain = Form { parameters: false, out: false, ..self.form };
        let paragraphs = self.spec.docs(plain);
        paragraphs.iter().flat_map(|text| [String::new(), linked(text)]).skip(1).collect()
    }
}

impl Contacts<'_> {
    pub(super) fn sizes(&self) -> Sizes {
        Sizes { nc: self.all.len(), nr: self.rows(), ..Sizes::from(self.model) }
    }

    /// Type of the parameters at run time for a scalar `T`. Empty if there are none.
    fn parameters_of_scalar(&self) -> TokenStream {
        self.parameters().map(|of| quote!(#of<T>)).unwrap_or_default()
    }

    /// Implementations of the traits of robots with contacts, by the robot's own functions.
    pub(super) fn implementations(&self) -> TokenStream {
        let (robot, of, names) = (ident(self.type_name), self.type_ident(), Names::from(self.sizes()));
        let (variants, Names { nq, nv, nc, nr, .. }) = (self.variants(), &names);
        let parameters = quote!(Self::Parameters<T>);
        let method = |(spec, form): (&'static ContactSpec, Form)| {
            let method = Method { spec, form, names: &names, parameters: &parameters };
            // Functions that do not depend on parameters ignore them.
            let takes = form.parameters && spec.takes_parameters(self.model);
            let called = Form { parameters: takes, ..form }.name(spec.name);
            let (head, called, passes) = (method.head(), ident(&called), method.passes(takes));
            let unused = (form.parameters && !takes).then(|| quote!(let _ = parameters;));
            quote!(#[inline] #head { #unused Self::#called(#(#passes),*) })
        };
        let plain = Method::forms(|_| [true, false]).into_iter().map(method);
        let with_parameters = self.parameters().map(|_| {
            let methods = Method::forms(|spec| [false, !spec.needs.is_empty()]).into_iter().map(method);
            quote! {
                impl rt::contact::ContactsWithParameters<#nq, #nv, #nc, #nr> for #robot { #(#methods)* }
            }
        });
        quote! {
            impl rt::contact::Contacts<#nq, #nv, #nc, #nr> for #robot {
                const CONTACTS: [rt::contact::ContactTable; #nc] = CONTACTS;
                const CONTACT_NAMES: [&'static rt::str; #nc] = [#(#of::#variants.name()),*];
                const CONTACT_FRAMES: [Self::Frame; #nc] = [#(#of::#variants.frame()),*];
                #(#plain)*
            }
            #with_parameters
        }
    }

    /// Methods for users.
    pub(super) fn methods(&self) -> TokenStream {
        let (robot, at) = (ident(self.type_name), self.wrapper());
        let (names, parameters) = (Names::from(self.sizes()), self.parameters_of_scalar());
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let method = |(spec, form): (&'static ContactSpec, Form)| {
            let method = Method { spec, form, names: &names, parameters: &parameters };
            let (mut docs, head) = (method.docs(), method.head());
            if form.parameters {
                docs.extend(["".into(), "With what is given at run time, `parameters`.".into()]);
            } else if spec.takes_parameters(self.model) {
                let with = Form { parameters: true, ..form }.name(spec.name);
                docs.extend(["".into(), format!("With default parameters: [`Self::{with}`] takes others.")]);
            }
            let (attributes, passes) = (method.attributes(&docs), method.passes(false).into_iter().skip(1));
            let runtime = ident(&Form { parameters: false, ..form }.name(spec.runtime));
            let given = match form.parameters {
                true => Some(quote!(parameters)),
                false => self.parameters().map(|of| quote!(&<#of<T> as rt::Default>::default())),
            };
            let statement_end = form.out.then(|| quote!(;));
            quote! {
                #attributes
                pub #head {
                    rt::contact::#runtime(&#at(&rt::contact::posture(q), #given), #(#passes),*) #statement_end
                }
            }
        };
        let takes = |spec: &ContactSpec| [true, spec.takes_parameters(self.model)];
        let methods = Method::forms(takes).into_iter().map(method);
        quote! {
            #[doc = " # Contacts"]
            impl #robot {
                #[doc = " Contacts and closed loops, the active ones and the others."]
                pub const NC: rt::usize = #nc;
                #[doc = " Rows of all contacts: 3 of a point, 6 of a plane."]
                pub const CONTACT_ROWS: rt::usize = #nr;
                #(#methods)*
            }
        }
    }
}
