//! Kernels of all contacts' rows, and the methods by which the runtime calls them.

use super::super::body::Results;
use super::super::function::kernel_text;
use super::super::interface::kernels_module;
use super::super::loops;
use super::super::types::{Names, ident, number};
use super::Contacts;
use crate::frontend::naming::upper_camel_case;
use crate::search::contact_rows::RowsPlan;
use crate::table::signature::Q;
use proc_macro2::TokenStream;
use quote::quote;

impl Contacts<'_> {
    /// Text of the kernels.
    pub fn kernels(&self) -> String {
        let (sizes, names) = (self.sizes(), Names::from(self.sizes()));
        let text = |plan: &RowsPlan| -> String {
            let outputs = plan.spec().outputs.iter();
            let outs: String =
                outputs.map(|o| format!("pub out_{}: &'a mut {},\n", o.name, names.shape(o.shape))).collect();
            let stages = plan.stages.iter();
            stages
                .map(|stage| {
                    kernel_text(&self.kernel(plan), (Results::Apart, &outs), &stage.without_zeros(), sizes)
                })
                .collect()
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
            let calls: TokenStream = plan
                .stages
                .iter()
                .map(|stage| {
                    let arguments = quote!(#module::#kernel { q, #(#others,)* angles, #(#outs),* });
                    loops::run(&stage.scalar.kernel, arguments)
                })
                .collect();
            quote! {
                fn #name(&self, #(#others: &rt::SVector<T, #nv>,)* #(#outs: &mut [T]),*) -> rt::bool {
                    let (q, angles) = (rt::Configuration::coordinates(self.0), rt::Configuration::angles(self.0));
                    let recast = rt::Recast::<T, T>::identity();
                    #(let rt::Some(#outs) = recast.matrix_of_mut::<#extents>(#outs) else { return false };)*
                    #calls
                    true
                }
            }
        };
        self.rows.iter().map(method).collect()
    }
}
