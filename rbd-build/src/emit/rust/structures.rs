//! Structure of results: which entries of matrices can differ from zero.

use crate::search::plan::{Code, Plan};
use crate::search::{measure, step_zeros};
use crate::signatures::signature::{Dims, Output, Sizes};
use crate::table::functions::Function;
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

/// The table of all matrices, and the method that finds one in it. Functions of frames are not in it.
pub fn write(
    text: &mut String,
    type_name: &str,
    plans: &[Plan],
    model: &Model<f64>,
    step: Option<Integrator>,
    controls: &[usize],
) {
    let of_robot = || plans.iter().filter(|plan| plan.frame.is_none() && plan.code != Code::None);
    let mut all: Vec<String> = of_robot().flat_map(|plan| rows(plan, model.into())).collect();
    let first = of_robot().find(|plan| plan.function == Function::AbaDerivatives);
    if let (Some(integrator), Some(first)) = (step, first) {
        all.extend(rows_of_steps(integrator, model, first, controls));
    }
    let _ = write!(
        text,
        "const STRUCTURES: [rt::Structure<'static>; {}] = [\n{}];\n\
         /// # Structure of results\n\
         impl {type_name} {{\n\
         /// Entries of the result `output` of `function` that can differ from zero, also at compile time:\n\
         /// `structure(\"rnea_derivatives\", \"dtau_dq\")`. `None` for other functions and for what is no matrix.\n\
         #[must_use]\n\
         pub const fn structure(function: &rt::str, output: &rt::str) -> rt::Option<rt::Structure<'static>> {{\n\
         rt::find_structure(&STRUCTURES, function, output)\n\
         }}\n\
         }}\n",
        all.len(),
        all.concat()
    );
}

/// Rows of the blocks of steps' derivatives, and of those by controls.
fn rows_of_steps(
    integrator: Integrator,
    model: &Model<f64>,
    first: &Plan,
    controls: &[usize],
) -> Vec<String> {
    let outputs = first.spec().outputs;
    let found = measure::structures(first.kernels(), outputs, model.into());
    let bits = |name: &str| {
        let at = outputs.iter().position(|output| output.name == name);
        &*found[at.expect("derivatives of accelerations have this matrix")]
    };
    let blocks = step_zeros::blocks(integrator, model, ["ddq_dq", "ddq_dv", "ddq_dtau"].map(bits));
    let n = model.nv;
    let each = || step_zeros::BLOCKS.iter().zip(&blocks);
    let mut rows: Vec<String> =
        each().map(|(name, bits)| row("step_derivatives", name, (n, n), bits)).collect();
    if !controls.is_empty() {
        rows.extend(each().map(|(name, bits)| match name.strip_suffix("tau") {
            Some(of) => {
                let (name, columns) = (format!("{of}u"), of_columns(bits, n, controls));
                row("actuated_step_derivatives", &name, (n, controls.len()), &columns)
            }
            None => row("actuated_step_derivatives", name, (n, n), bits),
        }));
    }
    rows
}

/// Extracts columns of a matrix of bits with `n` rows.
fn of_columns(bits: &[u64], n: usize, columns: &[usize]) -> Vec<u64> {
    let mut made = vec![0; (n * columns.len()).div_ceil(64)];
    for (to, from) in columns.iter().enumerate() {
        let has = |row: usize| (bits[(from * n + row) / 64] >> ((from * n + row) % 64)) & 1 == 1;
        for k in (0..n).filter(|row| has(*row)).map(|row| to * n + row) {
            made[k / 64] |= 1 << (k % 64);
        }
    }
    made
}

fn row(function: &str, output: &str, (rows, columns): (usize, usize), bits: &[u64]) -> String {
    let bits: Vec<String> = bits.iter().map(|word| format!("{word:#x}")).collect();
    format!("rt::Structure::new({function:?}, {output:?}, ({rows}, {columns}), &[{}]),\n", bits.join(", "))
}

/// Rows of a function's matrices.
fn rows(plan: &Plan, sizes: Sizes) -> Vec<String> {
    let outputs = plan.spec().outputs;
    let structures = measure::structures(plan.kernels(), outputs, sizes);
    let matrices =
        outputs.iter().zip(structures).filter(|(output, _)| matches!(output.shape, Dims::Matrix(..)));
    let row = |(output, bits): (&Output, Vec<u64>)| {
        row(plan.spec().name, output.name, output.shape.extent(sizes), &bits)
    };
    matrices.map(row).collect()
}
