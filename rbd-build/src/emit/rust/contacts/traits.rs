//! The runtime's text of results and traits of functions of contacts.

use super::super::families::{result_struct, written};
use super::super::types::Names;
use super::methods::Method;
use crate::table::functions::{CONTACT_FUNCTIONS, ContactSpec, Form};
use proc_macro2::TokenStream;
use quote::quote;

/// Text of the runtime's `contact/functions.rs`: result structs, and the traits of robots with contacts.
pub fn runtime_text() -> String {
    let structs = CONTACT_FUNCTIONS.iter().filter_map(|spec| Some((spec, spec.result?)));
    let structs = structs.map(|(spec, result)| {
        let mut docs = vec![format!("Result of `{}`.", spec.name)];
        docs.extend(spec.equation.into_iter().flat_map(|equation| [String::new(), format!("`{equation}`")]));
        result_struct(result, &docs, spec.outputs)
    });
    let (contacts, with_parameters) = (contacts(), with_parameters());
    let text = written(
        "Results and traits of functions of contacts.",
        quote! {
            use super::{ContactAxes, ContactSettings, ContactTable};
            use crate::__private::zeros;
            use crate::spatial::Placement;
            use crate::{Configuration, Frames, HasParameters, Scalar};
            use nalgebra::{SMatrix, SVector};

            #(#structs)*
            #contacts
            #with_parameters
        },
    );
    // In this file, the items belong to the module itself.
    text.replace("contact::", "")
}

/// Methods of a trait, with documentation.
fn methods(
    forms: Vec<(&'static ContactSpec, Form)>,
    docs: impl Fn(&Method<'_>) -> Vec<String>,
) -> TokenStream {
    let (names, parameters) = (Names::generic(), quote!(Self::Parameters<T>));
    let methods = forms.into_iter().map(|(spec, form)| {
        let method = Method { spec, form, names: &names, parameters: &parameters };
        let (attributes, head) = (method.attributes(&docs(&method)), method.head());
        quote!(#attributes #head;)
    });
    quote!(#(#methods)*)
}

/// The trait of robots with contacts.
fn contacts() -> TokenStream {
    let methods = methods(Method::forms(|_| [true, false]), |method| method.docs());
    quote! {
        /// Robots with dynamics under contacts: `NC` contacts and closed loops with `NR` rows together.
        ///
        /// A robot made with the option `contacts` or `closed_loops` implements it. The sizes are the
        /// type's own: `Contacts<{R::NQ}, {R::NV}, {R::NC}, {R::CONTACT_ROWS}>`. A solver for any such robot:
        ///
        /// ```
        /// use nalgebra::SVector;
        /// use rbd_runtime::{ContactSettings, Contacts};
        ///
        /// /// Accelerations with all contacts held.
        /// fn held<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
        ///     q: &SVector<f64, NQ>,
        ///     v: &SVector<f64, NV>,
        ///     tau: &SVector<f64, NV>,
        /// ) -> SVector<f64, NV>
        /// where
        ///     R: Contacts<NQ, NV, NC, NR>,
        /// {
        ///     R::contact_dynamics(q, v, tau, &[true; NC], &ContactSettings::default()).ddq
        /// }
        /// ```
        ///
        /// `active` says for each contact whether it holds. Forces, residuals and Jacobians have the rows of
        /// all contacts, one after the other, in the contacts' own axes or by [`ContactAxes`] in the world's.
        /// Rows of contacts that are not active are zero. Rows of [`Self::CONTACTS`]`[k]` begin at its `row`.
        #[diagnostic::on_unimplemented(
            note = "a robot implements `Contacts` if it is made with `contacts: [..]` or `closed_loops: {{ .. }}`",
            note = "the sizes are the type's own: `Contacts<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
        )]
        pub trait Contacts<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
            Frames<NQ, NV>
        {
            /// The contacts, then the closed loops, in the order of their rows.
            const CONTACTS: [ContactTable; NC];
            /// The name of each in the URDF, or as a closed loop.
            const CONTACT_NAMES: [&'static str; NC];
            /// The frame of each, of a closed loop the first one.
            const CONTACT_FRAMES: [Self::Frame; NC];

            #methods
        }
    }
}

/// The trait of robots with contacts and parameters at run time.
fn with_parameters() -> TokenStream {
    let docs = |method: &Method<'_>| {
        let plain = Form { parameters: false, ..method.form }.name(method.spec.name);
        vec![format!("[`Contacts::{plain}`] with inertia and gravity of `parameters`.")]
    };
    let methods = methods(Method::forms(|spec| [false, !spec.needs.is_empty()]), docs);
    quote! {
        /// Robots with dynamics under contacts that take inertia or gravity at run time.
        ///
        /// Those made with the option `inertia`, or `gravity: runtime`, and with `contacts` or `closed_loops`.
        /// Functions that do not depend on what is given ignore it: the Delassus matrix of a robot that takes
        /// gravity alone. The Jacobian, errors and placements of contacts never do: they are in [`Contacts`].
        #[diagnostic::on_unimplemented(
            note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`, and with `contacts: [..]` or `closed_loops: {{ .. }}`",
            note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
        )]
        pub trait ContactsWithParameters<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
            Contacts<NQ, NV, NC, NR> + HasParameters
        {
            #methods
        }
    }
}
