//! Second derivatives, which the runtime computes whole, and the tables that all loops read.

use super::loops::groups;
use super::types::{ident, number};
use crate::algorithms::loops::products_with_full;
use crate::search::plan::{Plan, Version};
use crate::table::functions::{Function, Spec};
use crate::table::signature::{FEXT, Shape, TAU_GIVEN};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;
use rbd_runtime::loops;
use rbd_runtime::loops::of_model::Owned;
use std::fmt::Write;

/// True if first derivatives of forward dynamics come with the second ones.
pub fn is_forward(spec: &Spec) -> bool {
    spec.params.contains(&TAU_GIVEN)
}

/// True if the function has forms that also return first derivatives.
pub fn gives_first(spec: &Spec) -> bool {
    spec.function.is_by_tables() && is_forward(spec)
}

/// Call of the runtime's function of that name, in a method.
///
/// There, `q` is the configuration, and `first` the first derivatives if they come with the result.
pub fn call(spec: &Spec, model: &Model<f64>, module: &Ident) -> TokenStream {
    let name = ident(&format!("{}_into", spec.name.strip_suffix("_fext").unwrap_or(spec.name)));
    let is_forward = is_forward(spec);
    let third = if is_forward { quote!(tau) } else { quote!(a) };
    let fext = if spec.params.contains(&FEXT) { quote!(&fext[..]) } else { quote!(&[]) };
    let first = is_forward.then(|| quote!(first,));
    let friction = friction(spec, model, module);
    let weights = spec.params.iter().filter(|p| matches!(p.name, "mu" | "lambda")).map(|p| ident(p.name));
    quote! {
        let at = rt::loops::second::typed::At {
            q, v, a: #third, fext: #fext, turned: rt::Angles::given(&angles),
        };
        rt::loops::second::typed::#name(&#module::TABLES, at, #(#weights,)* #first out);
        #friction
    }
}

/// True if the robot has joint friction, which tables lack.
fn slides(model: &Model<f64>) -> bool {
    model.friction_smoothing.is_some() && model.bodies.iter().any(|body| body.friction != 0.0)
}

/// Statement that adds joint friction to the result, if the robot has friction.
fn friction(spec: &Spec, model: &Model<f64>, module: &Ident) -> Option<TokenStream> {
    let add = match spec.function {
        Function::RneaHessian | Function::RneaHessianFext => quote!(add_to_hessian(v, mu, out)),
        Function::RneaSecondDerivatives | Function::RneaSecondDerivativesFext => {
            quote!(add_to_torques(v, &mut out.d2tau_dvdv))
        }
        _ => quote!(add_to_accelerations(v, &first.ddq_dtau, &mut out.d2ddq_dvdv)),
    };
    slides(model).then(|| quote!(#module::FRICTION.#add;))
}

/// Joint friction as a `static`.
fn friction_text(model: &Model<f64>) -> String {
    if !slides(model) {
        return String::new();
    }
    let mut joints = String::new();
    for body in model.bodies.iter().filter(|body| body.friction != 0.0) {
        let (ratio, friction) = (body.mimic.map_or(1.0, |m| m.multiplier), body.friction);
        for coordinate in body.idx_v..body.idx_v + body.kind.nv() {
            let _ = write!(
                joints,
                "rt::loops::second::JointFriction {{ coordinate: {coordinate}, ratio: {ratio:?}, \
                 friction: {friction:?} }},"
            );
        }
    }
    format!(
        "pub static FRICTION: rt::loops::second::Friction<'static> = rt::loops::second::Friction {{ joints: &[{joints}], \
         smoothing: {:?} }};\n",
        model.friction_smoothing.unwrap_or_default()
    )
}

/// Body of a function composed of its parts, from the calls of the parts.
///
/// Parts are first derivatives, then the Hessian of weighted torques, each if it is needed.
/// With parameters at run time, tensors are Hessians of one output after another.
pub fn composed(spec: &Spec, model: &Model<f64>, module: &Ident, calls: &[TokenStream]) -> TokenStream {
    let nv = number(model.nv);
    match calls {
        [hessian] if !is_forward(spec) => quote! {
            for output in 0..#nv {
                let mut of = rt::RneaHessian::zeros();
                { let (mu, out) = (&rt::loops::second::of_hessians::unit(output), &mut of); #hessian }
                rt::loops::second::of_hessians::torque(output, &of, out);
            }
        },
        [derivatives, hessian] if spec.outputs.iter().any(|o| matches!(o.shape, Shape::Tensor(..))) => {
            let groups = groups(&products_with_full(model)).parse::<TokenStream>().expect("it is Rust");
            quote! {
                { let out = &mut *first; #derivatives }
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
            let (name, friction) = (ident(&name), friction(spec, model, module));
            let fext = if spec.params.contains(&FEXT) { quote!(&fext[..]) } else { quote!(&[]) };
            quote! {
                { let out = &mut *first; #(#calls)* }
                let at = rt::loops::second::typed::At {
                    q, v, a: &first.ddq, fext: #fext, turned: rt::Angles::given(&angles),
                };
                rt::loops::second::typed::#name(&#module::TABLES, at, first, out);
                #friction
            }
        }
    }
}

/// Tables as a `static` in the module of kernels, if any plan or fused kernel reads them.
pub fn text<'a>(model: &Model<f64>, plans: &'a [Plan], fused: impl Iterator<Item = &'a Version>) -> String {
    let versions = plans.iter().flat_map(Plan::all_stages).map(|stage| &stage.scalar).chain(fused);
    let in_kernels = versions.flat_map(|v| v.kernel.calls()).any(|call| call.robot().is_some());
    let second = plans.iter().any(|plan| plan.is_by_tables() && !plan.is_outline);
    if !in_kernels && !second {
        return String::new();
    }
    let robot = Owned::from_model(model).expect("joints are numbered depth first");
    // Only second derivatives read the table of friction.
    let friction = if second { friction_text(model) } else { String::new() };
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
    text.push_str("},\n");
    for (name, components) in robot.numbers() {
        let rows: String = components.iter().map(|row| format!("{row:?},\n")).collect();
        let _ = writeln!(text, "{name}: rt::loops::Rows([\n{rows}]),");
    }
    let ([armature, damping], gravity) = (robot.on_coordinates(), robot.gravity());
    let _ = writeln!(text, "armature: &{armature:?},\ndamping: &{damping:?},\ngravity: {gravity:?},\n}};");
    text
}

fn list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: String = items.map(|item| item + ",\n").collect();
    let _ = writeln!(text, "{name}: &[\n{items}],");
}
