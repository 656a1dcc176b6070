//! Hessians of contact dynamics: methods, and the implementation of their trait.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use crate::table::functions::{Form, Function};
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::contact::PathJoint;

impl Contacts<'_> {
    /// Paths to the frames of all contacts, of a robot that has Hessians of torques. `None` if two joints
    /// on the paths to a contact's frames share a coordinate.
    fn paths_of_hessians(&self, has: impl Fn(Function) -> bool) -> Option<Vec<[Vec<PathJoint>; 2]>> {
        let paths: Option<Vec<_>> = self.all.iter().map(|(contact, _)| contact.paths(self.model)).collect();
        paths.filter(|paths| !paths.is_empty() && has(Function::RneaHessian))
    }

    /// Returns whether the robot has Hessians of contact dynamics.
    pub(super) fn has_hessians(&self, has: impl Fn(Function) -> bool) -> bool {
        self.paths_of_hessians(has).is_some()
    }

    /// Methods of a robot that has Hessians of contact dynamics.
    pub fn hessians(&self, has: impl Fn(Function) -> bool) -> TokenStream {
        let Some(paths) = self.paths_of_hessians(has) else { return TokenStream::new() };
        let (robot, at) = (ident(self.type_name), self.wrapper());
        let [nq, nv, nb] = [self.model.nq, self.model.nv, self.model.bodies.len()].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let hessian = self.call(
            Function::RneaHessian,
            Form { out: true, ..Form::default() },
            quote!(self.0, v, a, mu, out),
        );
        let arms = paths.iter().enumerate().map(|(k, both)| {
            let k = number(k);
            let both = both.iter().map(|path| {
                let joints = path.iter().map(|joint| {
                    let [body, first, end] = [joint.body, joint.first, joint.end].map(number);
                    quote!(rt::contact::PathJoint { body: #body, first: #first, end: #end })
                });
                quote!(&[#(#joints),*])
            });
            quote!(#k => [#(#both),*],)
        });
        let takes = quote! {
            q: &impl rt::Configuration<T, #nq>,
            v: &rt::SVector<T, #nv>,
            tau: &rt::SVector<T, #nv>,
            active: &[rt::bool; #nc],
            settings: &rt::contact::ContactSettings<T, #nc>,
            lambda: &rt::SVector<T, #nv>,
            kappa: &rt::SVector<T, #nr>
        };
        let result = quote!(rt::contact::ContactDynamicsHessian<T, #nv>);
        let first = quote!(first: &mut rt::contact::ContactDynamicsDerivatives<T, #nv, #nr>);
        let body = |given: &Option<TokenStream>| {
            quote! {
                rt::contact::hessian_with_first_into(
                    &#at(&rt::contact::posture(q), #given),
                    (v, tau),
                    active,
                    settings,
                    (lambda, kappa),
                    first,
                    out,
                );
            }
        };
        let docs =
            |lines: &[&str]| doc_lines(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        let doc = docs(&[
            "The sum of weighted accelerations and forces under contacts, its gradient and its Hessian.",
            "",
            "`value = lambda . ddq + kappa . forces` of [`Self::contact_dynamics`], without any tensor.",
            "",
            "`kappa` has the rows of all contacts, in the axes of the settings. Those of inactive contacts do not count.",
        ]);
        let into_doc =
            docs(&["[`Self::contact_dynamics_hessian`] without a copy. Writes every entry of `out`."]);
        let both_doc = docs(&[
            "[`Self::contact_dynamics_hessian`] and the first derivatives that it is made from, none of which is computed twice.",
            "",
            "It writes what [`Self::contact_dynamics_derivatives`] gives, and every entry of `out`.",
        ]);
        let default = self.parameters().map(|of| quote!(&<#of<T> as rt::Default>::default()));
        let plain = body(&default);
        let with_parameters = self.parameters().map(|of| {
            let doc =
                docs(&["[`Self::contact_dynamics_hessian`] with what is given at run time, `parameters`."]);
            let both_doc = docs(&[
                "[`Self::contact_dynamics_hessian_with_first_into`] with what is given at run time, `parameters`.",
            ]);
            let body = body(&Some(quote!(parameters)));
            quote! {
                #doc
                #[must_use]
                pub fn contact_dynamics_hessian_with<T: rt::Scalar>(parameters: &#of<T>, #takes) -> #result {
                    let (mut first, mut out) =
                        (rt::contact::ContactDynamicsDerivatives::zeros(), rt::contact::ContactDynamicsHessian::zeros());
                    Self::contact_dynamics_hessian_with_first_with_into(
                        parameters, q, v, tau, active, settings, lambda, kappa, &mut first, &mut out
                    );
                    out
                }
                #both_doc
                pub fn contact_dynamics_hessian_with_first_with_into<T: rt::Scalar>(
                    parameters: &#of<T>, #takes, #first, out: &mut #result
                ) {
                    #body
                }
            }
        });
        let of_trait = quote!(<Self as rt::contact::ContactHessians<#nq, #nv, #nc, #nr>>);
        quote! {
            impl<T: rt::Scalar> rt::contact::SecondOrderMechanics<T, #nv, #nb, #nc> for #at<'_, T> {
                fn paths(&self, contact: rt::usize) -> [&[rt::contact::PathJoint]; 2] {
                    match contact { #(#arms)* _ => [&[], &[]] }
                }
                fn rnea_hessian(
                    &self, v: &rt::SVector<T, #nv>, a: &rt::SVector<T, #nv>, mu: &rt::SVector<T, #nv>,
                    out: &mut rt::RneaHessian<T, #nv>
                ) {
                    #hessian
                }
            }
            #[doc = " # Hessians under contacts"]
            impl #robot {
                #doc
                #[must_use]
                pub fn contact_dynamics_hessian<T: rt::Scalar>(#takes) -> #result {
                    #of_trait::contact_dynamics_hessian(q, v, tau, active, settings, lambda, kappa)
                }
                #into_doc
                pub fn contact_dynamics_hessian_into<T: rt::Scalar>(#takes, out: &mut #result) {
                    #of_trait::contact_dynamics_hessian_into(q, v, tau, active, settings, lambda, kappa, out);
                }
                #both_doc
                pub fn contact_dynamics_hessian_with_first_into<T: rt::Scalar>(
                    #takes, #first, out: &mut #result
                ) {
                    #plain
                }
                #with_parameters
            }
            impl rt::contact::ContactHessians<#nq, #nv, #nc, #nr> for #robot {
                #[inline]
                fn contact_dynamics_hessian_with_first_into<T: rt::Scalar>(
                    #takes, #first, out: &mut #result
                ) {
                    Self::contact_dynamics_hessian_with_first_into(
                        q, v, tau, active, settings, lambda, kappa, first, out
                    );
                }
            }
        }
    }
}
