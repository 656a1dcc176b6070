//! The step under contacts: methods, and the trait, whose functions the runtime has.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use proc_macro2::TokenStream;
use quote::quote;

impl Contacts<'_> {
    /// Methods of a robot that has contacts and steps.
    pub fn steps(&self) -> TokenStream {
        if self.is_empty() {
            return TokenStream::new();
        }
        let robot = ident(self.type_name);
        let [nq, nv] = [self.model.nq, self.model.nv].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let docs = |lines: &[&str]| doc_lines(&lines.iter().map(|x| (*x).to_owned()).collect::<Vec<_>>());
        let step = docs(&[
            "The state after a time `dt` (s) under the torques `tau`, with the active contacts held.",
            "",
            "[`Self::step`] with the accelerations of [`Self::contact_dynamics`], which are in the result too.",
        ]);
        let derivatives = docs(&[
            "[`Self::contact_step`] with derivatives in the tangent spaces of the old and the new state.",
            "",
            "Forces and their derivatives, at the beginning of the step, are in the result too.",
        ]);
        let into = docs(&["[`Self::contact_step_derivatives`] without a copy. Writes every entry of `out`."]);
        let takes = quote! {
            q: &rt::SVector<T, #nq>,
            v: &rt::SVector<T, #nv>,
            tau: &rt::SVector<T, #nv>,
            dt: T,
            active: &[bool; #nc],
            settings: &rt::contact::ContactSettings<T, #nc>
        };
        let result = quote!(rt::ContactStepDerivatives<T, #nq, #nv, #nr>);
        let of_trait = quote!(<Self as rt::ContactSteps<#nq, #nv, #nc, #nr>>);
        quote! {
            #[doc = " # Step under contacts"]
            impl #robot {
                #step
                #[must_use]
                pub fn contact_step<T: rt::Scalar>(#takes) -> rt::ContactStep<T, #nq, #nv, #nr> {
                    #of_trait::contact_step(q, v, tau, dt, active, settings)
                }
                #derivatives
                #[must_use]
                pub fn contact_step_derivatives<T: rt::Scalar>(#takes) -> #result {
                    #of_trait::contact_step_derivatives(q, v, tau, dt, active, settings)
                }
                #into
                pub fn contact_step_derivatives_into<T: rt::Scalar>(#takes, out: &mut #result) {
                    #of_trait::contact_step_derivatives_into(q, v, tau, dt, active, settings, out)
                }
            }
            impl rt::ContactSteps<#nq, #nv, #nc, #nr> for #robot {}
        }
    }
}
