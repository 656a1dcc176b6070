//! Frames of a robot as a type, with a variant for each frame of a function.

use super::function::doc_lines;
use super::types::{ident, number};
use crate::names::{distinct, upper_camel_case};
use crate::search::plan::Plan;
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::{Model, ReferenceFrame};
use std::fmt::Write;

/// Frames of the plans, each with its index in the model and its variant's name.
pub struct Frames {
    type_name: String,
    variants: Vec<(usize, String)>,
}

impl Frames {
    /// Frames of plans, in order of their first occurrence.
    pub fn of(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> Self {
        let mut variants: Vec<(usize, String)> = Vec::new();
        for FrameAt { index, .. } in plans.iter().filter_map(|plan| plan.frame) {
            if variants.iter().any(|(known, _)| *known == index) {
                continue;
            }
            let name = upper_camel_case(&model.frames[index].name);
            // `ALL` is the list of variants.
            let name =
                distinct(name, |name| name == "ALL" || variants.iter().any(|(_, known)| known == name));
            variants.push((index, name));
        }
        Self { type_name: format!("{type_name}Frame"), variants }
    }

    /// Text of the type, which is public beside the robot's.
    pub fn type_text(&self, visibility: &str, model: &Model<f64>) -> String {
        if self.variants.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "/// Frames for which functions are generated.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n\
             #[allow(nonstandard_style)]\n{visibility} enum {} {{\n",
            self.type_name
        );
        for (index, variant) in &self.variants {
            let doc = format!("`{}` of the URDF.", model.frames[*index].name.escape_default());
            let _ = writeln!(text, "#[doc = {doc:?}]\n{variant},");
        }
        text + "}\n"
    }

    /// Items of the type.
    pub fn items(&self, model: &Model<f64>) -> TokenStream {
        if self.variants.is_empty() {
            return TokenStream::new();
        }
        let (of, n) = (ident(&self.type_name), number(self.variants.len()));
        let variants: Vec<Ident> = self.variants.iter().map(|(_, variant)| ident(variant)).collect();
        let names = self.variants.iter().map(|(index, _)| &model.frames[*index].name);
        let docs = doc_lines(&["Its name in the URDF.".to_owned()]);
        let all_docs = doc_lines(&["All of them.".to_owned()]);
        quote! {
            impl #of {
                #all_docs
                pub const ALL: [Self; #n] = [#(Self::#variants),*];
                #docs
                #[must_use]
                pub const fn name(self) -> &'static rt::str {
                    match self { #(Self::#variants => #names),* }
                }
            }
        }
    }

    /// Implementation of the trait `Frames`, if the robot has the functions that it needs.
    pub fn implementation(
        &self,
        robot: &str,
        model: &Model<f64>,
        has: impl Fn(Function) -> bool,
    ) -> TokenStream {
        let needed = [
            Function::FramePlacement,
            Function::FrameJacobian,
            Function::FrameVelocity,
            Function::FrameBiasAcceleration,
            Function::FrameVelocityDerivatives,
            Function::FrameAccelerationDerivatives,
        ];
        if self.variants.is_empty() || !needed.into_iter().all(&has) {
            return TokenStream::new();
        }
        let (robot, of) = (ident(robot), self.type_ident());
        let [nq, nv] = [model.nq, model.nv].map(number);
        let q = quote!(q: &impl rt::Configuration<T, #nq>);
        let [v, a] = ["v", "a"].map(ident).map(|x| quote!(#x: &rt::SVector<T, #nv>));
        let at = quote!(frame: #of, reference: rt::ReferenceFrame);
        let acceleration = has(Function::FrameAcceleration).then(|| {
            quote! {
                #[inline]
                fn frame_acceleration<T: rt::Scalar>(#q, #v, #a, #at) -> rt::SVector<T, 6> {
                    Self::frame_acceleration(q, v, a, frame, reference)
                }
            }
        });
        quote! {
            impl rt::Frames<#nq, #nv> for #robot {
                type Frame = #of;
                const FRAMES: &'static [#of] = &#of::ALL;
                fn frame_name(frame: #of) -> &'static rt::str { frame.name() }
                #[inline]
                fn frame_placement<T: rt::Scalar>(#q, frame: #of) -> rt::Placement<T> {
                    Self::frame_placement(q, frame)
                }
                #[inline]
                fn frame_jacobian<T: rt::Scalar>(#q, #at) -> rt::SMatrix<T, 6, #nv> {
                    Self::frame_jacobian(q, frame, reference)
                }
                #[inline]
                fn frame_velocity<T: rt::Scalar>(#q, #v, #at) -> rt::SVector<T, 6> {
                    Self::frame_velocity(q, v, frame, reference)
                }
                #[inline]
                fn frame_bias_acceleration<T: rt::Scalar>(#q, #v, #at) -> rt::SVector<T, 6> {
                    Self::frame_bias_acceleration(q, v, frame, reference)
                }
                #[inline]
                fn frame_velocity_derivatives<T: rt::Scalar>(#q, #v, #at) -> rt::FrameVelocityDerivatives<T, #nv> {
                    Self::frame_velocity_derivatives(q, v, frame, reference)
                }
                #[inline]
                fn frame_acceleration_derivatives<T: rt::Scalar>(
                    #q, #v, #a, #at
                ) -> rt::FrameAccelerationDerivatives<T, #nv> {
                    Self::frame_acceleration_derivatives(q, v, a, frame, reference)
                }
                #acceleration
            }
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.variants.is_empty()
    }

    /// Name of the type.
    pub fn type_ident(&self) -> Ident {
        ident(&self.type_name)
    }

    /// Name of a frame's variant.
    pub fn variant(&self, frame: usize) -> &str {
        let found = self.variants.iter().find(|(index, _)| *index == frame);
        &found.expect("every plan's frame is known").1
    }
}

/// Runtime's name of a reference frame.
pub fn reference_name(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "Local",
        ReferenceFrame::World => "World",
        ReferenceFrame::LocalWorldAligned => "LocalWorldAligned",
    }
}
