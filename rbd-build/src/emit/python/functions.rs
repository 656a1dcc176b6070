//! `lib.rs`: for each function what it takes and gives, a call, and Python's name for it.

use super::{Python, TYPE_NAME, shapes, specs, spell};
use crate::emit::rust::{Names, doc_lines, frames_type, ident, number, param, zeros};
use crate::functions::Spec;
use crate::naming::upper_camel_case;
use crate::plan::Plan;
use crate::signature::{Dim, Output, Shape, Sizes};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rbd_runtime::Model;

/// A function of the module: a row of the table, or a map of the manifold.
struct Item {
    name: &'static str,
    docs: Vec<String>,
    /// Names, shapes in Python, types in Rust for a scalar `T`.
    takes: Vec<(String, Vec<usize>, TokenStream)>,
    gives: Vec<(Output, Vec<usize>)>,
    /// The class of several results, and its fields in Rust.
    result: Option<&'static str>,
    results: TokenStream,
    zeros: TokenStream,
    /// Whether it writes its result where that is.
    writes: bool,
    is_of_frame: bool,
    has_reference: bool,
    /// Whether the runtime computes it, one state in all lanes of a register.
    by_tables: bool,
    grain: usize,
}

/// What a thread takes at the least is worth some ten microseconds: a hundred thousand operations, as states are
/// computed in lanes.
fn grain(plan: &Plan) -> usize {
    if plan.function.is_by_tables() { 16 } else { (100_000 / plan.count().total().max(1)).clamp(8, 4096) }
}

fn rows(model: &Model<f64>, plans: &[Plan]) -> Vec<Item> {
    let sizes = Sizes::from(model);
    let row = |plan: &Plan| {
        let spec = plan.spec();
        let takes = spec
            .params
            .iter()
            .map(|p| (spell::parameter(p.name), shapes::of_param(p, sizes), param(*p, sizes)));
        Item {
            name: spec.name,
            docs: docs(spec, sizes),
            takes: takes.collect(),
            gives: spec.outputs.iter().map(|o| (*o, shapes::of_output(o, sizes))).collect(),
            result: spec.result,
            results: Names::from(sizes).returned(spec),
            zeros: zeros(spec),
            writes: spec.is_large(),
            is_of_frame: plan.frame.is_some(),
            has_reference: plan.function.has_reference(),
            by_tables: plan.function.is_by_tables(),
            grain: grain(plan),
        }
    };
    specs(plans).into_iter().map(row).collect()
}

/// What moves and compares configurations.
fn manifold(sizes: Sizes) -> [Item; 2] {
    let item = |name, doc: &str, takes: [(&str, usize); 2], gives: (&'static str, Dim)| {
        let vector = |n: usize| {
            let n = number(n);
            quote!(rt::SVector<T, #n>)
        };
        let shape = Shape::Vector(gives.1);
        Item {
            name,
            docs: vec![doc.to_owned()],
            takes: takes.map(|(name, n)| (name.to_owned(), vec![n], vector(n))).to_vec(),
            gives: vec![(
                Output { name: gives.0, shape, symmetric: false, unit: "", doc: "" },
                vec![gives.1.of(sizes)],
            )],
            result: None,
            results: vector(gives.1.of(sizes)),
            zeros: quote!(rt::zeros()),
            writes: false,
            is_of_frame: false,
            has_reference: false,
            by_tables: false,
            grain: 1024,
        }
    };
    let Sizes { nq, nv, .. } = sizes;
    [
        item("integrate", INTEGRATE, [("q", nq), ("dv", nv)], ("q", Dim::Nq)),
        item("difference", DIFFERENCE, [("q0", nq), ("q1", nq)], ("dv", Dim::Nv)),
    ]
}

/// What `integrate` does, for its documentation.
pub const INTEGRATE: &str =
    "The configuration reached from `q` by the tangent vector `dv` (a velocity times a time).";
/// What `difference` does.
pub const DIFFERENCE: &str =
    "The tangent vector that leads from `q0` to `q1`: `integrate(q0, difference(q0, q1))` is `q1`.";

/// What a function takes and gives, a line each.
pub fn docs(spec: &Spec, sizes: Sizes) -> Vec<String> {
    let mut lines = vec![spec.doc.to_owned(), String::new(), format!("`{}`", spec.equation), String::new()];
    for p in spec.params {
        let shape = shapes::either(&shapes::of_param(p, sizes));
        lines.push(format!("- `{}`, {shape}: {}", spell::parameter(p.name), p.doc));
    }
    for o in spec.outputs {
        let shape = shapes::either(&shapes::of_output(o, sizes));
        lines.push(format!("- gives `{}`, {shape}: {}; {}{}", o.name, o.doc, o.unit, shapes::elements(o)));
    }
    lines
}

/// The whole file.
pub fn text(python: &Python<'_>, model: &Model<f64>, plans: &[Plan]) -> String {
    let (robot, sizes) = (ident(TYPE_NAME), Sizes::from(model));
    let items: Vec<Item> = rows(model, plans).into_iter().chain(manifold(sizes)).collect();
    let [nq, nv] = [sizes.nq, sizes.nv].map(number);
    let frame_type = frames_type(TYPE_NAME, model, plans);
    let tuples = tuples(&items);
    let functions = items.iter().map(|item| function(item, frame_type.as_ref()));
    let names: Vec<Ident> = items.iter().map(|item| ident(item.name)).collect();
    let classes = result_names(&items).into_iter().map(|name| {
        let class = constant(name);
        quote!(m.add(#name, #class.class(m.py())?)?;)
    });
    let vectors = [
        ("neutral", "The configuration in which every joint is at zero (quaternions at the identity)."),
        ("lower_limits", "The least configuration that limits allow; minus infinity where there is none."),
        ("upper_limits", "The greatest configuration that limits allow; infinity where there is none."),
        (
            "velocity_limits",
            "The greatest speeds of the joints, rad/s or m/s; infinity where the URDF has none.",
        ),
        ("effort_limits", "The greatest torques of the joints, N m or N; infinity where the URDF has none."),
    ];
    let vector_names = vectors.map(|(name, _)| ident(name));
    let vectors = vectors.map(|(name, doc)| {
        let (name, doc) = (ident(name), doc_lines(&[doc.to_owned()]));
        quote! {
            #doc
            #[pyfunction]
            fn #name(py: Python<'_>) -> Bound<'_, PyArray1<f64>> {
                joints::vector(py, #robot::#name())
            }
        }
    });
    let frame_names = frame_type
        .as_ref()
        .map(|of| quote!(m.add("FRAMES", PyTuple::new(m.py(), robot::#of::ALL.map(robot::#of::name))?)?;));
    let name = python.name;
    let module_doc = doc_lines(&[format!("Dynamics of {}.", spell::comment(&model.name))]);
    let file = quote! {
        mod arrays;
        mod call;
        mod joints;
        #[rustfmt::skip]
        mod robot;
        #[allow(dead_code, reason = "not every robot has results of each kind")]
        mod rows;

        use arrays::{Array, Place, Real};
        use call::{Function, Tuple, call};
        use numpy::PyArray1;
        use pyo3::prelude::*;
        #[allow(unused_imports)]
        use pyo3::types::PyTuple;
        use rbd_runtime::__private as rt;
        use rbd_runtime::{Mechanism as _, Scalar};
        use robot::#robot;
        use rows::Lay;

        /// The module's name.
        const MODULE: &str = #name;

        #tuples
        #(#functions)*
        #(#vectors)*

        #module_doc
        #[pymodule]
        #[pyo3(name = #name)]
        fn contents(m: &Bound<'_, PyModule>) -> PyResult<()> {
            m.add("__version__", env!("CARGO_PKG_VERSION"))?;
            joints::add::<#robot, #nq, #nv>(m)?;
            #frame_names
            #(#classes)*
            #(m.add_function(wrap_pyfunction!(#vector_names, m)?)?;)*
            #(m.add_function(wrap_pyfunction!(#names, m)?)?;)*
            Ok(())
        }
    };
    let file = syn::parse2(file).expect("the emitter writes Rust");
    format!(
        "//! The robot's functions for Python. Generated by {}.\n\n{}",
        python.origin,
        prettyplease::unparse(&file)
    )
}

/// The classes of named tuples, each once.
fn result_names(items: &[Item]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in items.iter().filter_map(|item| item.result) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The name of a class's static: `RNEA_DERIVATIVES`.
fn constant(class: &str) -> Ident {
    let mut out = String::new();
    for c in class.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    ident(&out)
}

fn tuples(items: &[Item]) -> TokenStream {
    let of = |class: &'static str| {
        let item = items.iter().find(|item| item.result == Some(class)).expect("it is of one");
        let (name, fields) = (constant(class), item.gives.iter().map(|(o, _)| o.name));
        quote!(static #name: Tuple = Tuple::new(#class, &[#(#fields),*]);)
    };
    result_names(items).into_iter().map(of).collect()
}

fn array(name: &str, shape: &[usize]) -> TokenStream {
    let shape = shape.iter().map(|n| number(*n));
    quote!(Array { name: #name, shape: &[#(#shape),*] })
}

fn function(item: &Item, frame_type: Option<&Ident>) -> TokenStream {
    let (name, robot) = (item.name, ident(TYPE_NAME));
    let (function, class) = (ident(name), ident(&upper_camel_case(name)));
    let [n, k, grain] = [item.takes.len(), item.gives.len(), item.grain].map(number);
    let takes = item.takes.iter().map(|(name, shape, _)| array(name, shape));
    let gives = item.gives.iter().map(|(o, shape)| array(o.name, shape));
    let names: Vec<Ident> = item.takes.iter().map(|(name, ..)| ident(name)).collect();
    let types: Vec<&TokenStream> = item.takes.iter().map(|(_, _, of)| of).collect();
    let (results, zeros) = (&item.results, &item.zeros);
    let tuple = item.result.map(|class| {
        let class = constant(class);
        quote!(fn tuple() -> Option<&'static Tuple> { Some(&#class) })
    });
    let mut fields = TokenStream::new();
    let (mut frame_takes, mut frame_names, mut made, mut chosen) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new(), TokenStream::new());
    if let (true, Some(of)) = (item.is_of_frame, frame_type) {
        fields.extend(quote!(frame: robot::#of,));
        frame_takes.extend(quote!(frame: &str,));
        frame_names.extend(quote!(frame,));
        made.extend(quote!(frame: call::named(#name, "frame", frame, robot::#of::ALL, robot::#of::name)?,));
        chosen.extend(quote!(self.frame,));
        if item.has_reference {
            fields.extend(quote!(reference: rt::ReferenceFrame,));
            frame_takes.extend(quote!(reference: &str,));
            frame_names.extend(quote!(reference,));
            made.extend(quote! {
                reference: call::named(#name, "reference", reference, rt::ReferenceFrame::ALL, call::reference_name)?,
            });
            chosen.extend(quote!(self.reference,));
        }
    }
    let compute = if item.writes {
        let into = ident(&format!("{name}_into"));
        quote!(#robot::#into(#(#names,)* #chosen results))
    } else {
        quote!(*results = #robot::#function(#(#names,)* #chosen))
    };
    let places: Vec<Ident> = (0..item.gives.len()).map(|k| ident(&format!("place{k}"))).collect();
    let writes = item.gives.iter().zip(&places).map(|((output, _), place)| {
        let (writer, one) = shapes::writer(output);
        let writer = ident(writer);
        let from = match item.result {
            Some(_) => {
                let field = ident(output.name);
                quote!(&results.#field)
            }
            None => quote!(results),
        };
        let from = if one { quote!(std::slice::from_ref(#from)) } else { from };
        match output.shape {
            Shape::Scalar | Shape::Placement | Shape::Placements(_) => {
                quote!(rows::#writer::<R, L>(#from, #place);)
            }
            Shape::Vector(_) | Shape::Matrix(..) => quote!(rows::#writer::<R, L, _, _>(#from, #place);),
            Shape::Tensor(..) => quote!(rows::#writer::<R, L, _, _, _>(#from, #place);),
        }
    });
    let batch = ident(if item.by_tables { "one_by_one" } else { "in_lanes" });
    let docs = doc_lines(&item.docs);
    quote! {
        #[derive(Clone, Copy)]
        struct #class { #fields }

        impl Function<#n, #k> for #class {
            const NAME: &'static str = #name;
            const TAKES: [Array; #n] = [#(#takes),*];
            const GIVES: [Array; #k] = [#(#gives),*];
            const GRAIN: usize = #grain;
            type Values<T: Scalar> = (#(#types,)*);
            type Slices<'a, T: Real> = (#(&'a [#types],)*);
            type Results<T: Scalar> = #results;
            #tuple
            fn slices<R: Real>([#(#names),*]: [&[R]; #n]) -> Self::Slices<'_, R> {
                (#(bytemuck::cast_slice(#names),)*)
            }
            fn at<R: Real>((#(#names,)*): Self::Slices<'_, R>, state: usize) -> Self::Values<R> {
                (#(#names[state],)*)
            }
            fn some<R: Real>(
                self,
                slices: Self::Slices<'_, R>,
                first: usize,
                states: usize,
                places: [&mut [Place<R>]; #k],
            ) {
                call::#batch::<R, Self, #n, #k>(self, slices, first, states, places);
            }
            fn zeros<T: Scalar>() -> Self::Results<T> { #zeros }
            #[inline]
            fn call<T: Scalar>(self, (#(#names,)*): &Self::Values<T>, results: &mut Self::Results<T>) { #compute; }
            fn write<R: Real, L: Lay<R>>(results: &Self::Results<L::From>, [#(#places),*]: [&mut [Place<R>]; #k]) { #(#writes)* }
        }

        #docs
        #[pyfunction]
        #[pyo3(signature = (#(#names,)* #frame_names *, out = None, threads = false))]
        fn #function<'py>(
            #(#names: &Bound<'py, PyAny>,)*
            #frame_takes
            out: Option<&Bound<'py, PyAny>>,
            threads: bool,
        ) -> PyResult<Bound<'py, PyAny>> {
            call(#class { #made }, [#(#names),*], out, threads)
        }
    }
}
