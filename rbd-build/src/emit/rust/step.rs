//! The discrete step: methods, and the trait, whose functions the runtime has.

use super::function::doc_lines;
use super::run_time::Parameters;
use super::types::{ident, number};
use crate::table::functions::{Form, Function};
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::{Integrator, Model};

/// Methods of a robot with the option `step`, and its implementation of the trait.
pub fn items(integrator: Option<Integrator>, type_name: &str, model: &Model<f64>) -> TokenStream {
    let Some(integrator) = integrator else { return TokenStream::new() };
    let (robot, [nq, nv]) = (ident(type_name), [model.nq, model.nv].map(number));
    let (which, equation) = match integrator {
        Integrator::SemiImplicit => {
            (quote!(SemiImplicit), "`v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v+)`.")
        }
        Integrator::Explicit => {
            (quote!(Explicit), "`v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v)`.")
        }
        Integrator::Rk4 => (quote!(Rk4), "Runge and Kutta's method of order 4, on the manifold."),
        Integrator::ImplicitDamping => (
            quote!(ImplicitDamping),
            "`v+ = v + dt (M + dt D)^-1 (tau - b(q, v))`, `q+ = integrate(q, dt v+)`, D being joint damping.",
        ),
    };
    let damping = (integrator == Integrator::ImplicitDamping).then(|| {
        let damping = model.damping();
        quote! {
            const DAMPING: &'static [f64] = &[#(#damping),*];
            fn accelerations_by_torques<T: rt::Scalar>(
                q: &rt::SVector<T, #nq>,
                v: &rt::SVector<T, #nv>,
                tau: &rt::SVector<T, #nv>,
                out: &mut rt::AbaDerivatives<T, #nv>,
            ) {
                out.ddq = Self::aba(q, v, tau);
                Self::minv_into(q, &mut out.ddq_dtau);
            }
        }
    });
    let docs = |lines: &[&str]| doc_lines(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
    let step = docs(&[
        "The state after a time `dt` (s) under the torques `tau`, which are constant meanwhile.",
        "",
        equation,
    ]);
    let derivatives = docs(&[
        "The state after a time `dt` (s), and its derivatives in the tangent spaces of the old and the new state.",
        "",
        "`A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_dtau; dv_dtau]`, blocks NV x NV.",
    ]);
    let into = docs(&["[`Self::step_derivatives`] without a copy. Writes every entry of `out`."]);
    let hessian = docs(&[
        "The next state, weighted with `lambda_q` and `lambda_v`: value, gradient and Hessian by the state and the torques.",
        "",
        "They are those of `lambda_q . difference(at, q+) + lambda_v . v+`, `at` being the next configuration itself.",
    ]);
    let hessian_into = docs(&["[`Self::step_hessian`] without a copy. Writes every entry of `out`."]);
    let weights = quote!(lambda_q: &rt::SVector<T, #nv>, lambda_v: &rt::SVector<T, #nv>);
    let takes = quote! {
        q: &rt::SVector<T, #nq>, v: &rt::SVector<T, #nv>, tau: &rt::SVector<T, #nv>, dt: T
    };
    let of_trait = quote!(<Self as rt::DiscreteDynamics<#nq, #nv>>);
    let with_parameters = with_parameters(integrator, type_name, model);
    quote! {
        #[doc = " # Step"]
        impl #robot {
            #step
            #[must_use]
            pub fn step<T: rt::Scalar>(#takes) -> rt::Step<T, #nq, #nv> {
                #of_trait::step(q, v, tau, dt)
            }
            #derivatives
            #[must_use]
            pub fn step_derivatives<T: rt::Scalar>(#takes) -> rt::StepDerivatives<T, #nq, #nv> {
                #of_trait::step_derivatives(q, v, tau, dt)
            }
            #into
            pub fn step_derivatives_into<T: rt::Scalar>(
                #takes, out: &mut rt::StepDerivatives<T, #nq, #nv>
            ) {
                #of_trait::step_derivatives_into(q, v, tau, dt, out)
            }
            #hessian
            #[must_use]
            pub fn step_hessian<T: rt::Scalar>(#takes, #weights) -> rt::StepHessian<T, #nv> {
                #of_trait::step_hessian(q, v, tau, dt, lambda_q, lambda_v)
            }
            #hessian_into
            pub fn step_hessian_into<T: rt::Scalar>(
                #takes, #weights, out: &mut rt::StepHessian<T, #nv>
            ) {
                #of_trait::step_hessian_into(q, v, tau, dt, lambda_q, lambda_v, out)
            }
        }
        impl rt::DiscreteDynamics<#nq, #nv> for #robot {
            const INTEGRATOR: rt::Integrator = rt::Integrator::#which;
            #damping
            fn weighted_accelerations<T: rt::Scalar>(
                q: &rt::SVector<T, #nq>,
                v: &rt::SVector<T, #nv>,
                tau: &rt::SVector<T, #nv>,
                lambda: &rt::SVector<T, #nv>,
                first: &mut rt::AbaDerivatives<T, #nv>,
                out: &mut rt::AbaHessian<T, #nv>,
            ) {
                Self::aba_hessian_with_first_into(q, v, tau, lambda, first, out);
            }
        }
        #with_parameters
    }
}

/// Functions that take parameters at run time, of a robot that has any.
fn with_parameters(integrator: Integrator, type_name: &str, model: &Model<f64>) -> TokenStream {
    if model.run_time.is_none() {
        return TokenStream::new();
    }
    let (robot, [nq, nv]) = (ident(type_name), [model.nq, model.nv].map(number));
    let parameters = Parameters::new(type_name, model).type_ident();
    let docs = |of: &str, name: &str| doc_lines(&[of.replace("NAME", name)]);
    let given = |name: &str| docs("[`Self::NAME`] with what is given at run time, `parameters`.", name);
    let into = |name: &str| docs("[`Self::NAME`] without a copy. Writes every entry of `out`.", name);
    let [step, derivatives, hessian] = ["step", "step_derivatives", "step_hessian"].map(given);
    let [derivatives_into, hessian_into] = ["step_derivatives_with", "step_hessian_with"].map(into);
    let takes = quote! {
        parameters: &#parameters<T>,
        q: &rt::SVector<T, #nq>,
        v: &rt::SVector<T, #nv>,
        tau: &rt::SVector<T, #nv>
    };
    let weights = quote!(lambda_q: &rt::SVector<T, #nv>, lambda_v: &rt::SVector<T, #nv>);
    let of_trait = quote!(<Self as rt::StepsWithParameters<#nq, #nv>>);
    let damped = (integrator == Integrator::ImplicitDamping).then(|| {
        let takes_parameters = Function::Minv.takes_parameters(model);
        let given = takes_parameters.then(|| quote!(parameters,));
        let minv = Form { parameters: takes_parameters, out: true, ..Form::default() };
        let minv = ident(&minv.name(Function::Minv.name()));
        quote! {
            fn accelerations_by_torques_with<T: rt::Scalar>(#takes, out: &mut rt::AbaDerivatives<T, #nv>) {
                out.ddq = Self::aba_with(parameters, q, v, tau);
                Self::#minv(#given q, &mut out.ddq_dtau);
            }
        }
    });
    quote! {
        #[doc = " # Step with parameters at run time"]
        impl #robot {
            #step
            #[must_use]
            pub fn step_with<T: rt::Scalar>(#takes, dt: T) -> rt::Step<T, #nq, #nv> {
                #of_trait::step_with(parameters, q, v, tau, dt)
            }
            #derivatives
            #[must_use]
            pub fn step_derivatives_with<T: rt::Scalar>(#takes, dt: T) -> rt::StepDerivatives<T, #nq, #nv> {
                #of_trait::step_derivatives_with(parameters, q, v, tau, dt)
            }
            #derivatives_into
            pub fn step_derivatives_with_into<T: rt::Scalar>(
                #takes, dt: T, out: &mut rt::StepDerivatives<T, #nq, #nv>
            ) {
                #of_trait::step_derivatives_with_into(parameters, q, v, tau, dt, out)
            }
            #hessian
            #[must_use]
            pub fn step_hessian_with<T: rt::Scalar>(#takes, dt: T, #weights) -> rt::StepHessian<T, #nv> {
                #of_trait::step_hessian_with(parameters, q, v, tau, dt, lambda_q, lambda_v)
            }
            #hessian_into
            pub fn step_hessian_with_into<T: rt::Scalar>(
                #takes, dt: T, #weights, out: &mut rt::StepHessian<T, #nv>
            ) {
                #of_trait::step_hessian_with_into(parameters, q, v, tau, dt, lambda_q, lambda_v, out)
            }
        }
        impl rt::StepsWithParameters<#nq, #nv> for #robot {
            fn accelerations_with<T: rt::Scalar>(#takes) -> rt::SVector<T, #nv> {
                Self::aba_with(parameters, q, v, tau)
            }
            #damped
            fn accelerations_derivatives_with<T: rt::Scalar>(#takes, out: &mut rt::AbaDerivatives<T, #nv>) {
                Self::aba_derivatives_with_into(parameters, q, v, tau, out);
            }
            fn weighted_accelerations_with<T: rt::Scalar>(
                #takes,
                lambda: &rt::SVector<T, #nv>,
                first: &mut rt::AbaDerivatives<T, #nv>,
                out: &mut rt::AbaHessian<T, #nv>,
            ) {
                Self::aba_hessian_with_first_with_into(parameters, q, v, tau, lambda, first, out);
            }
        }
    }
}
