//! The step under contacts: methods, and the trait, whose functions the runtime has.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use crate::table::functions::Function;
use proc_macro2::TokenStream;
use quote::quote;

impl Contacts<'_> {
    /// Methods of a robot that has contacts, steps, so many controls of the option `actuated`, and some
    /// functions.
    pub fn steps(&self, controls: usize, has: impl Fn(Function) -> bool) -> TokenStream {
        if self.is_empty() {
            return TokenStream::new();
        }
        let (own, with_parameters) = (self.own_steps(), self.steps_with_parameters());
        let actuated = (controls > 0).then(|| self.actuated_steps(controls));
        let hessians = self.has_hessians(has).then(|| self.step_hessians());
        quote!(#own #with_parameters #actuated #hessians)
    }

    fn own_steps(&self) -> TokenStream {
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

    /// Steps that take parameters at run time, of a robot that has any.
    fn steps_with_parameters(&self) -> Option<TokenStream> {
        let parameters = self.parameters()?;
        let robot = ident(self.type_name);
        let [nq, nv] = [self.model.nq, self.model.nv].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let given = |name: &str| {
            doc_lines(&[format!("[`Self::{name}`] with what is given at run time, `parameters`.")])
        };
        let [step, derivatives] = ["contact_step", "contact_step_derivatives"].map(given);
        let into = "[`Self::contact_step_derivatives_with`] without a copy. Writes every entry of `out`.";
        let into = doc_lines(&[into.to_owned()]);
        let takes = quote! {
            parameters: &#parameters<T>,
            q: &rt::SVector<T, #nq>,
            v: &rt::SVector<T, #nv>,
            tau: &rt::SVector<T, #nv>,
            dt: T,
            active: &[bool; #nc],
            settings: &rt::contact::ContactSettings<T, #nc>
        };
        let passes = quote!(parameters, q, v, tau, dt, active, settings);
        let result = quote!(rt::ContactStepDerivatives<T, #nq, #nv, #nr>);
        let of_trait = quote!(<Self as rt::ContactStepsWithParameters<#nq, #nv, #nc, #nr>>);
        Some(quote! {
            #[doc = " # Step under contacts with parameters at run time"]
            impl #robot {
                #step
                #[must_use]
                pub fn contact_step_with<T: rt::Scalar>(#takes) -> rt::ContactStep<T, #nq, #nv, #nr> {
                    #of_trait::contact_step_with(#passes)
                }
                #derivatives
                #[must_use]
                pub fn contact_step_derivatives_with<T: rt::Scalar>(#takes) -> #result {
                    #of_trait::contact_step_derivatives_with(#passes)
                }
                #into
                #[allow(clippy::too_many_arguments)]
                pub fn contact_step_derivatives_with_into<T: rt::Scalar>(#takes, out: &mut #result) {
                    #of_trait::contact_step_derivatives_with_into(#passes, out)
                }
            }
            impl rt::ContactStepsWithParameters<#nq, #nv, #nc, #nr> for #robot {}
        })
    }

    /// Steps under controls of some joints.
    fn actuated_steps(&self, controls: usize) -> TokenStream {
        let robot = ident(self.type_name);
        let [nq, nv, nu] = [self.model.nq, self.model.nv, controls].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let docs = |lines: &[&str]| doc_lines(&lines.iter().map(|x| (*x).to_owned()).collect::<Vec<_>>());
        let step = docs(&["[`Self::contact_step`] with the torques `S^T u`."]);
        let derivatives = docs(&[
            "[`Self::actuated_contact_step`] with derivatives by the state and the controls.",
            "",
            "`A = [dq_dq dq_dv; dv_dq dv_dv]`, blocks NV x NV, and `B = [dq_du; dv_du]`, blocks NV x NU.",
        ]);
        let takes = quote! {
            q: &rt::SVector<T, #nq>,
            v: &rt::SVector<T, #nv>,
            u: &rt::SVector<T, #nu>,
            dt: T,
            active: &[bool; #nc],
            settings: &rt::contact::ContactSettings<T, #nc>
        };
        let of_trait = quote!(<Self as rt::ActuatedContactSteps<#nq, #nv, #nu, #nc, #nr>>);
        quote! {
            #[doc = " # Step under contacts and controls"]
            impl #robot {
                #step
                #[must_use]
                pub fn actuated_contact_step<T: rt::Scalar>(#takes) -> rt::ContactStep<T, #nq, #nv, #nr> {
                    #of_trait::actuated_contact_step(q, v, u, dt, active, settings)
                }
                #derivatives
                #[must_use]
                pub fn actuated_contact_step_derivatives<T: rt::Scalar>(
                    #takes
                ) -> rt::ActuatedContactStepDerivatives<T, #nq, #nv, #nu, #nr> {
                    #of_trait::actuated_contact_step_derivatives(q, v, u, dt, active, settings)
                }
            }
        }
    }

    /// Weighted Hessians of steps.
    fn step_hessians(&self) -> TokenStream {
        let robot = ident(self.type_name);
        let [nq, nv] = [self.model.nq, self.model.nv].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let docs = |lines: &[&str]| doc_lines(&lines.iter().map(|x| (*x).to_owned()).collect::<Vec<_>>());
        let hessian = docs(&[
            "The next state of [`Self::contact_step`], weighted with `lambda_q` and `lambda_v`: value, gradient and Hessian by the state and the torques.",
            "",
            "They are those of `lambda_q . difference(at, q+) + lambda_v . v+`, `at` being the next configuration itself.",
        ]);
        let into = docs(&["[`Self::contact_step_hessian`] without a copy. Writes every entry of `out`."]);
        let takes = quote! {
            q: &rt::SVector<T, #nq>,
            v: &rt::SVector<T, #nv>,
            tau: &rt::SVector<T, #nv>,
            dt: T,
            active: &[bool; #nc],
            settings: &rt::contact::ContactSettings<T, #nc>,
            lambda_q: &rt::SVector<T, #nv>,
            lambda_v: &rt::SVector<T, #nv>
        };
        let passes = quote!(q, v, tau, dt, active, settings, lambda_q, lambda_v);
        let of_trait = quote!(<Self as rt::ContactStepHessians<#nq, #nv, #nc, #nr>>);
        quote! {
            #[doc = " # Hessians of steps under contacts"]
            impl #robot {
                #hessian
                #[must_use]
                #[allow(clippy::too_many_arguments)]
                pub fn contact_step_hessian<T: rt::Scalar>(#takes) -> rt::StepHessian<T, #nv> {
                    #of_trait::contact_step_hessian(#passes)
                }
                #into
                #[allow(clippy::too_many_arguments)]
                pub fn contact_step_hessian_into<T: rt::Scalar>(
                    #takes, out: &mut rt::StepHessian<T, #nv>
                ) {
                    #of_trait::contact_step_hessian_into(#passes, out);
                }
            }
        }
    }
}
