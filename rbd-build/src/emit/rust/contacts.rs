//! Contacts and closed loops as a type, and the methods of dynamics under contacts.
//!
//! The runtime computes the methods from functions of the contacts' frames and of the whole robot.

mod friction;
mod hessian;
mod methods;
mod rows;
mod steps;
mod traits;

pub(super) use traits::runtime_text;

use super::frames::Frames;
use super::function::doc_lines;
use super::loops::groups;
use super::run_time::Parameters;
use super::static_model;
use super::types::{ident, number};
use crate::names::{distinct, upper_camel_case};
use crate::search::contact_rows::RowsPlan;
use crate::signatures::frames::ContactAt;
use crate::table::functions::{Form, Function};
use crate::table::routines::{knows_root, products_beside_root, products_with_relatives};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_ir::products::ColumnGroup;
use rbd_runtime::model::Frame;
use rbd_runtime::{ContactKind, Model};
use std::fmt::Write;

/// Names of generated types that users never write. A user's type must not have such a name.
pub fn own_types(type_name: &str) -> [String; 2] {
    ["ContactsOf", "RobotOf"].map(|of| format!("{of}{type_name}"))
}

/// Contacts and closed loops, in order, each with its variant's name.
pub struct Contacts<'a> {
    type_name: &'a str,
    model: &'a Model<f64>,
    frames: &'a Frames,
    all: Vec<(&'a ContactAt, String)>,
    rows: &'a [RowsPlan],
}

impl<'a> Contacts<'a> {
    /// Names the variants of contacts. `frames` must have their frames.
    pub fn of(
        type_name: &'a str,
        model: &'a Model<f64>,
        frames: &'a Frames,
        contacts: &'a [ContactAt],
        rows: &'a [RowsPlan],
    ) -> Self {
        let mut all: Vec<(&ContactAt, String)> = Vec::new();
        for contact in contacts {
            let name = match contact.second {
                None => frames.variant(contact.frame).to_owned(),
                Some(_) => upper_camel_case(&contact.name),
            };
            let name = distinct(name, |name| name == "ALL" || all.iter().any(|(_, known)| known == name));
            all.push((contact, name));
        }
        Self { type_name, model, frames, all, rows }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn type_ident(&self) -> Ident {
        ident(&format!("{}Contact", self.type_name))
    }

    fn variants(&self) -> Vec<Ident> {
        self.all.iter().map(|(_, variant)| ident(variant)).collect()
    }

    fn rows(&self) -> usize {
        self.all.iter().map(|(contact, _)| contact.kind.rows()).sum()
    }

    /// Text of the type, which is public beside the robot's.
    pub fn type_text(&self, visibility: &str) -> String {
        if self.all.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "/// Contacts, of which each call says which are active.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n\
             #[allow(nonstandard_style)]\n{visibility} enum {} {{\n",
            self.type_ident()
        );
        for (contact, variant) in &self.all {
            let name = |frame: usize| self.model.frames[frame].name.escape_default();
            let (first, rows) = (name(contact.frame), contact.kind.rows());
            let doc = match (contact.second.map(name), contact.kind) {
                (None, ContactKind::Point) => format!("`{first}` of the URDF, a point: {rows} rows."),
                (None, ContactKind::Plane) => format!("`{first}` of the URDF, a plane: {rows} rows."),
                (Some(second), ContactKind::Point) => {
                    format!("A closed loop: the origins of `{first}` and `{second}` coincide, {rows} rows.")
                }
                (Some(second), ContactKind::Plane) => {
                    format!("A closed loop: `{first}` and `{second}` coincide, {rows} rows.")
                }
            };
            let _ = writeln!(text, "#[doc = {doc:?}]\n{variant},");
        }
        text + "}\n"
    }

    /// Items of the type and of the robot.
    pub fn items(&self) -> TokenStream {
        if self.all.is_empty() {
            return TokenStream::new();
        }
        let (of_type, mechanics, methods) = (self.of_type(), self.mechanics(), self.methods());
        let (implementations, friction) = (self.implementations(), self.friction());
        quote!(#of_type #mechanics #methods #implementations #friction)
    }

    fn of_type(&self) -> TokenStream {
        let (of, frame_type) = (self.type_ident(), self.frames.type_ident());
        let (nc, variants) = (number(self.all.len()), self.variants());
        let names = self.all.iter().map(|(contact, _)| &contact.name);
        let kinds = self.all.iter().map(|(contact, _)| ident(&format!("{:?}", contact.kind)));
        let of_frame = |frame: usize| ident(self.frames.variant(frame));
        let first = self.all.iter().map(|(contact, _)| of_frame(contact.frame));
        let second = self.all.iter().map(|(contact, _)| match contact.second.map(of_frame) {
            None => quote!(rt::None),
            Some(second) => quote!(rt::Some(#frame_type::#second)),
        });
        let mut row = 0;
        let ranges = self.all.iter().map(|(contact, _)| {
            let first = row;
            row += contact.kind.rows();
            let (first, last) = (number(first), number(row));
            quote!(#first..#last)
        });
        let docs = |text: &str| doc_lines(&[text.to_owned()]);
        let (all, name) = (
            docs("All of them, in the order of their rows."),
            docs("Its name in the URDF, or as a closed loop."),
        );
        let (frame, kind) = (docs("Its frame, of a closed loop the first."), docs("What it holds."));
        let second_docs = docs("The frame that it is to coincide with, of a closed loop.");
        let rows = docs("Its rows among those of all contacts, in forces and Jacobians.");
        let active = docs("These contacts active, and no other: what the functions of contacts take.");
        quote! {
            impl #of {
                #all
                pub const ALL: [Self; #nc] = [#(Self::#variants),*];
                #name
                #[must_use]
                pub const fn name(self) -> &'static rt::str {
                    match self { #(Self::#variants => #names),* }
                }
                #frame
                #[must_use]
                pub const fn frame(self) -> #frame_type {
                    match self { #(Self::#variants => #frame_type::#first),* }
                }
                #second_docs
                #[must_use]
                pub const fn second(self) -> rt::Option<#frame_type> {
                    match self { #(Self::#variants => #second),* }
                }
                #kind
                #[must_use]
                pub const fn kind(self) -> rt::contact::ContactKind {
                    match self { #(Self::#variants => rt::contact::ContactKind::#kinds),* }
                }
                #rows
                #[must_use]
                pub const fn rows(self) -> rt::Range<rt::usize> {
                    match self { #(Self::#variants => #ranges),* }
                }
                #active
                #[must_use]
                pub const fn active(of: &[Self]) -> [rt::bool; #nc] {
                    let mut active = [false; #nc];
                    let mut at = 0;
                    while at < of.len() {
                        active[of[at] as rt::usize] = true;
                        at += 1;
                    }
                    active
                }
            }
        }
    }

    /// Implements the runtime's `Mechanics` for a configuration: contacts, matrices and motions.
    fn mechanics(&self) -> TokenStream {
        let (robot, named) = (ident(self.type_name), self.robot());
        let (frame_type, at) = (self.frames.type_ident(), self.wrapper());
        // Frames of contacts by number. Second frames follow all first frames.
        let nth = |k: usize, frame: Option<usize>| {
            let (k, variant) = (number(k), ident(self.frames.variant(frame?)));
            Some(quote!(#k => #frame_type::#variant,))
        };
        let first = self.all.iter().enumerate().map(|(k, (contact, _))| nth(k, Some(contact.frame)));
        let n = self.all.len();
        let second = self.all.iter().enumerate().map(|(k, (contact, _))| nth(n + k, contact.second));
        let arms = first.chain(second).flatten();
        // A last arm, since the compiler does not know that there are no other numbers.
        let other = ident(self.frames.variant(self.all.first().expect("there are some").0.frame));
        let (nq, nv, nb) = (number(self.model.nq), number(self.model.nv), number(self.model.bodies.len()));
        let (nc, table) = (number(self.all.len()), self.table());
        let given = self.parameters().map(|of| quote!(&'a #of<T>));
        let (plain, into) = (Form::default(), Form { out: true, ..Form::default() });
        let minv = self.call(Function::Minv, into, quote!(self.0, out));
        let bias = self.call(Function::Bias, plain, quote!(self.0, v));
        let rnea_fext = self.call(Function::RneaFext, plain, quote!(self.0, v, a, fext));
        let rnea_derivatives_fext =
            self.call(Function::RneaDerivativesFext, into, quote!(self.0, v, a, fext, out));
        let of_all = self.rows_of_all();
        let text = |of: Vec<ColumnGroup>| groups(&of).parse::<TokenStream>().expect("it is Rust");
        let [by_q, by_v] = products_with_relatives(self.model).map(text);
        let contacts: Vec<ContactAt> = self.all.iter().map(|(contact, _)| (*contact).clone()).collect();
        let beside_root = knows_root(self.model, &contacts).then(|| {
            let [by_q, by_v] = products_beside_root(self.model).map(text);
            quote! {
                fn beside_root(&self) -> rt::Option<[&[rt::ColumnGroup<'_>]; 2]> {
                    rt::Some([#by_q, #by_v])
                }
            }
        });
        quote! {
            const CONTACTS: [rt::contact::ContactTable; #nc] = [#table];
            type #named = #robot;
            struct #at<'a, T>(&'a rt::Posture<T, #nq>, #given);
            impl<T> #at<'_, T> {
                const fn frame_of(contact: rt::usize) -> #frame_type {
                    match contact { #(#arms)* _ => #frame_type::#other }
                }
            }
            impl<T: rt::Scalar> rt::contact::Mechanics<T, #nv, #nb, #nc> for #at<'_, T> {
                fn contacts(&self) -> &[rt::contact::ContactTable; #nc] { &CONTACTS }
                fn placement(&self, contact: rt::usize) -> rt::Placement<T> {
                    #named::frame_placement(self.0, Self::frame_of(contact))
                }
                fn jacobian(&self, contact: rt::usize, out: &mut rt::SMatrix<T, 6, #nv>) {
                    #named::frame_jacobian_into(self.0, Self::frame_of(contact), rt::ReferenceFrame::Local, out)
                }
                fn velocity(&self, contact: rt::usize, v: &rt::SVector<T, #nv>, out: &mut rt::SVector<T, 6>) {
                    #named::frame_velocity_into(
                        self.0, v, Self::frame_of(contact), rt::ReferenceFrame::Local, out
                    )
                }
                fn bias_acceleration(
                    &self, contact: rt::usize, v: &rt::SVector<T, #nv>, out: &mut rt::SVector<T, 6>
                ) {
                    #named::frame_bias_acceleration_into(
                        self.0, v, Self::frame_of(contact), rt::ReferenceFrame::Local, out
                    )
                }
                fn velocity_derivatives(
                    &self, contact: rt::usize, v: &rt::SVector<T, #nv>,
                    out: &mut rt::FrameVelocityDerivatives<T, #nv>
                ) {
                    #named::frame_velocity_derivatives_into(
                        self.0, v, Self::frame_of(contact), rt::ReferenceFrame::Local, out
                    )
                }
                fn acceleration_derivatives(
                    &self, contact: rt::usize, v: &rt::SVector<T, #nv>, a: &rt::SVector<T, #nv>,
                    out: &mut rt::FrameAccelerationDerivatives<T, #nv>
                ) {
                    #named::frame_acceleration_derivatives_into(
                        self.0, v, a, Self::frame_of(contact), rt::ReferenceFrame::Local, out
                    )
                }
                #of_all
                fn minv(&self, out: &mut rt::SMatrix<T, #nv, #nv>) { #minv }
                fn bias(&self, v: &rt::SVector<T, #nv>) -> rt::SVector<T, #nv> { #bias }
                fn rnea_fext(
                    &self, v: &rt::SVector<T, #nv>, a: &rt::SVector<T, #nv>, fext: &[rt::SVector<T, 6>; #nb]
                ) -> rt::SVector<T, #nv> {
                    #rnea_fext
                }
                fn rnea_derivatives_fext(
                    &self, v: &rt::SVector<T, #nv>, a: &rt::SVector<T, #nv>, fext: &[rt::SVector<T, 6>; #nb],
                    out: &mut rt::RneaDerivatives<T, #nv>
                ) {
                    #rnea_derivatives_fext
                }
                fn relatives(&self) -> [&[rt::ColumnGroup<'_>]; 2] { [#by_q, #by_v] }
                #beside_root
            }
        }
    }

    /// Type of the parameters at run time, if there are any.
    fn parameters(&self) -> Option<Ident> {
        (!self.model.run_time.is_none()).then(|| Parameters::new(self.type_name, self.model).type_ident())
    }

    /// Call of a function of the robot, in the wrapper. Parameters at run time are passed if the function
    /// takes them.
    fn call(&self, function: Function, form: Form, passes: TokenStream) -> TokenStream {
        let (named, parameters) = (self.robot(), function.takes_parameters(self.model));
        let name = ident(&Form { parameters, ..form }.name(function.name()));
        let given = parameters.then(|| quote!(self.1,));
        quote!(#named::#name(#given #passes))
    }

    /// Alias of the robot's type, since a type parameter may have the robot's name.
    fn robot(&self) -> Ident {
        ident(&own_types(self.type_name)[1])
    }

    fn wrapper(&self) -> Ident {
        ident(&own_types(self.type_name)[0])
    }

    /// Contacts as constants.
    fn table(&self) -> TokenStream {
        let (mut text, mut row) = (String::new(), 0);
        let carried = |frame: usize| {
            let Frame { body, placement, .. } = &self.model.frames[frame];
            let body = body.map_or("rt::None".to_owned(), |body| format!("rt::Some({body})"));
            let placement = static_model::placement(placement);
            format!("rt::contact::Carried {{ body: {body}, placement: {placement} }}")
        };
        for (contact, _) in &self.all {
            let (kind, frame) = (contact.kind, carried(contact.frame));
            let second = contact
                .second
                .map_or("rt::None".to_owned(), |second| format!("rt::Some({})", carried(second)));
            let _ = write!(
                text,
                "rt::contact::ContactTable {{ kind: rt::contact::ContactKind::{kind:?}, row: {row}, frame: {frame}, \
                 second: {second}, support: &{:?} }},",
                contact.support(self.model)
            );
            row += kind.rows();
        }
        text.parse().expect("constants are Rust")
    }
}
