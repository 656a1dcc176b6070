//! Packed second derivatives of inverse dynamics, beside the dense ones.

use super::function::{doc_lines, takes};
use super::tables;
use super::types::{ident, number};
use crate::functions::Function;
use crate::plan::Plan;
use crate::signature::{FEXT, Sizes};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;
use rbd_runtime::loops;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::second::{MOST_ROWS, packed_len};

/// What a robot with this plan has of them; nothing, with another plan's function.
pub fn methods(model: &Model<f64>, plan: &Plan, module: &Ident) -> TokenStream {
    let has_forces = match plan.function {
        Function::RneaSecondDerivatives => false,
        Function::RneaSecondDerivativesFext => true,
        _ => return TokenStream::new(),
    };
    let robot = Owned::from_model(model).expect("joints are numbered depth first");
    let len = number(packed_len::<{ loops::padded(MOST_ROWS) }>(&robot.topology()));
    let rows = number(loops::padded(robot.rows()));
    let (name, takes) = (plan.spec().name, takes(plan.spec().params, Sizes::from(model)));
    let into = ident(&format!(
        "{}_packed{}_into",
        name.trim_end_matches("_fext"),
        if has_forces { "_fext" } else { "" }
    ));
    let forces = if has_forces { quote!(&fext[..]) } else { quote!(&[]) };
    let unused = plan.spec().params.contains(&FEXT).then(|| quote!(fext,));
    let by_default =
        if model.run_time.is_none() { "" } else { " Inertias and gravity are the default ones." };
    let docs = doc_lines(&[format!(
        "[`Self::{name}`] without what is zero in every state: [`Self::packed_entries`] says which number is which. Writes \
         every entry of `out`.{by_default}"
    )]);
    let friction = tables::friction_packed(model, module);
    let (call, entries) = if plan.is_outline {
        (quote!(let _ = (q, v, a, #unused angles, out); rt::outline()), quote!(let _ = of; rt::outline()))
    } else {
        let call = quote! {
            let at = rt::loops::second::typed::At { q, v, a, fext: #forces, turned: rt::Angles::given(&angles) };
            rt::loops::second::typed::rnea_second_derivatives_packed_into(&#module::TABLES, at, out);
            #friction
        };
        (call, quote!(rt::loops::second::packed_entries(&#module::TABLES.topology, of)))
    };
    let once = (!has_forces).then(|| {
        let len_docs = doc_lines(&["How many numbers packed second derivatives of inverse dynamics are.".into()]);
        let entries_docs = doc_lines(&[
            "What the numbers of packed second derivatives are: for each tensor and each ordered pair of variables on one \
             path, the rows that can differ from zero."
                .into(),
        ]);
        quote! {
            #len_docs
            pub const PACKED_SECOND_DERIVATIVES: rt::usize = #len;
            #entries_docs
            pub fn packed_entries<T: rt::Scalar>(of: &[T; #len]) -> rt::loops::second::PackedEntries<'_, T, #rows> {
                #entries
            }
        }
    });
    quote! {
        #once
        #docs
        #[inline]
        pub fn #into<T: rt::Scalar>(#(#takes,)* out: &mut [T; #len]) {
            let (q, angles) = (rt::Configuration::coordinates(q), rt::Configuration::angles(q));
            #call
        }
    }
}
