//! Straight lines of functions that the runtime has loops over tables for: for several states side by side, and for one where that pays.

use super::function::{kernel_text, params_of};
use super::interface::kernels_module;
use super::types::ident;
use crate::functions::Function;
use crate::naming::upper_camel_case;
use crate::plan::{InLanes, Plan, Stage};
use crate::signature::{Kind, Sizes};
use proc_macro2::TokenStream;
use quote::quote;

/// The call of the straight line for what it is for, else that of loops; and the kernel, if it is this plan's.
pub fn text(
    type_name: &str,
    plan: &Plan,
    in_lanes: &InLanes,
    sizes: Sizes,
    by_loops: &TokenStream,
) -> (TokenStream, String) {
    let spec = if in_lanes.is_without_forces {
        plan.spec().function.with_forces().map_or(plan.spec(), Function::spec)
    } else {
        plan.spec()
    };
    let kernel = format!("{}Of{type_name}", upper_camel_case(spec.name));
    let (module, name) = (ident(&kernels_module(type_name)), ident(&kernel));
    let names = params_of(&in_lanes.version).into_iter().map(|p| {
        let name = ident(p.name);
        if p.kind == Kind::Forces && in_lanes.is_without_forces {
            quote!(#name: &rt::no_forces())
        } else {
            quote!(#name)
        }
    });
    let call = quote!(T::dispatch(#module::#name { #(#names,)* angles, out }));
    let calls = match in_lanes.is_for_one {
        true => quote!(#call;),
        false => quote!(T::one_or_lanes(out, |out| { #by_loops }, |out| #call);),
    };
    if in_lanes.is_without_forces {
        return (calls, String::new());
    }
    // What is zero stays as it was.
    let version = in_lanes.version.without_zeros();
    (calls, kernel_text(&kernel, spec, &Stage { scalar: version, simd: None }, sizes))
}

/// By what one state is computed, and several side by side.
pub fn doc(plan: &Plan) -> String {
    let by_loops = "By loops over tables, in the runtime";
    let Some(InLanes { version, is_for_one, .. }) = &plan.in_lanes else { return format!("{by_loops}.") };
    let (count, way) = (version.count(), version.strategy);
    let line = format!("{} additions, {} multiplications, {} angles", count.adds, count.muls, count.sin_cos);
    match is_for_one {
        true => format!("{line}; formulation: {way}."),
        false => format!("{by_loops}; several states in lanes by {line}; formulation: {way}."),
    }
}
