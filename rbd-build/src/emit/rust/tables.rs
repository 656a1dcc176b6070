//! Second derivatives, which the runtime computes whole, and the tables that all loops read.

use super::loops::groups;
use super::types::{ident, number};
use crate::search::plan::{Plan, Version};
use crate::signatures::signature::{FEXT, TAU_GIVEN};
use crate::table::functions::Spec;
use crate::table::routines::draft::products_with_full;
use crate::table::routines::{Composer, Way};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;
use rbd_runtime::loops;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::second::Friction;
use std::fmt::Write;

/// True if the function has forms that also return first derivatives of forward dynamics.
pub fn gives_first(spec: &Spec) -> bool {
    spec.function.is_second_order() && spec.params.contains(&TAU_GIVEN)
}

/// Joint friction as a `static`.
fn friction_text(friction: &Friction<'_>) -> String {
    if friction.joints.is_empty() {
        return String::new();
    }
    let joints = friction.joints.iter();
    let joints: String = joints.map(|joint| format!("rt::loops::second::{joint:?},")).collect();
    format!(
        "pub static FRICTION: rt::loops::second::Friction<'static> = rt::loops::second::Friction {{ joints: &[{joints}], \
         smoothing: {:?} }};\n",
        friction.smoothing
    )
}

/// Body of a function that is composed, from the calls of its parts.
///
/// There, `q` is the configuration, and `first` the first derivatives if they come with the result. Loops
/// over tables are the runtime's functions of the same name.
pub fn composed(
    spec: &Spec,
    composer: &Composer,
    model: &Model<f64>,
    module: &Ident,
    calls: &[TokenStream],
) -> TokenStream {
    let (way, nv) = (composer.way(), number(model.nv));
    let groups = || groups(&products_with_full(model)).parse::<TokenStream>().expect("it is Rust");
    let first = || {
        let derivatives = &calls[0];
        quote!({ let out = &mut *first; #derivatives })
    };
    let hessian = calls.last();
    let loops = |end: &str, a: TokenStream, arguments: TokenStream, friction: TokenStream| {
        let name = ident(&format!("{}{end}", spec.name.strip_suffix("_fext").unwrap_or(spec.name)));
        let fext = if spec.params.contains(&FEXT) { quote!(&fext[..]) } else { quote!(&[]) };
        let friction = (!composer.friction().joints.is_empty()).then(|| quote!(#module::FRICTION.#friction;));
        quote! {
            let at = rt::loops::second::typed::At { q, v, a: #a, fext: #fext, turned: rt::Angles::given(&angles), };
            rt::loops::second::typed::#name(&#module::TABLES, at, #arguments out);
            #friction
        }
    };
    match way {
        Way::Hessian => loops("_into", quote!(a), quote!(mu,), quote!(add_to_hessian(v, mu, out))),
        Way::Torques => loops("_into", quote!(a), quote!(), quote!(add_to_torques(v, &mut out.d2tau_dvdv))),
        Way::Accelerations => {
            let friction = quote!(add_to_accelerations(v, &first.ddq_dtau, &mut out.d2ddq_dvdv));
            let loops = loops("_of_parts", quote!(&first.ddq), quote!(first,), friction);
            let first = first();
            quote!(#first #loops)
        }
        Way::TorqueByTorque => quote! {
            for output in 0..#nv {
                let mut of = rt::RneaHessian::zeros();
                { let (mu, out) = (&rt::loops::second::of_hessians::unit(output), &mut of); #hessian }
                rt::loops::second::of_hessians::torque(output, &of, out);
            }
        },
        Way::OneByOne => {
            let (first, groups) = (first(), groups());
            quote! {
                #first
                for output in 0..#nv {
                    let lambda = &rt::loops::second::of_hessians::unit(output);
                    let mu = rt::loops::second::typed::weights_of_torques(first, lambda);
                    let mut of = rt::RneaHessian::zeros();
                    { let (a, mu, out) = (&first.ddq, &mu, &mut of); #hessian }
                    let mut all = rt::AbaHessian::zeros();
                    T::dispatch(rt::loops::second::AbaHessianOfParts {
                        weights: [lambda, &mu], first, of: &of, groups: #groups, out: &mut all,
                    });
                    rt::loops::second::of_hessians::acceleration(output, &all, out);
                }
            }
        }
        Way::OfParts => {
            let (first, groups) = (first(), groups());
            quote! {
                #first
                let mu = rt::loops::second::typed::weights_of_torques(first, lambda);
                let mut of = rt::RneaHessian::zeros();
                { let (a, mu, out) = (&first.ddq, &mu, &mut of); #hessian }
                T::dispatch(rt::loops::second::AbaHessianOfParts {
                    weights: [lambda, &mu], first, of: &of, groups: #groups, out,
                });
            }
        }
    }
}

/// Tables as a `static` in the module of kernels, if any plan or fused kernel reads them.
pub fn text<'a>(model: &Model<f64>, plans: &'a [Plan], fused: impl Iterator<Item = &'a Version>) -> String {
    let versions = plans.iter().flat_map(Plan::all_stages).map(|stage| &stage.scalar).chain(fused);
    let in_kernels = versions.flat_map(|v| v.kernel.calls()).any(|call| call.robot().is_some());
    let composition = plans.iter().find_map(|plan| plan.composition.as_ref());
    if !in_kernels && composition.is_none() {
        return String::new();
    }
    let robot = Owned::from_model(model).expect("joints are numbered depth first");
    // Only second derivatives read the table of friction.
    let friction = composition.map_or(String::new(), |of| friction_text(&of.composer.friction()));
    table(&robot) + &friction
}

fn table(robot: &Owned) -> String {
    let (length, t) = (loops::padded(robot.rows()), robot.topology());
    let mut text =
        format!("pub static TABLES: rt::loops::Tables<'static, {length}> = rt::loops::Tables {{\n");
    let _ = writeln!(text, "topology: rt::loops::Topology {{\nrows: {},", t.rows);
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
    // `Debug` text of these types is valid Rust.
    list(&mut text, "segments", t.segments.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "windows", t.windows.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "strips", t.strips.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "blocks", t.blocks.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "carries", t.carries.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "stretches", t.stretches.iter().map(|x| format!("rt::loops::{x:?}")));
    text.push_str("},\nnumbers: &rt::loops::Numbers {\n");
    for (name, components) in robot.numbers() {
        let rows: String = components.iter().map(|row| format!("{row:?},\n")).collect();
        let _ = writeln!(text, "{name}: rt::loops::Rows([\n{rows}]),");
    }
    text.push_str("},\n");
    let ([armature, damping], gravity) = (robot.on_coordinates(), robot.gravity());
    let _ = writeln!(text, "armature: &{armature:?},\ndamping: &{damping:?},\ngravity: {gravity:?},\n}};");
    text
}

fn list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: String = items.map(|item| item + ",\n").collect();
    let _ = writeln!(text, "{name}: &[\n{items}],");
}
