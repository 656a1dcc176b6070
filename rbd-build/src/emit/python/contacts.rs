//! Dynamics under contacts and with closed loops, as functions of a module.
//!
//! States are computed one by one, since the independent rows must be found for each.

use super::items::{Item, More, parameters};
use super::{Of, TYPE_NAME, shapes};
use crate::emit::rust::{Names, ident, number, zeros_of};
use crate::frontend::naming::upper_camel_case;
use crate::table::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec, Form};
use crate::table::signature::Sizes;
use proc_macro2::TokenStream;
use quote::quote;

/// Lower bound on a state's cost, in operations a degree of freedom.
///
/// HyQ's dynamics on four feet take two microseconds.
const OPERATIONS_OF_COORDINATE: usize = 1000;

/// All functions, if the robot has contacts.
pub fn items(of: &Of<'_>) -> Vec<Item> {
    if of.contacts.is_empty() {
        return Vec::new();
    }
    CONTACT_FUNCTIONS.iter().map(|spec| item(of, spec)).collect()
}

fn item(of: &Of<'_>, spec: &'static ContactSpec) -> Item {
    let (sizes, robot) = (Sizes::from(of.model).with_contacts(of.contacts), ident(TYPE_NAME));
    let names = Names::from(sizes);
    let form =
        Form { axes: spec.has_axes, parameters: spec.takes_parameters(of.model), out: spec.is_large() };
    let (mut takes, mut described, mut more) = (Vec::new(), Vec::new(), Vec::new());
    let mut passes = TokenStream::new();
    for param in spec.params_of(form) {
        let (shape, doc) = match param {
            ContactParam::State(p) => (shapes::of_param(&p, sizes), p.doc),
            ContactParam::Forces => (vec![sizes.nr], "forces of all contacts, row by row; N, N m"),
            ContactParam::Active
            | ContactParam::Restitution
            | ContactParam::Settings
            | ContactParam::Axes => {
                let (one, passed) = of_all_states(spec.name, param, sizes.nc);
                more.push(one);
                passes.extend(passed);
                continue;
            }
        };
        let (name, n) = (ident(param.name()), number(shape[0]));
        described.push(format!("- `{name}`, {}: {doc}", shapes::either(&shape)));
        takes.push((param.name().to_owned(), shape, quote!(rt::SVector<T, #n>)));
        passes.extend(quote!(#name,));
    }
    let (mut before, mut given) = (TokenStream::new(), TokenStream::new());
    if form.parameters {
        more.push(parameters(spec.name, of.model));
        before.extend(quote!(let parameters = self.parameters.map(T::from_f64);));
        given.extend(quote!(&parameters,));
    }
    let mut docs: Vec<String> = spec.paragraphs().flat_map(|text| [text, String::new()]).collect();
    docs.extend(described);
    docs.extend(more.iter().flat_map(|more| more.docs.clone()));
    docs.extend(spec.outputs.iter().map(|o| {
        let shape = shapes::either(&shapes::of_output(o, sizes));
        format!("- gives `{}`, {shape}: {}; {}{}", o.name, o.doc, o.unit, shapes::elements(o))
    }));
    let called = ident(&form.name(spec.name));
    let compute = match form.out {
        true => quote!(#robot::#called(#given #passes results);),
        false => quote!(*results = #robot::#called(#given #passes);),
    };
    let zeros = match spec.result.map(ident) {
        Some(class) => quote!(rt::contact::#class::zeros()),
        None => zeros_of(spec.outputs[0].shape),
    };
    Item {
        name: spec.name.into(),
        class: upper_camel_case(spec.name),
        docs,
        takes,
        more,
        gives: spec.outputs.iter().map(|o| (*o, shapes::of_output(o, sizes))).collect(),
        result: spec.result.map(String::from),
        results: names.returned_of_contacts(spec),
        zeros,
        compute: quote!(#before #compute),
        one_by_one: true,
        operations: OPERATIONS_OF_COORDINATE * sizes.nv,
    }
}

/// Argument for the axes of rows.
const AXES_STUB: &str = "axes: _Axes = \"local\"";
const AXES_DOC: &str =
    "- `axes`: of rows, `local`, those of the contacts' frames, or `local_world_aligned`, the world's";

/// An argument common to all states, and its expression in the call.
fn of_all_states(name: &str, param: ContactParam, contacts: usize) -> (More, TokenStream) {
    let (of, nc) = (ident(&format!("{TYPE_NAME}Contact")), number(contacts));
    let of_axes = quote!(call::named(#name, "axes", axes, rt::contact::ContactAxes::ALL, given::axes_name)?);
    match param {
        ContactParam::Active => (
            More {
                field: quote!(active: [bool; #nc],),
                takes: quote!(active: Option<&Bound<'py, PyAny>>,),
                signature: quote!(active = None,),
                by_name: true,
                made: quote!(active: given::active(#name, active, robot::#of::ALL.map(robot::#of::name))?,),
                stub: vec!["active: Sequence[_Contact] | Sequence[bool] | NDArray[np.bool_] | None = None".into()],
                docs: vec![
                    "- `active`, for all states: which contacts hold, by their names or as a truth value for each of `CONTACTS`; by \
                     default all"
                        .into(),
                ],
            },
            quote!(&self.active,),
        ),
        ContactParam::Axes => (
            More {
                field: quote!(axes: rt::contact::ContactAxes,),
                takes: quote!(axes: &str,),
                signature: quote!(axes = "local",),
                by_name: true,
                made: quote!(axes: #of_axes,),
                stub: vec![AXES_STUB.into()],
                docs: vec![AXES_DOC.into()],
            },
            quote!(self.axes,),
        ),
        ContactParam::Restitution => (
            More {
                field: quote!(restitution: f64,),
                takes: quote!(restitution: f64,),
                signature: quote!(restitution = 0.0,),
                by_name: true,
                made: quote!(restitution,),
                stub: vec!["restitution: float = 0.0".into()],
                docs: vec!["- `restitution`: the share of the velocity with which contacts part again".into()],
            },
            quote!(T::from_f64(self.restitution),),
        ),
        ContactParam::Settings | ContactParam::State(_) | ContactParam::Forces => (
            More {
                field: quote!(settings: rt::contact::ContactSettings<f64, #nc>,),
                takes: quote!(mu: f64, iterations: usize, kp: f64, kd: f64, anchors: Option<&Bound<'py, PyAny>>, axes: &str,),
                signature: quote!(mu = 0.0, iterations = 1, kp = 0.0, kd = 0.0, anchors = None, axes = "local",),
                by_name: true,
                made: quote! {
                    settings: rt::contact::ContactSettings {
                        mu, iterations, kp, kd, anchors: given::anchors(#name, anchors)?,
                        axes: #of_axes,
                    },
                },
                stub: ["mu: float = 0.0", "iterations: int = 1", "kp: float = 0.0", "kd: float = 0.0"]
                    .into_iter()
                    .chain(["anchors: _Given | None = None", AXES_STUB])
                    .map(String::from)
                    .collect(),
                docs: vec![
                    "- `mu`, `iterations`: what is added on the diagonal of the Delassus matrix, and how often the system is solved"
                        .into(),
                    "- `kp`, `kd`: Baumgarte's stiffness and damping; 1/s^2, 1/s".into(),
                    format!(
                        "- `anchors`, ({contacts}, 4, 4) for all states: where contacts are pulled back to, as \
                         `contact_placements` gives it; one with a number that is NaN is none"
                    ),
                    AXES_DOC.into(),
                ],
            },
            quote!(&given::settings::<T, #nc>(&self.settings),),
        ),
    }
}
