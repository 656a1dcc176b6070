//! Structure of results: which entries of matrices can differ from zero.

use crate::search::measure;
use crate::search::plan::{Code, Plan};
use crate::signatures::signature::{Dims, Output, Sizes};
use std::fmt::Write;

/// The table of all matrices, and the method that finds one in it. Functions of frames are not in it.
pub fn write(text: &mut String, type_name: &str, plans: &[Plan], sizes: Sizes) {
    let of_robot = plans.iter().filter(|plan| plan.frame.is_none() && plan.code != Code::None);
    let all: Vec<String> = of_robot.flat_map(|plan| rows(plan, sizes)).collect();
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

/// Rows of a function's matrices.
fn rows(plan: &Plan, sizes: Sizes) -> Vec<String> {
    let outputs = plan.spec().outputs;
    let structures = measure::structures(plan.kernels(), outputs, sizes);
    let matrices =
        outputs.iter().zip(structures).filter(|(output, _)| matches!(output.shape, Dims::Matrix(..)));
    let row = |(output, bits): (&Output, Vec<u64>)| {
        let (rows, columns) = output.shape.extent(sizes);
        let bits: Vec<String> = bits.iter().map(|word| format!("{word:#x}")).collect();
        let (function, name, bits) = (plan.spec().name, output.name, bits.join(", "));
        format!("rt::Structure::new({function:?}, {name:?}, ({rows}, {columns}), &[{bits}]),\n")
    };
    matrices.map(row).collect()
}
