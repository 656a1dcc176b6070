//! The discrete step for acados: one file, with the robot in it, that `AcadosModel` takes as its source.
//!
//! Three functions have the form that acados knows by CasADi, with integers of type `int`. Three others
//! take BLASFEO's vectors and matrices and call them. Under contacts there are six more.
//!
//! acados adds coordinates, as CasADi does. Where joints turn, functions are therefore those of `q/|q|`, by
//! the fixed text of `coordinates`.

use super::casadi::copy;
use super::casadi_step::{BENDING, NEXT};
use super::{Files, Writer, adjoint, casadi_contacts, contact_hessian, coordinates};
use crate::emit::c_family::text::of;
use crate::emit::manifold::is_flat;
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use rbd_runtime::Model;
use std::fmt::Write;

const HEAD: &str = include_str!("text/acados/head.c");
/// The step of robots whose joints have one coordinate each.
const FLAT: &str = include_str!("text/acados/flat.c");
/// Any step, by the coordinates of q. `KIND_` begins the names of steps under contacts.
const COORDINATES: &str = include_str!("text/acados/coordinates.c");
const FREE: &str = include_str!("text/acados/free.c");
const HELD: &str = include_str!("text/acados/held.c");
const BLASFEO: &str = include_str!("text/acados/blasfeo.c");
const GENERIC: &str = include_str!("text/acados/generic.c");

/// Writes how many arguments or results there are, and the shape of each: rows, columns, and 1 for a dense
/// matrix.
fn describe(text: &mut String, name: &str, what: &str, shapes: &[(usize, usize)]) {
    let _ = write!(
        text,
        "\nint {name}_n_{what}(void)\n{{\n    return {};\n}}\n\nconst int *{name}_sparsity_{what}(int i)\n{{\n    \
         static const int all[{0}][3] = {{",
        shapes.len()
    );
    let shapes: Vec<String> =
        shapes.iter().map(|(rows, columns)| format!("{{{rows}, {columns}, 1}}")).collect();
    let _ = write!(
        text,
        "{}}};\n    return i >= 0 && i < {} ? all[i] : 0;\n}}\n",
        shapes.join(", "),
        shapes.len()
    );
}

/// Describes the three functions of a kind of steps with so many parameters.
fn describe_all(text: &mut String, c: &Writer<'_>, model: &Model<f64>, (kind, parameters): (&str, usize)) {
    let (n, nx) = (model.nv, model.nq + model.nv);
    let (x, u, p) = ((nx, 1), (n, 1), (parameters, 1));
    let (jacobian, hessian) = ((n + nx, nx), (n + nx, n + nx));
    let functions: [(&str, &[_], &[_]); 3] = [
        ("fun", &[x, u, p], &[x]),
        ("fun_jac", &[x, u, p], &[x, jacobian]),
        ("fun_jac_hess", &[x, u, x, p], &[x, jacobian, hessian]),
    ];
    for (function, inputs, outputs) in functions {
        let name = format!("{}_acados_{kind}{function}_casadi", c.prefix);
        describe(text, &name, "in", inputs);
        describe(text, &name, "out", outputs);
        let _ = write!(
            text,
            "\nint {name}_work(int *sz_arg, int *sz_res, int *sz_iw, int *sz_w)\n{{\n    \
             if (sz_arg) *sz_arg = {};\n    if (sz_res) *sz_res = {};\n    if (sz_iw) *sz_iw = 0;\n    \
             if (sz_w) *sz_w = 0;\n    return 0;\n}}\n",
            inputs.len(),
            outputs.len()
        );
    }
}

/// Text of the file, from the robot's own files.
pub fn text(
    c: &Writer<'_>,
    model: &Model<f64>,
    (plans, contacts): (&[Plan], &[ContactAt]),
    files: &Files,
) -> String {
    let (prefix, n, nx) = (c.prefix, model.nv, model.nq + model.nv);
    let include = format!("#include \"{prefix}.h\"\n");
    let mut all = files.source.replacen(&include, &files.header, 1);
    let fixed = |text: &str| of(text, prefix, c.real, n);
    all.push_str(&fixed(HEAD));
    let _ = write!(all, "\nenum {{ {prefix}_acados_nx = {nx}, {prefix}_acados_all = {} }};\n", n + nx);
    // Names of kinds of steps, and numbers of their parameters.
    let mut kinds = vec![("", 1)];
    let has_contacts = contact_hessian::is_there(model, plans, contacts);
    if has_contacts {
        kinds.push(("contact_", 5 + 13 * contacts.len()));
    }
    let mut by_coordinates = String::new();
    if is_flat(model) {
        all.push_str(&fixed(FLAT));
    } else {
        by_coordinates.push_str(&fixed(&format!("{FREE}{}", COORDINATES.replace("KIND_", ""))));
    }
    if has_contacts {
        by_coordinates.push_str(&casadi_contacts::held(c, model, contacts));
        by_coordinates.push_str(&fixed(&format!("{HELD}{}", COORDINATES.replace("KIND_", "contact_"))));
    }
    if !by_coordinates.is_empty() {
        let shared = format!("{NEXT}{}\n{BENDING}", adjoint::SECOND);
        let shared = fixed(&shared.replace("SEMI", "0"));
        all.push_str("\n#include <math.h>\n\n");
        all.push_str(&coordinates::define(c, model, &shared));
        all.push_str(&copy(prefix));
        all.push_str(&shared);
        all.push_str(&by_coordinates);
    }
    for kind in &kinds {
        describe_all(&mut all, c, model, *kind);
    }
    all.push_str(&fixed(BLASFEO));
    for (kind, _) in &kinds {
        all.push_str(&fixed(&GENERIC.replace("KIND_", kind)));
    }
    all.push_str("#endif\n");
    all
}
