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
        let result = quote!(rt::friction::FrictionStep<T, #nq, #nv, #nc, #nr>);
        let takes = quote! {
            q: &rt::SVector<T, #nq>,
            v: &rt::SVector<T, #nv>,
            tau: &rt::SVector<T, #nv>,
            dt: T,
            surfaces: &[rt::Option<rt::friction::ContactSurface<T>>; #nc],
            settings: &rt::friction::FrictionSettings<T>,
            last: rt::Option<&#result>
        };
        let body = |given: Option<TokenStream>| {
            quote! {
                let found = rt::contact::friction_step(
                    &#at(&rt::contact::posture(q), #given),
                    (v, tau, dt),
                    surfaces,
                    settings,
                    rt::friction::impulses_of(last),
                );
                rt::friction::FrictionStep::to(Self::integrate(q, &found.motion), found)
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
        let default = self.parameters().map(|of| quote!(&<#of<T> as rt::Default>::default()));
        let plain = body(default);
        let with_parameters = self.parameters().map(|of| {
            let doc = docs(&["[`Self::friction_step`] with what is given at run time, `parameters`."]);
            let body = body(Some(quote!(parameters)));
            quote! {
                #doc
                #[must_use]
                pub fn friction_step_with<T: rt::friction::Real>(parameters: &#of<T>, #takes) -> #result { #body }
            }
        });
        quote! {
            #[doc = " # Step with friction"]
            impl #robot {
                #doc
                #[must_use]
                pub fn friction_step<T: rt::friction::Real>(#takes) -> #result { #plain }
                #with_parameters
            }
            impl rt::friction::FrictionContacts<#nq, #nv, #nc, #nr> for #robot {
                #[inline]
                fn friction_step<T: rt::friction::Real>(#takes) -> #result {
                    Self::friction_step(q, v, tau, dt, surfaces, settings, last)
                }
            }
        }
    }
}
