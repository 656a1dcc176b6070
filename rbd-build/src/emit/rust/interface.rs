//! The module around the kernels: the robot's type, its items and its traits.

use super::contacts::Contacts;
use super::frames::Frames;
use super::function::FunctionText;
use super::fused::{FusedText, RUNTIME};
use super::run_time::Parameters;
use super::{Rust, actuated, families, left_out, manifold, static_model, step, structures, tables};
use crate::fused::FusedFunction;
use crate::search::contact_rows::RowsPlan;
use crate::search::plan::{Plan, Stage};
use crate::signatures::frames::ContactAt;
use crate::table::family::Family;
use crate::table::functions::FUNCTIONS;
use rbd_runtime::Model;
use std::fmt::Write;
use syn::parse::Parser;
use syn::{Attribute, Meta};

/// A module's text in parts. The front end inserts the runtime's path between them:
///
/// ```text
/// {head}
/// {ALLOW}
/// const _: () = {
///     use .. as rt;
///     {body}
///     {kernels_head} {
///         use .. as rt;
///         {kernels}
///     }
/// };
/// ```
///
/// Nothing leaks out of the block. A user's items named `f64` or `Option` do not get in.
/// A user's constant or unit struct could: a pattern of that name would compare instead of bind.
/// Kernels have many variables, so they are in a module that sees no user's items.
/// The rest of the block names the robot's type. It has few variables, which functions of the block hide.
#[derive(Clone, Debug)]
pub struct Module {
    /// The robot's type and further public types. [`Module::RUNTIME`] stands for the runtime's path.
    pub head: String,
    /// Items that refer to the robot's type.
    pub body: String,
    /// Attributes, `mod` and name of the module of kernels.
    pub kernels_head: String,
    /// The kernels.
    pub kernels: String,
}

impl Module {
    /// Attributes of the body's block. Lints of style are off, since nobody reads this code.
    pub const ALLOW: &str =
        "#[allow(dead_code, unused_qualifications, unused_results, unreachable_pub, single_use_lifetimes)]
         #[allow(nonstandard_style)]
         #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]";

    /// Placeholder in the head for the runtime's path.
    pub const RUNTIME: &str = RUNTIME;

    /// The whole text in Rust, unformatted.
    pub fn text(&self, runtime: &str) -> String {
        let Self { head, body, kernels_head, kernels } = self;
        let head = head.replace(RUNTIME, runtime);
        format!(
            "{head}{}const _: () = {{\nuse {runtime} as rt;\n{body}\
             {kernels_head} {{\nuse {runtime} as rt;\n{kernels}}}\n}};\n",
            Self::ALLOW
        )
    }
}

/// Module of a robot.
pub fn module(
    rust: &Rust,
    type_name: &str,
    model: &Model<f64>,
    (contacts, rows): (&[ContactAt], &[RowsPlan]),
    plans: &[Plan],
    fused: &[Plan<FusedFunction>],
) -> Module {
    let Rust { visibility, attributes, .. } = rust;
    let docs = if is_documented(attributes) { String::new() } else { type_docs(model) };
    let mut head = format!(
        "{attributes}\n{docs}#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n\
         {visibility} struct {type_name};\n"
    );
    let (mut body, mut kernels) = (String::new(), String::new());
    let _ = writeln!(body, "const _: () = rt::assert_version({:?});", env!("CARGO_PKG_VERSION"));
    body.push_str("#[allow(unused_imports)]\nuse rt::names::*;\n");
    let of_fused = || fused.iter().flat_map(|plan| &plan.stages);
    let of_contacts = rows.iter().map(|plan| &plan.stage);
    let mut stages = plans.iter().flat_map(Plan::all_stages).chain(of_fused()).chain(of_contacts);
    if stages.any(|stage| !stage.simd.is_empty()) {
        kernels.push_str("use rt::Limbs as _;\n");
    }
    static_model::write(&mut body, type_name, model);
    manifold::write(&mut body, type_name, model);
    let controls = actuated::controls(model, &rust.actuated);
    structures::write(&mut body, type_name, plans, model, rust.step, &controls);
    let frames = Frames::of(type_name, model, plans);
    head.push_str(&frames.type_text(visibility, model));
    body.push_str(&frames.items(model).to_string());
    let contacts = Contacts::of(type_name, model, &frames, contacts, rows);
    head.push_str(&contacts.type_text(visibility));
    body.push_str(&contacts.items().to_string());
    kernels.push_str(&contacts.kernels());
    let parameters = Parameters::new(type_name, model);
    head.push_str(&parameters.type_text(visibility));
    body.push_str(&parameters.items().to_string());
    // Methods, grouped by their heading in the documentation.
    let mut sections: Vec<(&str, String)> = Vec::new();
    let mut add =
        |family: Family, methods: &str| match sections.iter_mut().find(|(h, _)| *h == family.heading()) {
            Some((_, text)) => text.push_str(methods),
            None => sections.push((family.heading(), methods.to_owned())),
        };
    for spec in &FUNCTIONS {
        let of_frames: Vec<&Plan> =
            plans.iter().filter(|p| p.function == spec.function && p.frame.is_some()).collect();
        if !of_frames.is_empty() {
            let function = FunctionText::of_frames(type_name, model, &frames, &of_frames);
            kernels.push_str(&function.kernels);
            add(spec.family, &function.methods);
        }
    }
    kernels.push_str(&tables::text(model, plans, of_fused().flat_map(Stage::versions)));
    kernels.push_str(&FunctionText::of_parts(type_name, model, plans));
    for plan in plans.iter().filter(|plan| plan.frame.is_none()) {
        let function = FunctionText::new(type_name, model, plan, plans);
        kernels.push_str(&function.kernels);
        add(plan.spec().family, &function.methods);
    }
    sections.sort_by_key(|(heading, _)| Family::ALL.iter().position(|family| family.heading() == *heading));
    for (heading, methods) in &sections {
        let _ = writeln!(body, "/// # {heading}\nimpl {type_name} {{\n{methods}}}");
    }
    for plan in fused {
        let function = FusedText::new(type_name, visibility, model, plan);
        head.push_str(&function.result);
        kernels.push_str(&function.kernels);
        body.push_str(&function.methods);
    }
    let asked = left_out::Asked { plans, frames: !frames.is_empty(), contacts: !contacts.is_empty() };
    head.push_str(&asked.types(type_name, visibility));
    body.push_str(&asked.functions(type_name));
    let has = |function| plans.iter().any(|plan| plan.function == function);
    body.push_str(&families::implementations(type_name, model, plans).to_string());
    body.push_str(&frames.implementation(type_name, model, has).to_string());
    body.push_str(&parameters.implementations(has).to_string());
    body.push_str(&contacts.hessians(has).to_string());
    body.push_str(&step::items(rust.step, type_name, model).to_string());
    body.push_str(&actuated::items(&controls, type_name, model).to_string());
    if rust.step.is_some() {
        body.push_str(&contacts.steps(controls.len(), has).to_string());
    }
    if !kernels.is_empty() {
        kernels.insert_str(0, "use rt::put;\n");
    }
    let kernels_head = format!("#[allow(unused_imports)]\nmod {}", kernels_module(type_name));
    Module { head, body, kernels_head, kernels }
}

/// Name of the module of kernels. It contains the robot's name, so no other item of the user has it.
pub fn kernels_module(type_name: &str) -> String {
    format!("kernels_of_{type_name}")
}

/// True if the attributes document the type.
fn is_documented(attributes: &str) -> bool {
    let attributes = Attribute::parse_outer.parse_str(attributes).expect("checked with the other options");
    attributes.iter().any(|a| matches!(&a.meta, Meta::NameValue(meta) if meta.path.is_ident("doc")))
}

fn type_docs(model: &Model<f64>) -> String {
    format!(
        "/// Dynamics of `{}`, specialised: {} moving bodies, {} configuration and {} velocity coordinates.\n",
        model.name.escape_default(),
        model.bodies.len(),
        model.nq,
        model.nv
    ) + &super::docs::tables(model)
}
