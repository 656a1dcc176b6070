//! Dynamics under contacts and with closed loops, as functions of a module: states are computed one after the other, for which
//! rows are independent is found for each.

use super::items::{Item, More, parameters};
use super::{Of, TYPE_NAME, shapes};
use crate::emit::rust::{ident, number};
use crate::functions::Function;
use crate::naming::upper_camel_case;
use crate::signature::{A, Dim, Output, Q, Shape, Sizes, TAU_GIVEN, V};
use proc_macro2::TokenStream;
use quote::quote;

const fn output(name: &'static str, shape: Shape, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape, symmetric: false, unit, doc }
}

/// What a state costs at the least, in operations a degree of freedom: HyQ's dynamics on four feet take two microseconds.
const OPERATIONS_OF_COORDINATE: usize = 1000;

/// One of them, in a few words.
struct Row {
    name: &'static str,
    doc: &'static str,
    /// What of the state it takes after `q`.
    takes: &'static [&'static str],
    /// What else it takes.
    more: &'static [&'static str],
    result: Option<&'static str>,
    gives: Vec<Output>,
    /// On what it stands: it takes parameters where these do.
    needs: &'static [Function],
}

fn rows(nr: usize, nc: usize) -> Vec<Row> {
    let (vector, rows) = (Shape::Vector(Dim::Nv), Shape::Vector(Dim::Fixed(nr)));
    let square = Shape::Matrix(Dim::Nv, Dim::Nv);
    let of_forces = Shape::Matrix(Dim::Fixed(nr), Dim::Nv);
    let dynamics = vec![
        output("ddq", vector, "rad/s^2", "joint accelerations"),
        output("forces", rows, "N, N m", "what the world does to the robot, row by row"),
        output("residual", rows, "m/s^2, rad/s^2", "how far each row is from holding"),
    ];
    let mut derivatives = dynamics.clone();
    derivatives.extend([
        output("ddq_dq", square, "1/s^2", "derivative of the accelerations by q"),
        output("ddq_dv", square, "1/s", "derivative of the accelerations by v"),
        output("ddq_dtau", square, "1/(kg m^2)", "derivative of the accelerations by tau"),
        output("forces_dq", of_forces, "N/rad", "derivative of the forces by q"),
        output("forces_dv", of_forces, "N s/rad", "derivative of the forces by v"),
        output("forces_dtau", of_forces, "1/m", "derivative of the forces by tau"),
    ]);
    let hit = vec![
        output("v_plus", vector, "rad/s", "joint velocities after it"),
        output("impulses", rows, "N s, N m s", "what the world does to the robot, row by row"),
        output("residual", rows, "m/s, rad/s", "how far each row is from holding"),
    ];
    let mut of_hit = hit.clone();
    of_hit.extend([
        output("v_plus_dq", square, "1/s", "derivative of the velocities after it by q"),
        output("v_plus_dv", square, "1", "derivative of the velocities after it by those before"),
        output(
            "v_plus_drestitution",
            vector,
            "rad/s",
            "derivative of the velocities after it by the restitution",
        ),
        output("impulses_dq", of_forces, "N s/rad", "derivative of the impulses by q"),
        output("impulses_dv", of_forces, "kg/rad", "derivative of the impulses by the velocities before"),
        output("impulses_drestitution", rows, "N s, N m s", "derivative of the impulses by the restitution"),
    ]);
    use Function as F;
    let row =
        |name, doc, takes, more, result, gives, needs| Row { name, doc, takes, more, result, gives, needs };
    vec![
        row(
            "contact_dynamics",
            "Forward dynamics under contacts: accelerations, and the forces at the active contacts.",
            &["v", "tau"],
            &["active", "settings"],
            Some("ContactDynamics"),
            dynamics,
            &[F::Minv, F::Bias],
        ),
        row(
            "contact_dynamics_derivatives",
            "The same with the derivatives of accelerations and forces by q (in its tangent space), v and tau.",
            &["v", "tau"],
            &["active", "settings"],
            Some("ContactDynamicsDerivatives"),
            derivatives,
            &[F::Minv, F::Bias, F::RneaDerivativesFext],
        ),
        row(
            "contact_impulse",
            "Velocities after an impact at the active contacts: `M(q) (v_plus - v) = J^T impulses`, `J v_plus = -restitution J v`.",
            &["v"],
            &["active", "restitution", "settings"],
            Some("ContactImpulse"),
            hit,
            &[F::Minv],
        ),
        row(
            "contact_impulse_derivatives",
            "`contact_impulse` with the derivatives of velocities and impulses by q (in its tangent space), v and the restitution.",
            &["v"],
            &["active", "restitution", "settings"],
            Some("ContactImpulseDerivatives"),
            of_hit,
            &[F::Minv, F::RneaDerivativesFext],
        ),
        row(
            "contact_inverse_dynamics",
            "Inverse dynamics under contact forces: `tau = M(q) a + C(q, v) v + g(q) - J^T forces`.",
            &["v", "a", "forces"],
            &["axes"],
            None,
            vec![output("tau", vector, "N m", "joint torques")],
            &[F::RneaFext],
        ),
        row(
            "contact_jacobian",
            "The Jacobian of the active contacts. Rows of the others are zero.",
            &[],
            &["active", "axes"],
            None,
            vec![output("jacobian", of_forces, "m/rad, 1", "a row for each row of the contacts")],
            &[],
        ),
        row(
            "delassus",
            "The Delassus matrix `J M(q)^-1 J^T` of the active contacts; rows and columns of the others are zero.",
            &[],
            &["active", "axes"],
            None,
            vec![output("delassus", Shape::Matrix(Dim::Fixed(nr), Dim::Fixed(nr)), "1/kg", "`J M^-1 J^T`")],
            &[F::Minv],
        ),
        row(
            "contact_errors",
            "How far the active contacts are from where they are to be: closed loops from being closed, others from their anchors.",
            &[],
            &["active", "settings"],
            None,
            vec![output("errors", rows, "m, rad", "row by row")],
            &[],
        ),
        row(
            "contact_placements",
            "Where the contacts' frames are in the world: `anchors`, where contacts are made. Of closed loops, the first ones.",
            &[],
            &[],
            None,
            vec![output("placements", Shape::Placements(Dim::Fixed(nc)), "m", "poses")],
            &[],
        ),
    ]
}

/// All of a robot that has contacts.
pub fn items(of: &Of<'_>) -> Vec<Item> {
    if of.contacts.is_empty() {
        return Vec::new();
    }
    let nr = of.contacts.iter().map(|contact| contact.kind.rows()).sum();
    rows(nr, of.contacts.len()).into_iter().map(|row| item(of, nr, row)).collect()
}

fn item(of: &Of<'_>, nr: usize, row: Row) -> Item {
    let (sizes, name) = (Sizes::from(of.model), row.name);
    let [nv, rows, nc] = [sizes.nv, nr, of.contacts.len()].map(number);
    let vector = |n: usize| {
        let n = number(n);
        quote!(rt::SVector<T, #n>)
    };
    let known = [Q, V, A, TAU_GIVEN];
    let takes = ["q"].iter().chain(row.takes).map(|name| match known.iter().find(|p| p.name == *name) {
        Some(p) => {
            ((*name).to_owned(), shapes::of_param(p, sizes), vector(p.kind.shape().extent(sizes).0), p.doc)
        }
        None => ((*name).to_owned(), vec![nr], vector(nr), "forces of all contacts, row by row; N, N m"),
    });
    let takes: Vec<_> = takes.collect();
    let mut docs = vec![row.doc.to_owned(), String::new()];
    docs.extend(
        takes.iter().map(|(name, shape, _, doc)| format!("- `{name}`, {}: {doc}", shapes::either(shape))),
    );
    let (mut more, mut before, mut chosen) = (Vec::new(), TokenStream::new(), TokenStream::new());
    for what in row.more {
        let (one, passed) = of_all_states(name, what, of.contacts.len());
        more.push(one);
        chosen.extend(passed);
    }
    let (mut form, mut given) = ("", TokenStream::new());
    if row.needs.iter().any(|function| function.takes_parameters(of.model)) {
        more.push(parameters(name, of.model));
        before.extend(quote!(let parameters = self.parameters.map(T::from_f64);));
        given.extend(quote!(&parameters,));
        form = "_with";
    }
    docs.extend(more.iter().flat_map(|more| more.docs.clone()));
    docs.extend(row.gives.iter().map(|o| {
        let shape = shapes::either(&shapes::of_output(o, sizes));
        format!("- gives `{}`, {shape}: {}; {}{}", o.name, o.doc, o.unit, shapes::elements(o))
    }));
    let passed: Vec<_> = takes.iter().map(|(name, ..)| ident(name)).collect();
    let robot = ident(TYPE_NAME);
    let writes = matches!(name, "contact_dynamics_derivatives" | "contact_impulse_derivatives");
    let in_axes = if row.more.contains(&"axes") { "_in" } else { "" };
    let called = ident(&format!("{name}{in_axes}{form}{}", if writes { "_into" } else { "" }));
    let compute = match writes {
        true => quote!(#robot::#called(#given #(#passed,)* #chosen results);),
        false => quote!(*results = #robot::#called(#given #(#passed,)* #chosen);),
    };
    let (results, zeros) = match row.result {
        Some(class) => {
            let (class, fields) = (ident(class), row.gives.iter().map(|o| ident(o.name)));
            (
                quote!(rt::contact::#class<T, #nv, #rows>),
                quote!(rt::contact::#class { #(#fields: rt::zeros()),* }),
            )
        }
        None => match row.gives[0].shape {
            Shape::Placements(_) => (quote!([rt::Placement<T>; #nc]), quote!(rt::placements_identity())),
            shape => {
                let (rows, columns) = shape.extent(sizes);
                let [rows, columns] = [rows, columns].map(number);
                (quote!(rt::SMatrix<T, #rows, #columns>), quote!(rt::zeros()))
            }
        },
    };
    Item {
        name: name.into(),
        class: upper_camel_case(name),
        docs,
        takes: takes.into_iter().map(|(name, shape, of, _)| (name, shape, of)).collect(),
        more,
        gives: row.gives.iter().map(|o| (*o, shapes::of_output(o, sizes))).collect(),
        result: row.result.map(String::from),
        results,
        zeros,
        compute: quote!(#before #compute),
        one_by_one: true,
        operations: OPERATIONS_OF_COORDINATE * sizes.nv,
    }
}

/// The argument that says in which axes rows are.
const AXES_STUB: &str = "axes: _Axes = \"local\"";
const AXES_DOC: &str =
    "- `axes`: of rows, `local`, those of the contacts' frames, or `local_world_aligned`, the world's";

/// An argument that is the same for all states, and how it is passed on.
fn of_all_states(name: &str, what: &str, contacts: usize) -> (More, TokenStream) {
    let (of, nc) = (ident(&format!("{TYPE_NAME}Contact")), number(contacts));
    let of_axes = quote!(call::named(#name, "axes", axes, rt::contact::ContactAxes::ALL, given::axes_name)?);
    match what {
        "active" => (
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
        "axes" => (
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
        "restitution" => (
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
        _ => (
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
