//! Batches: costs that a robot states, and the runtime's text of a method for each function.

use super::Rust;
use super::families::{size, written};
use super::function::{described, doc_lines};
use super::types::{Names, ident, number};
use crate::search::plan::{Composition, Plan};
use crate::search::shape::Shape;
use crate::signatures::signature::{Dims, Kind};
use crate::table::family::Family;
use crate::table::functions::{Function, Spec};
use crate::table::routines::Way;
use proc_macro2::TokenStream;
use quote::quote;
use rbd_ir::kernel::Stmt;
use rbd_runtime::Model;

/// Costs of the functions that batches have: an item of the implementation of `Mechanism`.
pub fn costs(plans: &[Plan], model: &Model<f64>) -> TokenStream {
    let rows = plans.iter().filter(|plan| plan.spec().family.is_trait()).map(|plan| {
        let name = plan.spec().name;
        match Cost::of(plan, model) {
            Cost::Lanes { operations } => {
                let operations = number(operations);
                quote!(rt::Cost::lanes(#name, #operations))
            }
            Cost::Either { in_lanes, alone } => {
                let [in_lanes, entries, alone] = [in_lanes, entries(plan, model), alone].map(number);
                quote!(rt::Cost::either(#name, #in_lanes, #entries, #alone))
            }
            Cost::Loops { alone, most_lanes } => {
                let [alone, most_lanes] = [alone, most_lanes].map(number);
                quote!(rt::Cost::loops(#name, #alone, #most_lanes))
            }
        }
    });
    quote!(const COSTS: &'static [rt::Cost] = &[#(#rows),*];)
}

/// Cost of a state, in operations of a straight line in lanes, which take 0.26 ns for four states.
///
/// The weights are of iiwa14, HyQ and G1 on a Zen 3 with AVX2.
enum Cost {
    /// A straight line. Lanes always take less time.
    Lanes { operations: usize },
    /// A straight line with a version whose limbs are lanes, or what is composed of straight lines.
    Either { in_lanes: usize, alone: usize },
    /// Loops over tables, which fill registers with one state, and lanes up to so many pay.
    Loops { alone: usize, most_lanes: usize },
}

impl Cost {
    fn of(plan: &Plan, model: &Model<f64>) -> Self {
        if let Some(composition) = &plan.composition {
            return Self::of_composition(plan, composition, model);
        }
        let (straight, loops) = Rust::COSTS.parts_of(plan);
        // One state waits less for memory than four do, and limbs fill its registers. Without AVX-512 its
        // products of matrices take longer than their costs say.
        let alone = straight * 3 / 5 + loops * 21 / 10;
        // Products in lanes read each number once for several products.
        let (first, all) = (plan.straight_line(), plan.count().total());
        let in_lanes = first + all.saturating_sub(first) * 4 / 5;
        match plan.shape() {
            // Articulated bodies go from one to the next, and the rows of a register wait.
            Shape::Loops if plan.function == Function::Minv => Self::Loops { alone, most_lanes: 4 },
            Shape::Loops => Self::Loops { alone, most_lanes: 0 },
            Shape::Limbs => Self::Either { in_lanes, alone },
            Shape::Straight => Self::Lanes { operations: all },
        }
    }

    fn of_composition(plan: &Plan, composition: &Composition, model: &Model<f64>) -> Self {
        let parts: Vec<Self> = plan.dependencies().iter().map(|part| Self::of(part, model)).collect();
        let alone =
            parts.iter().map(Self::alone).sum::<usize>() + Rust::COSTS.of_composition(composition, model);
        let in_lanes = parts.iter().map(Self::in_lanes).sum::<Option<usize>>();
        match in_lanes.filter(|_| composition.way() == Way::OfParts) {
            // In lanes, matrices are multiplied number by number.
            Some(parts) => Self::Either { in_lanes: parts + 16 * model.nv.pow(3), alone },
            None => Self::Loops { alone, most_lanes: 0 },
        }
    }

    fn in_lanes(&self) -> Option<usize> {
        match self {
            Self::Lanes { operations: in_lanes } | Self::Either { in_lanes, .. } => Some(*in_lanes),
            Self::Loops { .. } => None,
        }
    }

    fn alone(&self) -> usize {
        match self {
            // Scalars fill a quarter of a register.
            Self::Lanes { operations } => operations * 3 / 4,
            Self::Either { alone, .. } | Self::Loops { alone, .. } => *alone,
        }
    }
}

/// Entries of a function's matrices, or those of tensors that can differ from zero, which are taken out of
/// lanes.
fn entries(plan: &Plan, model: &Model<f64>) -> usize {
    if plan.function.is_tensor() {
        let stmts = plan.stages.iter().flat_map(|stage| &stage.scalar.kernel.body);
        return stmts.filter(|stmt| matches!(stmt, Stmt::Store { from, .. } if !from.is_zero())).count();
    }
    let matrices = plan.spec().outputs.iter().filter(|output| matches!(output.shape, Dims::Matrix(..)));
    matrices.map(|output| output.shape.extent(model.into())).map(|(rows, columns)| rows * columns).sum()
}

/// Text of the runtime's `batch/methods.rs`.
pub fn runtime_text() -> String {
    let families = Family::ALL.into_iter().filter(|family| family.is_trait());
    let methods = families.flat_map(Family::functions).map(method);
    let tokens = quote! {
        use super::cost::{Facts, goes_in_lanes};
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
            let of = const { Facts::new::<R, NQ, NV>(#label, [#(#results),*]) };
            if const { goes_in_lanes::<R, T, NQ, NV>(#label) } {
                self.in_lanes(of, (#(#params,)*), #out, |(#(#params,)*), out| #call);
            } else {
                self.alone(of, (#(#params,)*), #out, |(#(#params,)*), out| #call);
            }
        }
    }
}
