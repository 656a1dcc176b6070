//! The discrete step for acados: one file, with the robot in it, that `AcadosModel` takes as its source.
//!
//! Three functions have the form that acados knows by CasADi, with integers of type `int`. Three others
//! take BLASFEO's vectors and matrices and call them.

use super::{Files, Writer};
use crate::emit::c_family::text::of;
use rbd_runtime::Model;
use std::fmt::Write;

const FUNCTIONS: &str = include_str!("text/step/acados.c");
const GENERIC: &str = include_str!("text/step/acados_generic.c");

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

/// Text of the file, from the robot's own files.
pub fn text(c: &Writer<'_>, model: &Model<f64>, files: &Files) -> String {
    let (prefix, n) = (c.prefix, model.nv);
    let include = format!("#include \"{prefix}.h\"\n");
    let mut text = files.source.replacen(&include, &files.header, 1);
    text.push_str(&of(FUNCTIONS, prefix, c.real, n));
    let (x, u, dt) = ((2 * n, 1), (n, 1), (1, 1));
    let (jacobian, hessian) = ((3 * n, 2 * n), (3 * n, 3 * n));
    let functions: [(&str, &[_], &[_]); 3] = [
        ("fun", &[x, u, dt], &[x]),
        ("fun_jac", &[x, u, dt], &[x, jacobian]),
        ("fun_jac_hess", &[x, u, x, dt], &[x, jacobian, hessian]),
    ];
    for (function, inputs, outputs) in functions {
        let name = format!("{prefix}_acados_{function}_casadi");
        describe(&mut text, &name, "in", inputs);
        describe(&mut text, &name, "out", outputs);
        let _ = write!(
            text,
            "\nint {name}_work(int *sz_arg, int *sz_res, int *sz_iw, int *sz_w)\n{{\n    \
             if (sz_arg) *sz_arg = {};\n    if (sz_res) *sz_res = {};\n    if (sz_iw) *sz_iw = 0;\n    \
             if (sz_w) *sz_w = 0;\n    return 0;\n}}\n",
            inputs.len(),
            outputs.len()
        );
    }
    text.push_str(&of(GENERIC, prefix, c.real, n));
    text
}
