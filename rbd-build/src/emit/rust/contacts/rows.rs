//! Kernels of all contacts' rows, and the methods by which the runtime calls them.

use super::super::body::Results;
use super::super::function::kernel_text;
use super::super::fused::outs;
use super::super::interface::kernels_module;
use super::super::loops;
use super::super::types::{ident, number};
use super::Contacts;
use crate::names::upper_camel_case;
use crate::search::contact_rows::RowsPlan;
use crate::search::plan::Stage;
use crate::signatures::signature::Q;
use proc_macro2::TokenStream;
use quote::quote;

impl Contacts<'_> {
    /// Text of the kernels.
    pub fn kernels(&self) -> String {
        let sizes = self.sizes();
        let text = |plan: &RowsPlan| -> String {
            let outs = outs(sizes, plan.spec().outputs);
            let stage = Stage::of(plan.stage.scalar.without_zeros());
            kernel_text(&self.kernel(plan), (Results::Apart, &outs), &stage, sizes)
        };
        self.rows.iter().map(text).collect()
    }

    /// Name of a kernel.
    fn kernel(&self, plan: &RowsPlan) -> String {
        format!("Contact{}Of{}", upper_camel_case(plan.spec().name), self.type_name)
    }

    /// Methods of the runtime's `Mechanics` that call the kernels.
    pub(super) fn rows_of_all(&self) -> TokenStream {
        let (sizes, nv) = (self.sizes(), number(self.model.nv));
        let method = |plan: &RowsPlan| {
            let spec = plan.spec();
            let name = ident(spec.name);
            let others: Vec<_> = spec.params.iter().filter(|p| **p != Q).map(|p| ident(p.name)).collect();
            let outs: Vec<_> = spec.outputs.iter().map(|o| ident(&format!("out_{}", o.name))).collect();
            let extents = spec.outputs.iter().map(|o| {
                let (rows, columns) = o.shape.extent(sizes);
                let (rows, columns) = (number(rows), number(columns));
                quote!(#rows, #columns)
            });
            let (module, kernel) = (ident(&kernels_module(self.type_name)), ident(&self.kernel(plan)));
            let arguments = quote!(#module::#kernel { q, #(#others,)* angles, #(#outs),* });
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
        self.rows.iter().map(method).collect()
    }
}
