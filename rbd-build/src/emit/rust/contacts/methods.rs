//! The methods that users call.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use crate::functions::Function;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Contacts<'_> {
    /// What users call.
    pub(super) fn methods(&self) -> TokenStream {
        let (robot, at) = (ident(self.type_name), self.wrapper());
        let [nq, nv, nc, nr] = [self.model.nq, self.model.nv, self.all.len(), self.rows()].map(number);
        let q = quote!(q: &impl rt::Configuration<T, #nq>);
        let tangent = quote!(&rt::SVector<T, #nv>);
        let (active, settings) =
            (quote!(active: &[rt::bool; #nc]), quote!(settings: &rt::contact::ContactSettings<T, #nc>));
        let parameters = self.parameters();
        let method =
            |name: &str, docs: &[&str], takes: TokenStream, gives: TokenStream, passes: TokenStream| {
                let mut docs: Vec<String> = docs.iter().map(|line| (*line).to_owned()).collect();
                let called = ident(name);
                let of_runtime = ident(name.strip_prefix("contact_").unwrap_or(name));
                let of_runtime =
                    if name == "contact_dynamics_derivatives" { ident("derivatives") } else { of_runtime };
                let needs = match name {
                    "contact_dynamics" => &[Function::Minv, Function::Bias][..],
                    "contact_dynamics_derivatives" => {
                        &[Function::Minv, Function::Bias, Function::RneaDerivativesFext]
                    }
                    "contact_impulse" | "delassus" => &[Function::Minv],
                    "contact_inverse_dynamics" => &[Function::RneaFext],
                    _ => &[],
                };
                let depends = needs.iter().any(|function| function.takes_parameters(self.model));
                let form = |docs: &[String], called: &Ident, given: TokenStream, parameters: TokenStream| {
                    let into = (name == "contact_dynamics_derivatives").then(|| {
                        let (into, of_runtime) =
                            (ident(&format!("{called}_into")), ident(&format!("{of_runtime}_into")));
                        let docs = format!("[`Self::{called}`] without a copy. Writes every entry of `out`.");
                        let docs = doc_lines(&[docs]);
                        quote! {
                            #docs
                            pub fn #into<T: rt::Scalar>(#given #q, #takes, out: &mut #gives) {
                                rt::contact::#of_runtime(
                                    &#at(&rt::contact::posture(q), #parameters), #passes, out
                                );
                            }
                        }
                    });
                    let docs = doc_lines(docs);
                    quote! {
                        #docs
                        #[must_use]
                        pub fn #called<T: rt::Scalar>(#given #q, #takes) -> #gives {
                            rt::contact::#of_runtime(&#at(&rt::contact::posture(q), #parameters), #passes)
                        }
                        #into
                    }
                };
                let Some(of) = &parameters else {
                    return form(&docs, &called, TokenStream::new(), TokenStream::new());
                };
                let by_default = quote!(&<#of<T> as rt::Default>::default());
                if !depends {
                    return form(&docs, &called, TokenStream::new(), by_default);
                }
                let with = ident(&format!("{name}_with"));
                let mut given = docs.clone();
                given.extend(["".into(), "With what is given at run time, `parameters`.".into()]);
                docs.extend(["".into(), format!("With default parameters: [`Self::{with}`] takes others.")]);
                let plain = form(&docs, &called, TokenStream::new(), by_default);
                let with = form(&given, &with, quote!(parameters: &#of<T>,), quote!(parameters));
                quote!(#plain #with)
            };
        let dynamics = method(
            "contact_dynamics",
            &[
                "Forward dynamics under contacts: accelerations, and what the world does to the robot at the active \
                 contacts, row by row.",
                "",
                "`M(q) ddq + C(q, v) v + g(q) = tau + J^T forces`, and the rows of the active contacts, \
                 `J ddq + dJ/dt v + kd J v + kp e`, are zero. All force rows of a contact are in its frame's own axes.",
            ],
            quote!(v: #tangent, tau: #tangent, #active, #settings),
            quote!(rt::contact::ContactDynamics<T, #nv, #nr>),
            quote!(v, tau, active, settings),
        );
        let derivatives = method(
            "contact_dynamics_derivatives",
            &[
                "The same with the derivatives of accelerations and forces by q (in its tangent space), v and tau.",
            ],
            quote!(v: #tangent, tau: #tangent, #active, #settings),
            quote!(rt::contact::ContactDynamicsDerivatives<T, #nv, #nr>),
            quote!(v, tau, active, settings),
        );
        let impulse = method(
            "contact_impulse",
            &["Velocities after an impact at the active contacts: `M(q) (v_plus - v) = J^T impulses`, \
                 `J v_plus = -restitution J v`. Of the settings, `mu` and `iterations` are used."],
            quote!(v: #tangent, #active, restitution: T, #settings),
            quote!(rt::contact::ContactImpulse<T, #nv, #nr>),
            quote!(v, active, restitution, settings),
        );
        let inverse = method(
            "contact_inverse_dynamics",
            &["Inverse dynamics under contact forces: `tau = M(q) a + C(q, v) v + g(q) - J^T forces`."],
            quote!(v: #tangent, a: #tangent, forces: &rt::SVector<T, #nr>),
            quote!(rt::SVector<T, #nv>),
            quote!(v, a, forces),
        );
        let jacobian = method(
            "contact_jacobian",
            &[
                "The Jacobian of the active contacts, each in its frame's own axes; rows of the others are zero.",
            ],
            active.clone(),
            quote!(rt::SMatrix<T, #nr, #nv>),
            quote!(active),
        );
        let delassus = method(
            "delassus",
            &[
                "The Delassus matrix `J M(q)^-1 J^T` of the active contacts; rows and columns of the others are zero.",
            ],
            active.clone(),
            quote!(rt::SMatrix<T, #nr, #nr>),
            quote!(active),
        );
        let errors = method(
            "contact_errors",
            &[
                "How far the active contacts are from where they are to be, row by row: closed loops from being closed, \
                 contacts with the world from their anchors.",
            ],
            quote!(#active, #settings),
            quote!(rt::SVector<T, #nr>),
            quote!(active, settings),
        );
        let placements = method(
            "contact_placements",
            &[
                "Where the contacts' frames are in the world: anchors, where contacts are made. Of closed loops, the first ones.",
            ],
            TokenStream::new(),
            quote!([rt::Placement<T>; #nc]),
            TokenStream::new(),
        );
        quote! {
            #[doc = " # Contacts"]
            impl #robot {
                #[doc = " Contacts and closed loops, the active ones and the others."]
                pub const NC: rt::usize = #nc;
                #[doc = " Rows of all contacts: 3 of a point, 6 of a plane."]
                pub const CONTACT_ROWS: rt::usize = #nr;
                #dynamics #derivatives #impulse #inverse #jacobian #delassus #errors #placements
            }
        }
    }
}
