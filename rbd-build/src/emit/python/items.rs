//! Functions of a module: parameters and results in Python and in Rust, and the call.

use super::{Of, TYPE_NAME, contacts, manifold, shapes, spell};
use crate::emit::Rust;
use crate::emit::rust::{self, Names, ident, number, param, zeros};
use crate::frontend::naming::upper_camel_case;
use crate::fused::{Field, FusedPlan};
use crate::search::plan::Plan;
use crate::table::functions::Spec;
use crate::table::signature::{Output, Param, Sizes};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;

/// A function of the module: a row of the table, a fused function, one of contacts, or a map of the manifold.
pub struct Item {
    /// Name in Python.
    pub name: String,
    /// Type in Rust that implements the call.
    pub class: String,
    /// Documentation, one line an element.
    pub docs: Vec<String>,
    /// Parameters: names, shapes in Python, and types in Rust for a scalar `T`.
    pub takes: Vec<(String, Vec<usize>, TokenStream)>,
    /// Arguments common to all states.
    pub more: Vec<More>,
    /// Results, with their shapes in Python.
    pub gives: Vec<(Output, Vec<usize>)>,
    /// Class of several results.
    pub result: Option<String>,
    /// Type of the results in Rust.
    pub results: TokenStream,
    /// Initial value of the results, all zero.
    pub zeros: TokenStream,
    /// Statements that write `results`.
    pub compute: TokenStream,
    /// True if states are computed one by one, and not several in lanes.
    pub one_by_one: bool,
    /// Operations of a state in a large batch. They decide how many threads a batch gets.
    pub operations: usize,
}

/// Arguments that are not arrays of states.
pub struct More {
    /// Field with the arguments, and its type.
    pub field: TokenStream,
    /// Parameters in Rust.
    pub takes: TokenStream,
    /// Parameters in Python, with defaults.
    pub signature: TokenStream,
    /// True if they are keyword-only.
    pub by_name: bool,
    /// Initialiser of the field.
    pub made: TokenStream,
    /// Parameters for Python's type checkers.
    pub stub: Vec<String>,
    /// Documentation.
    pub docs: Vec<String>,
}

/// Operations of a state in a large batch, with several states in lanes.
fn operations(plan: &Plan, sizes: Sizes) -> usize {
    match plan.fills_registers() {
        // Loops over tables for second derivatives, by a lower bound.
        true if plan.function.is_second_order() => 20 * sizes.nv.pow(3),
        // Loops fill the registers with one state, so no other state shares them.
        true => LANES * Rust::COSTS.cost_of(plan),
        false => Rust::COSTS.cost_of(plan),
    }
}

/// States in the lanes of a register.
const LANES: usize = 4;

/// All functions. `frame_type` is the type of frames.
pub fn items(of: &Of<'_>, frame_type: Option<&Ident>) -> Vec<Item> {
    let sizes = Sizes::from(of.model);
    let mut all: Vec<Item> =
        super::specs(of.plans).into_iter().map(|plan| of_plan(of.model, plan, frame_type)).collect();
    all.extend(of.fused.iter().map(|plan| of_fused(sizes, plan)));
    all.extend(contacts::items(of));
    all.extend(manifold::items(sizes));
    all
}

fn takes(params: &[Param], sizes: Sizes) -> Vec<(String, Vec<usize>, TokenStream)> {
    let of = |p: &Param| (spell::parameter(p.name), shapes::of_param(p, sizes), param(*p, sizes));
    params.iter().map(of).collect()
}

/// Arguments in calls of the robot's functions.
fn passed(params: &[Param]) -> Vec<Ident> {
    params.iter().map(|p| ident(&spell::parameter(p.name))).collect()
}

fn of_plan(model: &Model<f64>, plan: &Plan, frame_type: Option<&Ident>) -> Item {
    let (sizes, spec, robot) = (Sizes::from(model), plan.spec(), ident(TYPE_NAME));
    let (passed, mut chosen) = (passed(spec.params), TokenStream::new());
    let (mut more, mut with, mut given) = (Vec::new(), TokenStream::new(), TokenStream::new());
    if let (true, Some(of)) = (plan.frame.is_some(), frame_type) {
        more.push(frame(spec.name, of));
        chosen.extend(quote!(self.frame,));
        if plan.function.has_reference() {
            more.push(reference(spec.name));
            chosen.extend(quote!(self.reference,));
        }
    }
    let form = if plan.function.takes_parameters(model) {
        more.push(parameters(spec.name, model));
        with.extend(quote!(let parameters = self.parameters.map(T::from_f64);));
        given.extend(quote!(&parameters,));
        "_with"
    } else {
        ""
    };
    let called = ident(&format!("{}{form}{}", spec.name, if spec.is_large() { "_into" } else { "" }));
    let compute = match spec.is_large() {
        true => quote!(#robot::#called(#given #(#passed,)* #chosen results);),
        false => quote!(*results = #robot::#called(#given #(#passed,)* #chosen);),
    };
    let mut docs = docs(spec, sizes);
    docs.extend(more.iter().flat_map(|more| more.docs.clone()));
    Item {
        name: spec.name.into(),
        class: upper_camel_case(spec.name),
        docs,
        takes: takes(spec.params, sizes),
        more,
        gives: spec.outputs.iter().map(|o| (*o, shapes::of_output(o, sizes))).collect(),
        result: spec.result.map(String::from),
        results: Names::from(sizes).returned(spec),
        zeros: zeros(spec),
        compute: quote!(#with #compute),
        one_by_one: plan.fills_registers(),
        operations: operations(plan, sizes),
    }
}

fn frame(name: &str, of: &Ident) -> More {
    More {
        field: quote!(frame: robot::#of,),
        takes: quote!(frame: &str,),
        signature: quote!(frame,),
        by_name: false,
        made: quote!(frame: call::named(#name, "frame", frame, robot::#of::ALL, robot::#of::name)?,),
        stub: vec!["frame: _Frame".into()],
        docs: Vec::new(),
    }
}

fn reference(name: &str) -> More {
    More {
        field: quote!(reference: rt::ReferenceFrame,),
        takes: quote!(reference: &str,),
        signature: quote!(reference,),
        by_name: false,
        made: quote! {
            reference: call::named(#name, "reference", reference, rt::ReferenceFrame::ALL, call::reference_name)?,
        },
        stub: vec!["reference: _Reference".into()],
        docs: Vec::new(),
    }
}

/// Parameters of the robot at run time.
pub fn parameters(name: &str, model: &Model<f64>) -> More {
    let (of, np) = (ident(&format!("{TYPE_NAME}Parameters")), model.run_time.inertias.len());
    let (mut takes, mut signature, mut sets) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let (mut stub, mut docs) = (Vec::new(), Vec::new());
    if np > 0 {
        let n = number(np);
        takes.extend(quote!(inertia: Option<&Bound<'py, PyAny>>,));
        signature.extend(quote!(inertia = None,));
        sets.extend(quote! {
            given::numbers(#name, "inertia", inertia, &[#n, 10], parameters.inertia.as_flattened_mut())?;
        });
        stub.push("inertia: _Given | None = None".to_owned());
        docs.push(format!(
            "- `inertia`, ({np}, 10) for all states: m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz of each of `INERTIAS` about the \
             origin of its frame; kg, kg m, kg m^2; by default `default_inertia()`"
        ));
    }
    if model.run_time.gravity {
        takes.extend(quote!(gravity: Option<&Bound<'py, PyAny>>,));
        signature.extend(quote!(gravity = None,));
        sets.extend(quote!(given::numbers(#name, "gravity", gravity, &[3], &mut parameters.gravity)?;));
        stub.push("gravity: _Given | None = None".to_owned());
        docs.push(
            "- `gravity`, (3,) for all states: gravitational acceleration in the world; m/s^2; by default `default_gravity()`"
                .into(),
        );
    }
    More {
        field: quote!(parameters: robot::#of<f64>,),
        takes,
        signature,
        by_name: true,
        made: quote! {
            parameters: {
                let mut parameters = robot::#of::default();
                #sets
                parameters
            },
        },
        stub,
        docs,
    }
}

/// Description of a fused function's field. Odd characters in names of frames are replaced.
fn described(field: &Field) -> String {
    spell::comment(&rust::described(field)) + shapes::elements(&field.output)
}

fn of_fused(sizes: Sizes, plan: &FusedPlan) -> Item {
    let (call, robot) = (&plan.call, ident(TYPE_NAME));
    let (fused, result) = (&call.fused, ident(call.fused.name()));
    let (into, passed) = (ident(&format!("{}_into", fused.method())), passed(&call.params));
    let mut docs = vec![
        "Several quantities at once: what they have in common is computed once.".to_owned(),
        String::new(),
    ];
    docs.extend(call.params.iter().map(|p| param_doc(p, sizes)));
    docs.extend(call.fields.iter().map(|field| {
        let shape = shapes::either(&shapes::of_output(&field.output, sizes));
        format!("- gives `{}`, {shape}: {}", field.output.name, described(field))
    }));
    Item {
        name: fused.method(),
        // A prefix, since results of other functions and this module use plain names.
        class: format!("Fused{}", fused.name()),
        docs,
        takes: takes(&call.params, sizes),
        more: Vec::new(),
        gives: call.fields.iter().map(|f| (f.output, shapes::of_output(&f.output, sizes))).collect(),
        result: Some(fused.name().into()),
        results: quote!(robot::#result<T>),
        zeros: quote!(robot::#result::zeros()),
        compute: quote!(#robot::#into(#(#passed,)* results);),
        one_by_one: false,
        operations: plan.count().total(),
    }
}

fn param_doc(p: &Param, sizes: Sizes) -> String {
    let shape = shapes::either(&shapes::of_param(p, sizes));
    format!("- `{}`, {shape}: {}", spell::parameter(p.name), p.doc)
}

/// Documentation of parameters and results, one line an element.
fn docs(spec: &Spec, sizes: Sizes) -> Vec<String> {
    let mut lines = vec![spec.doc.to_owned(), String::new(), format!("`{}`", spec.equation), String::new()];
    lines.extend(spec.params.iter().map(|p| param_doc(p, sizes)));
    for o in spec.outputs {
        let shape = shapes::either(&shapes::of_output(o, sizes));
        lines.push(format!("- gives `{}`, {shape}: {}; {}{}", o.name, o.doc, o.unit, shapes::elements(o)));
    }
    lines
}
