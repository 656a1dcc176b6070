//! Kernels of all contacts' rows, and the methods by which the runtime calls them.

use super::super::body::Results;
use super::super::function::{kernel_text, params_of};
use super::super::fused::outs;
use super::super::interface::kernels_module;
use super::super::loops;
use super::super::types::{ident, number};
use super::Contacts;
use crate::names::upper_camel_case;
use crate::search::contact_rows::RowsPlan;
use crate::signatures::signature::{Kind, Output, Q};
use proc_macro2::TokenStream;
use quote::quote;

impl Contacts<'_> {
    /// Text of the kernels.
    pub fn kernels(&self) -> String {
        let text = |plan: &RowsPlan| -> String {
            let arrays: Vec<Output> = plan.spec().arrays().copied().collect();
            let outs = outs(plan.sizes, &arrays);
            kernel_text(&self.kernel(plan), (Results::Apart, &outs), &plan.without_zeros(), plan.sizes)
        };
        self.rows.iter().map(text).collect()
    }

    /// Name of a kernel.
    fn kernel(&self, plan: &RowsPlan) -> String {
        format!("Contact{}Of{}", upper_camel_case(plan.spec().name), self.type_name)
    }

    /// Items of the runtime's `Mechanics` that call the kernels.
    pub(super) fn rows_of_all(&self) -> TokenStream {
        let nv = number(self.model.nv);
        let method = |plan: &RowsPlan| {
            let spec = plan.spec();
            let name = ident(spec.name);
            let others: Vec<_> = spec.params.iter().filter(|p| **p != Q).map(|p| ident(p.name)).collect();
            let outs: Vec<_> = spec.arrays().map(|o| ident(&format!("out_{}", o.name))).collect();
            let extents = spec.arrays().map(|o| {
                let (rows, columns) = o.shape.extent(plan.sizes);
                let (rows, columns) = (number(rows), number(columns));
                quote!(#rows, #columns)
            });
            let takes = params_of(&plan.stage.scalar).into_iter().map(|p| {
                let name = ident(p.name);
                match p.kind {
                    Kind::Inertias => quote!(#name: &self.1.#name),
                    Kind::Gravity => quote!(#name: rt::from_ref(&self.1.#name)),
                    Kind::Configuration | Kind::Tangent | Kind::Forces => quote!(#name),
                }
            });
            let (module, kernel) = (ident(&kernels_module(self.type_name)), ident(&self.kernel(plan)));
            let arguments = quote!(#module::#kernel { #(#takes,)* angles, #(#outs),* });
            let call = loops::run(&plan.stage.scalar.kernel, arguments);
            quote! {
                fn #name(&self, #(#others: &rt::SVector<T, #nv>,)* #(#outs: &mut [T]),*) -> rt::bool {
                    let (q, angles) = (rt::Configuration::coordinates(self.0), rt::Configuration::angles(self.0));
                    let recast = rt::Recast::<T, T>::identity();
                    #(let rt::Some(#outs) = recast.matrix_of_mut::<#extents>(#outs) else { return false };)*
                    #call
                    true
                }
            }
        };
        let nf = number(self.rows.iter().map(|plan| plan.sizes.nf).max().unwrap_or(0));
        let has_factors = self.rows.iter().any(|plan| plan.spec().has_factors());
        let has_limbs = self.rows.iter().any(|plan| plan.spec().of_limbs);
        let methods = self.rows.iter().map(method);
        quote! {
            type Factors = [T; #nf];
            fn factors() -> [T; #nf] { [rt::zero(); #nf] }
            const HAS_FACTORS: rt::bool = #has_factors;
            fn has_limbs(&self) -> rt::bool { #has_limbs }
            #(#methods)*
        }
    }
}
