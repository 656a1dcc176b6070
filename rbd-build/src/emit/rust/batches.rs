//! Batches: costs that a robot states, and the runtime's text of a method for each function.

use super::Rust;
use super::families::{size, written};
use super::function::{described, doc_lines};
use super::types::{Names, ident, number};
use crate::search::plan::Plan;
use crate::signatures::signature::Kind;
use crate::table::family::Family;
use crate::table::functions::Spec;
use crate::table::routines::Way;
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::Model;

/// Costs of the functions that batches have: an item of the implementation of `Mechanism`.
pub fn costs(plans: &[Plan], model: &Model<f64>) -> TokenStream {
    let rows = plans.iter().filter(|plan| plan.spec().family.is_trait()).map(|plan| {
        let (name, cost) = (plan.spec().name, Cost::of(plan, model));
        let alone = number(cost.alone);
        match cost.in_lanes.map(number) {
            Some(in_lanes) => quote!(rt::Cost::straight(#name, #in_lanes, #alone)),
            None => quote!(rt::Cost::loops(#name, #alone)),
        }
    });
    quote!(const COSTS: &'static [rt::Cost] = &[#(#rows),*];)
}

/// What a state costs, in operations of a straight line.
struct Cost {
    /// In lanes; none of loops over tables, which fill registers with one state.
    in_lanes: Option<usize>,
    alone: usize,
}

impl Cost {
    fn of(plan: &Plan, model: &Model<f64>) -> Self {
        let alone = Rust::COSTS.cost_of(plan);
        let Some(composition) = &plan.composition else {
            let mut calls = plan.stages.iter().flat_map(|stage| stage.scalar.kernel.calls());
            let is_straight = calls.all(|call| call.robot().is_none());
            return Self { in_lanes: is_straight.then(|| plan.count().total()), alone };
        };
        let parts: Vec<Self> = plan.dependencies().iter().map(|part| Self::of(part, model)).collect();
        let alone: usize = parts.iter().map(|part| part.alone).sum();
        let joined = Rust::COSTS.of_composition(composition, model);
        let is_of_parts = composition.way() == Way::OfParts;
        let in_lanes = parts.iter().map(|part| part.in_lanes.filter(|_| is_of_parts)).sum::<Option<usize>>();
        // In lanes, matrices are multiplied number by number.
        let in_lanes = in_lanes.filter(|_| is_of_parts).map(|parts| parts + 10 * model.nv.pow(3));
        Self { in_lanes, alone: alone + joined }
    }
}

/// Text of the runtime's `batch/methods.rs`.
pub fn runtime_text() -> String {
    let families = Family::ALL.into_iter().filter(|family| family.is_trait());
    let methods = families.flat_map(Family::functions).map(method);
    let tokens = quote! {
        use super::cost::{Of, goes_in_lanes};
        use super::{Batch, Float, Lanewise};
        use crate::functions::*;
        use nalgebra::{SMatrix, SVector};

        impl<R, const NQ: usize, const NV: usize> Batch<R, NQ, NV> {
            #(#methods)*
        }
    };
    written("A method of batches for each function of the table that has a trait.", tokens)
}

fn method(spec: &Spec) -> TokenStream {
    let names = Names::generic();
    let (name, family, returned) = (ident(spec.name), ident(spec.family.name()), names.returned(spec));
    let params: Vec<_> = spec.params.iter().map(|p| ident(p.name)).collect();
    let takes = spec.params.iter().zip(&params).map(|(p, name)| match p.kind {
        Kind::Forces => quote!(#name: &[R::Forces<T>]),
        _ => {
            let of = names.shape(p.kind.shape());
            quote!(#name: &[#of])
        }
    });
    let has_forces = spec.params.iter().any(|p| p.kind == Kind::Forces);
    let forces = has_forces
        .then(|| quote!(R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,));
    let out = ident(spec.only_output().map_or("out", |output| output.name));
    let results = spec.outputs.iter().map(|output| output.name);
    let call = if spec.is_large() {
        let into = ident(&format!("{}_into", spec.name));
        quote!(R::#into(#(#params,)* out))
    } else {
        quote!(*out = R::#name(#(#params),*))
    };
    let mut lines = vec![spec.doc.to_owned()];
    lines.extend(described(spec, size).into_iter().map(|line| line.replace("- returns ", "- ")));
    let (docs, label) = (doc_lines(&lines), spec.name);
    quote! {
        #docs
        #[track_caller]
        pub fn #name<T: Float>(self, #(#takes,)* #out: &mut [#returned])
        where
            R: #family<NQ, NV>,
            #forces
        {
            let of = const { Of::new::<R, NQ, NV>(#label, [#(#results),*]) };
            if const { goes_in_lanes::<R, T, NQ, NV>(#label) } {
                self.in_lanes(of, (#(#params,)*), #out, |(#(#params,)*), out| #call);
            } else {
                self.alone(of, (#(#params,)*), #out, |(#(#params,)*), out| #call);
            }
        }
    }
}
