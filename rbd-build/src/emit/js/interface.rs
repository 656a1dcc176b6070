//! Text of the module: the robot's data, the functions, and what they share.

use super::function::{Definition, Function};
use super::{Step, Writer, actuated, joints, manifold, second_order, step, tables};
use crate::emit::c_family::helpers::Helper;
use crate::emit::c_family::spelling::comment;
use crate::emit::c_family::text::first_lines;
use crate::emit::manifold::is_flat;
use crate::fused::FusedFunction;
use crate::search::plan::Plan;
use crate::signatures::signature::Sizes;
use rbd_runtime::Model;
use std::fmt::Write;

/// The whole file.
pub fn module(
    js: &Writer<'_>,
    model: &Model<f64>,
    (plans, fused): (&[Plan], &[Plan<FusedFunction>]),
    step: Option<Step<'_>>,
) -> String {
    let sizes = Sizes::from(model);
    let of_plan = |plan: &Plan| match &plan.composition {
        Some(of) => second_order::definition(model, plan, of),
        None => Function::of_plan(model, plan).definition(js, sizes),
    };
    let fused = fused.iter().map(|plan| Function::of_fused(plan).definition(js, sizes));
    let mut all = Definition::default();
    for Definition { text, helpers, values, angles } in plans.iter().map(of_plan).chain(fused) {
        all.text += &text;
        all.helpers.extend(helpers);
        (all.values, all.angles) = (all.values.max(values), all.angles.max(angles));
    }
    if !is_flat(model) {
        all.helpers.insert(Helper::Sines);
        all.angles = all.angles.max(1);
    }
    let mut text = first_lines(js.origin);
    let _ = write!(
        text,
        "/* Dynamics of {}: {} moving bodies, {} configuration and {} velocity coordinates.\n \
         *\n \
         * Matrices are stored by columns: entry (i, j) of a matrix with n rows is [n * j + i]. The last argument of a\n \
         * function takes the results and is returned; without it, arrays are made. Results must not overlap arguments.\n \
         * SI units, angles in rad; quaternions are x, y, z, w. Types and documentation are in the file beside this one\n \
         * that ends in .d.ts. */\n\n",
        comment(&model.name),
        sizes.nb,
        sizes.nq,
        sizes.nv
    );
    let has_loops = all.helpers.contains(&Helper::Loops("tables"));
    if has_loops {
        text += &tables::import();
    }
    text += &joints::text(model);
    let needs = |helper| all.helpers.contains(&helper);
    let [sines, negative, gram] = [Helper::Sines, Helper::NegativeProduct, Helper::GramProduct].map(needs);
    let memory = [
        ("_values", all.values, all.values > 0),
        ("_angles", all.angles, sines),
        ("_sines", all.angles, sines),
        ("_cosines", all.angles, sines),
        ("_column", sizes.nv, negative || gram),
    ];
    text += "/* Memory of functions while they run, which none of them leaves to another. */\n";
    for (name, length, _) in memory.into_iter().filter(|(.., wanted)| *wanted) {
        let _ = writeln!(text, "const {name} = new Float64Array({length});");
    }
    text += "\n";
    let pieces = [
        (include_str!("text/check.js"), true),
        (include_str!("text/sines.js"), sines),
        (include_str!("text/products.js"), negative || gram),
        (include_str!("text/negative.js"), negative),
        (include_str!("text/gram.js"), gram),
    ];
    text.extend(pieces.into_iter().filter(|(_, wanted)| *wanted).map(|(piece, _)| piece));
    text += &manifold::text(model);
    if has_loops {
        text += &tables::text(model);
    }
    text += &second_order::shared(model, plans);
    text += &all.text;
    if let Some((integrator, controls)) = step {
        let has_hessian = step::has_hessian(plans);
        text += &step::text(model, integrator, has_hessian);
        text += &actuated::text(controls, has_hessian);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}
