//! Dynamics under contacts, as fixed text in `text/contacts.c`, `text/contact_derivatives.c` and
//! `text/contact_functions.c`.
//!
//! That text calls kernels of all contacts' rows (`contact_rows`). It asks for the motion of single contacts
//! by number. The functions that answer are written here.

use super::header::result_struct;
use super::interface::taken;
use super::{Contacts, Writer, contact_rows, run_time, second_order};
use crate::emit::c_family::contacts::numbers;
use crate::emit::c_family::documentation::result_doc;
use crate::emit::c_family::names;
use crate::emit::c_family::text::{extent, length, wrapped};
use crate::search::contact_rows::RowsPlan;
use crate::search::plan::{Plan, Stage};
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Sizes;
use crate::table::functions::{
    CONTACT_FUNCTIONS, ContactParam, ContactSpec, Form, Function, contact_functions,
};
use rbd_runtime::{Model, ReferenceFrame};
use std::fmt::Write;

/// Constraint solver.
pub(super) const HOLD: &str = concat!(include_str!("text/contacts.c"), include_str!("text/contact_axes.c"));
/// Functions for users.
pub(super) const FUNCTIONS: &str = include_str!("text/contact_functions.c");

/// Terms of derivatives, which the texts of [`contact_rows`] call.
const TERMS: &str = include_str!("text/contact_terms.c");
/// Derivatives, which call the texts of [`contact_rows`].
const DERIVATIVES: &str = include_str!("text/contact_derivatives.c");

/// Definitions of the functions of contacts. In the fixed text, `HEAD(name)` marks where one begins.
///
/// A function that depends on parameters at run time takes them there.
/// Its form without parameters follows the text.
pub(super) fn functions(c: &Writer<'_>, model: &Model<f64>, of: Contacts<'_>) -> String {
    let Contacts { at: contacts, rows } = of;
    let sizes = Sizes::from(model).with_contacts(contacts);
    // Placeholder of the prefix, which replaces it last in all fixed text.
    let c = &Writer { prefix: "ROBOT", ..*c };
    let takes = |spec: &ContactSpec| spec.takes_parameters(model);
    let texts = [TERMS, &contact_rows::callers(model, contacts, rows), DERIVATIVES, FUNCTIONS].concat();
    let mut text = contact_rows::passed(model, rows, &texts)
        .replace("FACTORS", &length(contact_rows::factors(rows)).to_string());
    for function in Function::needed_by_contacts().filter(|function| function.takes_parameters(model)) {
        let name = format!("ROBOT_{}", function.name());
        text = text.replace(&format!("{name}_at("), &format!("{name}_with_at(parameters, "));
    }
    for (spec, form) in contact_functions().filter(|(spec, _)| takes(spec)) {
        let with = Form { parameters: true, ..form }.name(spec.name);
        let name = form.name(spec.name);
        text = text.replace(&format!("ROBOT_{name}("), &format!("ROBOT_{with}(parameters, "));
    }
    text = run_time::between(model, &text);
    for (spec, form) in contact_functions() {
        let head = head(c, sizes, spec, Form { parameters: takes(spec), ..form });
        text = text.replace(&format!("HEAD({})", form.name(spec.name)), &head);
    }
    for (spec, form) in contact_functions().filter(|(spec, _)| takes(spec)) {
        let with = Form { parameters: true, ..form }.name(spec.name);
        let result = spec.result.map_or(spec.outputs[0].name, |_| "out");
        let passes: Vec<_> = spec.params_of(form).map(ContactParam::name).chain([result]).collect();
        let _ = write!(
            text,
            "\n{}\n{{\n    ROBOT_{with}(&ROBOT_given, {});\n}}\n",
            head(c, sizes, spec, form),
            passes.join(", ")
        );
    }
    text
}

/// Head of a function in one of its forms.
fn head(c: &Writer<'_>, sizes: Sizes, spec: &ContactSpec, form: Form) -> String {
    let (p, real) = (c.prefix, c.real.name());
    let array = |name: &str, n: usize| format!("const {real} {name}[{n}]");
    let own = spec.params_of(form).map(|param| match param {
        ContactParam::State(of) => array(of.name, extent(of.kind.shape(), sizes)),
        ContactParam::Forces => array("forces", sizes.nr),
        ContactParam::Active => format!("const int active[{}]", sizes.nc),
        ContactParam::Restitution => format!("{real} restitution"),
        ContactParam::Settings => format!("const {p}_contact_settings_t *settings"),
        ContactParam::Axes => "int axes".into(),
    });
    let output = spec.outputs[0];
    let result = match spec.result {
        Some(result) => format!("{} *out", c.result_type(result)),
        None => format!("{real} {}[{}]", output.name, extent(output.shape, sizes)),
    };
    let parameters = form.parameters.then(|| run_time::parameter(c, ""));
    let all: Vec<String> = parameters.into_iter().chain(own).chain([result]).collect();
    wrapped(&format!("void {p}_{}({})", form.name(spec.name), all.join(", ")))
}

/// Writes a function's documentation. Markdown is removed.
fn document(text: &mut String, sizes: Sizes, spec: &ContactSpec, form: Form) {
    let paragraphs = spec.docs(form).into_iter().map(|text| filled(&text.replace('`', "")));
    let mut all = paragraphs.collect::<Vec<_>>().join("\n *\n * ");
    if form.axes {
        all.push_str(" They are CONTACT_AXES_LOCAL or CONTACT_AXES_LOCAL_WORLD_ALIGNED.");
    }
    if let (None, false) = (spec.result, form.axes) {
        let output = spec.outputs[0];
        let _ = write!(all, "\n *\n * gives {} {}", output.name, result_doc(output, sizes));
    }
    let _ = writeln!(text, "/* {all} */");
}

/// Breaks a text into lines of a comment.
fn filled(text: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        if width > 0 && width + word.len() > 110 {
            out.push_str("\n * ");
            width = 0;
        } else if width > 0 {
            out.push(' ');
        }
        out.push_str(word);
        width += word.len() + 1;
    }
    out
}

/// Requests of the fixed text and the functions that answer them.
///
/// Each entry has the request, the function, its arguments after the posture, and its result.
const ANSWERS: [(&str, Function, &str, &str); 3] = [
    ("placement", Function::FramePlacement, "", "REAL *to"),
    ("jacobian", Function::FrameJacobian, "", "REAL *to"),
    (
        "velocity_derivatives",
        Function::FrameVelocityDerivatives,
        "v",
        "ROBOT_frame_velocity_derivatives_t *to",
    ),
];

/// Writes types, names and declarations for the header.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, contacts: &[ContactAt]) {
    if contacts.is_empty() {
        return;
    }
    let (real, guard, p) = (c.real.name(), c.prefix.to_uppercase(), c.prefix);
    let sizes = Sizes::from(model).with_contacts(contacts);
    let Sizes { nc, nr, .. } = sizes;
    let _ = write!(
        text,
        "#define {guard}_NC {nc} /* contacts and closed loops, the active ones and the others */\n\
         #define {guard}_CONTACT_ROWS {nr} /* rows of all contacts: 3 of a point, 6 of a plane */\n\
         #define {guard}_CONTACT_AXES_LOCAL 0 /* rows in the axes of the contacts' frames */\n\
         #define {guard}_CONTACT_AXES_LOCAL_WORLD_ALIGNED 1 /* rows in the world's axes, moments about the frames' origins */\n"
    );
    let taken = ["ROWS", "AXES_LOCAL", "AXES_LOCAL_WORLD_ALIGNED"];
    numbers(text, &guard, contacts, |word| taken.contains(&word));
    let _ = write!(
        text,
        "\n/* How constraints are held; null, or all zero: exactly, without Baumgarte's terms. */\n\
         typedef struct {{\n    \
         {real} mu; /* added on the diagonal of the Delassus matrix, 1/kg; rotations 1/(kg m^2) */\n    \
         int iterations; /* how often the system is solved, each time for what the last time left; below 1 is once */\n    \
         {real} kp, kd; /* Baumgarte's stiffness, 1/s^2, and damping, 1/s */\n    \
         const {real} *anchors[{nc}]; /* where contacts were made, each [3 x 4], or null: only these are pulled back by kp */\n    \
         int axes; /* of all rows in results, {guard}_CONTACT_AXES_.. */\n\
         }} {p}_contact_settings_t;\n\n"
    );
    for spec in &CONTACT_FUNCTIONS {
        if let Some(result) = spec.result {
            let fields = spec.outputs.iter().map(|output| (*output, result_doc(*output, sizes)));
            result_struct(text, c, sizes, result, fields);
        }
    }
    for (spec, form) in contact_functions() {
        document(text, sizes, spec, form);
        let _ = writeln!(text, "{};\n", head(c, sizes, spec, form));
        if spec.takes_parameters(model) {
            let name = form.name(spec.name);
            let with = head(c, sizes, spec, Form { parameters: true, ..form });
            let _ = writeln!(text, "/* {p}_{name} with other parameters. */\n{with};\n");
        }
    }
}

/// Tables and answers that the fixed text needs. They precede it.
pub fn define(c: &Writer<'_>, model: &Model<f64>, plans: &[Plan], of: Contacts<'_>) -> String {
    let Contacts { at: contacts, rows } = of;
    let (p, real, nc) = (c.prefix, c.real.name(), contacts.len());
    let mut text = format!(
        "\nenum {{\n    {p}_hold_nc = {nc},\n    {p}_hold_nr = {},\n    {p}_hold_nb = {},\n    {p}_hold_nq = {}\n}};\n",
        Sizes::from(model).with_contacts(contacts).nr,
        length(model.bodies.len()),
        length(model.nq)
    );
    // Second frames follow all first frames.
    let all: Vec<Option<usize>> =
        contacts.iter().map(|at| Some(at.frame)).chain(contacts.iter().map(|at| at.second)).collect();
    let list = |numbers: Vec<String>| numbers.join(", ");
    let first_rows = contacts.iter().scan(0, |row, contact| {
        *row += contact.kind.rows();
        Some(row.to_string())
    });
    let first_rows = std::iter::once("0".to_owned()).chain(first_rows).collect();
    let body = |frame: &Option<usize>| {
        let body = frame.and_then(|frame| model.frames[frame].body);
        body.map_or("-1".into(), |body| body.to_string())
    };
    let placed = |frame: &Option<usize>| {
        let numbers: Vec<f64> = frame.map_or(vec![0.0; 12], |frame| {
            let at = &model.frames[frame].placement;
            at.rotation.as_slice().iter().chain(at.translation.as_slice()).copied().collect()
        });
        format!("    {{{}}}", list(numbers.iter().map(|x| c.real.number(*x)).collect()))
    };
    let _ = write!(
        text,
        "static const short {p}_hold_row[{}] = {{{}}};\n\
         static const short {p}_hold_is_loop[{nc}] = {{{}}};\n\
         static const short {p}_hold_body[{}] = {{{}}};\n\
         /* Frames in the joint frames of the bodies that carry them. */\n\
         static const {real} {p}_hold_carried[{}][12] = {{\n{}\n}};\n\n",
        nc + 1,
        list(first_rows),
        list(contacts.iter().map(|at| u8::from(at.second.is_some()).to_string()).collect()),
        2 * nc,
        list(all.iter().map(body).collect()),
        2 * nc,
        all.iter().map(placed).collect::<Vec<_>>().join(",\n"),
    );
    let supports: Vec<_> = contacts.iter().map(|contact| contact.support(model)).collect();
    contact_rows::supports(&mut text, p, &supports);
    text.push('\n');
    for (name, function, takes, gives) in ANSWERS {
        answer(&mut text, c, model, plans, &all, (name, function, takes, gives));
    }
    let _ = write!(
        text,
        "static void {p}_hold_posture(const {real} *q, {real} *sin_q, {real} *cos_q)\n{{\n{}}}\n",
        posture(c, model, plans, rows)
    );
    text
}

/// Writes a function that forwards a request to the function of the requested frame.
fn answer(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    plans: &[Plan],
    all: &[Option<usize>],
    (name, function, takes, gives): (&str, Function, &str, &str),
) {
    let (p, real) = (c.prefix, c.real.name());
    let given: String =
        takes.split(", ").filter(|x| !x.is_empty()).map(|x| format!("const {real} *{x}, ")).collect();
    let gives = gives.replace("REAL", real).replace("ROBOT", p);
    let _ = write!(
        text,
        "static void {p}_hold_{name}(const {real} *const at[3], int frame, {given}{gives})\n{{\n    switch (frame) {{\n"
    );
    let takes = if takes.is_empty() { String::new() } else { format!("{takes}, ") };
    for (k, frame) in all.iter().enumerate() {
        let Some(frame) = frame else { continue };
        let of_frame = |plan: &&Plan| {
            plan.function == function
                && plan.frame.is_some_and(|at| at.index == *frame && at.reference == ReferenceFrame::Local)
        };
        let plan = plans.iter().find(of_frame).expect("the functions that contacts need are generated");
        // A `default` case, since the compiler does not know that there are no other numbers.
        let case = if k == 0 { "default".into() } else { format!("case {k}") };
        let _ = writeln!(
            text,
            "    {case}: {p}_{}_at(at[0], at[1], at[2], {takes}to); break;",
            names::name(model, plan)
        );
    }
    text.push_str("    }\n}\n\n");
}

/// Statements that compute the sines and cosines that the functions read.
fn posture(c: &Writer<'_>, model: &Model<f64>, plans: &[Plan], rows: &[RowsPlan]) -> String {
    let mut coordinates = contact_rows::coordinates(c, rows);
    for plan in plans {
        if plan.composition.is_some() {
            coordinates.extend(second_order::coordinates(c, model, plan));
        }
        for version in plan.stages.iter().flat_map(Stage::versions) {
            let body = c.body(plan.spec().result.is_some(), version);
            coordinates.extend(body.coordinates());
        }
    }
    let taken = taken(c, Sizes::from(model), &coordinates);
    match taken.split_once('\n') {
        // The arrays are declared by the caller, so the first line is dropped.
        Some((_, lines)) => lines.to_owned(),
        None => "    (void)q;\n    sin_q[0] = cos_q[0] = 0;\n".into(),
    }
}
