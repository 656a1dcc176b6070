//! A robot's frames as a type: one variant for each for which functions are generated.

use super::function::doc_lines;
use super::types::{ident, number};
use crate::frames::FrameAt;
use crate::naming::{distinct, upper_camel_case};
use crate::plan::Plan;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::{Model, ReferenceFrame};
use std::fmt::Write;

/// The frames of the plans, each with its number in the model and its variant's name.
pub struct Frames {
    type_name: String,
    variants: Vec<(usize, String)>,
}

impl Frames {
    /// Those of these plans, in the order in which they come.
    pub fn of(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> Self {
        let mut variants: Vec<(usize, String)> = Vec::new();
        for FrameAt { index, .. } in plans.iter().filter_map(|plan| plan.frame) {
            if variants.iter().any(|(known, _)| *known == index) {
                continue;
            }
            let name = upper_camel_case(&model.frames[index].name);
            // The list of all variants has this name.
            let name =
                distinct(name, |name| name == "ALL" || variants.iter().any(|(_, known)| known == name));
            variants.push((index, name));
        }
        Self { type_name: format!("{type_name}Frame"), variants }
    }

    /// The type: beside the robot's, as users name it.
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

    /// What it has.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.variants.is_empty()
    }

    /// The type's name.
    pub fn type_ident(&self) -> Ident {
        ident(&self.type_name)
    }

    /// The variant of the frame of this number.
    pub fn variant(&self, frame: usize) -> &str {
        let found = self.variants.iter().find(|(index, _)| *index == frame);
        &found.expect("every plan's frame is known").1
    }
}

/// The name of the type that a robot's frames are, if it has functions of some.
pub fn frames_type(type_name: &str, model: &Model<f64>, plans: &[Plan]) -> Option<Ident> {
    let frames = Frames::of(type_name, model, plans);
    (!frames.variants.is_empty()).then(|| frames.type_ident())
}

/// The names in the URDF of the frames for which there are functions, in the order of that type.
pub fn frame_names<'a>(type_name: &str, model: &'a Model<f64>, plans: &[Plan]) -> Vec<&'a str> {
    let frames = Frames::of(type_name, model, plans);
    frames.variants.iter().map(|(index, _)| model.frames[*index].name.as_str()).collect()
}

/// The runtime's name of a reference frame.
pub fn reference_name(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "Local",
        ReferenceFrame::World => "World",
        ReferenceFrame::LocalWorldAligned => "LocalWorldAligned",
    }
}
