//! Functions that the runtime computes whole, and the table of a robot that these and other loops read.

use super::loops::groups;
use super::types::ident;
use crate::algorithms::loops::products_with_full;
use crate::functions::Spec;
use crate::plan::{Plan, Version};
use crate::signature::{FEXT, TAU_GIVEN};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{self, Tables};
use std::fmt::Write;

pub use crate::algorithms::loops::MOST_ROWS;

/// Length of arrays over the rows of the longest tables.
pub const LONGEST: usize = loops::padded(MOST_ROWS);

/// Whether first derivatives of forward dynamics come with the second ones.
pub fn is_forward(spec: &Spec) -> bool {
    spec.params.contains(&TAU_GIVEN)
}

/// The call of the runtime's function of the same name, in a method where `q` is the configuration, and `first` the first
/// derivatives where these come with it.
pub fn call(spec: &Spec, module: &Ident) -> TokenStream {
    let name = ident(&format!("{}_into", spec.name.strip_suffix("_fext").unwrap_or(spec.name)));
    let is_forward = is_forward(spec);
    let third = if is_forward { quote!(tau) } else { quote!(a) };
    let fext = if spec.params.contains(&FEXT) { quote!(&fext[..]) } else { quote!(&[]) };
    let first = is_forward.then(|| quote!(first,));
    let weights = spec.params.iter().filter(|p| matches!(p.name, "mu" | "lambda")).map(|p| ident(p.name));
    quote! {
        let at = rt::loops::second::typed::At {
            q, v, a: #third, fext: #fext, turned: rt::Angles::given(&angles),
        };
        rt::loops::second::typed::#name(&#module::TABLES, at, #(#weights,)* #first out);
    }
}

/// The same from what the function's parts give, by these calls of theirs: first derivatives, and if there are two the Hessian
/// of weighted torques.
pub fn composed(spec: &Spec, model: &Model<f64>, module: &Ident, calls: &[TokenStream]) -> TokenStream {
    match calls {
        [derivatives, hessian] => {
            let groups = groups(&products_with_full(model)).parse::<TokenStream>().expect("it is Rust");
            quote! {
                { let out = &mut *first; #derivatives }
                let mu = rt::loops::second::typed::weights_of_torques(first, lambda);
                let mut of = rt::RneaHessian::zeros();
                { let (a, mu, out) = (&first.ddq, &mu, &mut of); #hessian }
                T::dispatch(rt::loops::second::AbaHessianOfParts {
                    weights: [lambda, &mu], first, of: &of, groups: #groups, out,
                });
            }
        }
        _ => {
            let name = format!("{}_of_parts", spec.name.strip_suffix("_fext").unwrap_or(spec.name));
            let name = ident(&name);
            let fext = if spec.params.contains(&FEXT) { quote!(&fext[..]) } else { quote!(&[]) };
            quote! {
                { let out = &mut *first; #(#calls)* }
                let at = rt::loops::second::typed::At {
                    q, v, a: &first.ddq, fext: #fext, turned: rt::Angles::given(&angles),
                };
                rt::loops::second::typed::#name(&#module::TABLES, at, first, out);
            }
        }
    }
}

/// The table, as a `static` for the module of kernels, if any of these plans, or these fused functions' kernels,
/// read it.
pub fn text<'a>(model: &Model<f64>, plans: &'a [Plan], fused: impl Iterator<Item = &'a Version>) -> String {
    let versions = plans.iter().flat_map(Plan::all_stages).map(|stage| &stage.scalar).chain(fused);
    let in_kernels = versions.flat_map(|v| v.kernel.calls()).any(|call| call.robot().is_some());
    if !in_kernels && !plans.iter().any(|plan| plan.is_by_tables() && !plan.is_outline) {
        return String::new();
    }
    table(&Owned::from_model(model).expect("joints are numbered depth first"))
}

fn table(robot: &Owned) -> String {
    let length = loops::padded(robot.rows());
    let tables = Box::new(robot.tables::<LONGEST>().expect("longer ones are refused with the options"));
    let mut text =
        format!("pub static TABLES: rt::loops::Tables<'static, {length}> = rt::loops::Tables {{\n");
    let Tables { topology: t, .. } = &*tables;
    let _ = writeln!(text, "topology: rt::loops::Topology {{ rows: {},", t.rows);
    let joints = t.joints.iter().map(|j| {
        format!(
            "rt::loops::Joint {{ kind: rt::JointKind::{:?}, first: {}, parent: {}, position: {} }}",
            j.kind, j.first, j.parent, j.position
        )
    });
    list(&mut text, "joints", joints);
    for (name, of) in [
        ("parent", t.parent),
        ("first", t.first),
        ("end", t.end),
        ("coordinate", t.coordinate),
        ("position", t.position),
        ("segment", t.segment),
    ] {
        let _ = writeln!(text, "{name}: &{of:?},");
    }
    // These print as they are written.
    list(&mut text, "segments", t.segments.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "windows", t.windows.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "strips", t.strips.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "blocks", t.blocks.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "carries", t.carries.iter().map(|x| format!("rt::loops::{x:?}")));
    text.push_str("},\n");
    rows(&mut text, "placement", &tables.placement.0, length);
    rows(&mut text, "joint_frame", &tables.joint_frame.0, length);
    rows(&mut text, "ratio", &tables.ratio.0, length);
    rows(&mut text, "offset", &tables.offset.0, length);
    rows(&mut text, "mass", &tables.mass.0, length);
    rows(&mut text, "center", &tables.center.0, length);
    rows(&mut text, "spread", &tables.spread.0, length);
    rows(&mut text, "subtree_mass", &tables.subtree_mass.0, length);
    let (armature, damping, gravity) = (tables.armature, tables.damping, tables.gravity);
    let _ = writeln!(text, "armature: &{armature:?}, damping: &{damping:?}, gravity: {gravity:?} }};");
    text
}

fn list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    let _ = writeln!(text, "{name}: &[{}],", items.join(", "));
}

fn rows(text: &mut String, name: &str, rows: &[[f64; LONGEST]], length: usize) {
    let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..length]).collect();
    let _ = writeln!(text, "{name}: rt::loops::Rows({rows:?}),");
}
