//! The methods that users call.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use crate::functions::Function;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Contacts<'_> {
    /// The trait of robots with contacts, by the robot's own functions.
    pub(super) fn implementation(&self) -> TokenStream {
        let (robot, of) = (ident(self.type_name), self.type_ident());
        let [nq, nv, nc, nr] = [self.model.nq, self.model.nv, self.all.len(), self.rows()].map(number);
        let variants = self.variants();
        let q = quote!(q: &impl rt::Configuration<T, #nq>);
        let [v, tau, a] = ["v", "tau", "a"].map(ident).map(|x| quote!(#x: &rt::SVector<T, #nv>));
        let active = quote!(active: &[rt::bool; #nc]);
        let settings = quote!(settings: &rt::contact::ContactSettings<T, #nc>);
        quote! {
            impl rt::contact::Contacts<#nq, #nv, #nc, #nr> for #robot {
                const CONTACTS: [rt::contact::ContactTable; #nc] = CONTACTS;
                const CONTACT_NAMES: [&'static rt::str; #nc] = [#(#of::#variants.name()),*];
                const CONTACT_FRAMES: [Self::Frame; #nc] = [#(#of::#variants.frame()),*];
                #[inline]
                fn contact_dynamics<T: rt::Scalar>(
                    #q, #v, #tau, #active, #settings
                ) -> rt::contact::ContactDynamics<T, #nv, #nr> {
                    Self::contact_dynamics(q, v, tau, active, settings)
                }
                #[inline]
                fn contact_dynamics_derivatives<T: rt::Scalar>(
                    #q, #v, #tau, #active, #settings
                ) -> rt::contact::ContactDynamicsDerivatives<T, #nv, #nr> {
                    Self::contact_dynamics_derivatives(q, v, tau, active, settings)
                }
                #[inline]
                fn contact_dynamics_derivatives_into<T: rt::Scalar>(
                    #q, #v, #tau, #active, #settings, out: &mut rt::contact::ContactDynamicsDerivatives<T, #nv, #nr>
                ) {
                    Self::contact_dynamics_derivatives_into(q, v, tau, active, settings, out);
                }
                #[inline]
                fn contact_impulse<T: rt::Scalar>(
                    #q, #v, #active, restitution: T, #settings
                ) -> rt::contact::ContactImpulse<T, #nv, #nr> {
                    Self::contact_impulse(q, v, active, restitution, settings)
                }
                #[inline]
                fn contact_impulse_derivatives<T: rt::Scalar>(
                    #q, #v, #active, restitution: T, #settings
                ) -> rt::contact::ContactImpulseDerivatives<T, #nv, #nr> {
                    Self::contact_impulse_derivatives(q, v, active, restitution, settings)
                }
                #[inline]
                fn contact_impulse_derivatives_into<T: rt::Scalar>(
                    #q, #v, #active, restitution: T, #settings,
                    out: &mut rt::contact::ContactImpulseDerivatives<T, #nv, #nr>
                ) {
                    Self::contact_impulse_derivatives_into(q, v, active, restitution, settings, out);
                }
                #[inline]
                fn contact_inverse_dynamics<T: rt::Scalar>(
                    #q, #v, #a, forces: &rt::SVector<T, #nr>
                ) -> rt::SVector<T, #nv> {
                    Self::contact_inverse_dynamics(q, v, a, forces)
                }
                #[inline]
                fn contact_jacobian<T: rt::Scalar>(#q, #active) -> rt::SMatrix<T, #nr, #nv> {
                    Self::contact_jacobian(q, active)
                }
                #[inline]
                fn delassus<T: rt::Scalar>(#q, #active) -> rt::SMatrix<T, #nr, #nr> {
                    Self::delassus(q, active)
                }
                #[inline]
                fn contact_inverse_dynamics_in<T: rt::Scalar>(
                    #q, #v, #a, forces: &rt::SVector<T, #nr>, axes: rt::contact::ContactAxes
                ) -> rt::SVector<T, #nv> {
                    Self::contact_inverse_dynamics_in(q, v, a, forces, axes)
                }
                #[inline]
                fn contact_jacobian_in<T: rt::Scalar>(
                    #q, #active, axes: rt::contact::ContactAxes
                ) -> rt::SMatrix<T, #nr, #nv> {
                    Self::contact_jacobian_in(q, active, axes)
                }
                #[inline]
                fn delassus_in<T: rt::Scalar>(
                    #q, #active, axes: rt::contact::ContactAxes
                ) -> rt::SMatrix<T, #nr, #nr> {
                    Self::delassus_in(q, active, axes)
                }
                #[inline]
                fn contact_errors<T: rt::Scalar>(#q, #active, #settings) -> rt::SVector<T, #nr> {
                    Self::contact_errors(q, active, settings)
                }
                #[inline]
                fn contact_placements<T: rt::Scalar>(#q) -> [rt::Placement<T>; #nc] {
                    Self::contact_placements(q)
                }
            }
        }
    }

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
                    "contact_impulse_derivatives" => &[Function::Minv, Function::RneaDerivativesFext],
                    "contact_impulse" | "delassus" | "delassus_in" => &[Function::Minv],
                    "contact_inverse_dynamics" | "contact_inverse_dynamics_in" => &[Function::RneaFext],
                    _ => &[],
                };
                let is_large = matches!(name, "contact_dynamics_derivatives" | "contact_impulse_derivatives");
                let depends = needs.iter().any(|function| function.takes_parameters(self.model));
                let form = |docs: &[String], called: &Ident, given: TokenStream, parameters: TokenStream| {
                    let into = is_large.then(|| {
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
                 `J ddq + dJ/dt v + kd J v + kp e`, are zero. Rows are in the axes that the settings say, by default the contacts' own.",
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
        let impulse_derivatives = method(
            "contact_impulse_derivatives",
            &[
                "[`Self::contact_impulse`] with the derivatives of velocities and impulses by q (in its tangent space), v and the \
                 restitution.",
            ],
            quote!(v: #tangent, #active, restitution: T, #settings),
            quote!(rt::contact::ContactImpulseDerivatives<T, #nv, #nr>),
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
        let in_axes = |name: &str, takes: TokenStream, gives: TokenStream, passes: TokenStream| {
            let docs = format!("[`Self::{name}`] with rows in these axes.");
            let axes = quote!(axes: rt::contact::ContactAxes);
            method(&format!("{name}_in"), &[&docs], quote!(#takes, #axes), gives, quote!(#passes, axes))
        };
        let inverse_in = in_axes(
            "contact_inverse_dynamics",
            quote!(v: #tangent, a: #tangent, forces: &rt::SVector<T, #nr>),
            quote!(rt::SVector<T, #nv>),
            quote!(v, a, forces),
        );
        let jacobian_in =
            in_axes("contact_jacobian", active.clone(), quote!(rt::SMatrix<T, #nr, #nv>), quote!(active));
        let delassus_in =
            in_axes("delassus", active.clone(), quote!(rt::SMatrix<T, #nr, #nr>), quote!(active));
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
                #dynamics #derivatives #impulse #impulse_derivatives #inverse #inverse_in #jacobian
                #jacobian_in #delassus #delassus_in #errors #placements
            }
        }
    }
}
