//! The step with friction: methods, and the implementation of its trait.

use super::super::function::doc_lines;
use super::super::types::{ident, number};
use super::Contacts;
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::ContactKind;

impl Contacts<'_> {
    /// Methods of a robot whose contacts with the world are points, and nothing if one is a plane.
    pub(super) fn friction(&self) -> TokenStream {
        let with_the_world = || self.all.iter().filter(|(contact, _)| contact.second.is_none());
        let are_points = with_the_world().all(|(contact, _)| contact.kind == ContactKind::Point);
        if !are_points || with_the_world().next().is_none() {
            return TokenStream::new();
        }
        let (robot, at) = (ident(self.type_name), self.wrapper());
        let [nq, nv] = [self.model.nq, self.model.nv].map(number);
        let [nc, nr] = [self.all.len(), self.rows()].map(number);
        let sized = |name: &str| {
            let name = ident(name);
            quote!(rt::friction::#name<T, #nq, #nv, #nc, #nr>)
        };
        let (result, derivatives) = (sized("FrictionStep"), sized("FrictionStepDerivatives"));
        let (with_joints, joint_derivatives) =
            (sized("JointFrictionStep"), sized("JointFrictionStepDerivatives"));
        let arguments = |joints: Option<TokenStream>, last: &TokenStream| {
            quote! {
                q: &rt::SVector<T, #nq>,
                v: &rt::SVector<T, #nv>,
                tau: &rt::SVector<T, #nv>,
                dt: T,
                surfaces: &[rt::Option<rt::friction::ContactSurface<T>>; #nc],
                #joints
                settings: &rt::friction::FrictionSettings<T>,
                last: rt::Option<&#last>
            }
        };
        let takes = arguments(None, &result);
        let takes_joints =
            arguments(Some(quote!(joints: &rt::friction::JointContacts<T, #nv>,)), &with_joints);
        let (nb, all) = (number(self.model.bodies.len()), number(self.rows() + self.model.nv));
        let call = |given: &Option<TokenStream>, name: &str, more: Option<TokenStream>| {
            let function = ident(name);
            let (sizes, joints, start) = match name.contains("with_joints") {
                true => (
                    Some(quote!(::<T, _, #nv, #nb, #nc, #nr, #all>)),
                    Some(quote!(joints,)),
                    quote!(all_impulses_of),
                ),
                false => (None, None, quote!(impulses_of)),
            };
            quote! {
                rt::contact::#function #sizes(
                    &#at(&rt::contact::posture(q), #given),
                    (v, tau, dt),
                    surfaces,
                    #joints
                    settings,
                    rt::friction::#start(last),
                    #more
                )
            }
        };
        let body = |given: &Option<TokenStream>| {
            let call = call(given, "friction_step", None);
            quote! {
                let found = #call;
                rt::friction::FrictionStep::to(Self::integrate(q, &found.motion), found)
            }
        };
        let joints_body = |given: &Option<TokenStream>| {
            let call = call(given, "friction_step_with_joints", None);
            quote! {
                let (found, joints) = #call;
                let q = Self::integrate(q, &found.motion);
                rt::friction::JointFrictionStep { step: rt::friction::FrictionStep::to(q, found), joints }
            }
        };
        let derivatives_body = |given: &Option<TokenStream>, name: &str| {
            let call = call(given, name, Some(quote!(out.out())));
            quote! {
                let found = #call;
                out.finish::<Self>(q, dt, found);
            }
        };
        let docs =
            |lines: &[&str]| doc_lines(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        let doc = docs(&[
            "The state after a time `dt` (s) under the torques `tau` and contacts with friction.",
            "",
            "`M (v+ - v) = dt (tau - b) + J^T impulses`, `q+ = integrate(q, dt v+)`.",
            "",
            "`surfaces`: what each contact meets, or `None` if nothing is near. `last`: the result of the last step,",
            "from which the solver begins.",
        ]);
        let derivatives_doc = docs(&[
            "[`Self::friction_step`] with derivatives in the tangent spaces of the old and the new state.",
            "",
            "They are derivatives of the solution, through the modes of its contacts.",
        ]);
        let into_doc =
            docs(&["[`Self::friction_step_derivatives`] without a copy. Writes every entry of `out`."]);
        let joints_doc = docs(&[
            "[`Self::friction_step`] with dry friction and limits of joints.",
            "",
            "`joints`: friction, and distances from limits. `JointContacts::of` takes the URDF's.",
        ]);
        let joint_derivatives_doc = docs(&[
            "[`Self::friction_step_with_joints`] with derivatives in the tangent spaces of the old and the new state.",
            "",
            "They are derivatives of the solution, through the modes of its contacts and joints. The distance from a",
            "limit changes with its own coordinate.",
        ]);
        let joint_into_doc = docs(&[
            "[`Self::friction_step_with_joints_derivatives`] without a copy. Writes every entry of `out`.",
        ]);
        let default = self.parameters().map(|of| quote!(&<#of<T> as rt::Default>::default()));
        let (plain, plain_joints) = (body(&default), joints_body(&default));
        let (plain_into, joint_into) = (
            derivatives_body(&default, "friction_step_derivatives"),
            derivatives_body(&default, "friction_step_with_joints_derivatives"),
        );
        let with_parameters = self.parameters().map(|of| {
            let doc_of = |name: &str| {
                docs(&[&format!("[`Self::{name}`] with what is given at run time, `parameters`.")])
            };
            let given = Some(quote!(parameters));
            let steps = [
                ("friction_step", &takes, &result, body(&given)),
                ("friction_step_with_joints", &takes_joints, &with_joints, joints_body(&given)),
            ]
            .map(|(name, takes, result, body)| {
                let (doc, with) = (doc_of(name), ident(&format!("{name}_with")));
                quote! {
                    #doc
                    #[must_use]
                    pub fn #with<T: rt::friction::Real>(parameters: &#of<T>, #takes) -> #result { #body }
                }
            });
            let derivatives = [
                ("friction_step_derivatives", &takes, "FrictionStepDerivatives"),
                ("friction_step_with_joints_derivatives", &takes_joints, "JointFrictionStepDerivatives"),
            ]
            .map(|(name, takes, result)| {
                let (doc, with) = (doc_of(name), ident(&format!("{name}_with")));
                let (into, place, result) = (derivatives_body(&given, name), ident(result), sized(result));
                quote! {
                    #doc
                    #[must_use]
                    pub fn #with<T: rt::friction::Real>(parameters: &#of<T>, #takes) -> #result {
                        let mut all = rt::friction::#place::zeros();
                        let out = &mut all;
                        #into
                        all
                    }
                }
            });
            quote!(#(#steps)* #(#derivatives)*)
        });
        quote! {
            #[doc = " # Step with friction"]
            impl #robot {
                #doc
                #[must_use]
                pub fn friction_step<T: rt::friction::Real>(#takes) -> #result { #plain }
                #derivatives_doc
                #[must_use]
                pub fn friction_step_derivatives<T: rt::friction::Real>(#takes) -> #derivatives {
                    let mut out = rt::friction::FrictionStepDerivatives::zeros();
                    Self::friction_step_derivatives_into(q, v, tau, dt, surfaces, settings, last, &mut out);
                    out
                }
                #into_doc
                pub fn friction_step_derivatives_into<T: rt::friction::Real>(#takes, out: &mut #derivatives) {
                    #plain_into
                }
                #joints_doc
                #[must_use]
                pub fn friction_step_with_joints<T: rt::friction::Real>(#takes_joints) -> #with_joints {
                    #plain_joints
                }
                #joint_derivatives_doc
                #[must_use]
                pub fn friction_step_with_joints_derivatives<T: rt::friction::Real>(
                    #takes_joints
                ) -> #joint_derivatives {
                    let mut out = rt::friction::JointFrictionStepDerivatives::zeros();
                    Self::friction_step_with_joints_derivatives_into(
                        q, v, tau, dt, surfaces, joints, settings, last, &mut out
                    );
                    out
                }
                #joint_into_doc
                pub fn friction_step_with_joints_derivatives_into<T: rt::friction::Real>(
                    #takes_joints, out: &mut #joint_derivatives
                ) {
                    #joint_into
                }
                #with_parameters
            }
            impl rt::friction::FrictionContacts<#nq, #nv, #nc, #nr> for #robot {
                #[inline]
                fn friction_step<T: rt::friction::Real>(#takes) -> #result {
                    Self::friction_step(q, v, tau, dt, surfaces, settings, last)
                }
                #[inline]
                fn friction_step_derivatives_into<T: rt::friction::Real>(#takes, out: &mut #derivatives) {
                    Self::friction_step_derivatives_into(q, v, tau, dt, surfaces, settings, last, out);
                }
                #[inline]
                fn friction_step_with_joints<T: rt::friction::Real>(#takes_joints) -> #with_joints {
                    Self::friction_step_with_joints(q, v, tau, dt, surfaces, joints, settings, last)
                }
                #[inline]
                fn friction_step_with_joints_derivatives_into<T: rt::friction::Real>(
                    #takes_joints, out: &mut #joint_derivatives
                ) {
                    Self::friction_step_with_joints_derivatives_into(
                        q, v, tau, dt, surfaces, joints, settings, last, out
                    );
                }
            }
        }
    }
}
