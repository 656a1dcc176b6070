//! The discrete step while contacts hold: dynamics under contacts, then that of free steps on their
//! accelerations (docs/step.md#under-contacts).

use super::Writer;
use super::contacts::Made;
use super::function::Step;
use super::step::{DT, Q_NEXT, V_NEXT, blocks, columns, documentation, in_blocks, joining};
use crate::emit::c_family::helpers::Written;
use crate::signatures::signature::{DDQ, Output};
use rbd_runtime::{Integrator, Model};

/// The step on these dynamics, with derivatives if they have them.
pub fn definition(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator, made: &Made) -> Written {
    let mut steps = made.calls(gpu, model, |output| in_blocks(*output).name);
    steps.push(Step::Parts(vec![joining(gpu, model, integrator)]));
    // Forces and what they leave, and derivatives of forces after the blocks.
    let is_square = |output: &Output| in_blocks(*output) != *output;
    let has_derivatives = made.spec.outputs.iter().any(is_square);
    let (of_step, what) = if has_derivatives {
        steps.push(columns(gpu, model, integrator));
        (blocks().collect(), "The state after a time dt while contacts hold, and its derivatives")
    } else {
        (Vec::new(), "The state after a time dt while contacts hold")
    };
    let own = made.spec.outputs.iter().copied().filter(|output| *output != DDQ && !is_square(output));
    let (mut outputs, of_forces): (Vec<Output>, Vec<Output>) =
        own.partition(|output| ["forces", "residual"].contains(&output.name));
    outputs.extend(of_step.into_iter().chain(of_forces));
    let name = if has_derivatives { "contact_step_derivatives" } else { "contact_step" };
    let arrays =
        [Q_NEXT, V_NEXT, DDQ.into()].into_iter().chain(outputs.iter().map(|output| (*output).into()));
    let heading = made.heading(gpu, model, name, Some(DT), arrays);
    let definition = heading.definition(gpu, made.sizes, &steps);
    let text = documentation(integrator, what, made.sizes, &made.about_contacts(), &outputs);
    let text = format!("{text}\n{}\n{}", made.about_work(gpu, name), definition.text);
    Written { text, helpers: definition.helpers }
}
