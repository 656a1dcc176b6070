//! The header, for users.

use super::interface::signature;
use super::{
    Steps, Writer, actuated, contact_hessian, contact_step, contacts, friction, fused, joints, manifold,
    rollouts, run_time, second_order, step, zeros,
};
use crate::emit::c_family::documentation::{document, result_doc};
use crate::emit::c_family::spelling::comment;
use crate::emit::c_family::text::{extent, first_lines};
use crate::fused::FusedFunction;
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{Output, Sizes};
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Text of the header.
pub fn text(
    c: &Writer<'_>,
    model: &Model<f64>,
    all_contacts: &[ContactAt],
    plans: &[Plan],
    all_fused: &[Plan<FusedFunction>],
    steps: Option<Steps<'_>>,
) -> String {
    let (guard, sizes) = (c.prefix.to_uppercase(), Sizes::from(model));
    let except = match plans.iter().any(|plan| zeros::are_left_by(model, plan)) {
        true => {
            ".\n * Functions whose names end in _nonzeros leave entries alone that are zero in every state. Without NDEBUG they assert\n * that these are zero"
        }
        false => "",
    };
    let mut text = first_lines(c.origin);
    let _ = write!(
        text,
        "/* Dynamics of {}: {} moving bodies, {} configuration and {} velocity coordinates.\n \
         *\n \
         * Matrices are stored by columns: entry (i, j) of a matrix with n rows is [n * j + i]. Results must not overlap\n \
         * arguments; every entry of a result is written. Nothing is allocated, nothing is global, nothing can fail.\n \
         * SI units, angles in rad; quaternions are x, y, z, w. Where a function's unit says rad and N m, they are m and\n \
         * N for joints that slide. Functions whose names end in _at take the sines and cosines of the coordinates that\n \
         * turn, and compute none{except}.\n */\n\
         #ifndef {guard}_H\n#define {guard}_H\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         #define {guard}_NQ {} /* configuration coordinates */\n\
         #define {guard}_NV {} /* velocity coordinates */\n\
         #define {guard}_NB {} /* moving bodies */\n\n",
        comment(&model.name),
        sizes.nb,
        sizes.nq,
        sizes.nv,
        sizes.nq,
        sizes.nv,
        sizes.nb
    );
    joints::declare(&mut text, c, model);
    run_time::declare(&mut text, c, model);
    let mut structs = BTreeSet::new();
    for spec in plans.iter().map(Plan::spec) {
        if let Some(result) = spec.result.filter(|result| structs.insert(*result)) {
            let fields = spec.outputs.iter().map(|output| (*output, result_doc(*output, sizes)));
            result_struct(&mut text, c, sizes, result, fields);
        }
    }
    for plan in plans {
        let made_of = plan.composition.is_some().then(|| second_order::made_of(model, plan));
        document(&mut text, model, plan, made_of.as_deref());
        text.push_str(&c.declarations(sizes, &signature(model, plan)));
        if let Some(with_first) = second_order::declaration(c, model, plan) {
            text.push_str(&with_first);
        }
        run_time::declarations(&mut text, c, model, plan);
        zeros::declare(&mut text, c, model, plan);
    }
    for plan in all_fused {
        fused::declare(&mut text, c, model, plan);
    }
    contacts::declare(&mut text, c, model, all_contacts);
    contact_hessian::declare(&mut text, c, model, plans, all_contacts);
    friction::declare(&mut text, c, model, all_contacts);
    if let Some(Steps { integrator, controls }) = steps {
        step::declare(&mut text, c, model, integrator);
        actuated::declare(&mut text, c, model, controls);
        rollouts::declare(&mut text, c, model, &Steps { integrator, controls });
        contact_step::declare(&mut text, c, model, (plans, all_contacts), integrator);
    }
    manifold::declare(&mut text, c, model);
    text.push_str("#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// Writes the struct of several results, each with a comment.
pub(super) fn result_struct(
    text: &mut String,
    c: &Writer<'_>,
    sizes: Sizes,
    result: &str,
    fields: impl Iterator<Item = (Output, String)>,
) {
    text.push_str("typedef struct {\n");
    for (output, doc) in fields {
        let (real, n) = (c.real.name(), extent(output.shape, sizes));
        let _ = writeln!(text, "    {real} {}[{n}]; /* {doc} */", output.name);
    }
    let _ = writeln!(text, "}} {};\n", c.result_type(result));
}
